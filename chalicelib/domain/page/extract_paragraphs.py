"""Extracts the first paragraphs of the main text, from which a description can be made.

The text of ``<p>`` elements is used, and text directly in a container element such as ``<div>``. Text in these parts is
not used: navigation, asides, forms, tables, figures, quotations, comments, cookie notices, bylines. If a sentence
contains names marked as code, they stay in the sentence. A line that names the page and says what it is ("grep - print
lines that match") needs no full stop.

A page with hardly any paragraphs may only list other pages.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.markup import BOX, SAMPLE, SHORTEST_BLOCK, TEXT, UNSHOWN, Block, before, tag_id, tag_ids
from chalicelib.domain.page.text import mask_emails

MOST: Final = 8  # some of them may turn out to be on many pages
SHORTEST: Final = SHORTEST_BLOCK
LONGEST: Final = 400  # characters
_LEVELS: Final = 12
_ITEMS_LOOKED_AT: Final = 100
_MOST_LISTED: Final = 12
_LEAST_LISTED: Final = 3
_LONGEST_LISTED: Final = 100  # characters
_NODES_LOOKED_AT: Final = 100  # of an entry: a hostile entry may have thousands, without a word
_FEW_PARAGRAPHS: Final = 2  # at most so many on a page that only lists other pages
_MENU: Final = re.compile(r"nav|menu|header|footer|toolbar|tab(?:s|list)|lang|skip", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"^[\d.]+\s*")
_LONGEST_KNOWN: Final = 100  # characters of a name whose result is cached

_ELSEWHERE: Final = tag_ids(
    "aside nav footer form figure figcaption table blockquote dialog button label address li dd summary"
)
_SUMMARY: Final = tag_id("summary")
_DETAILS: Final = tag_id("details")
_BESIDE_BOXES: Final = _ELSEWHERE - tag_ids("li")  # Javadoc puts boxes into the only item of a list
_BESIDE_SUMMARIES: Final = _ELSEWHERE - tag_ids("table")  # manuals put the line that names the page in a table
_TOP: Final = tag_ids("body html")
_ITEM: Final = tag_id("li")
_ENTRIES: Final = tag_ids("li dd dt")
_SAID: Final = re.compile(
    r"^\s*[\"'“”„«»‘]|\b(?:I|we|my|our|us|[Ii]ch|[Ww]ir|mein\w*|unser\w*|[Jj]e|[Nn]ous|notre|nos|nosotros|nuestr\w+|nostr\w+)\b"
)
_QUOTATION: Final = tag_id("blockquote")
_MAIN_HEADING: Final = tag_id("h1")
_MAIN: Final = tag_id("main")
_ARTICLE: Final = tag_id("article")
_HEADER: Final = tag_id("header")
# A text without one of these marks is a label or a line of links. They begin the pattern, so other texts fail fast.
_STOP: Final = re.compile("[.!?\u3002\uff01\uff1f](?:(?<=[\u3002\uff01\uff1f])|[\"'”’»)\\]]*(?:\\s|$))")
_STOPS: Final = tuple(".!?\u3002\uff01\uff1f")
# "name - what it is": the first line of a manual page.
SUMMARY: Final = re.compile(r"(\S+(?:\s\S+){0,5}?)\s[-–—]{1,2}\s(\S+(?:\s\S+){2,30})$")
_PARTS: Final = re.compile(
    r"(?:[\d.]+ )?(?:(?:instance|class|public|protected|private|static|virtual|inherited|member|nested|related"
    r"|module)\s+)*"
    r"(?:constants?|methods?|attributes?|fields?|constructors?|functions?|properties|property|signals?|members?|classes"
    r"|types|data types|macros?|enumerations?|enum values|typedefs?|variables|parameters?|arguments?|returns?"
    r"|return values?|throws|exceptions?|exports|see also|examples?|authors?|credits|contributors|copyright|licen[cs]e"
    r"|changelog|changes|history|bugs|caveats|warnings?|notes?|footnotes?|references?|bibliography|acknowledge?ments?"
    r"|siehe auch|beispiele?|autoren?|lizenz|anmerkungen|hinweise?|fußnoten|voir aussi|exemples?|auteurs?|licence"
    r"|remarques?|notes de bas de page|véase también|ejemplos?|autores|licencia|notas|vedi anche|esempi|autori|licenza"
    r"|zie ook|voorbeelden|auteurs|licentie|ver também|exemplos?|licença|関連項目|例|著者|注意|ライセンス)"
    r"(?: (?:summary|details?|documentation|index|collapse))*"
)
_OTHER_PURPOSE: Final = re.compile(
    r"cookie|consent|gdpr|newsletter|subscri|breadcrumb|byline|post-meta|entry-meta|comment|caption|popup|modal|advert"
    r"|sponsor|related|share-|social|copyright|disclaimer|pagination|admonition|deprecat|legalnotice|versionadded"
    r"|versionchanged"
    # Page builders use these in the names of whole layouts: elementor-widget-container, content-sidebar-wrap.
    r"|(?<![\w-])(?:sidebar|widget|notice|note|warning|caution|important|tip|hint|danger)(?![\w-])",
    re.IGNORECASE,
)


def keep_paragraphs(facts: PageFacts, blocks: Sequence[Block], source: LexborNode) -> None:
    """Fill ``facts.paragraphs`` and ``facts.sections`` with the first blocks that are long enough, contain a sentence,
    and belong to the page's text. If there are few such blocks, fill ``facts.listed``. ``source``: the element that
    holds the text."""
    elsewhere: dict[frozenset[int], dict[int, bool]] = {}  # by the set of other parts, then by the parent's mem_id
    leads: dict[int, bool] = {}  # by the parent's mem_id: a long quotation is searched once, not once a block
    first = 0
    for block in blocks:
        node, pieces, section, heading = block
        text = "".join(pieces)
        if len(text) < SHORTEST or SAMPLE in text or (heading and _is_of_part(heading)):
            continue
        if UNSHOWN in text and _hides_words(text):
            continue
        has_stop = _STOP.search(text) is not None
        text = " ".join(text.split())
        if not (has_stop or SUMMARY.match(text)):
            continue
        if _serves_otherwise(node):
            continue
        text = mask_emails(text)
        others = _BESIDE_BOXES if node.tag_id == BOX else _ELSEWHERE if has_stop else _BESIDE_SUMMARIES
        around = node.parent
        if around is not None and around.tag_id == _QUOTATION and not facts.paragraphs:
            if around.mem_id not in leads:
                leads[around.mem_id] = _is_lead(around)
            around = around.parent if leads[around.mem_id] else around
        if len(text) < SHORTEST or _is_elsewhere(around, elsewhere.setdefault(others, {}), others):
            continue
        if len(text) > LONGEST:
            cut = text.rfind(" ", SHORTEST, LONGEST + 1)
            text = text[: cut if cut > 0 else LONGEST]
        if not facts.paragraphs:
            first = section
        facts.paragraphs.append(text)
        facts.sections.append(section - first)
        if len(facts.paragraphs) == MOST:
            break
    if len(facts.paragraphs) <= _FEW_PARAGRAPHS and not facts.listing:
        facts.listed = _listed(source)


def _is_lead(quotation: LexborNode) -> bool:
    """Whether a quotation is directly below the main heading: documentation puts the page's lead there.

    What somebody says, with a name below it or in the first person, is not meant.
    """
    above = before(quotation)
    if above is None or above.tag_id != _MAIN_HEADING:
        return False
    return quotation.css_first("cite") is None and _SAID.search(quotation.text()) is None


def _hides_words(text: str) -> bool:
    """Whether words inside a sentence are hidden."""
    shown = [piece for part in text.split(UNSHOWN) if (piece := part.strip())]
    return any(not piece.endswith(_STOPS) for piece in shown[:-1])


def _listed(source: LexborNode) -> list[str]:
    """Return the names of a list's entries, each taken from the link at its beginning. The first such list that is not
    a menu is used."""
    found: dict[int, list[str]] = {}  # by the mem_id of the list
    verdicts: dict[int, bool] = {}
    others: dict[int, bool] = {}
    for item in source.css("li,dt")[:_ITEMS_LOOKED_AT]:
        around = item.parent
        link = item.css_first("a[href]")
        if around is None or link is None or (around.parent is not None and around.parent.tag_id in _ENTRIES):
            continue
        key = around.mem_id
        if key not in others:
            others[key] = _is_menu(around) or _is_elsewhere(around.parent, verdicts, _ELSEWHERE)
        name = " ".join(link.text().split())
        if others[key] or not 0 < len(name) <= _LONGEST_LISTED:
            continue
        if not _NUMBERED.sub("", _beginning(item), count=1).startswith(_NUMBERED.sub("", name, count=1)):
            continue
        entries = found.setdefault(key, [])
        if len(entries) < _MOST_LISTED:
            entries.append(mask_emails(name))
    return next((entries for entries in found.values() if len(entries) >= _LEAST_LISTED), [])


def _beginning(item: LexborNode) -> str:
    """Return the beginning of a list entry, at most as long as a link's name may be."""
    text = ""
    for node in islice(item.traverse(include_text=True, skip_empty=True), _NODES_LOOKED_AT):
        if node.tag_id == TEXT:
            text += node.text_content or ""
        if len(text) > 2 * _LONGEST_LISTED:
            break
    return " ".join(text.split())


