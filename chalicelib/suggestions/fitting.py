"""Joins whole sentences until they have the allowed length of a description."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from chalicelib.domain.page.widths import description_px
from chalicelib.suggestions.prose import UNSPACED
from chalicelib.suggestions.sentences import FEWEST_WORDS, Sentence

SHORTEST: Final = 70  # characters; a wide character (Chinese, Japanese, Korean) counts as two
LONGEST: Final = 160  # characters of Latin text that desktop results show
WIDEST_PX: Final = 985  # Arial at 14 px

_WHOLE: Final = re.compile("[.!\u3002\uff01][\"'”’»)\\]\u300d\u300f\uff09]*$")
_NARROW_ENOUGH: Final = 70  # characters that fit even if all of them are the widest


def cut(sentences: Iterable[Sentence]) -> str | None:
    """Return the beginning of a text: as many whole sentences as fit into a description.

    Returns None if together they are too short.
    """
    text = ""
    for sentence in sentences:
        longer = joined(text, sentence)
        if not not_too_long(longer):
            break
        text = longer
    return text if is_long_enough(text) and is_whole(text) else None


def joined(text: str, sentence: Sentence) -> str:
    return f"{text}{_gap(text, sentence.text)}{sentence.text}"


def _gap(text: str, following: str) -> str:
    return "" if not text or UNSPACED.match(text[-1]) or UNSPACED.match(following) else " "


def not_too_long(text: str) -> bool:
    return len(text) <= _NARROW_ENOUGH or (len(text) <= LONGEST and description_px(text) <= WIDEST_PX)


def fits(text: str) -> bool:
    return is_long_enough(text) and not_too_long(text)


def is_long_enough(text: str) -> bool:
    if len(text) >= SHORTEST or text.isascii():
        return len(text) >= SHORTEST
    return len(text) + sum(unicodedata.east_asian_width(character) in "WF" for character in text) >= SHORTEST


def is_whole(text: str) -> bool:
    """Whether a text ends with a full stop or similar mark, and has more words than a name or label."""
    if _WHOLE.search(text) is None:
        return False
    return text.count(" ") + 1 >= FEWEST_WORDS or UNSPACED.search(text) is not None
