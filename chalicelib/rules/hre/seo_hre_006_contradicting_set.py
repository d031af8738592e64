"""SEO-HRE-006: hreflang names one address for two languages, or two addresses for one language."""

from collections import defaultdict
from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, listed, quoted

SHOWN: Final = 20
DEFAULT: Final = "x-default"


def check(page: Page, site: Site) -> PageVerdict:
    alternates = page.facts.hreflang
    if len(alternates) < 2:
        return None
    addresses: dict[str, list[str]] = defaultdict(list)
    languages: dict[str, list[str]] = defaultdict(list)
    for alternate in alternates:
        code = alternate.lang.lower().replace("_", "-")
        if alternate.url and alternate.url not in addresses[code]:
            addresses[code].append(alternate.url)
        if alternate.url and code != DEFAULT and code not in languages[alternate.url]:
            languages[alternate.url].append(code)
    split = {code: urls for code, urls in addresses.items() if len(urls) > 1}
    # One page for several regions of a language (en and en-GB) is fine; one for two languages is not.
    shared = {url: codes for url, codes in languages.items() if len({code.split("-")[0] for code in codes}) > 1}
    if split:
        code, urls = next(iter(split.items()))
        seen = f"hreflang names {counted(len(urls), 'address', 'addresses')} for {quoted(code)}: {listed(urls[:3])}"
        wanted = "keep the one that people of that language should see"
    elif shared:
        url, codes = next(iter(shared.items()))
        seen = f"hreflang names {url} for {listed([quoted(code) for code in codes[:5]])}"
        wanted = "each language needs a page of its own"
    else:
        return None
    return Finding(
        f"{seen}; {wanted}.",
        {
            "languagesWithTwoUrls": [{"lang": code, "urls": urls} for code, urls in list(split.items())[:SHOWN]],
            "urlsWithTwoLanguages": [{"url": url, "langs": codes} for url, codes in list(shared.items())[:SHOWN]],
        },
    )


RULE = Rule(
    id="SEO-HRE-006",
    title="One URL for two languages, or two URLs for one language",
    category="HRE",
    severity="medium",
    confidence="certain",
    scope="page",
    population="hreflang",
    weight=8,
    effort="low",
    writable_field=None,
    what="The page's hreflang annotations name one address for two languages, or two addresses for one language.",
    why="Search engines ignore annotations that contradict each other, and people may get a page in the wrong "
    "language.",
    fix="Keep one address for each language (and region), and one language for each address. A translation that does "
    "not exist gets no annotation.",
    not_when="x-default may have the same address as a language. Regions of one language may also share an address, "
    "such as en and en-GB. If the same annotation appears twice, it is not a contradiction.",
    source="Search engines' documentation of hreflang.",
    page_check=check,
    cause=("template",),
)
