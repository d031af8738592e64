"""SEO-HRE-003: hreflang with a code that search engines do not understand."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.languages import hreflang_fault
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import quoted

CODES_SHOWN: Final = 20


def check(page: Page, site: Site) -> PageVerdict:
    faults = {}
    for alternate in page.facts.hreflang:
        if alternate.lang not in faults:
            fault = hreflang_fault(alternate.lang)
            if fault is not None:
                faults[alternate.lang] = fault
    if not faults:
        return None
    code, fault = next(iter(faults.items()))
    more = f" {len(faults) - 1} more codes are not valid either." if len(faults) > 1 else ""
    return Finding(
        f"hreflang says {quoted(code)}: {fault}{more}",
        {"codes": [{"code": code, "fault": fault} for code, fault in list(faults.items())[:CODES_SHOWN]]},
    )


RULE = Rule(
    id="SEO-HRE-003",
    title="Invalid hreflang code",
    category="HRE",
    severity="medium",
    confidence="certain",
    scope="page",
    population="hreflang",
    weight=12,
    effort="low",
    writable_field=None,
    what="An hreflang annotation names a language or region code that does not exist, such as en-UK.",
    why="Search engines ignore annotations they do not understand, so the language version is not shown to the "
    "people it was made for.",
    fix="Use the two-letter language code (ISO 639-1), then, if needed, the script and the region (ISO 3166-1): en, "
    "en-GB, zh-Hant-TW. Use x-default for all other visitors.",
    not_when="Pages without hreflang are left out. Capital and small letters make no difference.",
    source="Search engines' documentation of hreflang: ISO 639-1, ISO 15924, ISO 3166-1 and x-default.",
    page_check=check,
    cause=("template",),
)
