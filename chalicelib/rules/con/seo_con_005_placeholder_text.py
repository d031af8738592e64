"""SEO-CON-005: a placeholder text that was published by accident."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal
from urllib.parse import urlsplit

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.placeholders import template_in
from chalicelib.domain.page.sample_texts import MOST_WORDS, sample_in
from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.website_titles import shared_title
from chalicelib.rules.wording import counted, quoted, spelled
from chalicelib.suggestions.title_parts import without_names

# Titles and headings of pages that show how the parts of a design look: "Typography - UI elements", "Style guide".
_SPECIMEN: Final = re.compile(
    r"\bUI\b|\b(?i:(?:style ?guide|stil-?guide|styleguides?|pattern library|design system|kitchen ?sink"
    r"|(?:theme|html|block) elements|typography|typografie|typographie|tipografía|tipografia)\b)"
)
# Names of single parts of a design. These names mean nothing else.
_PART: Final = re.compile(
    r"accordions?|breadcrumbs?|(?:button|input|list) groups?|dropdowns?|helper classes|jumbotrons?|media objects?"
    r"|modals?|nav ?bars?|off ?canvas|paginations?|pop ?overs?|progress ?bars?|range sliders?|scroll ?spy"
    r"|tabs (?:and|&) (?:accordions?|pills)|tool ?tips?(?:(?: and| &)? pop ?overs?)?|ui (?:kit|elements)"
)
# In a folder for parts of a design, and on a website that shows a theme, these names mean parts too. Elsewhere a shop
# may sell cards and badges.
_PART_OR_THING: Final = re.compile(
    r"alerts?|animations?|badges?|buttons?|cards?(?: .{1,20})?|carousels?|collapses?|colou?rs?|dialogs?|figures?|forms?"
    r"|grids?|icons?|images?|inputs?|labels?|lists?|loaders?|menus?|nav(?:s|igation)?|notifications?|panels?|preloaders?"
    r"|ribbons?|sliders?|steps|spinners?|switch(?:es)?|tables?|tabs?|tags?|text|thumbnails?|timelines?|toasts?|utilities|wells?|widgets?"
)
_UI_FOLDER: Final = re.compile(
    r"/(?:ui|ui-?(?:kit|elements|features|components)|style-?guide|design-system|kitchen-?sink)/"
)
_FOLDER: Final = re.compile(r"/(?:components?|elements|base|patterns?|blocks)/")
_FEWEST_PARTS: Final = 3  # different parts with pages of their own: from here on the website shows a theme
_ENDING: Final = re.compile(r"\.[a-z]{3,5}$")
_SEEN: Final[Mapping[str, str]] = {
    "lorem": "filler text",
    "template": "template code that was not filled in",
    "shortcode": "a shortcode that was not replaced",
    "markdown": "markup that was not converted",
    "post": "the sample post of a new website",
    "page": "the sample page of a new website",
    "server": "the first page of a new web server",
}
Place = Literal["text", "title", "description"]
_WHERE: Final[Mapping[Place, str]] = {
    "text": "The page shows",
    "title": "The title has",
    "description": "The meta description, which visitors of the page do not see, has",
}
_ADVICE: Final[Mapping[str, str]] = {
    "lorem": "Write the text, or take the block out of the page.",
    "template": "Fill in the variable, or correct its name in the template.",
    "shortcode": "Activate the plugin that the shortcode belongs to, or remove the shortcode.",
    "markdown": "Convert the markup: use the editor's link and heading buttons, or a Markdown block.",
    "post": "Delete the sample post, or replace it by a real one.",
    "page": "Delete the sample page, or replace its text by your own.",
    "server": "Publish the website, or remove the server's default page.",
}


def found_on(page: Page) -> Iterator[tuple[str, str, Place]]:
    """Yield every placeholder on the page as (kind, excerpt, place on the page)."""
    facts = page.facts
    heading = next((text for level, text in facts.headings if level == 1), "")
    about_filler = "lorem ipsum" in fold(f"{facts.title or ''} {heading}")  # then the page is about placeholders
    about_filler = about_filler or (bool(facts.placeholders) and _is_specimen(page, heading))
    for kind, excerpt in facts.placeholders:
        if not (kind == "lorem" and about_filler):
            yield kind, excerpt, "text"
    for place, text in _named(facts):
        template = template_in(text) if text else None
        if template is not None:
            yield "template", template, place
    sample = sample_in(facts.text, facts.words)
    if sample is not None:
        yield sample.kind, facts.text[:80], "text"


def _is_specimen(page: Page, heading: str) -> bool:
    """Whether the page shows the parts of a design, which need some text. The website's own name does not count."""
    title = without_names(page.facts.title or "", page.site.once(shared_title))
    if any(_SPECIMEN.search(text) is not None for text in (title, heading)):
        return True
    path = urlsplit(page.url).path.lower()
    if _UI_FOLDER.search(path) is not None:
        return True
    names = [fold(title), fold(heading), _file_name(path)]
    if any(map(_PART.fullmatch, names)):
        return True
    if not any(map(_PART_OR_THING.fullmatch, names)):
        return False
    return _FOLDER.search(path) is not None or page.site.once(_shows_theme)


