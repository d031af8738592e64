"""Killed while the values of several issues are approved, each value is approved once, and a second press does the
rest."""

import contextlib

from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import Actor
from chalicelib.operations import reviews
from chalicelib.store import websites
from local import embedded
from tests.api import seed
from tests.api.conftest import House, settle
from tests.crash.crashing import Killed, each_step, killed_at, points
from tests.web.test_issue_approval import NO_DESCRIPTION, TITLE_TOO_LONG, approved, found, suggested


def prepared() -> House:
    """A website with two issues that suggest values for two pages each."""
    embedded.clear()
    house = settle()
    found(house)
    suggested(house, NO_DESCRIPTION, "What boots are.")
    return house


def press(house: House) -> None:
    """Approve what the review still offers, as a person does."""
    website = websites.get(house.workspace_id, house.site.id)
    assert website is not None
    issue_ids = [ids.issue_id(house.site.id, rule) for rule in (TITLE_TOO_LONG, NO_DESCRIPTION)]
    shown = reviews.review(website, issue_ids)
    if shown.rows:
        actor = Actor(house.workspace_id, house.person_id, "owner")
        assert all(one.batch for one in reviews.approve(actor, house.site.id, issue_ids, shown.digest))


@each_step
def test_values_approved_for_several_issues_are_stored_once_despite_kills(store: None, step: int) -> None:
    house = prepared()
    with killed_at(None) as counter:
        press(house)
    assert counter.count >= 2, "a transaction for each issue"
    for number, when in points(counter.count, step):
        house = prepared()
        with contextlib.suppress(Killed), killed_at(number, when):
            press(house)
        press(house)
        values = [
            (seed.url(house.site, page), value) for value in ("Boots | Acme", "What boots are.") for page in (0, 1)
        ]
        assert sorted(approved(house)) == sorted(values), (number, when)
