"""Sentences that stand on several pages with small changes: of a series, a template, a notice."""

from collections.abc import Iterable
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.suggestions.languages import words_between_marks
from chalicelib.suggestions.sentences import sentences_of
from chalicelib.suggestions.topics import Topic

OFTEN: Final = 3  # pages
_OPENING: Final = 5  # words: sentences that begin with the same ones are nearly the same


def openings(texts: Iterable[str]) -> set[int]:
    """What stands for the first words of each of these texts."""
    return {_parts(text)[0] for text in texts}


def unnamed_opening(text: str, topic: Topic) -> int | None:
    """The same of a candidate whose first sentence says no word of the page's topic behind those words, and so nothing
    of the page where others begin alike; None of all others."""
    opening, rest = _parts(text)
    return None if topic.is_named(rest) else opening


def _parts(text: str) -> tuple[int, list[str]]:
    words = words_between_marks(fold(next(iter(sentences_of(text)), text)))
    return hash(tuple(words[:_OPENING])), words[_OPENING:]
