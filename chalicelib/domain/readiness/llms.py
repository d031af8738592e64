"""What stands at /llms.txt."""

from typing import Final, Literal

from chalicelib.domain.page.facts import TextFile

LlmsKind = Literal["ok", "missing", "empty", "html", "unreadable"]

_HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
_MARKUP_WITHIN: Final = 512  # characters in which a web page gives itself away


def kind_of(file: TextFile) -> LlmsKind:
    """``html``: the address answers a web page; ``unreadable``: no answer, a server error or a refusal."""
    if file.status == 200:
        start = file.text[:_MARKUP_WITHIN].lower()
        if file.content_type in _HTML_TYPES or "<html" in start or "<!doctype html" in start:
            return "html"
        return "ok" if file.text.strip() else "empty"
    if 400 <= file.status < 500 and file.status not in (401, 403, 407, 429):
        return "missing"
    return "unreadable"
