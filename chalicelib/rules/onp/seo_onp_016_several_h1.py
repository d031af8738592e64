"""SEO-ONP-016: more than one main heading."""

import re
from collections.abc import Sequence
from typing import Final

from chalicelib.domain.page.stop_words import ALL_STOP_WORDS
from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.titles import endings_of
from chalicelib.rules.wording import listed, quoted
from chalicelib.suggestions.headings import is_stock
from chalicelib.suggestions.words import content_words, stems

SHOWN: Final = 10
# A style guide shows examples of each heading level: "h1. Bootstrap heading", "Display 3", "Hello, world!".
_SAMPLE: Final = re.compile(
    r"<?h1>?(?:[.:] .*)?|(?:heading|überschrift|titre|título|titolo|kop) (?:level )?1"
    r"|(?:bootstrap )?heading|display [1-6]|hello,? world[.!]?|(?:lorem ipsum|the quick brown fox)\b.*"
)
NAMED: Final = 3
_NUMBER: Final = re.compile(
    r"(?:[\d\W_]|(?:eur|usd|gbp|chf|kr|rs|r)\.? ?(?=\d)|(?<=\d)\s?(?:[kmb]|eur|usd|gbp|chf|kr|zł|руб)\b"
    r"|/ ?(?:mo|month|year)\b)+"
    r"|free|kostenlos|gratis|gratuit|grátis|gratuito|бесплатно|رایگان|مجاني|免费|無料"
)


def check(page: Page, site: Site) -> PageVerdict:
    if page.facts.h1_count < 2:
        return None
    texts = {fold(text): text for level, text in reversed(page.facts.headings) if level == 1}
    texts = {
        folded: text
        for folded, text in texts.items()
        if _SAMPLE.fullmatch(folded) is None or _is_title(folded, page.facts.title or "")
    }
    if len(texts) < 2:
        return None
    texts = {folded: text for folded, text in texts.items() if not _begins_samples(folded, page.facts.headings)}
    if len(texts) < 2:
        return None
    headings = list(reversed(texts.values()))
    read = sum(level == 1 for level, _ in page.facts.headings)
    # If a page has very many headings, only the first are stored. How many different ones it has is unknown then.
    all_read = page.facts.h1_count <= read
    number = f"{len(headings)} different" if all_read else f"{page.facts.h1_count:,}"
    known = "" if all_read else f", at least {len(headings)} of them different"
    more = f" and {len(headings) - NAMED} more" if all_read and len(headings) > NAMED else ""
    such_as = "" if all_read else "such as "
    if not all_read or (
        not all(map(_is_number, headings)) and any(names_page(text, page.facts.title) for text in headings)
    ):
        advice = "Keep the one that says what the page is about, and make the others H2."
    elif all(map(_is_number, headings)):
        advice = (
            "All are prices or numbers, which do not say what the page is about. Mark the page's own headline as H1, "
            "and make these plain text or lower headings."
        )
    elif is_stock(headings[0]):
        advice = "None of them names the page. Add one that says what the page is about, and make these H2."
    else:
        advice = "Keep the one that says what the page is about, or add one if none does, and make the others H2."
    return Finding(
        f"The page has {number} main headings (H1){known}: {such_as}"
        f"{listed([quoted(text, 60) for text in headings[:NAMED]])}{more}. {advice}",
        {"headings": headings[:SHOWN], "count": len(headings), "h1Count": page.facts.h1_count},
    )


def _is_title(folded: str, title: str) -> bool:
    """Whether a heading is the page's title, with or without the name of the website after it: WordPress's first
    article is "Hello world!"."""
    return any(fold(title.removesuffix(ending)) == folded for ending in ("", *endings_of(title)))


def _begins_samples(folded: str, headings: Sequence[tuple[int, str]]) -> bool:
    """Whether an H1 is the first of the samples of all levels: an H2 and an H3 with its text follow it. The text may
    contain the number of the level: "Tent 1", "Tent 2", "Tent 3"."""
    same = _of_level(1, folded)
    return any(
        [level for level, _ in run] == [1, 2, 3]
        and fold(run[0][1]) == folded
        and all(_of_level(level, fold(text)) == same for level, text in run)
        for run in zip(headings, headings[1:], headings[2:], strict=False)
    )


def _of_level(level: int, folded: str) -> str:
    """Return the text of a heading without the number of its level."""
    return re.sub(rf"\bh?{level}\b", "#", folded)


def _is_number(heading: str) -> bool:
    """Whether a heading is only a price or a number, such as "$25", "19,99 EUR", "98 %" or "Free"."""
    return _NUMBER.fullmatch(fold(heading)) is not None


def names_page(heading: str, title: str | None) -> bool:
    """Whether a heading has a word of the page's title. True if the title has no words to compare."""
    said = stems(content_words(title or "", ALL_STOP_WORDS))
    return not said or not said.isdisjoint(stems(content_words(heading, ALL_STOP_WORDS)))


RULE = Rule(
    id="SEO-ONP-016",
    title="More than one H1",
    category="ONP",
    severity="low",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=2,
    effort="low",
    writable_field=None,
    what="The page shows two or more main headings (H1) with different texts.",
    why="One main heading says what the page is about. Several leave the subject unclear to screen reader users and "
    "search engines.",
    fix="Keep one, and turn the others into H2. Often the logo or the name of the website is marked as H1 on all "
    "pages.",
    not_when="Hidden headings, and samples of a style guide (such as “Heading 1”, “Display 1” or “Hello World”), do "
    "not count. An H1 followed by an H2 and an H3 with the same text does not count. A heading repeated word for word "
    "(once for phones, once for desktops) counts once. HTML allows several main headings, and search engines can read "
    "them.",
    source="Search engines' guidance: several main headings are allowed, but a single one is better for people.",
    page_check=check,
    cause=("template",),
)
