"""Sentences that stand on several pages with small changes: of a series, a template, a notice."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.suggestions.languages import words_between_marks
from chalicelib.suggestions.sentences import sentences_of
from chalicelib.suggestions.topics import Topic

OFTEN: Final = 3  # pages
_OPENING: Final = 5  # words: sentences that begin with the same ones are nearly the same
_SENTENCES: Final = 3  # of a text: a description has no more


def openings(texts: Iterable[str]) -> set[int]:
    """What stands for the first words of the first sentences of these texts."""
    return {key for text in texts for key, _ in _parts(text)}


def unnamed_openings(text: str, topic: Topic) -> frozenset[int]:
    """The same of a candidate, of its sentences that say no word of the page's topic behind their first words. On a
    page where others begin so, these say nothing of it."""
    return frozenset(key for key, rest in _parts(text) if not topic.is_named(rest))


def _parts(text: str) -> Iterable[tuple[int, list[str]]]:
    for sentence in islice(sentences_of(text), _SENTENCES):
        words = words_between_marks(fold(sentence))
        yield hash(tuple(words[:_OPENING])), words[_OPENING:]
