"""Finds the topic of a page in its title and main heading, and decides whether a sentence is about the topic.

Topic words are words that few titles of the website have. For example, "git" is in every title of Git's manual and
therefore no topic word. In a reference manual, "class" and "reference" are no topic words either.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from chalicelib.domain.page.stop_words import ALL_STOP_WORDS
from chalicelib.domain.page.text import fold
from chalicelib.suggestions.first_words import PAGE_NOUNS
from chalicelib.suggestions.languages import words_between_marks
from chalicelib.suggestions.lexicon import NUMBER_WORDS
from chalicelib.suggestions.prose import UNSPACED
from chalicelib.suggestions.words import content_words, split_words, stems

_LONGEST_STEM: Final = 5
_SHORTEST_PART: Final = 4  # letters of a word with capitals inside, and of a stem that may end a longer word
_LEAST_TITLES: Final = 5  # a common word is in at least this many titles
_LEAST_SHARE: Final = 0.1
SUBJECT_WORDS: Final = 7  # words of a sentence: they include its subject, and often the verb
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Scripts without spaces: runs of ideographs or katakana are words, the characters between them are grammar.
_RUN: Final = re.compile("[\u30a1-\u30fa\u30fc]{2,}|[\u3400-\u9fff]{2,}")
_GENERIC: Final = stems(
    (
        *PAGE_NOUNS,
        *"using use how what why api manual reference references index home official new member members list".split(),
    )
)
# Words next to the name of what a page is about, in its title or heading.
_AROUND_NAMES: Final = frozenset(
    "class function type object structure struct interface command program tool utility widget module library method"
    " container iterator exception error adapter adaptor helper wrapper format protocol file plugin filter macro set"
    " list collection interface implementation representation node element event handler listener service server client"
    " option parameter field property value operator algorithm concept base abstract simple generic behaviour behavior"
    " routines functions methods operations flags prototype factory callback"
    " signal namespace enumeration constants"
    " reference documentation package trait annotation api summary keyword primitive union".split()
)
_LONGEST_NAMING: Final = 120  # characters: a longer title is not searched for a name
_BARE_NAME: Final = re.compile(r"[^\W\d][\w.:+-]*\w(?:\(\w*\))?")
_IDENTIFIER: Final = re.compile(r"\w[_:]{1,2}\w|\w\(|[a-z0-9][A-Z]|\w\.\w")


def of_text(text: str, stops: frozenset[str]) -> set[str]:
    """Return the stems of the words in a title that may name its topic, without stop words and numbers.

    Names like ``TimedAnimation`` are also split into their words.
    """
    folded = fold(text)
    words = content_words(folded, stops)
    if text != folded and _HUMP.search(text) is not None:
        parts = split_words(_HUMP.sub(" ", text))
        words += [part for part in parts if len(part) >= _SHORTEST_PART and part not in stops]
    if not folded.isascii():
        words = [part for word in words for part in (_RUN.findall(word) or (word,))]
    return stems(word for word in words if word not in NUMBER_WORDS and not word.isdecimal())


def common(titles: Iterable[str]) -> frozenset[str]:
    """Return the stems that many of a website's distinct titles have."""
    counts: Counter[str] = Counter()
    total = 0
    for title in titles:
        total += 1
        counts.update(of_text(title, ALL_STOP_WORDS))
    least = max(_LEAST_TITLES, _LEAST_SHARE * total)
    return frozenset(stem for stem, count in counts.items() if count >= least)


def name_in(text: str) -> str | None:
    """Return the name in the title or heading of an API reference, such as "sf::Ftp" in "sf::Ftp Class Reference".

    Returns None if the text has several names or other words.
    """
    if not text or len(text) > _LONGEST_NAMING:
        return None
    found = [word for word in text.split() if fold(word).strip(":") not in _AROUND_NAMES]
    if len(found) != 1 or (text != found[0] and _IDENTIFIER.search(found[0]) is None):
        return None
    return found[0] if _BARE_NAME.fullmatch(found[0]) else None


def is_code_name(name: str) -> bool:
    """Whether a name has a form that only names in code have: "count_tents", "TentFilter", "tents.open"."""
    return _IDENTIFIER.search(name) is not None


class Topic:
    """The topic of a page.

    - ``stems``: the stems of the words that distinguish the page.
    - ``title`` and ``h1``: the page's title and main heading, without the website's name.
    - ``name``: the website's name.
    - ``shared``: the result of ``common``.
    """

    def __init__(self, title: str, h1: str, name: str, stops: frozenset[str], shared: frozenset[str]) -> None:
        said, names = of_text(f"{title} {h1}", stops), of_text(name, stops)
        own = said - names - shared
        # "Introduction" and "Overview" are about what the website is named after.
        self.stems = own - _GENERIC or (own and own | names) or said - names or said

    def is_subject(self, folded: str) -> bool:
        """Whether a word of the topic is among the first words of a sentence that is normalized by ``fold``.

        Another form of the topic's word counts too, and so does a longer word that contains the topic's word.
        """
        if UNSPACED.search(folded):  # scripts without spaces: the sentence must contain a topic word
            return any(word in folded for word in self.stems)
        return self.is_named(words_between_marks(folded)[:SUBJECT_WORDS])

    def is_covered(self, words: Sequence[str]) -> bool:
        """Whether more than half of the topic's words are among these folded words."""
        found = self.stems & stems(part for word in words for part in (word, *split_words(word)))
        return 2 * len(found) > len(self.stems)

    def share_of(self, words: Sequence[str]) -> float:
        """Return which share of the topic's words is among these folded words, in any form."""
        found = self.stems & stems(part for word in words for part in (word, *split_words(word)))
        return len(found) / len(self.stems) if self.stems else 0.0

    def is_named(self, first: Sequence[str]) -> bool:
        """Whether a word of the topic is among these words, which are normalized by ``fold``."""
        if not self.stems.isdisjoint(stems(part for word in first for part in (word, *split_words(word)))):
            return True
        long = [stem for stem in self.stems if len(stem) == _LONGEST_STEM]
        short = tuple(stem for stem in self.stems if len(stem) == _SHORTEST_PART)
        return any(
            word.endswith((*short, *(f"{stem}s" for stem in short))) or any(stem in word for stem in long)
            for word in first
        )
