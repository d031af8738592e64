"""SEO-CON-001: a page with far less text than the other pages of its template."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.domain.audit.templates import HOME, OTHER
from chalicelib.domain.page.code_tools import is_code_tool
from chalicelib.domain.page.extract_content import LEAST_OF_MAIN, LEAST_PICTURE
from chalicelib.domain.page.facts import LINK_IN_CONTENT
from chalicelib.domain.page.releases import names_release
from chalicelib.domain.page.sample_texts import sample_in
from chalicelib.domain.page.text import LISTING_SHARE, REPEATED_PAGES, REPEATED_SHARE, fold
from chalicelib.domain.page.text import words as count_words
from chalicelib.rules.context import Address, Page, Site
from chalicelib.rules.listings import (
    LEAST_LINKS,
    LEAST_OPENED,
    LEAST_PICTURES,
    LINKED_SHARE,
    WORDS_PER_LINK,
    is_listing,
    is_of_pictures,
    opens_others,
)
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.not_found_words import says_not_found
from chalicelib.rules.scripted import scripts_bring_content, scripts_fill_list
from chalicelib.rules.series import is_later_page
from chalicelib.rules.soft_404 import soft_404
from chalicelib.rules.website_titles import shared_title
from chalicelib.rules.wording import counted, part, spelled
from chalicelib.suggestions.title_parts import without_names
from chalicelib.suggestions.topics import is_code_name, name_in

FEWEST_OWN: Final = 25  # words: a page with fewer is thin, whatever others have
FEWEST_WORDS: Final = 200
LEAST_OF_MEDIAN: Final = 0.5
LEAST_DEVIATIONS: Final = 3.0
SHORT_TEMPLATE: Final = 60  # words; shorter templates are for properties, calls or parts
LEAST_OF_SHORT: Final = 0.25
LEAST_OF_ENTRY: Final = 8  # words of a sentence on one thing or on one small release
MANY_SHORT: Final = 0.1  # share of a template's pages, at least MANY_SHORT_PAGES: so many are short on purpose
MANY_SHORT_PAGES: Final = 8
LEAST_PAGES: Final = 5  # fewer pages have no usual length
HALF: Final = 0.5  # share of a template's pages; if fewer are compared, the message says that they are built alike
SMALL_PART: Final = 0.25  # share of a template's pages; fewer pages that are built alike do not show what is usual
MAD_TO_DEVIATION: Final = 1.4826  # makes the median absolute deviation comparable to a standard deviation

# Pages that are short by nature: they show a product, a form or an address, or nothing to read at all.
_SHORT_KINDS: Final = frozenset({"legal", "contact", "media", "account", "search", "empty_archive"})
# Kinds of things in code, as reference pages name them after the thing's name: "Rope Class".
_KINDS: Final = frozenset(
    "class type struct structure interface function macro module namespace enum enumeration union trait typedef"
    " protocol package annotation reference".split()
)
_BESIDE_KINDS: Final = frozenset("api documentation guide manual page".split())
# Titles of pages that say all they have to say in a line: the terms of a free work, and the first pages of a book.
_SHORT_TITLES: Final = frozenset(
    "licence license licences licenses licensing copying copyright lizenz licencia licença licenza licentie licencja"
    " ライセンス лицензия dedication widmung dedicatoria dédicace dedica dedykacja colophon kolophon colofón colofon"
    " cover frontispiece".split()
) | {"title page", "front cover", "back cover"}
_FIRST_HEADINGS: Final = 2
# "/500.html", "/error-404", "/errors-503.html", "/pages-error-404"
_ERROR_PAGE: Final = re.compile(
    r"/(?:(?:pages?[-_]?)?(?:errors?|pages?)[-_]?)?(?:40[0-4]|410|50[0-4])(?:[-_]?(?:error|page))?"
    r"(?:\.[a-z]{3,5})?/?$",
    re.IGNORECASE,
)
_ALL: Final = "all"  # in place of a skeleton: all pages of the template, however they are built
_SHORT_TEMPLATES: Final = frozenset({"product", "attachment", "cart", "checkout", "account", "search"})


class Usual(NamedTuple):
    """The usual length of the pages of a template: the median of their word counts, and the median distance from this
    median.

    - ``short``: how many of these pages have ``LEAST_OF_ENTRY`` to ``FEWEST_OWN`` words.
    - ``entries``: whether most titles of these pages are one word, like the entries of a reference.
    - ``kinds``: how titles such as "Rope Class" and "Knot Class" end, if the ending names a part of programs ("class").
      At least five titles must consist of one word and this ending.
    """

    pages: int
    words: float
    spread: float
    short: int
    entries: bool
    kinds: frozenset[str] = frozenset()


def usual_lengths(site: Site) -> dict[tuple[str, str], Usual]:
    """Return the usual length of indexable pages, by template and HTML skeleton (``_built_like``), and by template
    alone (``_ALL``). Pages that only list other pages are left out."""
    lengths: dict[tuple[str, str], list[int]] = {}
    titles: dict[tuple[str, str], list[tuple[int, str]]] = {}  # words of a title, and its kind of thing in code
    shared = site.once(shared_title)
    for address in site.indexable():
        if address.template not in (None, HOME, OTHER) and not address.shell and not is_listing(address):
            name = without_names(address.title, shared)
            title = len(name.split()), _kind_in(name)
            for built in (_built_like(address), (address.template or "", _ALL)):
                lengths.setdefault(built, []).append(address.own_words)
                titles.setdefault(built, []).append(title)
    result = {}
    for built, words in lengths.items():
        middle = _median(words)
        spread = _median([abs(count - middle) for count in words])
        entries = _median([count for count, _ in titles[built]]) == 1
        kinds = Counter(kind for _, kind in titles[built] if kind)
        often = frozenset(kind for kind, count in kinds.items() if count >= LEAST_PAGES)
        short = sum(LEAST_OF_ENTRY <= count < FEWEST_OWN for count in words)
        result[built] = Usual(len(words), middle, spread, short, entries, often)
    return result


def _kind_in(title: str) -> str:
    """Return the folded kind of thing in code that follows the first word of a title: "class" for "Rope Class". Returns
    "" for other titles."""
    kind = title.partition(" ")[2]
    words = kind.split()
    named = any(fold(word) in _KINDS for word in words)
    known = _KINDS | _BESIDE_KINDS
    return fold(kind) if named and all(word.isupper() or fold(word) in known for word in words) else ""


def _built_like(address: Address) -> tuple[str, str]:
    """Return the page's template, and its HTML skeleton if only the address shows the template."""
    template = address.template or ""
    return template, address.shape[0] if template.startswith("/") else ""


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def check(page: Page, site: Site) -> PageVerdict:
    template = page.template
    if template in _SHORT_TEMPLATES or page.kind.kind in _SHORT_KINDS or is_later_page(page.url, site):
        return NOT_APPLICABLE
    if page.facts.frames or page.facts.in_frame or page.facts.listing or is_listing(page.address):
        return NOT_APPLICABLE
    if (page.facts.embeds and page.template != HOME) or is_code_tool(page.facts.generator):
        return NOT_APPLICABLE  # a film, a tool, a demonstration; or the reference of a thing in code
    if sample_in(page.facts.text, page.facts.words) is not None:
        return NOT_APPLICABLE  # not written yet, which is SEO-CON-005
    if scripts_bring_content(page, site) is not None or scripts_fill_list(page, site):
        return NOT_APPLICABLE  # SEO-AEO-017 names the cause
    words = page.address.own_words
    usual = site.once(usual_lengths).get(_built_like(page.address))
    whole = site.once(usual_lengths).get((page.template or "", _ALL))
    if usual is not None and usual.pages < LEAST_PAGES:
        usual = None
    if words >= FEWEST_OWN:
        if usual is None:
            return NOT_APPLICABLE
        if not _is_far_below(words, usual):
            return None
        if whole is not None and usual.pages < SMALL_PART * whole.pages and not _is_far_below(words, whole):
            return None  # only a few pages, which happen to be built like this one, are longer
        if _is_entry(page, site, usual) or _is_of_one_release(page) or opens_others(page, site):
            return NOT_APPLICABLE  # complete, even if other pages say far more
    elif words >= LEAST_OF_ENTRY and (
        _is_of_one_release(page)
        or _is_short_entry(page, site, usual)
        or _is_one_of_many(whole)
        or (page.template != HOME and opens_others(page, site))
    ):
        return NOT_APPLICABLE  # a few words on a small release, a sentence on one name or before a chapter: complete
    elif page.template != HOME and _leads_on(page, site):
        return NOT_APPLICABLE
    elif usual is not None and _is_meant_short(page, usual) and page.facts.words < FEWEST_WORDS:
        return NOT_APPLICABLE  # pictures, players, properties; but not long texts that all pages of the template repeat
    if fold(without_names(page.facts.title or "", site.once(shared_title))) in _SHORT_TITLES:
        return NOT_APPLICABLE
    if soft_404(page, site) is None and not is_of_pictures(page, site):
        return _finding(page, words, usual, whole)
    return NOT_APPLICABLE  # SEO-TEC-005 names the cause


