"""SEO-ONP-006: a title that is only the website's name, or only a stock phrase such as "Home"."""

from typing import Final, Literal

from chalicelib.domain.page.text import fold
from chalicelib.rules.brand import STOCK_TITLES, is_stock, names
from chalicelib.rules.context import Page, Site
from chalicelib.rules.duplicates import is_copy_of_home
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.titles import endings_of
from chalicelib.rules.wording import quoted

_MOST_BLANK: Final = 20  # all words of a page whose title says that it is blank


def says_nothing(page: Page, site: Site) -> Literal["name", "stock"] | None:
    """Return the reason why the title says nothing about the page. Returns None if it says something, or if there is no
    title."""
    title = page.facts.title
    if not title:
        return None
    is_home = page.is_home or is_copy_of_home(page)
    if not is_home and fold(title) in site.once(names):
        return "name"
    if not is_stock(title, site):
        return None
    # "Home - Acme - tents for families": the website's name and what it is.
    return None if is_home and len(endings_of(title)) > 1 else "stock"


def check(page: Page, site: Site) -> PageVerdict:
    why = says_nothing(page, site)
    said = fold(page.facts.title or "")
    if why is None or (why == "stock" and _is_blank(page, said)):
        return None
    # A logo may be an h1 too. The h1 of the content says what the page is about.
    headings = [text for text in [page.facts.main_h1] if text is not None]
    headings = headings or [text for level, text in page.facts.headings if level == 1]
    heading = next((text for text in headings if fold(text) != said), None)
    seen = "only the name of the website" if why == "name" else "a phrase of many websites"
    if why == "stock" and said not in STOCK_TITLES:
        seen += ", followed by the name of this one"
    about = f"; its main heading says {quoted(heading)}" if heading else ""
    return Finding(
        f"The title {quoted(page.facts.title or '')} is {seen}{about}. Say in the title what this page is about.",
        {"title": page.facts.title, "why": why, "heading": heading},
    )


def _is_blank(page: Page, said: str) -> bool:
    """Whether the page is a theme's starter page: its title and all its headings say "blank page", and it has hardly
    any other words."""
    headings = [fold(text) for _, text in page.facts.headings]
    return (
        page.facts.words <= _MOST_BLANK
        and bool(headings)
        and said.startswith("blank page")
        and all(text == "blank page" for text in headings)
    )


RULE = Rule(
    id="SEO-ONP-006",
    title="Title is only the site name or a stop word",
    category="ONP",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="low",
    writable_field="title",
    what="The title is only the website's name, or a word without meaning, such as Home, Untitled or New page, in "
    "eight languages.",
    why="The title is the strongest hint of what a page is about, and the line that people click. A title without "
    "words about the page gives no hint.",
    fix="Write what the page is about. If many pages are affected, the template may lack a field for the title: add "
    "one.",
    not_when="The home page may be titled with the website's name. A word such as Home may stand before the name if "
    "the title also says what the website is. A page titled “Blank page” is left out if only that heading is on it. "
    "The name is taken from the ending that titles share, from the organisation in structured data and from the "
    "domain.",
    source="Search engines' documentation on titles: descriptive, and not the same stock text everywhere.",
    page_check=check,
    title_need="nameless",
    cause=("template",),
)
