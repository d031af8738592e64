"""Addresses that no longer exist although pages link to them or search shows them.

People edit and approve the proposed targets of their redirects here.
"""

from typing import Final, NamedTuple

from chalicelib.domain import ids
from chalicelib.domain.changes.proposal import Wish
from chalicelib.operations import redirects
from chalicelib.operations.errors import Refused
from chalicelib.web import offering
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply
from chalicelib.web.screens.issue import NOTHING_TICKED

PER: Final = redirects.MOST  # all rows of a screen can be approved at once
_SHOWN_AGAIN: Final = frozenset(
    {"no_changes", "too_many_changes", "cms_not_connected", "cms_not_writable", "field_not_supported"}
    | {"too_many_waiting", "busy"}
)
SOME_REFUSED: Final = (
    "Nothing was approved: {} of these addresses cannot be redirected. The reason is shown beside each of them."
)


class Typed(NamedTuple):
    """A person's entries in the form: the ticked rows, and the address and the typed target of each row, by the row's
    id.

    The form asks once about each row that has a newly typed target but no tick. ``asked``: the rows about which it has
    asked before. ``left``: the rows about which it asks now.
    """

    values: dict[str, str]
    urls: dict[str, str]
    ticked: frozenset[str]
    asked: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()

    @classmethod
    def of(cls, form: Form) -> "Typed":
        sent = [name.removeprefix("value-") for name in form.fields if name.startswith("value-")]
        return cls(
            {row: form.text(f"value-{row}") for row in sent},
            {row: form.text(f"url-{row}") for row in sent},
            frozenset(form.all("tick")),
            offering.asked_about(form, sent),
        )


_NOTHING: Final = Typed({}, {}, frozenset())


def show(
    page: Page,
    typed: Typed = _NOTHING,
    wrong: str | None = None,
    reasons: dict[str, str] | None = None,
    status: int = 200,
) -> Reply:
    website = page.website
    start = (page.number("from", 1) - 1) // PER * PER
    part = page.parts(addresses=lambda: redirects.listed(website, start, PER))["addresses"]
    found = part.value if part.ready else None
    rows = []
    for one in [] if found is None else found.rows:
        row_id = ids.page_id(website.id, one.missing.url)
        rows.append(
            {
                "id": row_id,
                "one": one.missing,
                "offered": one,
                "value": typed.values.get(row_id, one.target or ""),
                "ticked": row_id in typed.ticked,
                "left": row_id in typed.left,
                "hash": None if row_id in typed.asked | typed.left else offering.hashed(one.target),
                "wrong": (reasons or {}).get(one.missing.url),
            }
        )
    end = start + len(rows)
    total = 0 if found is None else found.total
    return page.view(
        "redirects.html",
        "Redirects",
        status=status,
        part=part,
        found=found,
        rows=rows,
        acts=page.works and bool(rows) and found is not None and found.reason is None,
        in_shop=website.connections.writes_shop,
        wrong=wrong,
        elsewhere=_elsewhere(reasons or {}, {row["one"].url for row in rows}),
        before=max(1, start - PER + 1) if start else None,
        after=end + 1 if end < total else None,
        start=start,
        end=end,
    )


def _elsewhere(reasons: dict[str, str], shown: set[str]) -> list[str]:
    """Return the refusals of addresses that are no longer in the list."""
    return sorted({reason for url, reason in reasons.items() if url not in shown})


def act(page: Page, form: Form) -> Reply:
    typed = Typed.of(form)
    match form.text("choose"):
        case "all":
            return show(page, typed._replace(ticked=frozenset(row for row, value in typed.values.items() if value)))
        case "none":
            return show(page, typed._replace(ticked=frozenset()))
        case "stay":
            return show(page, typed)
    left = offering.left_out(form, typed.values, typed.ticked)
    if left:
        return show(page, typed._replace(left=left), offering.NOT_TICKED, status=422)
    ticked = [row for row in typed.values if row in typed.ticked]
    if not ticked:
        return show(page, typed, NOTHING_TICKED, status=422)
    wanted = [Wish(typed.urls[row], typed.values[row]) for row in ticked]
    try:
        batch = redirects.approve(page.who.actor, page.path["siteId"], wanted)
    except redirects.NotAllowed as refused:
        words = SOME_REFUSED.format(len(refused.reasons))
        return show(page, typed, words, dict(refused.reasons), status=422)
    except Refused as refused:
        if refused.code not in _SHOWN_AGAIN:
            raise
        return show(page, typed, refused.message, status=409)
    return Redirect(page.site_url("changes", batch.id, **{DONE: "approved"}))