def _is_error_page(page: Page) -> bool:
    """Whether the page says that it does not exist, or has the number of an error as its name."""
    first = [text for _, text in page.facts.headings[:_FIRST_HEADINGS]]
    return _ERROR_PAGE.search(page.url) is not None or any(map(says_not_found, first))


def _is_of_one_name(page: Page, site: Site, usual: Usual) -> bool:
    """Whether the page is the reference of one thing that has a name in code: "std::Tent", "count_tents"."""
    title = without_names(page.facts.title or "", site.once(shared_title))
    if _kind_in(title) in usual.kinds:
        return True
    headings = [text for level, text in page.facts.headings if level == 1]
    said = (title, page.facts.shown_title, *headings[:1])
    return any((name := name_in(text)) is not None and is_code_name(name) for text in said if text)


def _is_entry(page: Page, site: Site, usual: Usual) -> bool:
    """Whether the page is one of many reference pages, each for one thing.

    Its title is one word, like most others, or a name in code.
    """
    title = without_names(page.facts.title or "", site.once(shared_title))
    return (usual.entries and len(title.split()) == 1) or _is_of_one_name(page, site, usual)


def _is_short_entry(page: Page, site: Site, usual: Usual | None) -> bool:
    """Whether the page is the entry of a reference that may consist of a sentence."""
    if usual is None:
        return False
    return _is_entry(page, site, usual) if usual.words < FEWEST_WORDS else _is_of_one_name(page, site, usual)


