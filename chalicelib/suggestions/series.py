"""Recognizes sentences that occur on several pages with small changes. Such pages are a series, or have the same
template or notice."""

from collections.abc import Iterable
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.suggestions.languages import words_between_marks
from chalicelib.suggestions.sentences import sentences_of
from chalicelib.suggestions.topics import Topic

OFTEN: Final = 3  # pages that share a beginning or a title part; from here on it shows a series
_OPENING: Final = 5  # words: sentences that begin with the same words are nearly the same


def openings(texts: Iterable[str]) -> set[int]:
    """Return a hash of the first words of each text."""
    return {_parts(text)[0] for text in texts}


def unnamed_opening(text: str, topic: Topic) -> int | None:
    """Return a hash of the candidate's first words. Returns None if the rest of its first sentence names the page's
    topic.

    A sentence that does not name the topic says nothing about the page if other texts begin with the same words.
    """
    opening, rest = _parts(text)
    return None if topic.is_named(rest) else opening


def _parts(text: str) -> tuple[int, list[str]]:
    words = words_between_marks(fold(next(iter(sentences_of(text)), text)))
    return hash(tuple(words[:_OPENING])), words[_OPENING:]
