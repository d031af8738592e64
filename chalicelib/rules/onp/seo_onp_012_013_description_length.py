"""SEO-ONP-012 and SEO-ONP-013: a meta description that search results cut off, or that is too short."""

import unicodedata
from typing import Final

from chalicelib.domain.page.widths import DESCRIPTION_SIZE
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.onp.seo_onp_011_description_duplicated import shared_keys
from chalicelib.rules.wording import counted, quoted
from chalicelib.rules.written import description_size

WIDEST_PX: Final = 985  # Arial at 14 px, two lines of a desktop result
FEWEST_CHARACTERS: Final = 70
USUAL_CHARACTERS: Final = 155  # characters that roughly fit in a result


def check_long(page: Page, site: Site) -> PageVerdict:
    description = page.facts.description
    if not description:
        return None
    characters, width = description_size(page.facts)
    if width <= WIDEST_PX:
        return None
    return Finding(
        f"The description is {width:,} pixels wide ({counted(characters, 'character')}), but results show "
        f"{WIDEST_PX}: {quoted(description)}. Shorten it, and put what matters first.",
        {"description": description, "pixels": width, "limit": WIDEST_PX, "characters": characters},
    )


def length(text: str) -> int:
    """Return the number of characters. A Chinese, Japanese or Korean character counts twice."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def check_short(page: Page, site: Site) -> PageVerdict:
    description = page.facts.description
    if not description:
        return None
    characters = description_size(page.facts).characters
    if characters >= FEWEST_CHARACTERS or length(description) >= FEWEST_CHARACTERS:
        return None
    if page.address.description_key in site.once(shared_keys):
        return None  # SEO-ONP-011 asks for another text
    return Finding(
        f"The description has {counted(characters, 'character')}: {quoted(description)}. Results have room for "
        f"about {USUAL_CHARACTERS}; say what a visitor finds on the page.",
        {"description": description, "characters": characters, "limit": FEWEST_CHARACTERS},
    )


TOO_LONG = Rule(
    id="SEO-ONP-012",
    title="Meta description too long",
    category="ONP",
    severity="low",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=2,
    effort="low",
    writable_field="meta_description",
    what=f"The meta description is wider than {WIDEST_PX} pixels when set in Arial at {DESCRIPTION_SIZE} pixels, about "
    "two lines of a desktop result.",
    why="Search results cut off the end of the description, which may be the part that makes people click.",
    fix=f"Shorten the description to about {USUAL_CHARACTERS} characters, and begin with what the page offers.",
    not_when="Search engines still read the rest of a long description, and show another text if it fits the question "
    "better.",
    source=f"Search engines state no length. {WIDEST_PX} pixels is the width that other audit tools measure for two "
    "lines.",
    page_check=check_long,
)
TOO_SHORT = Rule(
    id="SEO-ONP-013",
    title="Meta description too short",
    category="ONP",
    severity="low",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=2,
    effort="low",
    writable_field="meta_description",
    what=f"The meta description has fewer than {FEWEST_CHARACTERS} characters.",
    why="A very short description rarely says why to click. Search engines then show a part of the page instead.",
    fix="Say in one or two sentences what a visitor finds on this page.",
    not_when="Chinese, Japanese and Korean characters count twice, because they say as much in half the space. A "
    "missing description is reported by SEO-ONP-010, and the same description on several pages by SEO-ONP-011.",
    source="This service set the threshold. Other audit tools use 70 to 120 characters.",
    page_check=check_short,
)
RULES = (TOO_LONG, TOO_SHORT)