def _is_one_of_many(whole: Usual | None) -> bool:
    """Whether so many pages of the template are short that they are short on purpose."""
    return whole is not None and whole.short >= max(MANY_SHORT_PAGES, MANY_SHORT * whole.pages)


def _leads_on(page: Page, site: Site) -> bool:
    """Whether the page of a few words has little more than headings and links to other pages of the website.

    Links to the home page and to a contact page do not count: stubs have them too.
    """
    text = fold(page.facts.text)
    named = [
        count_words(link.text)
        for link in page.facts.links
        if link.flags & LINK_IN_CONTENT and link.text and fold(link.text) in text and _is_content(link.url, site)
    ]
    links = min(len(named), page.address.own_links)
    linked = min(sum(named), page.address.own_linked)
    words = page.address.own_words - sum(count_words(text) for _, text in page.facts.headings)
    return links > 0 and (linked >= LINKED_SHARE * words or words <= WORDS_PER_LINK * links)


def _is_content(url: str, site: Site) -> bool:
    target = site.addresses.get(url)
    return target is not None and url != site.home_url and target.kind.kind != "contact"


def _is_of_one_release(page: Page) -> bool:
    """Whether the page describes the changes of one version. Notes on a small release are short."""
    headings = [text for level, text in page.facts.headings if level == 1]
    return any(names_release(text) for text in (page.facts.title or "", *headings[:1]))


def _is_meant_short(page: Page, usual: Usual) -> bool:
    """Whether pages of the template are short, and this page is not far shorter."""
    if usual.words >= SHORT_TEMPLATE:
        return False
    return usual.words < FEWEST_OWN or page.address.own_words >= LEAST_OF_SHORT * usual.words


def _is_far_below(words: int, usual: Usual) -> bool:
    if words >= FEWEST_WORDS or words >= LEAST_OF_MEDIAN * usual.words:
        return False
    # If all others are equally long, the spread is 0, and any other length stands out.
    return usual.words - words >= LEAST_DEVIATIONS * MAD_TO_DEVIATION * usual.spread


