"""What a page is about, as its title and main heading say it, and whether a sentence is about the same.

The words that say it are those that few titles of the website have: "git" in every title of Git's manual is no topic,
and neither is "class" or "reference".
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestions.languages import words_between_marks
from chalicelib.domain.suggestions.leaning import SELF_NOUNS
from chalicelib.domain.suggestions.lexicon import ALL_STOP_WORDS, NUMBER_WORDS, is_verb
from chalicelib.domain.suggestions.prose import UNSPACED
from chalicelib.domain.suggestions.words import content_words, split_words, stems

_LONGEST_STEM: Final = 5
_SHORTEST_PART: Final = 4  # letters: of a word with capitals inside, and of a stem that may end a longer word
_LEAST_TITLES: Final = 5  # that share a word
_LEAST_SHARE: Final = 0.1
_SUBJECT_PARTS: Final = 2  # of a title: one word alone may be that of a side topic
WHOLE_SUBJECT_WORDS: Final = 6  # of a sentence
SUBJECT_WORDS: Final = 7  # of a sentence: its subject, and perhaps the verb, stand among so many
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Scripts without spaces: runs of ideographs or katakana are words, what stands between them is grammar.
_RUN: Final = re.compile("[\u30a1-\u30fa\u30fc]{2,}|[\u3400-\u9fff]{2,}")
_GENERIC: Final = stems(
    (
        *SELF_NOUNS,
        *"using use how what why api manual reference references index home official new member members list".split(),
    )
)


_OF_KIND: Final = frozenset(
    "class function type object structure struct interface command program tool utility widget module library method"
    " container iterator exception error adapter adaptor helper wrapper format protocol file plugin filter macro set"
    " list collection interface implementation representation node element event handler listener service server client"
    " option parameter field property value operator algorithm concept base abstract simple generic behaviour behavior"
    " routines functions methods operations flags prototype factory callback"
    " signal namespace enumeration constants".split()
)
# Beside the name of what a page is about, in its title or heading.
_AROUND_NAMES: Final = _OF_KIND | frozenset(
    "reference documentation package trait annotation api summary keyword primitive union".split()
)
_LONGEST_NAMING: Final = 120  # characters of a title that is looked through for a name
_BARE_NAME: Final = re.compile(r"[^\W\d][\w.:+-]*\w(?:\(\w*\))?")
# "Whether …", "The number of …": of a value.
_FIRST: Final = frozenset(("whether",))
_LINKS: Final = frozenset("of for to that which used in".split())
# What a class does as a whole; all else is what one of its members does.
_OF_TYPES: Final = frozenset(
    "represent implement provide describe define handle manage control contain hold keep wrap store maintain specify"
    " indicate perform produce collect combine identify expose track log serve run simulate".split()
)
_TYPE: Final = re.compile(
    r"(?:^|[\W_])[A-Z]\w*[a-z]\w*(?:<[^<>]*>)?$|\b(?:[Cc]lass|[Mm]odule|[Ii]nterface|[Ee]num|[Ss]truct|[Nn]amespace)\b"
)
_KIND_WORDS: Final = 6  # first ones, after "a"
_IDENTIFIER: Final = re.compile(r"\w[_:]{1,2}\w|\w\(|[a-z0-9][A-Z]|\w\.\w")
_SECTION: Final = re.compile(r"^\d+(?:\.\d+)*\.?\s")


def of_text(text: str, stops: frozenset[str]) -> set[str]:
    """The stems of the words of a title that may carry its topic; of names like ``TimedAnimation`` also the parts."""
    folded = fold(text)
    words = content_words(folded, stops)
    if text != folded and _HUMP.search(text) is not None:
        parts = split_words(_HUMP.sub(" ", text))
        words += [part for part in parts if len(part) >= _SHORTEST_PART and part not in stops]
    if not folded.isascii():
        words = [part for word in words for part in (_RUN.findall(word) or (word,))]
    return stems(word for word in words if word not in NUMBER_WORDS and not word.isdecimal())


def common(titles: Iterable[str]) -> frozenset[str]:
    """The stems that many of the distinct titles of a website have."""
    counts: Counter[str] = Counter()
    total = 0
    for title in titles:
        total += 1
        counts.update(of_text(title, ALL_STOP_WORDS))
    least = max(_LEAST_TITLES, _LEAST_SHARE * total)
    return frozenset(stem for stem, count in counts.items() if count >= least)


def name_in(text: str) -> str | None:
    """The one name that a title or heading of a reference consists of: "sf::Ftp" of "sf::Ftp Class Reference"; None
    where it has words of its own."""
    if not text or len(text) > _LONGEST_NAMING:
        return None
    found = [word for word in text.split() if fold(word).strip(":") not in _AROUND_NAMES]
    if len(found) != 1 or (text != found[0] and _IDENTIFIER.search(found[0]) is None):
        return None
    return found[0] if _BARE_NAME.fullmatch(found[0]) else None


def is_code_name(name: str) -> bool:
    """Whether a name is written as only code writes names: "count_tents", "TentFilter", "tents.open"."""
    return _IDENTIFIER.search(name) is not None


class Topic:
    """``title``, ``h1``: of the page, without the website's name; ``name``: what names the website; ``shared``: what
    ``common`` gives. ``named``: the one thing whose reference the page is, as it is written; None on other pages."""

    def __init__(self, title: str, h1: str, name: str, stops: frozenset[str], shared: frozenset[str]) -> None:
        said, names = of_text(f"{title} {h1}", stops), of_text(name, stops)
        self.stems = said - names - shared - _GENERIC or said - names - shared or said - names or said
        # The website, where the title names nothing else that the page could be about.
        self._named = said & names if self.stems <= names else set()
        self._names = names
        said_plainly = (_SECTION.sub("", text, 1) for text in (title, h1))
        self._is_name = any(" " not in text or _IDENTIFIER.search(text) for text in said_plainly if text)
        self._parts = frozenset(split_words(_HUMP.sub(" ", f"{title} {h1}").replace("_", " ")))
        self.named = name_in(title) or name_in(h1)
        # Whether no word of a website is written like it, or its kind stands beside it.
        self.is_entry = self.named is not None and (is_code_name(self.named) or self.named not in (title, h1))
        self._subject = (of_text(title, stops) or of_text(h1, stops)) - names - _GENERIC
        self._is_type = self._is_name and _TYPE.search(title.partition("(")[0].strip() or h1) is not None

    def shares(self, folded: str) -> bool:
        """Whether a folded text has a word of the topic, another form of it, or a longer word that it is part of."""
        if UNSPACED.search(folded):  # scripts without spaces: a topic word is any run that both write
            return any(word in folded for word in self.stems)
        if any(len(stem) == _LONGEST_STEM and stem in folded for stem in self.stems):
            return True
        words = words_between_marks(folded)
        return self._has(words) or not self._named.isdisjoint(stems(words[:1]))

    def is_subject(self, folded: str, words: int = SUBJECT_WORDS) -> bool:
        """Whether a folded sentence speaks of the topic among so many first words."""
        if UNSPACED.search(folded):
            return self.shares(folded)
        first = words_between_marks(folded)[:words]
        return self._has(first) or any(
            len(stem) == _LONGEST_STEM and any(stem in word for word in first) for stem in self.stems
        )

    def is_whole_subject(self, folded: str) -> bool:
        """Whether the beginning of a folded sentence has all words of the title, two at least."""
        if len(self._subject) < _SUBJECT_PARTS or UNSPACED.search(folded):
            return False
        words = words_between_marks(folded)[:WHOLE_SUBJECT_WORDS]
        return self._subject <= stems(part for word in words for part in (word, *split_words(word)))

    def is_told(self, folded: str) -> bool:
        """Whether a folded sentence is about the topic: its subject, or most of its words."""
        if UNSPACED.search(folded) or self.is_subject(folded):
            return self.shares(folded)
        words = words_between_marks(folded)
        first = stems(words[:1])
        if not self._named.isdisjoint(first) or (not self._names.isdisjoint(first) and self._has(words)):
            return True
        said = stems(words)
        shared = sum(stem in said or (len(stem) == _LONGEST_STEM and stem in folded) for stem in self.stems)
        return shared > 1 and 2 * shared > len(self.stems)

    def is_of_member(self, folded: str) -> bool:
        """Whether a sentence in the reference of a class says what one of its members does."""
        verb = folded.partition(" ")[0]
        if not self._is_type or not is_verb(verb):
            return False
        return {verb, verb.rstrip("s")}.isdisjoint(_OF_TYPES | self._parts)

    def is_defined(self, folded: str) -> bool:
        """Whether a sentence at the beginning of a name's reference says what it does, or what kind of thing it is."""
        if not self._is_name:
            return False
        words = words_between_marks(folded[:100])
        if len(words) < 3:
            return False
        if words[0] in _FIRST or (words[0] == "the" and words[2] in _LINKS):
            return True
        return is_verb(words[0]) or not _OF_KIND.isdisjoint(words[:_KIND_WORDS])

    def _has(self, words: list[str]) -> bool:
        said = stems(part for word in words for part in (word, *split_words(word)))
        if not self.stems.isdisjoint(said):
            return True
        short = [stem for stem in self.stems if len(stem) == _SHORTEST_PART]
        return any(word.endswith((stem, f"{stem}s")) for stem in short for word in words)
