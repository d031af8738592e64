"""Killed at any write, a person who connects with Google is connected once, and nothing that was granted is doubled."""

from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest
from selectolax.lexbor import LexborHTMLParser

from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.operations import accounts, grants, workspace
from chalicelib.operations.errors import Refused
from chalicelib.store import grants as stored
from chalicelib.store import sources
from tests.crash.crashing import Killed, each_step, killed_at, points
from tests.searched import PROPERTY, Searched, searched

BACK = "https://app.example/google/callback"


def granting(actor: Actor, site_id: str) -> tuple[str, str]:
    """State and code of somebody who has just granted access."""
    with urlopen(grants.begin(actor, site_id, "search", BACK), timeout=10) as page:
        found = LexborHTMLParser(page.read().decode()).css_first("#allow")
    assert found is not None
    sent = parse_qs(urlsplit(str(found.attributes["href"])).query)
    return sent["state"][0], sent["code"][0]


def connected(actor: Actor, site_id: str) -> None:
    """What a person does: begins, and comes back."""
    assert refusal(actor, *granting(actor, site_id)) is None


def refusal(actor: Actor, state: str, code: str) -> str | None:
    """Why a person who comes back from Google is not connected; None: they are."""
    try:
        choices = grants.complete(actor, state, code)
    except Refused as refused:
        return refused.code
    assert choices == []
    return None


def person(house: Searched) -> Actor:
    found = accounts.add_person(OPERATOR, house.workspace_id, "owner@example.com", "owner")
    return Actor(house.workspace_id, found.id, "owner", "owner@example.com")


@each_step
def test_a_website_is_connected_once_even_if_the_process_is_killed_at_any_write(
    store: None, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with searched(monkeypatch, 3) as house:
        actor = person(house)
        with killed_at(None) as counted:
            connected(actor, house.site_id)
    assert counted.count >= 4, "begun, used, granted, connected"
    for point in points(counted.count, step):
        with searched(monkeypatch, 3) as house:
            actor = person(house)
            state = code = ""
            try:
                with killed_at(*point):
                    state, code = granting(actor, house.site_id)
                    grants.complete(actor, state, code)
            except Killed:
                pass
            made = sources.get(house.site_id, "search")
            again = refusal(actor, state, code)
            assert again in (None, "link_used"), point
            if sources.get(house.site_id, "search") is None:
                connected(actor, house.site_id)
            kept, source = sources.get(house.site_id, "search"), house.source()
            assert kept is not None and source is not None and source.name == PROPERTY, point
            assert made is None or made == kept, point
            assert stored.get(house.site_id, "search") is None, point
            acts = [one.act.act for one in workspace.log(OPERATOR, house.workspace_id, 500)]
            assert acts.count("connection.made") == 1, point
