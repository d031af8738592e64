"""The first paragraphs of the main text: what a description can be taken from.

Paragraphs and text that stands straight in a box count, and none that belongs to something else than the text:
navigation, asides, forms, tables, figures, quotations, comments, cookie notices, bylines. Names that are set as code
inside a sentence stay in it. A line that names the page and says what it is ("grep - print lines that match") needs no
full stop.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.markup import BOX, SAMPLE, Block, tag_id, tag_ids
from chalicelib.domain.page.text import mask_emails

MOST: Final = 8  # some of them may turn out to stand on many pages
SHORTEST: Final = 20  # characters
LONGEST: Final = 400  # characters
_LEVELS: Final = 12
_LONGEST_KNOWN: Final = 100  # characters of a name that is looked at once

_ELSEWHERE: Final = tag_ids(
    "aside nav footer form figure figcaption table blockquote dialog button label address li dd summary"
)
_BESIDE_BOXES: Final = _ELSEWHERE - tag_ids("li")  # Javadoc sets boxes into the only item of a list
_BESIDE_SUMMARIES: Final = _ELSEWHERE - tag_ids("table")  # manuals lay out the line that names the page in one
_TOP: Final = tag_ids("body html")
_ITEM: Final = tag_id("li")
_MAIN: Final = tag_id("main")
_ARTICLE: Final = tag_id("article")
_HEADER: Final = tag_id("header")
_STOP: Final = re.compile(
    "[.!?][\"'”’»)\\]]*(?:\\s|$)|[\u3002\uff01\uff1f]"
)  # without one it is a label, a line of links
# "name - what it is": of a page of a manual.
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
    # Builders of pages call whole layouts after these: elementor-widget-container, content-sidebar-wrap.
    r"|(?<![\w-])(?:sidebar|widget|notice|note|warning|caution|important|tip|hint|danger)(?![\w-])",
    re.IGNORECASE,
)


def keep_paragraphs(facts: PageFacts, blocks: Sequence[Block]) -> None:
    """Fill ``facts.paragraphs`` and ``facts.sections`` with the first blocks that are long enough, hold a sentence,
    and are text of the page."""
    elsewhere: dict[frozenset[int], dict[int, bool]] = {}  # by what lies elsewhere, and the parent's mem_id
    first = 0
    for node, pieces, section, heading in blocks:
        text = "".join(pieces)
        if len(text) < SHORTEST or SAMPLE in text or (heading and _is_of_part(heading)):
            continue
        has_stop = _STOP.search(text) is not None
        text = " ".join(text.split())
        if not (has_stop or SUMMARY.match(text)) or _serves_otherwise(node):
            continue
        text = mask_emails(text)
        others = _BESIDE_BOXES if node.tag_id == BOX else _ELSEWHERE if has_stop else _BESIDE_SUMMARIES
        if len(text) < SHORTEST or _is_elsewhere(node.parent, elsewhere.setdefault(others, {}), others):
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


@lru_cache(maxsize=5_000)
def _is_of_part(heading: str) -> bool:
    """Whether a heading stands above a part that does not say what the page is about: members, notes, the licence."""
    return _PARTS.fullmatch(heading.strip(" \n:.¶#").lower()) is not None


def _is_elsewhere(parent: LexborNode | None, verdicts: dict[int, bool], others: frozenset[int]) -> bool:
    """Whether what stands in ``parent`` belongs to something else than the page's text: to one of ``others``."""
    passed: list[int] = []
    verdict = in_header = False  # the website's header; that of an article belongs to the article
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
        if tag in others or _serves_otherwise(current) or (tag == _ITEM and not _is_alone(current)):
            verdict = True
            break
        if tag == _HEADER:
            in_header = True
        elif tag == _ARTICLE:
            in_header = False
        current = current.parent
    verdicts.update(dict.fromkeys(passed, verdict))
    return verdict


def _is_alone(item: LexborNode) -> bool:
    """Whether an item is the only one of its list, which is a layout then."""
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
    """The same names stand on all pages of a website."""
    return _OTHER_PURPOSE.search(name) is not None
