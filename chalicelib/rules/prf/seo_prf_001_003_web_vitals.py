"""SEO-PRF-001 to SEO-PRF-003: the three Core Web Vitals, measured by visitors' browsers if possible, otherwise in the
lab."""

from typing import Final

from chalicelib.domain.audit.inputs import (
    GOOD_BLOCKING_MS,
    GOOD_CLS,
    GOOD_INP_MS,
    GOOD_LCP_MS,
    LEAST_RUNS,
    PageSpeed,
    Source,
)
from chalicelib.domain.speed import window
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import spelled

POOR_LCP_MS: Final = 4_000
POOR_CLS: Final = 0.25
POOR_INP_MS: Final = 500
_WHO: Final[dict[Source, str]] = {
    "field_page": "for the page's visitors (75th percentile of 28 days)",
    "field_site": "for the website's visitors (75th percentile of 28 days), and the page is slow in the lab too",
    "lab": f"in the lab (median of {spelled(LEAST_RUNS)} runs on a phone)",
}


def has_data(site: Site) -> bool:
    return bool(site.speed)


def speed_of(page: Page, site: Site) -> PageSpeed | None:
    return (site.speed or {}).get(page.url)


def check_lcp(page: Page, site: Site) -> PageVerdict:
    speed = speed_of(page, site)
    source = speed.source("lcp") if speed else None
    value = speed.value("lcp") if speed else None
    if source is None or value is None:
        return NOT_APPLICABLE  # not measured, or too long ago
    if value <= GOOD_LCP_MS:
        return None
    rating = "poor" if value > POOR_LCP_MS else "needs_improvement"
    return Finding(
        f"The largest element appears after {value / 1000:.1f} s {_WHO[source]}; {GOOD_LCP_MS / 1000:.1f} s is good. "
        "Load the main image early and small, answer faster, and load fewer scripts and styles before it.",
        {"lcpMs": value, "limitMs": GOOD_LCP_MS, "source": source, "rating": rating, "critical": value > POOR_LCP_MS},
    )


def check_cls(page: Page, site: Site) -> PageVerdict:
    speed = speed_of(page, site)
    source = speed.source("cls") if speed else None
    value = speed.value("cls") if speed else None
    if source is None or value is None:
        return NOT_APPLICABLE  # not measured, or too long ago
    if value <= GOOD_CLS:
        return None
    rating = "poor" if value > POOR_CLS else "needs_improvement"
    return Finding(
        f"The content moves while the page loads (CLS {value:.2f}) {_WHO[source]}; {GOOD_CLS:.2f} is good. Keep room "
        "for images, advertisements and notices, and load fonts so that they do not change the lines.",
        {"cls": value, "limit": GOOD_CLS, "source": source, "rating": rating},
    )


def check_inp(page: Page, site: Site) -> PageVerdict:
    speed = speed_of(page, site)
    source = speed.source("inp") if speed else None
    value = speed.value("inp") if speed else None
    if source is None or value is None:
        return NOT_APPLICABLE  # not measured, or too long ago
    if source == "lab":
        if value <= GOOD_BLOCKING_MS:
            return NOT_APPLICABLE  # a good lab value does not prove that visitors' clicks are answered fast
        return Finding(
            f"The page may react slowly: in the lab, scripts block it for {value:,.0f} ms; at most {GOOD_BLOCKING_MS} "
            "ms is good. No visitors' data confirms it. Split long scripts, and load less of them.",
            {"blockingMs": value, "limitMs": GOOD_BLOCKING_MS, "source": source, "confidence": "possible"},
        )
    if value <= GOOD_INP_MS:
        return None
    rating = "poor" if value > POOR_INP_MS else "needs_improvement"
    return Finding(
        f"The page takes {value:,.0f} ms to react to a click or key {_WHO[source]}; {GOOD_INP_MS} ms is good. Split "
        "long scripts, and do less in the handlers of clicks.",
        {"inpMs": value, "limitMs": GOOD_INP_MS, "source": source, "rating": rating, "confidence": "certain"},
    )


_NOT_WHEN: Final = (
    "Only pages with measured speed are judged. A page's last measurement counts until the website has been measured "
    f"on {window.COUNTED_DAYS} later days; days without any measurement are not counted. Visitors' data of the whole "
    "website counts for a page only if a Lighthouse test of the page is slow too. The value of such a test is the "
    f"median of at least {spelled(LEAST_RUNS)} runs."
)
_SOURCE: Final = "Google's Core Web Vitals set the limits of good and poor values, for the 75th percentile of visits."

LCP = Rule(
    id="SEO-PRF-001",
    title="Slow largest paint (LCP)",
    category="PRF",
    severity="high",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=20,
    effort="high",
    writable_field=None,
    what=f"The largest element of the first screen appears later than {GOOD_LCP_MS / 1000:g} seconds after the visit "
    f"began. Usually it is an image or heading. Above {POOR_LCP_MS / 1000:g} seconds the value is poor.",
    why="Visitors decide in the first seconds whether to stay, and search engines use the value in ranking.",
    fix="Find the largest element. Give it a small file, and load it early, never lazily. Let the server answer "
    "faster, and load fewer styles and scripts before the element.",
    not_when=_NOT_WHEN,
    source=_SOURCE,
    page_check=check_lcp,
    has_data=has_data,
    needs=("speed",),
    cause=("template",),
)
CLS = Rule(
    id="SEO-PRF-002",
    title="Layout shifts (CLS)",
    category="PRF",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=12,
    effort="medium",
    writable_field=None,
    what=f"Content moves while the page loads: the layout shift is above {GOOD_CLS:.2f}. Above {POOR_CLS:.2f} it is "
    "poor.",
    why="Visitors lose their place and hit the wrong button. Search engines use the value in ranking.",
    fix="Give images, videos and frames width and height, keep room for advertisements and cookie notices, and choose "
    "a fallback font of the same width.",
    not_when=_NOT_WHEN,
    source=_SOURCE,
    page_check=check_cls,
    has_data=has_data,
    needs=("speed",),
    cause=("template",),
)
INP = Rule(
    id="SEO-PRF-003",
    title="Slow to react (INP)",
    category="PRF",
    severity="high",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=20,
    effort="high",
    writable_field=None,
    what=f"The page takes longer than {GOOD_INP_MS} ms to react visibly to a click, a tap or a key. Above "
    f"{POOR_INP_MS} ms the value is poor.",
    why="A page that does not react feels broken, and search engines use the value in ranking.",
    fix="Find the long scripts; tag managers, chats, consent tools and sliders are the usual ones. Remove or delay "
    "what is not needed, and split the rest into short pieces.",
    not_when=_NOT_WHEN + " A lab test cannot measure this value. Without visitors' data, the rule reports only "
    f"scripts that block the page for more than {GOOD_BLOCKING_MS} ms, with the confidence “possible”.",
    source=_SOURCE + " Lighthouse's limit for total blocking time.",
    page_check=check_inp,
    has_data=has_data,
    needs=("speed",),
    cause=("template",),
)
RULES = (LCP, CLS, INP)
