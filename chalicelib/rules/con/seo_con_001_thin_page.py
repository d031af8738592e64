"""SEO-CON-001: a page that says far less than the others made from its template."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.domain.audit.templates import HOME, OTHER
from chalicelib.domain.page.releases import names_release
from chalicelib.domain.page.sample_texts import sample_in
from chalicelib.domain.page.text import LISTING_SHARE, REPEATED_SHARE
from chalicelib.rules.context import Address, Page, Site
from chalicelib.rules.listings import LEAST_LINKS, LEAST_OPENED, LINKED_SHARE, WORDS_PER_LINK, is_listing, opens_others
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.own_text import LEAST_OWN
from chalicelib.rules.scripted import scripts_bring_content, scripts_fill_list
from chalicelib.rules.series import is_later_page
from chalicelib.rules.website_titles import shared_title
from chalicelib.rules.wording import counted, part, spelled
from chalicelib.suggestions.title_parts import without_names
from chalicelib.suggestions.topics import is_code_name, name_in

FEWEST_WORDS: Final = 200
LEAST_OF_MEDIAN: Final = 0.5
LEAST_DEVIATIONS: Final = 3.0
LONG_TEMPLATE: Final = 350  # words: articles, chapters
FEWEST_WORDS_OF_LONG: Final = 100  # of a page among them: two paragraphs may be all there is to say
LEAST_OF_LONG: Final = 0.3
SHORT_TEMPLATE: Final = 60  # words: properties, calls, parts
LEAST_OF_SHORT: Final = 0.25
LEAST_OF_ENTRY: Final = 8  # words: a sentence on one thing or one small release
LEAST_PAGES: Final = 5  # fewer pages have no usual length
MAD_TO_DEVIATION: Final = 1.4826  # makes the median absolute deviation comparable to a standard deviation

# Pages that are short by nature: a product is shown, a form or an address is all there is, nothing to read at all.
_SHORT_KINDS: Final = frozenset({"legal", "contact", "media", "account", "search", "empty_archive"})
_SHORT_TEMPLATES: Final = frozenset({"product", "attachment", "cart", "checkout", "account", "search"})


class Usual(NamedTuple):
    """How long the pages of a template are: median of their words, and the median distance from it. ``entries``:
    whether most of their titles are one word, as those of a reference are."""

    pages: int
    words: float
    spread: float
    entries: bool


def usual_lengths(site: Site) -> dict[tuple[str, str], Usual]:
    """The usual length of the indexable pages that are built alike, listings left out; by ``_built_like``."""
    lengths: dict[tuple[str, str], list[int]] = {}
    words_of_titles: dict[tuple[str, str], list[int]] = {}
    shared = site.once(shared_title)
    for address in site.indexable():
        if address.template not in (None, HOME, OTHER) and not address.shell and not is_listing(address):
            built = _built_like(address)
            lengths.setdefault(built, []).append(address.own_words)
            words_of_titles.setdefault(built, []).append(len(without_names(address.title, shared).split()))
    result = {}
    for built, words in lengths.items():
        middle = _median(words)
        spread = _median([abs(count - middle) for count in words])
        result[built] = Usual(len(words), middle, spread, _median(words_of_titles[built]) == 1)
    return result


def _built_like(address: Address) -> tuple[str, str]:
    """The template; where that is known by the address alone, also the skeleton."""
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
    if sample_in(page.facts.text, page.facts.words) is not None:
        return NOT_APPLICABLE  # nobody wrote it yet, which is SEO-CON-005
    if scripts_bring_content(page, site) is not None or scripts_fill_list(page, site):
        return NOT_APPLICABLE  # SEO-AEO-017 names the cause
    words = page.address.own_words
    usual = site.once(usual_lengths).get(_built_like(page.address))
    if usual is not None and usual.pages < LEAST_PAGES:
        usual = None
    if words >= LEAST_OWN:
        if usual is None:
            return NOT_APPLICABLE
        if not _is_far_below(words, usual):
            return None
        if _is_entry(page, site, usual) or _is_of_one_release(page) or opens_others(page, site):
            return NOT_APPLICABLE  # complete, however much there is to say of others
    elif words >= LEAST_OF_ENTRY and (_is_of_one_release(page) or (usual is not None and _is_of_one_name(page, site))):
        return NOT_APPLICABLE  # two lines on a small release, or a sentence on one name, are all there is to say of it
    elif usual is not None and _is_meant_short(page, usual) and page.facts.words < FEWEST_WORDS:
        return NOT_APPLICABLE  # pictures, players, properties; not long texts that all pages of the template repeat
    return _finding(page, words, usual)


def _is_of_one_name(page: Page, site: Site) -> bool:
    """Whether the page is the reference of one thing that code names: "std::Tent", "count_tents"."""
    title = without_names(page.facts.title or "", site.once(shared_title))
    headings = [text for level, text in page.facts.headings if level == 1]
    said = (title, page.facts.shown_title, *headings[:1])
    return any((name := name_in(text)) is not None and is_code_name(name) for text in said if text)


def _is_entry(page: Page, site: Site, usual: Usual) -> bool:
    """Whether the page is one of many references of one thing: its title is one word, as most others' are, or a name of
    code."""
    title = without_names(page.facts.title or "", site.once(shared_title))
    return (usual.entries and len(title.split()) == 1) or _is_of_one_name(page, site)


def _is_of_one_release(page: Page) -> bool:
    """Whether the page describes the changes of one version: the notes on a small release are short."""
    headings = [text for level, text in page.facts.headings if level == 1]
    return any(names_release(text) for text in (page.facts.title or "", *headings[:1]))


def _is_meant_short(page: Page, usual: Usual) -> bool:
    """Whether pages of the template say little, and this one no far less than they."""
    if usual.words >= SHORT_TEMPLATE:
        return False
    return usual.words < LEAST_OWN or page.address.own_words >= LEAST_OF_SHORT * usual.words


def _is_far_below(words: int, usual: Usual) -> bool:
    if usual.words >= LONG_TEMPLATE and words < FEWEST_WORDS_OF_LONG and words < LEAST_OF_LONG * usual.words:
        return True
    if words >= FEWEST_WORDS or words >= LEAST_OF_MEDIAN * usual.words:
        return False
    # Where all others are equally long there is no spread, and any other length stands out.
    return usual.words - words >= LEAST_DEVIATIONS * MAD_TO_DEVIATION * usual.spread


def _finding(page: Page, words: int, usual: Usual | None) -> Finding:
    repeated = page.facts.words - words
    beside = f" beside {repeated:,} that are on many pages" if repeated >= LEAST_OWN else ""
    others = ""
    if usual is not None and words < LEAST_OF_MEDIAN * usual.words:
        others = f"; pages of this kind ({page.template}) have {usual.words:.0f}"
    return Finding(
        f"The main content has {counted(words, 'word')} of its own{beside}{others}. Say more about the subject, merge "
        "the page with a fuller one, or set it to noindex where only visitors of the website need it.",
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
    what=f"The page has fewer than {LEAST_OWN} words of its own. Or it has fewer than {FEWEST_WORDS}, less than "
    f"{part(LEAST_OF_MEDIAN)} of what pages from the same template usually have, and far outside of how much they "
    f"differ among each other. Or fewer than {FEWEST_WORDS_OF_LONG}, and less than {part(LEAST_OF_LONG)} of what they "
    f"usually have, where that is at least {LONG_TEMPLATE}. What {part(REPEATED_SHARE)} of a template's pages "
    "repeat does not count.",
    why="A page that says much less than its neighbours rarely answers what people came for, and search engines "
    "leave such pages out.",
    fix="Add what a visitor wants to know about the subject, merge the page with a fuller one, or set it to noindex.",
    not_when="Pages whose content or list of links only scripts bring are left out (SEO-AEO-017). Product, contact, "
    "legal, media, "
    "account and search pages are short by nature and left out, and so are framesets, later pages of a list, and "
    f"pages that lead to others: lists of posts, and pages with at least {spelled(LEAST_LINKS)} links of their own "
    f"that make up {part(LINKED_SHARE)} of their words, or with at most {spelled(WORDS_PER_LINK)} words a link. A "
    f"template needs at least {spelled(LEAST_PAGES)} pages to have a usual length, and where only the address tells "
    f"the template, at least {spelled(LEAST_PAGES)} built like this one. Where the usual length is below "
    f"{LEAST_OWN} words the template is meant so, and likewise where it is below {SHORT_TEMPLATE} and the page has "
    f"at least {part(LEAST_OF_SHORT)} of it: no page of it with fewer than {FEWEST_WORDS} words in all is judged "
    f"for having fewer than {LEAST_OWN}; a reference of one thing among others of its template needs no more than "
    f"{LEAST_OF_ENTRY} words, and nor do notes on one release. References of one thing, whose name is the title or "
    "main heading and is written as in code (count_tents, TentFilter), or is the title's only word like in most "
    "titles of the template, are not compared with others, nor are notes on one release, whose number the title or "
    "main heading names, and nor are pages that open a chapter: numbered 0, or with links to at least "
    f"{spelled(LEAST_OPENED)} pages whose addresses lengthen theirs. Pages of which {part(LISTING_SHARE)} are a "
    "listing of program code are left out, and lists that are shown in a frame beside the pages. Samples of new "
    "websites are reported by SEO-CON-005.",
    source="Ours: audit tools use fixed limits of 200 to 300 words, which flags pages that are meant to be short.",
    page_check=check,
)
