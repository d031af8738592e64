"""One page: its texts, its appearance in search results, its issues, its speed and its history."""

from typing import Any, Final

from chalicelib.domain.audit.watched import MOST_CLICKED
from chalicelib.operations import websites
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.parts import Part
from chalicelib.web.replies import Redirect, Reply
from chalicelib.web.screens.agentic import Sent, of_form, queued, running

MOST: Final = 20  # entries of each list about the page
ADDRESSES: Final = 6  # addresses of each list, which may be long
_ENDS: Final = {
    "answer": "The last address answers.",
    "loop": "They never end.",
    "unread": "The last address was not requested, so there may be more redirects.",
}
_WATCHING: Final = {
    "watched": "Watched. Changes of the page are sent as the event page.changed.",
    "unwatched": f"No longer watched, unless it is the home page or one of the {MOST_CLICKED} pages with the most "
    "clicks.",
}


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "read_page", {}


def show(page: Page, sent: Sent | None = None, not_watched: str | None = None) -> Reply:
    found = page.ask(*data(page))
    parts = page.parts(
        speed=lambda: page.ask("read_performance", {"url": found.url}),
        history=lambda: page.ask("read_page_history"),
        runs=lambda: running(page, found.url),
    )
    shown = of_form(page, sent)
    shown["done"] = shown["done"] or _WATCHING.get(page.query.get(DONE, ""))
    if not_watched is not None:
        shown["status"] = 409
    return page.view(
        "page.html",
        _cut(found.title or found.url),
        **shown,
        watched=found.url in (page.website.watched_pages or ()),
        not_watched=not_watched,
        most_clicked=MOST_CLICKED,
        running=parts["runs"].value if parts["runs"].ready else [],
        found=found,
        parts=parts,
        tested=_tested(parts["speed"]),
        ends=_ENDS,
        most=MOST,
        addresses=ADDRESSES,
        rendered=_rendered(found.rendered),
    )


def act(page: Page, form: Form) -> Reply:
    url = page.ask(*data(page)).url
    if form.text("do") in ("watch", "unwatch"):
        return _watch(page, url, form.text("do") == "watch")
    sent = queued(page, url, form.text("strategy"))
    return Redirect(page.here(**{DONE: "queued"})) if sent is None else show(page, sent)


def _watch(page: Page, url: str, wanted: bool) -> Reply:
    try:
        (websites.watch if wanted else websites.unwatch)(page.who.actor, page.website.id, url)
    except Refused as refused:
        if refused.code in ("not_found", "not_allowed"):
            raise
        return show(page, not_watched=refused.message)
    return Redirect(page.here(**{DONE: "watched" if wanted else "unwatched"}))


def _tested(part: Part) -> Any:
    """Return the page's speed. Returns None if it was never tested."""
    return next(iter(part.value.pages), None) if part.ready else None


def _rendered(found: Any) -> list[tuple[str, str | None, str | None]]:
    """Return the values that scripts change, each with its name, before and after."""
    if found is None:
        return []
    shown: list[tuple[str, str | None, str | None]] = [
        ("Words of the main text", f"{found.words.raw:,}", f"{found.words.rendered:,}"),
        ("Title", found.title.before, found.title.after),
        ("Canonical address", found.canonical.before, found.canonical.after),
    ]
    for name, both in (("Robots", found.robots), ("Structured data", found.structured_data_types)):
        shown.append((name, ", ".join(both.before) or None, ", ".join(both.after) or None))
    return shown


def _cut(text: str, most: int = 160) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
