"""Determines the kind of file that /llms.txt serves."""

from typing import Final, Literal

from chalicelib.domain.page.facts import TextFile

LlmsKind = Literal["ok", "missing", "empty", "html", "unreadable"]

_HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
_MARKUP_WITHIN: Final = 512  # a web page is recognised by its first characters
_REFUSALS: Final = frozenset({401, 403, 407, 429})  # 4xx statuses that do not mean that the file is missing


def kind_of(file: TextFile) -> LlmsKind:
    """Return the kind of file. ``html``: the address serves a web page. ``unreadable``: there was no answer, a server
    error or a refusal."""
    if file.status == 200:
        if is_page(file.text, file.content_type):
            return "html"
        return "ok" if file.text.strip() else "empty"
    return "missing" if is_missing(file.status) else "unreadable"


def is_page(text: str, content_type: str | None) -> bool:
    """Whether an answer is a web page, judged by its media type and by the markup near its beginning."""
    start = text[:_MARKUP_WITHIN].lower()
    return content_type in _HTML_TYPES or "<html" in start or "<!doctype html" in start


def is_missing(status: int) -> bool:
    """Whether the status means that the file does not exist."""
    return 400 <= status < 500 and status not in _REFUSALS