def _is_menu(listing: LexborNode) -> bool:
    """Whether a list, or the box around it, has a class or id that menus have."""
    current: LexborNode | None = listing
    for _ in range(2):
        if current is None or current.tag_id in _TOP:
            return False
        attributes = current.attributes
        if any(_MENU.search(attributes.get(name) or "") for name in ("class", "id", "role")):
            return True
        if _serves_otherwise(current):
            return True
        current = current.parent
    return False


@lru_cache(maxsize=5_000)
def _is_of_part(heading: str) -> bool:
    """Whether a heading belongs to a part that does not describe the page: members, notes, the licence."""
    return _PARTS.fullmatch(heading.strip(" \n:.¶#").lower()) is not None


def _is_elsewhere(parent: LexborNode | None, verdicts: dict[int, bool], others: frozenset[int]) -> bool:
    """Whether the content of ``parent`` is outside the page's text. An element around it is then one of ``others``, or
    its class or id names another purpose."""
    passed: list[int] = []
    verdict = in_header = False  # in the website's header; an article's header belongs to the article
    current = parent
    for _ in range(_LEVELS):
        if current is None:
            break
        tag = current.tag_id
        if tag == _MAIN:
            break
        if tag in _TOP:
            verdict = in_header
            break
        key = current.mem_id
        if key in verdicts:
            verdict = verdicts[key]
            break
        passed.append(key)
        is_other = tag in others and (tag != _SUMMARY or _opens_details(current))
        if is_other or _serves_otherwise(current) or (tag == _ITEM and not _is_alone(current)):
            verdict = True
            break
        if tag == _HEADER:
            in_header = True
        elif tag == _ARTICLE:
            in_header = False
        current = current.parent
    verdicts.update(dict.fromkeys(passed, verdict))
    return verdict


def _opens_details(summary: LexborNode) -> bool:
    """Whether a summary opens a box of details. Some manuals put their whole text into a summary that opens nothing."""
    return summary.parent is not None and summary.parent.tag_id == _DETAILS


def _is_alone(item: LexborNode) -> bool:
    """Whether an item is the only one of its list, which then serves as layout."""
    for step in ("prev", "next"):
        beside: LexborNode | None = getattr(item, step)
        for _ in range(_LEVELS):
            if beside is None or beside.is_element_node:
                break
            beside = getattr(beside, step)
        if beside is not None:
            return False
    return True


def _serves_otherwise(node: LexborNode) -> bool:
    attributes = node.attributes
    return _names_another(attributes.get("class")) or _names_another(attributes.get("id"))


def _names_another(name: str | None) -> bool:
    """Whether a class or an id names another purpose than the page's text."""
    if not name:
        return False
    return _is_another(name) if len(name) <= _LONGEST_KNOWN else _OTHER_PURPOSE.search(name) is not None


@lru_cache(maxsize=20_000)
def _is_another(name: str) -> bool:
    """Whether a short class or id names another purpose. Results are cached, because all pages of a website have the
    same names."""
    return _OTHER_PURPOSE.search(name) is not None
