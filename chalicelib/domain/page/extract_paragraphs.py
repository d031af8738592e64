"""The first paragraphs of the main text: what a description can be taken from.

Only ``<p>`` elements count, or boxes (``<div>``) of text on pages without any, and none that belongs to something else
than the text: navigation, asides, forms, tables, figures, quotations, comments, cookie notices, bylines. Names that are
set as code inside a sentence stay in it.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.markup import BOX, PARAGRAPH, readable, tag_id, tag_ids
from chalicelib.domain.page.text import mask_emails

MOST: Final = 8  # some of them may turn out to stand on many pages
SHORTEST: Final = 60  # characters
LONGEST: Final = 400  # characters
_LEVELS: Final = 12
_MOST_CODES: Final = 100  # looked at: the first ones of the page
_MOST_WITH_CODE: Final = 6  # paragraphs that are read with their code: more are never kept
_LONGEST_CODE: Final = 40  # characters: a name, and no sample
_CODE_LEVELS: Final = 6
_LONGEST_KNOWN: Final = 100  # characters of a name that is looked at once

_ELSEWHERE: Final = tag_ids(
    "aside nav footer form figure figcaption table blockquote dialog button label address li dd summary"
)
_TOP: Final = tag_ids("body html")
_MAIN: Final = tag_id("main")
_ARTICLE: Final = tag_id("article")
_HEADER: Final = tag_id("header")
_STOP: Final = re.compile(
    "[.!?][\"'”’»)\\]]*(?:\\s|$)|[\u3002\uff01\uff1f]"
)  # without one it is a label, a line of links
_OTHER_PURPOSE: Final = re.compile(
    r"cookie|consent|gdpr|newsletter|subscri|breadcrumb|byline|post-meta|entry-meta|comment|caption|popup|modal|advert"
    r"|sponsor|related|share-|social|copyright|disclaimer|pagination"
    # Builders of pages call whole layouts after these: elementor-widget-container, content-sidebar-wrap.
    r"|(?<![\w-])(?:sidebar|widget|notice)(?![\w-])",
    re.IGNORECASE,
)


def paragraphs_with_code(codes: Sequence[tuple[int, LexborNode]]) -> dict[int, str]:
    """The text of the paragraphs that hold code, by ``mem_id``: "" where it is a sample and no name in a sentence.

    Asked before code is taken out of the tree, and when hidden parts are out of it.
    """
    found: dict[int, str] = {}
    for _, code in codes[:_MOST_CODES]:
        current = code.parent
        for _ in range(_CODE_LEVELS):
            if current is None:
                break
            if current.tag_id == PARAGRAPH or current.tag_id == BOX:
                key = current.mem_id
                if len(code.text()) > _LONGEST_CODE:
                    found[key] = ""
                elif key not in found:
                    wanted = len(found) < _MOST_WITH_CODE
                    found[key] = readable(current, LONGEST + 1, frozenset()) if wanted else ""
                break
            current = current.parent
    return found


def keep_paragraphs(
    facts: PageFacts, paragraphs: Sequence[tuple[LexborNode, list[str]]], with_code: Mapping[int, str]
) -> None:
    """Fill ``facts.paragraphs`` with the first that are long enough, hold a sentence, and are text of the page.

    ``paragraphs``: elements and the pieces of text of each; ``with_code``: as ``paragraphs_with_code`` tells.
    """
    elsewhere: dict[int, bool] = {}  # by the parent's mem_id
    _keep(facts, [one for one in paragraphs if one[0].tag_id == PARAGRAPH], with_code, elsewhere)
    if not facts.paragraphs:
        _keep(facts, [one for one in paragraphs if one[0].tag_id != PARAGRAPH], with_code, elsewhere)


def _keep(
    facts: PageFacts,
    paragraphs: Sequence[tuple[LexborNode, list[str]]],
    with_code: Mapping[int, str],
    elsewhere: dict[int, bool],
) -> None:
    for node, pieces in paragraphs:
        text = "".join(pieces) if node.mem_id not in with_code else with_code[node.mem_id]
        if len(text) < SHORTEST or _STOP.search(text) is None or _serves_otherwise(node):
            continue
        text = mask_emails(" ".join(text.split()))
        if len(text) < SHORTEST or _is_elsewhere(node.parent, elsewhere):
            continue
        if len(text) > LONGEST:
            cut = text.rfind(" ", SHORTEST, LONGEST + 1)
            text = text[: cut if cut > 0 else LONGEST]
        facts.paragraphs.append(text)
        if len(facts.paragraphs) == MOST:
            break


def _is_elsewhere(parent: LexborNode | None, verdicts: dict[int, bool]) -> bool:
    """Whether what stands in ``parent`` belongs to something else than the page's text."""
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
        if tag in _ELSEWHERE or _serves_otherwise(current):
            verdict = True
            break
        if tag == _HEADER:
            in_header = True
        elif tag == _ARTICLE:
            in_header = False
        current = current.parent
    verdicts.update(dict.fromkeys(passed, verdict))
    return verdict


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
