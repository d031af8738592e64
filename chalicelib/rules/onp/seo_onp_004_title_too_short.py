"""SEO-ONP-004: a title that is too short to say anything."""

from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.domain.page.widths import TITLE_SIZE
from chalicelib.rules.context import Page, Site
from chalicelib.rules.duplicates import is_copy_of_home
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.onp.seo_onp_005_title_too_long import WIDEST_PX
from chalicelib.rules.onp.seo_onp_006_title_says_nothing import says_nothing
from chalicelib.rules.wording import counted, quoted, spelled
from chalicelib.rules.written import title_size

FEWEST_CHARACTERS: Final = 30
NARROWEST_PX: Final = 200  # Arial at 20 px
MOST_HEADING_WORDS: Final = 3  # a page about one thing, such as "Contact", needs no more words


def check(page: Page, site: Site) -> PageVerdict:
    if page.is_home or is_copy_of_home(page):
        return NOT_APPLICABLE
    title = page.facts.title
    if not title or not page.canonical_is_self:
        return None
    characters, width = title_size(page.facts)
    if characters >= FEWEST_CHARACTERS or width >= NARROWEST_PX or says_nothing(page, site) is not None:
        return None
    headings = {fold(text) for level, text in page.facts.headings if level == 1}
    if len(title.split()) <= MOST_HEADING_WORDS and fold(title) in headings:
        return None
    return Finding(
        f"The title {quoted(title)} is {counted(characters, 'character')} and {width} pixels long; results have room "
        f"for {WIDEST_PX} pixels. Add what distinguishes this page, such as the kind of thing, the place or the "
        "audience.",
        {"title": title, "characters": characters, "pixels": width, "limit": NARROWEST_PX},
    )


RULE = Rule(
    id="SEO-ONP-004",
    title="Title too short",
    category="ONP",
    severity="low",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=3,
    effort="low",
    writable_field="title",
    what=f"The title has fewer than {FEWEST_CHARACTERS} characters and is narrower than {NARROWEST_PX} pixels in Arial "
    f"at {TITLE_SIZE} pixels.",
    why="A title of one or two words does not describe the page to people or search engines. Most of its line in "
    "search results stays empty.",
    fix="Add the words that people search for, such as the kind of thing, the place or the audience.",
    not_when="The home page and copies of it (/index.html) are left out. Titles that equal a main heading of up to "
    f"{spelled(MOST_HEADING_WORDS)} words, such as Contact, are left out. Titles that are only the website's name or a "
    "stock phrase are reported by SEO-ONP-006 only. Pages that name another page as canonical are left out, because "
    "results do not show them.",
    source="This service set the thresholds. Other audit tools use 20 to 30 characters.",
    page_check=check,
    title_need="short",
)