def _file_name(path: str) -> str:
    return _ENDING.sub("", path.rstrip("/").rpartition("/")[2]).replace("-", " ").replace("_", " ")


def _shows_theme(site: Site) -> bool:
    """Whether the website has pages for several parts of a design whose names mean nothing else."""
    parts = (_file_name(urlsplit(address.url).path.lower()) for address in site.readable())
    return len({part.rstrip("s") for part in parts if _PART.fullmatch(part) is not None}) >= _FEWEST_PARTS


def _named(facts: PageFacts) -> Iterator[tuple[Place, str | None]]:
    yield "title", facts.title
    yield "description", facts.description


def check(page: Page, site: Site) -> PageVerdict:
    found = list(dict.fromkeys(found_on(page)))
    if not found:
        return None
    kind, excerpt, place = found[0]
    more = f", and {counted(len(found) - 1, 'other such text')}" if len(found) > 1 else ""
    return Finding(
        f"{_WHERE[place]} {_SEEN[kind]}: {quoted(excerpt, 80)}{more}. {_ADVICE[kind]}",
        {
            "placeholders": [{"kind": one, "text": text, "where": where} for one, text, where in found],
            "advice": _ADVICE[kind],
        },
    )


RULE = Rule(
    id="SEO-CON-005",
    title="Placeholder text",
    category="CON",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="low",
    writable_field=None,
    what="The page shows filler text (lorem ipsum), or sample content of a new content system, website builder or web "
    "server. Or it shows template code in braces, a shortcode in brackets, or links and headings in Markdown.",
    why="Visitors see that the page is not finished, and search engines index this text as its content.",
    fix="Replace the text, or repair the template or plugin that should have replaced it. The evidence names the "
    "place.",
    not_when="The following texts and pages are left out:\n"
    "- Code samples: code, pre, samp, kbd, tt, and text that Doxygen, Sphinx, Javadoc and highlighting scripts mark "
    "as code.\n"
    "- Template code that also appears in a code sample, or in a sentence about templates.\n"
    "- Template code that a script fills in while the page loads.\n"
    "- Double braces that hold anything other than a variable's name with its parts and filters.\n"
    "- A shortcode in double brackets, or after a word such as “using”, because the text shows how it is written.\n"
    "- Filler text that also appears in a code sample.\n"
    "- Filler text on pages whose title or main heading names lorem ipsum, or names the parts of a design (UI "
    "elements, typography, style guide) or one of them (breadcrumbs, modals, list group).\n"
    "- Filler text on pages in a folder for user interfaces, such as /ui/. In folders such as /components/ and "
    "/elements/, the page must also have the name of a part (cards, tabs, buttons).\n"
    f"- Filler text on pages with such a name, if the website shows a theme: at least {spelled(_FEWEST_PARTS)} other "
    "pages are named after parts of a design that have no other meaning (modal, list group, pagination).\n"
    f"- Pages of more than {MOST_WORDS} words that quote the sample of a content system.",
    source="Texts that content systems and template languages leave behind when a value is missing.",
    page_check=check,
    advice=_ADVICE,
)
