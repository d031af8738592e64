"""The connections of a website (CMS or shop, Search Console, Analytics): connecting, checking, disconnecting.

Codes, tokens and files that a person pastes are passed only to the operation of their form. No form shows them again.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import msgspec

from chalicelib.domain.connections import SOURCE_KINDS, WRITER_KINDS, Source, Writer
from chalicelib.operations import connections, grants, sources
from chalicelib.operations.errors import Refused
from chalicelib.store.websites import Website
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply, ShownOnce
from chalicelib.web.screens import google_callback

MOST_PASTED: Final = 8_000  # characters of a file of credentials
LONGEST_SHOWN: Final = 2_048
KINDS: Final = (*WRITER_KINDS, *SOURCE_KINDS)
NAMES: Final[Mapping[str, str]] = {
    "cms": "CMS",
    "shop": "Shop",
    "search": "Search Console",
    "analytics": "Analytics",
}
NOT_A_FILE: Final = "That is not the file that Google provides. Paste all of it, from the first brace to the last."
# Words for what a connection writes. A token that is not listed is shown as it is.
_WRITTEN: Final = {
    "alt": "alt texts",
    "meta_description": "description",
    "canonical": "canonical address",
    "llmsTxt": "llms.txt",
    "indexNowKey": "the key for search engines",
    "robotsBlock": "rules for crawlers",
}
_PASSED_ON: Final = frozenset({"not_found", "not_allowed"})
_CONFLICTS: Final = frozenset({"busy", "not_connected"})


class Shown(NamedTuple):
    """A connection on the screen.

    - ``state``: a short name of the state, for the template; ``words``: the state in words, for people.
    - ``facts``: what the screen says about the connection, as (name, value).
    - ``times``: when something happened, as (name, time).
    - ``error``: the last error, in words.
    """

    state: str
    words: str
    facts: list[tuple[str, Any]]
    times: list[tuple[str, str | None]]
    error: str | None


class Failed(NamedTuple):
    """A failed form of a connection. ``wrong``: why it failed. ``typed``: the values to show again in the form, by
    field."""

    kind: str
    wrong: str
    typed: Mapping[str, str]


def show(page: Page, failed: Failed | None = None, status: int = 200) -> Reply:
    website = page.website
    known = website.connections
    shown: dict[str, Shown] = {}
    shown |= {kind: _writer(writer) for kind in WRITER_KINDS if (writer := known.of(kind)) is not None}
    shown |= {kind: _source(source) for kind in SOURCE_KINDS if (source := known.source(kind)) is not None}
    done, _, kind = page.query.get(DONE, "").partition("-")
    return page.view(
        "connections.html",
        "Connections",
        status=status,
        kinds=KINDS,
        names=NAMES,
        shown=shown,
        failed=failed,
        connects=page.has("manage_keys"),
        google=grants.is_offered(),
        proposed=_proposed(website),
        done=_done(done, kind, shown.get(kind)),
    )


def act(page: Page, form: Form) -> Reply:
    kind, what = form.text("kind"), form.text("do")
    if kind not in KINDS:
        raise Refused("not_found", "There is no such connection.")
    try:
        if what == "connect":
            return _connect(page, form, kind)
        if what == "google":
            return _google(page, kind)
        if what == "check":
            _check(page, kind)
        elif what == "disconnect":
            remove = sources.remove if kind in SOURCE_KINDS else connections.remove
            remove(page.who.actor, page.website.id, kind)
        else:
            raise Refused("not_found", "The form names no known action. Reload the page, and use one of its buttons.")
    except Refused as refused:
        if refused.code in _PASSED_ON:
            raise
        fields = [] if what != "connect" else [name for name in ("url", "shop", "property") if name in form.fields]
        typed: dict[str, str] = {name: form.text(name)[:LONGEST_SHOWN] for name in fields}
        return show(page, Failed(kind, refused.message, typed), 409 if refused.code in _CONFLICTS else 422)
    return Redirect(page.here(**{DONE: f"{what}-{kind}"}))


def _check(page: Page, kind: str) -> None:
    actor, site_id = page.who.actor, page.website.id
    if kind in SOURCE_KINDS:
        sources.check(actor, site_id, [one for one in SOURCE_KINDS if one == kind])
    else:
        connections.check(actor, site_id, [one for one in WRITER_KINDS if one == kind])


def _connect(page: Page, form: Form, kind: str) -> Reply:
    return _CONNECT[kind](page, form) or Redirect(page.here(**{DONE: f"connect-{kind}"}))


def _cms(page: Page, form: Form) -> None:
    connections.pair(
        page.who.actor,
        page.website.id,
        url=form.text("url"),
        code=form.text("code"),
        person_id=page.who.member.person_id,
        base_url=page.api_url,
    )


def _shop(page: Page, form: Form) -> ShownOnce:
    linked = connections.link_shop(
        page.who.actor,
        page.website.id,
        shop=form.text("shop"),
        access_token=form.text("access_token"),
        person_id=page.who.member.person_id,
    )
    view = page.view("shop_key.html", "The shop is connected", key=linked.website_key)
    return ShownOnce(view, page.here(**{DONE: "shown-shop"}))


def _search(page: Page, form: Form) -> None:
    sources.connect_search(page.who.actor, page.website.id, name=form.text("property"), credentials=_pasted(form))


def _analytics(page: Page, form: Form) -> None:
    sources.connect_analytics(page.who.actor, page.website.id, name=form.text("property"), credentials=_pasted(form))


def _google(page: Page, kind: str) -> Reply:
    """Return a screen with the link to Google. A form cannot redirect there, because our content policy forbids
    that."""
    address = f"{page.address}/{google_callback.ROUTE}" if page.origin else ""
    url = grants.begin(page.who.actor, page.website.id, kind, address)
    return page.view("google_link.html", "Connect with Google", kind=NAMES[kind], url=url)


_CONNECT: Final[Mapping[str, Callable[[Page, Form], ShownOnce | None]]] = {
    "cms": _cms,
    "shop": _shop,
    "search": _search,
    "analytics": _analytics,
}


def _pasted(form: Form) -> object:
    """Return the pasted file of a service account. Raises ``Refused`` with a text that contains nothing of the file."""
    text = form.text("file")
    if len(text) > MOST_PASTED:
        raise Refused("bad_credentials", NOT_A_FILE)
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        raise Refused("bad_credentials", NOT_A_FILE) from None


def _proposed(website: Website) -> dict[str, str]:
    """Return the initial values of the fields for a new connection."""
    return {"url": website.home_url, "shop": "", "property": f"sc-domain:{website.host.partition(':')[0]}"}


def _done(what: str, kind: str, now: Shown | None) -> str | None:
    if kind not in KINDS:
        return None
    match what, now:
        case "shown", _:
            return (
                "The shop is connected. Its key was shown once and is not stored. Connect the shop again to get a new "
                "key."
            )
        case "disconnect", None:
            return f"{NAMES[kind]} is disconnected."
        case "connect", Shown():
            return f"{NAMES[kind]} is connected. Its data is being imported."
        case "check", Shown(error=None):
            return f"{NAMES[kind]} was checked just now, and works."
        case "check", Shown():
            return f"{NAMES[kind]} was checked just now. Its answer is below."
    return None


def _writer(found: Writer) -> Shown:
    if found.broken:
        state, words = "failed", "does not work"
    elif not found.status.writable:
        state, words = "paused", "can be read, not written"
    else:
        state, words = "active", "works"
    status = found.status
    facts = [
        ("Address", found.base_url),
        ("Platform", status.platform),
        ("Version of its plugin", status.version),
        ("SEO plugin", status.seo_plugin or "none"),
        ("Writes", _names(*status.fields, *status.files, *(["redirects"] if status.redirects else [])) or "nothing"),
        ("Items of the last import", found.imported_items),
    ]
    missing = [] if "alt" in status.fields else ["write_files (alt texts)"]
    missing += [] if status.redirects else ["write_online_store_navigation (redirects)"]
    if found.kind == "shop" and missing:
        facts.append(("Scopes that its app lacks", ", ".join(missing)))
    times = [
        ("Last import", _instant(found.imported_at)),
        ("Last checked", _instant(found.checked_at)),
        ("Connected", _instant(found.connected_at)),
    ]
    reason = None if found.broken else found.reason
    return Shown(state, words, facts, times, found.trouble or reason)


def _names(*tokens: str) -> str:
    return ", ".join(_WRITTEN.get(one, one) for one in tokens)


def _source(found: Source) -> Shown:
    if found.broken:
        state, words = "failed", "does not work"
    elif found.progress is not None:
        state, words = "running", f"importing day {found.progress.days:,} of {found.progress.of:,}"
    elif found.waiting is not None:
        state, words = "paused", "waiting"
    else:
        state, words = "active", "works"
    facts = [
        ("Property", found.name),
        ("Account", found.account),
        ("Rows of the last import", found.imported_rows),
    ]
    times = [("Last import", _instant(found.imported_at)), ("Connected", _instant(found.connected_at))]
    return Shown(state, words, facts, times, found.trouble)


def _instant(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
