"""Compares the current /llms.txt with the text that was written last. The file is requested twice: past every cache,
and as visitors get it."""

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from chalicelib.domain.changes.batch import WRITTEN
from chalicelib.domain.page.headers import first_of, joined
from chalicelib.domain.readiness.llms import is_missing, is_page
from chalicelib.domain.readiness.written import MOST_CHARACTERS, LlmsWrite

FetchedKind = Literal["text", "html", "empty", "missing", "error", "unreachable"]
LiveKind = Literal["text", "html", "empty", "missing", "error", "unreachable", "stale"]

STALE_SECONDS: Final = 24 * 3_600.0  # after that, an old text on the website no longer counts as a cached one
_CACHE_HEADERS: Final = (
    *("cf-cache-status", "x-cache", "x-cache-status", "x-proxy-cache", "x-vercel-cache", "x-litespeed-cache"),
    *("x-nitro-cache", "x-varnish-cache", "cdn-cache", "cache-status"),
)
_KEPT: Final = frozenset({"hit", "stale", "updating"})  # header values of an answer from the cache
_WORD: Final = re.compile(r"[a-z]+")
_LONGEST_HEADER: Final = 100
_NO_FILE: Final = frozenset({"missing", "empty", "html"})  # answers of an address without a text file


class Fetched(NamedTuple):
    """The answer of one address.

    - ``status``: 0 if there was no answer.
    - ``bytes``: how many bytes were read.
    - ``error``: why there was no complete answer, in words.
    - ``cache``: the headers that show that a cache gave the answer; None if no cache did.
    """

    status: int
    content_type: str | None = None
    text: str = ""
    bytes: int = 0
    truncated: bool = False
    error: str | None = None
    cache: str | None = None


class Cached(NamedTuple):
    """The answer that visitors get from a cache, if it differs from the answer to a request past all caches.
    ``status``: None if there was no answer."""

    status: int | None
    kind: FetchedKind
    found: bool
    cache: str | None


class Live(NamedTuple):
    """The file at the address.

    - ``text``: at most 60,000 characters; None if there is no text.
    - ``truncated``: whether the text is longer.
    - ``matches``: whether the file is what the service last wrote. None if the service never wrote the file, or if the
      comparison is impossible.
    """

    kind: LiveKind
    fetched_kind: FetchedKind
    message: str
    status: int | None
    bytes: int | None
    text: str | None
    truncated: bool
    matches: bool | None
    cached: Cached | None

    @property
    def found(self) -> bool:
        return self.fetched_kind == "text"

    @property
    def not_visible_yet(self) -> bool:
        return self.kind == "stale"


def cache_of(headers: Mapping[str, str]) -> str | None:
    """Return the headers that show that a cache gave the answer; None if no cache did. Header names are in lower
    case."""
    said = [
        f"{name}: {joined(headers, name)[:_LONGEST_HEADER]}"
        for name in _CACHE_HEADERS
        if not _KEPT.isdisjoint(_WORD.findall(joined(headers, name)[:_LONGEST_HEADER].lower()))
    ]
    age = first_of(headers, "age").strip()[:_LONGEST_HEADER]
    if age.isdecimal() and age.isascii() and age.strip("0"):
        said.append(f"age: {age}")
    return ", ".join(said) or None


def kind_of(fetched: Fetched) -> FetchedKind:
    """Return the kind of an answer.

    ``error``: a refusal, a server error or a redirect that leads nowhere. ``unreachable``: there was no complete
    answer.
    """
    if fetched.error is not None or not fetched.status:
        return "unreachable"
    if fetched.status in (200, 204):
        if is_page(fetched.text, fetched.content_type):
            return "html" if fetched.text.strip() else "empty"
        return "text" if fetched.text.strip() else "empty"
    return "missing" if is_missing(fetched.status) else "error"


def live_of(fresh: Fetched, plain: Fetched, write: LlmsWrite | None, now: float) -> Live:
    """Return the state of the live file, from the answers to two requests.

    - ``fresh``: the answer to the request past caches.
    - ``plain``: the answer to the request as visitors make it.
    - ``write``: the last approved change of the file; None if there is none.
    - ``now``: epoch seconds.
    """
    kind = kind_of(fresh)
    matches = None if write is None else _matches(kind, fresh, write.held)
    stale = write is not None and matches is False and _is_older(kind, fresh, write, now)
    cached = _cached(fresh, plain)
    return Live(
        kind="stale" if stale else kind,
        fetched_kind=kind,
        message=_message(kind, fresh, matches, cached, stale),
        status=fresh.status or None,
        bytes=None if kind == "unreachable" else fresh.bytes,
        text=fresh.text[:MOST_CHARACTERS] if kind == "text" else None,
        truncated=kind == "text" and (fresh.truncated or len(fresh.text) > MOST_CHARACTERS),
        matches=matches,
        cached=cached,
    )


def same_text(one: str, other: str) -> bool:
    """Whether two texts are equal, ignoring line ends and white space at the end."""
    return _plain(one) == _plain(other)


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").rstrip()


def _matches(kind: FetchedKind, fresh: Fetched, held: str | None) -> bool | None:
    """Whether the address serves the text that the service has in the CMS. Returns None if nothing was written or it
    cannot be decided."""
    if held is None or kind in ("error", "unreachable"):
        return None
    return shows(kind, fresh, held)


def shows(kind: FetchedKind, fresh: Fetched, text: str) -> bool:
    """Whether the answer is this text (see ``same_text``). For the text "", whether the address serves no text
    file."""
    if not text.strip():
        return kind in _NO_FILE
    return kind == "text" and not fresh.truncated and same_text(fresh.text, text)


def _is_older(kind: FetchedKind, fresh: Fetched, write: LlmsWrite, now: float) -> bool:
    """Whether the address still serves the text from before a write of the last 24 hours."""
    recent = write.applied_at is not None and now - write.applied_at < STALE_SECONDS
    return recent and write.status in WRITTEN and shows(kind, fresh, write.previous or "")


def _cached(fresh: Fetched, plain: Fetched) -> Cached | None:
    kind = kind_of(plain)
    same = kind == kind_of(fresh) and plain.status == fresh.status
    if same and (kind != "text" or same_text(plain.text, fresh.text)):
        return None
    return Cached(plain.status or None, kind, kind == "text", plain.cache)


def _message(kind: FetchedKind, fresh: Fetched, matches: bool | None, cached: Cached | None, stale: bool) -> str:
    if stale:
        said = (
            "The service wrote the file less than 24 hours ago, but the website still gives its earlier answer: "
            f"{ANSWERS[kind]}."
        )
    elif kind == "text":
        said = "The file is there."
        if matches is not None:
            said = f"The file is there, and its text is {'' if matches else 'not '}the one that the service last wrote."
    elif kind == "missing":
        said = f"There is no file: the address answers {fresh.status}."
    elif kind == "error":
        said = f"The address answers {fresh.status}, which does not say whether there is a file."
    elif kind == "unreachable":
        said = f"The address could not be read: {fresh.error or 'no answer'}."
    else:
        said = f"The address answers {ANSWERS[kind]}: there is no text for assistants."
    if cached is None:
        return said
    return f"{said} Visitors get something else: {ANSWERS[cached.kind]}{_from_cache(cached)}."


def _from_cache(cached: Cached) -> str:
    return "" if cached.cache is None else f", from a cache ({cached.cache})"


ANSWERS: Final[dict[FetchedKind, str]] = {
    "text": "a text",
    "html": "a web page",
    "empty": "an empty file",
    "missing": "no file",
    "error": "an error",
    "unreachable": "no answer",
}
