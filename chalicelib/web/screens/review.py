"""All suggested values of the ticked issues: the values to approve, the conflicts, and the values that are left out,
each with the reason.

The ticked issues are sent as query parameters whose names begin with ``TICKED``.
"""

from typing import Any, Final

from chalicelib.operations import reviews
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply
from chalicelib.web.screens.issue import FIELDS, struck

TICKED: Final = "i-"
MOST: Final = 50
ACTIONS: Final = 100
_LONGEST_ID: Final = 64
_REFUSED_HERE: Final = frozenset({"changed_since_shown", "no_changes", "too_many_issues", "too_many_waiting"})
NOTHING_TICKED: Final = "Tick at least one action that can be written from here."


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "list_actions", {"limit": str(ACTIONS)}


def show(page: Page, wrong: str | None = None, status: int = 200) -> Reply:
    listed = {one.issue_id: one for one in page.ask(*data(page)).actions}
    chosen = _chosen(page, listed)
    found, refusal = None, NOTHING_TICKED
    if chosen:
        try:
            found = reviews.review(page.website, chosen, page.query.get("template"))
        except Refused as refused:
            if refused.code == "not_found":
                raise
            refusal = refused.message
    rows = [] if found is None else found.rows
    start = _start(page, len(rows))
    shown = rows[start : start + MOST]
    return page.view(
        "review.html",
        "Review",
        status=status,
        found=found,
        refusal=refusal,
        issues=[
            {"id": one, "action": listed.get(one), "count": sum(row.issue_id == one for row in rows)} for one in chosen
        ],
        titles={one: listed[one].title if one in listed else "Another issue" for one in chosen},
        shown=[(row, struck(row.current, row.value)) for row in shown],
        total=len(rows),
        start=start,
        end=start + len(shown),
        per=MOST,
        fields=FIELDS,
        wrong=wrong,
    )


def act(page: Page, form: Form) -> Reply:
    listed = {one.issue_id: one for one in page.ask(*data(page)).actions}
    chosen = _chosen(page, listed)
    try:
        done = reviews.approve(
            page.who.actor, page.path["siteId"], chosen, form.text("digest"), page.query.get("template")
        )
    except Refused as refused:
        if refused.code not in _REFUSED_HERE:
            raise
        return show(page, refused.message, 409)
    refusals = [one.refusal.message for one in done if one.refusal is not None]
    if refusals:
        return show(page, f"{len(done) - len(refusals)} of {len(done)} batches were approved. {refusals[0]}", 409)
    batches = [one.batch for one in done if one.batch is not None]
    if len(batches) == 1:
        return Redirect(page.site_url("changes", batches[0].id, **{DONE: "approved"}))
    return Redirect(page.site_url("changes", **{DONE: "approved"}))


def _chosen(page: Page, listed: dict[str, Any]) -> list[str]:
    """Return the ids of the ticked issues, in the order of the actions."""
    ticked = [name.removeprefix(TICKED) for name in page.query if name.startswith(TICKED)]
    order = {issue_id: place for place, issue_id in enumerate(listed)}
    known = [one for one in ticked if one and len(one) <= _LONGEST_ID]
    return sorted(known, key=lambda one: (order.get(one, len(order)), one))


def _start(page: Page, total: int) -> int:
    """Return the index of the first row to show."""
    sent = page.query.get("row", "")
    wanted = int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 5 else 0
    return 0 if wanted >= total else wanted // MOST * MOST
