"""SEO-HRE-001: a page names a language version that does not name the page in return."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.hre.targets import fault_of
from chalicelib.rules.model import NOT_APPLICABLE, UNDECIDED, Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted

SHOWN: Final = 20


def check(page: Page, site: Site) -> PageVerdict:
    if not page.canonical_is_self:
        return NOT_APPLICABLE  # the versions name its canonical address
    silent: dict[str, str] = {}
    read = unread = 0
    for alternate in page.facts.hreflang:
        target = alternate.url
        if not target or target == page.url:
            continue
        address = site.addresses.get(target)
        if address is None or not address.readable or fault_of(target, page, site) is not None:
            unread += address is None or address.status == 0
            continue
        read += 1
        if not address.names(page.url, *site.leading_to(page.url)):
            silent.setdefault(target, alternate.lang)
    if not silent:
        return UNDECIDED if unread and not read else None
    target, language = next(iter(silent.items()))
    return Finding(
        f"{counted(len(silent), 'language version does', 'language versions do')} not name this page in return, such "
        f"as {target} ({language}); add hreflang for {page.url} there.",
        {"targets": [{"url": url, "lang": lang} for url, lang in list(silent.items())[:SHOWN]]},
    )


RULE = Rule(
    id="SEO-HRE-001",
    title="hreflang has no return link",
    category="HRE",
    severity="high",
    confidence="certain",
    scope="page",
    population="hreflang",
    weight=35,
    effort="medium",
    writable_field=None,
    what="The page names another language version with hreflang, and that page does not name this one.",
    why="Search engines ignore a pair of versions if only one of them names the other. Otherwise any page could claim "
    "to be the translation of any other.",
    fix="Let all versions carry the same complete set of hreflang annotations. The set of each page must also name "
    "the page itself. A translation plugin writes the annotations once the pages are linked as translations.",
    not_when="Versions that the audit did not read, on other hosts for example, are not judged. If a version is "
    "broken, redirects or may not be indexed, SEO-HRE-002 reports it. Pages that name another canonical address are "
    "left out, because other versions should name that address and not the page.",
    source="Search engines' documentation of hreflang: annotations must be confirmed from both sides.",
    page_check=check,
    cause=("template",),
)
