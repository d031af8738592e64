"""The images that an issue lists, each with its picture and a field for its text."""

import re
from typing import Any, Final, NamedTuple

from chalicelib.domain.changes.batch import WAITING
from chalicelib.domain.changes.proposal import Wish
from chalicelib.domain.changes.values import LONGEST
from chalicelib.domain.crawl.hosts import ascii_host, is_public_name
from chalicelib.domain.crawl.urls import same_site
from chalicelib.domain.ids import digest
from chalicelib.operations import alt_texts
from chalicelib.operations.alt_texts import Images, Listed
from chalicelib.operations.errors import Refused
from chalicelib.web import offering
from chalicelib.web.forms import Form
from chalicelib.web.page import Page
from chalicelib.web.replies import Redirect, Reply, View, with_pictures
from chalicelib.web.screens.changes import STATES
from chalicelib.web.screens.issue import NOTHING_TICKED, counts_of, steps_of

MOST: Final = 20  # pictures per screen
SOURCES: Final = {
    "product": "This is the name of the page's product.",
    "caption": "From the picture's caption.",
    "link": "From the text of another link to the address that the picture links to.",
}
EMPTY: Final = "A ticked picture has no text. Describe what it shows, or mark it as decorative."
_NOT_LISTED: Final = "A ticked picture is no longer listed here. Nothing was approved. Look at the current list."
# The origin of a picture, without a user name, and only with characters that the header may contain.
_ORIGIN: Final = re.compile(r"(https://([a-z0-9.-]+)(?::[0-9]{1,5})?)/")
_REFUSED_ELSEWHERE: Final = frozenset({"not_found", "not_allowed"})


class Typed(NamedTuple):
    """A person's entries in the form: the text of each image, the names of decorative images, and the names of ticked
    images.

    If an image has a typed text but is not ticked, the form asks once whether to write the text. ``asked``: the images
    about which it asked before. ``left``: the images about which it asks now.
    """

    texts: dict[str, str]
    decorating: frozenset[str]
    ticked: frozenset[str]
    asked: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()

    @classmethod
    def of(cls, form: Form) -> "Typed":
        names = [name.removeprefix("text-") for name in form.fields if name.startswith("text-")]
        texts = {name: form.text(f"text-{name}").strip() for name in names}
        ticked, asked = frozenset(form.all("tick")), offering.asked_about(form, names)
        return cls(texts, frozenset(form.all("decorates")), ticked, asked)

    def value(self, name: str) -> str:
        return "" if name in self.decorating else self.texts.get(name, "")


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "read_issue", {"pages_limit": "1"}


def show(page: Page, typed: Typed | None = None, wrong: str | None = None, status: int = 200) -> View:
    found = page.ask(*data(page))
    start = _start(page)
    images = alt_texts.look(page.website, found.id, offset=start, limit=MOST)
    closed = found.status in ("resolved", "ignored")
    rows = [_row(one, typed, page.website.host, closed=closed or not page.works) for one in images.shown]
    reasons = {row["one"].reason for row in rows}
    last = found.last_change
    view = page.view(
        "alt_texts.html",
        "Text alternatives",
        status=status,
        found=found,
        rows=rows,
        images=images,
        acts=any(row["acts"] for row in rows),
        in_shop=page.website.connections.writes_shop,
        blocked=reasons.pop() if len(reasons) == 1 else None,
        wrong=wrong,
        longest=LONGEST["alt"],
        start=start,
        end=start + len(rows),
        per=MOST,
        last=last,
        steps=steps_of(found, last),
        counts=counts_of(last),
        states=STATES,
    )
    shown = with_pictures(row["origin"] for row in rows if row["origin"] is not None)
    return View(view.template, view.values, view.status, headers=shown)


def act(page: Page, form: Form) -> Reply:
    typed = Typed.of(form)
    match form.text("choose"):
        case "all":
            filled = (name for name, text in typed.texts.items() if text or name in typed.decorating)
            return show(page, typed._replace(ticked=frozenset(filled)))
        case "none":
            return show(page, typed._replace(ticked=frozenset()))
        case "stay":
            return show(page, typed)
    left = offering.left_out(form, typed.texts, typed.ticked)
    left |= typed.decorating & typed.texts.keys() - typed.ticked - typed.asked
    if left:
        return show(page, typed._replace(left=left), offering.NOT_TICKED, 422)
    if not typed.ticked:
        return show(page, typed, NOTHING_TICKED, 422)
    images = alt_texts.look(page.website, page.path["issueId"], offset=_start(page), limit=MOST)
    named = _named(images)
    if not typed.ticked <= named.keys() & typed.texts.keys():
        return show(page, typed, _NOT_LISTED, 422)
    if any(not typed.texts[name] and name not in typed.decorating for name in typed.ticked):
        return show(page, typed, EMPTY, 422)
    wanted = [Wish(named[name].page.url, typed.value(name), named[name].key) for name in named if name in typed.ticked]
    try:
        batch = alt_texts.approve(page.who.actor, page.path["siteId"], page.path["issueId"], wanted)
    except Refused as refused:
        if refused.code in _REFUSED_ELSEWHERE:
            raise
        return show(page, typed, refused.message, 409 if refused.code in ("busy", "too_many_waiting") else 422)
    return Redirect(page.site_url("changes", batch.id, done="approved"))


def _named(images: Images) -> dict[str, Listed]:
    """Return the images by their names in the form."""
    return {_name(one): one for one in images.shown if one.key is not None}


def _name(one: Listed) -> str:
    return digest(one.page.url, one.key or "").hex()[:20]


def _row(one: Listed, typed: Typed | None, host: str, *, closed: bool) -> dict[str, Any]:
    name = _name(one)
    under_way = one.change is not None and one.change.status in WAITING
    acts = one.reason is None and not closed
    text = (one.suggested or "") if typed is None else typed.texts.get(name, one.suggested or "")
    return {
        "one": one,
        "name": name,
        "origin": _shown_origin(one.src, host),
        "text": text,
        "decorates": typed is not None and name in typed.decorating,
        "ticked": name in typed.ticked if typed is not None else acts and bool(one.suggested) and not under_way,
        "left": typed is not None and name in typed.left,
        "hash": offering.hashed(one.suggested) if typed is None or name not in typed.asked | typed.left else None,
        "acts": acts,
        "under_way": under_way,
        "source": SOURCES.get(one.suggested_from or ""),
        "number": None if one.key is None else int(one.key.rpartition(" ")[2]),
    }


def _shown_origin(src: str, host: str) -> str | None:
    """Return the origin of a picture that a person's browser may request. Returns None if it may not.

    A page could name hosts of the network in which the person works. So a host must have a public name, unless it is
    the website's own.
    """
    found = _ORIGIN.match(src)
    if found is None or ascii_host(found[2]) != found[2]:
        return None
    return found[1] if is_public_name(found[2]) or same_site(src, host) else None


def _start(page: Page) -> int:
    """Return the index of the first image to show."""
    sent = page.query.get("image", "")
    wanted = int(sent) if sent.isascii() and sent.isdecimal() and len(sent) <= 6 else 0
    return wanted // MOST * MOST