def _finding(page: Page, words: int, usual: Usual | None, whole: Usual | None) -> Finding:
    repeated = page.facts.words - words
    beside = f" and {repeated:,} that many pages repeat" if repeated >= FEWEST_OWN else ""
    others = ""
    if usual is not None and words < LEAST_OF_MEDIAN * usual.words:
        others = f"; pages of the same template ({page.template})"
        if whole is not None and usual.pages < HALF * whole.pages:
            others = f"; the {usual.pages} pages of the same template ({page.template}) that are built like it"
        others += f" usually have {usual.words:.0f}"
    advice = (
        "Say more about the subject, merge the page with a fuller one, or set it to noindex if nobody should find it "
        "in search."
    )
    if _is_error_page(page):
        advice = "An error page is not to be found in search: set it to noindex."
    return Finding(
        f"The main content has {counted(words, 'word')} of its own{beside}{others}. {advice}",
        {
            "words": words,
            "repeatedWords": repeated,
            "usualWords": round(usual.words) if usual is not None else None,
            "template": page.template,
            "pagesOfTemplate": usual.pages if usual is not None else None,
        },
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
    what=f"The page has fewer than {FEWEST_OWN} words of its own. Or it has fewer than {FEWEST_WORDS} words and less "
    f"than {part(LEAST_OF_MEDIAN)} of its template's usual length, while most pages of the template are much closer "
    f"to it. Text that {part(REPEATED_SHARE)} of "
    "a template's pages repeat does not count.",
    why="A page that says much less than similar pages rarely answers the visitor's question. Search engines leave "
    "thin pages out.",
    fix="Add what a visitor wants to know about the subject, merge the page with a fuller one, or set it to noindex.",
    not_when="The following pages are not judged:\n"
    "- Pages whose content or list of links is added only by scripts (SEO-AEO-017).\n"
    "- Product, contact, legal, licence, media, account and search pages, and the front matter of books (dedication, "
    "cover, colophon), because they are short by nature.\n"
    "- Framesets, menus and lists whose links open in another frame, and later pages of a list.\n"
    "- Lists of posts.\n"
    f"- Pages with at least {spelled(LEAST_LINKS)} links of their own. The links must make up {part(LINKED_SHARE)} of "
    f"the page's words, or the page must have at most {spelled(WORDS_PER_LINK)} words per link.\n"
    f"- Pages with at least {spelled(LEAST_PICTURES)} links to other pages that are pictures or areas of an image map, "
    f"and at most {spelled(WORDS_PER_LINK)} words per such link. Links to pages that {spelled(REPEATED_PAGES)} pages "
    "link do not count.\n"
    f"- Pages of which {part(LISTING_SHARE)} is a listing of program code, and pages by tools that document program "
    "code.\n"
    "- Pages, except the home page, that show something beside text in their content: a film, a frame, a canvas, a "
    f"text field that is filled in. With fewer than {LEAST_OF_MAIN} words also a form of several fields, an element "
    f"that a script of the page fills, or an image whose HTML gives it at least {LEAST_PICTURE:,} pixels.\n"
    f"- Pages, except the home page, with fewer than {FEWEST_OWN} words that have little more than headings and links "
    "to other pages of the website. Links to the home page and to contact pages do not count.\n"
    "- Sample pages that a new website contains at first. SEO-CON-005 reports them.\n"
    "- Pages that say that they do not exist. SEO-TEC-005 reports them.\n\n"
    f"A template has a usual length if it has at least {spelled(LEAST_PAGES)} pages. If the template is known only "
    "from the address, the usual length is that of the pages with the same HTML structure as this page, at least "
    f"{spelled(LEAST_PAGES)}. If they are less than {part(SMALL_PART)} of the template's pages, the page must be far "
    "shorter than the usual length of the whole template too. Some pages may be shorter than others:\n"
    f"- Pages of a template with a usual length below {FEWEST_OWN} words.\n"
    f"- Pages of a template with a usual length below {SHORT_TEMPLATE} words, if they have at least "
    f"{part(LEAST_OF_SHORT)} of this length. Pages of either kind may even have fewer than {FEWEST_OWN} words of "
    f"their own, unless they have {FEWEST_WORDS} words or more together with the text that many pages repeat.\n"
    f"- Pages with at least {LEAST_OF_ENTRY} words, if {part(MANY_SHORT)} of the template's pages, at least "
    f"{spelled(MANY_SHORT_PAGES)}, have so many, but fewer than {FEWEST_OWN}: they are short on purpose.\n"
    "- Notes on one release. They have the release number in their title or main heading, and need only "
    f"{LEAST_OF_ENTRY} words.\n"
    "- Reference pages about one thing, in a template with a usual length. Their title or main heading has a name "
    "written as in code (count_tents, TentFilter). Or it is one word and a kind of thing (Rope Class), and "
    f"{spelled(LEAST_PAGES)} other pages name the same kind. They need as few words as notes on a release.\n\n"
    "The following pages are not compared with other pages of their template:\n"
    "- The notes on releases and the reference pages above.\n"
    "- Reference pages with a one-word title, if most titles of the template have one word. If the template's usual "
    f"length is below {FEWEST_WORDS} words, these pages too need only {LEAST_OF_ENTRY} words.\n"
    f"- Pages that open a chapter. Their address ends in the number 0 (ch2-0.html), or they link at least "
    f"{spelled(LEAST_OPENED)} pages whose addresses begin with the page's own address. They too need only "
    f"{LEAST_OF_ENTRY} words.",
    source="Set by this service. Other audit tools use fixed limits of 200 to 300 words, and so report pages that are "
    "short on purpose.",
    page_check=check,
)
