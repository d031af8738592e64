"""SEO-CON-001: a page that says far less than the others made from its template."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.domain.audit.templates import HOME, OTHER
from chalicelib.rules.context import Page, Site
from chalicelib.rules.duplicates import is_later_page
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import part, spelled

FEWEST_WORDS: Final = 200
LEAST_OF_MEDIAN: Final = 0.5
LEAST_DEVIATIONS: Final = 3.0
LEAST_PAGES: Final = 5  # fewer pages have no usual length
MAD_TO_DEVIATION: Final = 1.4826  # makes the median absolute deviation comparable to a standard deviation

# Pages that are short by nature: a product is shown, a form or an address is all there is, nothing to read at all.
_SHORT_KINDS: Final = frozenset({"legal", "contact", "media", "account", "search", "empty_archive"})
_SHORT_TEMPLATES: Final = frozenset({"product", "attachment", "cart", "checkout", "account", "search"})


class Usual(NamedTuple):
    """How long the pages of a template are: median of their words, and the median distance from it."""

    pages: int
    words: float
    spread: float


def usual_lengths(site: Site) -> dict[str, Usual]:
    """The usual length of each template's indexable pages."""
    lengths: dict[str, list[int]] = {}
    for address in site.indexable():
        if address.template not in (None, HOME, OTHER):
            lengths.setdefault(str(address.template), []).append(address.words)
    result = {}
    for template, words in lengths.items():
        middle = _median(words)
        result[template] = Usual(len(words), middle, _median([abs(count - middle) for count in words]))
    return result


def shapes(site: Site) -> Counter[tuple[str | None, str]]:
    """How many indexable pages of a template have the same skeleton."""
    return Counter((address.template, address.shape[0]) for address in site.indexable())


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def check(page: Page, site: Site) -> PageVerdict:
    template = page.template
    if template in _SHORT_TEMPLATES or page.kind.kind in _SHORT_KINDS or is_later_page(page.url):
        return NOT_APPLICABLE
    if (template or "").startswith("/") and site.once(shapes)[template, page.address.shape[0]] < LEAST_PAGES:
        return NOT_APPLICABLE  # grouped by address alone: made from another template than its neighbours
    usual = site.once(usual_lengths).get(template or "")
    if usual is None or usual.pages < LEAST_PAGES:
        return NOT_APPLICABLE
    words = page.facts.words
    if words >= FEWEST_WORDS or words >= LEAST_OF_MEDIAN * usual.words:
        return None
    # Where all others are equally long there is no spread, and any other length stands out.
    if usual.words - words < LEAST_DEVIATIONS * MAD_TO_DEVIATION * usual.spread:
        return None
    return Finding(
        f"The main content has {words} words; pages of this kind ({template}) have {usual.words:.0f}. Say more about "
        "the subject, or merge the page with a fuller one.",
        {"words": words, "usualWords": round(usual.words), "template": template, "pagesOfTemplate": usual.pages},
    )


RULE = Rule(
    id="SEO-CON-001",
    title="Thin page",
    category="CON",
    severity="medium",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=10,
    effort="high",
    writable_field=None,
    what=f"The main content has fewer than {FEWEST_WORDS} words, less than {part(LEAST_OF_MEDIAN)} of what pages from "
    "the same template usually have, and far outside of how much they differ among each other.",
    why="A page that says much less than its neighbours rarely answers what people came for, and search engines "
    "leave such pages out.",
    fix="Add what a visitor wants to know about the subject, merge the page with a fuller one and redirect it, or set "
    "it to noindex.",
    not_when="Product, contact, legal, media, account and search pages are short by nature and left out, and so are "
    f"later pages of a list. A template needs at least {spelled(LEAST_PAGES)} pages to have a usual length, and where "
    f"only the address tells the template, at least {spelled(LEAST_PAGES)} built like this one.",
    source="Ours: audit tools use fixed limits of 200 to 300 words, which flags pages that are meant to be short.",
    page_check=check,
)
