"""SEO-TEC-041 and SEO-TEC-042: scripts and style sheets that are missing, or that browsers refuse because of their
type.

A fault is reported only if two requests of the file showed it, and if a page that was read between the two requests
still named the file.
"""

import re
from collections.abc import Sequence
from typing import Final

from chalicelib.domain.page.resource_types import USUAL
from chalicelib.rules.context import REFUSED, Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, UNDECIDED, Finding, PageVerdict, Rule
from chalicelib.rules.resources import Fault, Loaded, loaded_by
from chalicelib.rules.wording import codes, counted, quoted

SHOWN: Final = 10
_NOUNS: Final = {"script": "script", "style": "style sheet"}
# "<?= $folder ?>/main.css", "{{ url }}", "${url}", as browsers write them in addresses.
_TEMPLATE_CODE: Final = re.compile(
    r"(?:<|%3c)(?:\?|%3f|%25|%=)|(?:\{|%7b)(?:\{|%7b|%25)|(?:\$|%24)(?:\{|%7b)", re.IGNORECASE
)


def has_data(site: Site) -> bool:
    """Whether any script or style sheet was requested."""
    return bool(site.resources)


def _faulty(page: Page, site: Site, fault: Fault) -> list[Loaded] | PageVerdict:
    loaded = loaded_by(page, site)
    if not loaded:
        return NOT_APPLICABLE
    faulty = [one for one in loaded if one.fault == fault]
    if not faulty:
        return UNDECIDED if any(one.unknown for one in loaded) else None
    return faulty


def check_missing(page: Page, site: Site) -> PageVerdict:
    faulty = _faulty(page, site, "missing")
    if not isinstance(faulty, list):
        return faulty
    if _TEMPLATE_CODE.search(faulty[0].url) is not None:
        advice = "Its address has template code in it that the server has not run: correct the template."
    elif all(one.by is not None for one in faulty):
        advice = (
            "Put the file back under its address, or take the @import out of the style sheet. Only what the missing "
            "file adds, such as a font, is lost."
        )
    else:
        advice = "Put the file back under its address, or take it out of the page."
    return Finding(
        f"{_first(faulty)} answers {_status(faulty[0])}{_more(faulty, 'missing too')}. {advice}", _evidence(faulty)
    )


def check_refused(page: Page, site: Site) -> PageVerdict:
    faulty = _faulty(page, site, "refused")
    if not isinstance(faulty, list):
        return faulty
    first = faulty[0]
    sent = first.answer.content_type if first.answer is not None else None
    as_what = f"as {quoted(sent)}" if sent else "without a type"
    return Finding(
        f"{_first(faulty)} is sent {as_what} with X-Content-Type-Options: nosniff, so browsers refuse it"
        f"{_more(faulty, 'refused too')}. Send it as {USUAL[first.kind]}.",
        _evidence(faulty),
    )


def _first(faulty: Sequence[Loaded]) -> str:
    one = faulty[0]
    by = "" if one.by is None else f", which {one.by} imports,"
    return f"The {_NOUNS[one.kind]} {one.url}{by}"


def _status(one: Loaded) -> int:
    return 0 if one.answer is None else one.answer.status


def _more(faulty: Sequence[Loaded], how: str) -> str:
    others = len(faulty) - 1
    return f", and {counted(others, 'other file is', 'other files are')} {how}" if others else ""


def _evidence(faulty: Sequence[Loaded]) -> dict[str, object]:
    return {
        "files": [
            {
                "url": one.url,
                "kind": one.kind,
                "importedBy": one.by,
                "status": _status(one),
                "contentType": one.answer.content_type if one.answer is not None else None,
            }
            for one in faulty[:SHOWN]
        ],
        "count": len(faulty),
    }


_NOT_WHEN: Final = (
    "Files on other websites, and files that robots.txt forbids the crawler to read, are not judged. Alternative files "
    "for printers and older browsers (alternate, nomodule) are not judged. Files that a new release of the website has "
    "just replaced are not reported: before a report, a page that names the file is read again, and the file is "
    "requested once more. Files beyond the audit's limit of requests are not judged."
)
MISSING = Rule(
    id="SEO-TEC-041",
    title="Script or style sheet missing",
    category="TEC",
    severity="high",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=15,
    effort="low",
    writable_field=None,
    what="A script or style sheet that the page loads from its own website answers with an error (4xx or 5xx). Style "
    "sheets that another style sheet imports count too.",
    why="The page appears without its design, or without what the script adds: menus, prices, forms. Search engines "
    "and assistants that render the page see the same.",
    fix="Put the file back under its address, or correct or remove the address in the template.",
    not_when=f"A refusal of automated clients ({codes(REFUSED)}) does not show that the file is missing. {_NOT_WHEN}",
    source="The meaning of HTTP status codes (RFC 9110).",
    page_check=check_missing,
    asks_resources=True,
    has_data=has_data,
    cause=("template",),
)
TYPE_REFUSED = Rule(
    id="SEO-TEC-042",
    title="Browsers refuse a script or style sheet for its type",
    category="TEC",
    severity="high",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=15,
    effort="low",
    writable_field=None,
    what="A script or style sheet of the website is sent with X-Content-Type-Options: nosniff, and with the wrong "
    "Content-Type or none. Scripts need a JavaScript type, and style sheets need text/css.",
    why="Browsers then refuse the file. The page appears without its design, or without what the script adds.",
    fix="Let the server send scripts as text/javascript and style sheets as text/css. If the answer is a web page, "
    "the file is missing, and the server should answer 404.",
    not_when=f"Without nosniff, browsers detect the type themselves, so it is not judged. {_NOT_WHEN}",
    source="The Fetch standard names the responses that browsers block because of nosniff.",
    page_check=check_refused,
    asks_resources=True,
    has_data=has_data,
    cause=("template",),
)
RULES = (MISSING, TYPE_REFUSED)
