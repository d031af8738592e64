"""Rules about scripts, style sheets and structured data."""

import json
import re
from collections.abc import Callable, Iterator

from tests.real.reading import Page, Website, joined
from tests.real.reading import written as written_form

_IMPORT = re.compile(r"""@import\s+(?:url\(\s*)?["']?([^"'()\s;]+)""", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SCRIPTS = ("", "module", "text/javascript", "application/javascript", "application/x-javascript", "text/ecmascript")


def files(page: Page) -> Iterator[str]:
    """The addresses that browsers load scripts and style sheets of the page from."""
    for script in page.root.iter("script"):
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        if script.get("src") and kind in _SCRIPTS and script.get("nomodule") is None:
            yield script.get("src")
    for link in page.root.iter("link"):
        rel = (link.get("rel") or "").lower().split()
        if "stylesheet" in rel and "alternate" not in rel and (link.get("type") or "text/css").lower() == "text/css":
            yield link.get("href") or ""


def missing(website: Website, page: Page) -> bool:
    waiting = [address for written in files(page) if written.strip() and (address := page.to(written)) is not None]
    seen: set[str] = set()
    while waiting:
        address = waiting.pop()
        if address in seen or not website.own(address):
            continue
        seen.add(address)
        status = website.asker.end_of(address)[0]
        if status >= 400 and status not in (401, 403, 407, 429):
            return True
        reply = website.asker.get(address)
        if reply.status == 200 and reply.headers.get("content-type", "").startswith("text/css"):
            beginning = _COMMENT.sub("", reply.body.decode("utf-8", "replace")).partition("{")[0]
            waiting += [
                imported
                for written in _IMPORT.findall(beginning)
                if (imported := written_form(joined(address, written))) is not None
            ]
    return False


def refused(website: Website, page: Page) -> bool:
    for written in files(page):
        address = page.to(written) if written.strip() else None
        if address is None or not website.own(address):
            continue
        headers = website.asker.asked(address).headers
        if headers.get("x-content-type-options", "").lower() == "nosniff":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if not re.fullmatch(r"text/css|(?:text|application)/(?:x-)?(?:java|ecma)script", kind):
                return True
    return False


def says_nothing(page: Page) -> bool:
    for script in page.root.iter("script"):
        if (script.get("type") or "").strip().lower().startswith("application/ld+json") and script.text:
            try:
                said = json.loads(script.text, strict=False)
            except ValueError:
                continue
            if '"@type"' not in json.dumps(said):
                return True
    return False


RULES: dict[str, Callable[[Website], set[str]]] = {
    "SEO-SCH-008": lambda website: website.indexable(says_nothing),
    "SEO-TEC-041": lambda website: website.indexable(lambda page: missing(website, page)),
    "SEO-TEC-042": lambda website: website.indexable(lambda page: refused(website, page)),
}
