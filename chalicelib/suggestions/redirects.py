"""Finds the page to which an address that no longer exists should redirect: one with a similar address, title or topic.

A wrong redirect is worse than no redirect. So nothing is proposed if no page is similar, or if several pages are
equally similar. The home page is never proposed. Similar pages are looked up by their words, so not every address is
compared with every page. A word that many pages share is not used.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple
from urllib.parse import unquote

from chalicelib.domain.changes.missing_addresses import Because
from chalicelib.domain.crawl.address_names import parts_of
from chalicelib.domain.crawl.urls import path_and_query
from chalicelib.suggestions.languages import primary
from chalicelib.suggestions.words import split_words, stems

MOST_CHARACTERS: Final = 500  # characters of an address, a title or a link's text that are compared
MOST_WORDS: Final = 24  # words of each of them
MOST_TEXTS: Final = 5  # link texts, and queries, per address
MOST_SHARING: Final = 200  # pages that share a word; a more frequent word is not used to find pages
MOST_COMPARED: Final = 300  # pages that are compared with one address
MOST_LETTERS: Final = 64  # of names that are compared letter by letter; the time grows with the cube of their length
MOST_BY_LETTERS: Final = 20_000  # pairs of names that are compared letter by letter; later ones are not

_ENOUGH_ADDRESS: Final = 0.6
_ENOUGH_TEXT: Final = 0.7
_ENOUGH_EACH: Final = 0.4  # if address and text are both similar: least similarity of each,
_ENOUGH_BOTH: Final = 1.0  # and least sum
_SLUG_SHARE: Final = 0.8  # weight of the last part in the similarity of addresses; the rest is that of folders
_SAME_SLUG: Final = 0.9
_LEAST_EDITS: Final = 0.85  # share of letters that are equal and in order, as in a slug with one letter changed
_SECOND: Final = 0.25  # weight of the weaker of the two similarities
_CLEARLY: Final = 0.03  # by which the best page must be better than the next

_DATE_FOLDERS: Final = re.compile(r"/(?:19|20)\d\d(?:/[01]?\d(?:/[0-3]?\d)?)?(?=/)")
_DATE_IN_NAME: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?:[-_][01]\d[-_][0-3]\d)?(?!\d)")
_ENDING: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
_INDEX: Final = re.compile(r"/(?:index|default|home)$", re.IGNORECASE)
_LANGUAGE: Final = re.compile(r"/([A-Za-z]{2})(?:[-_][A-Za-z]{2})?(?=/|$)")


class Page(NamedTuple):
    """A page that may be proposed as a target: it answers 200 without a redirect and may be indexed."""

    url: str
    title: str | None


class Gone(NamedTuple):
    """An address that answers 404 or 410.

    ``texts``: the texts of links to the address. ``queries``: the search queries that found it.
    """

    url: str
    texts: Sequence[str] = ()
    queries: Sequence[str] = ()


class Proposed(NamedTuple):
    """The page to redirect to. ``because``: where the page resembles the missing address: in its name, its address, the
    texts of links, or search queries. ``text``: the link text or the search query that resembles the page."""

    url: str
    because: Because
    text: str | None = None


def proposals(gone: Sequence[Gone], pages: Iterable[Page]) -> dict[str, Proposed]:
    """Return the page to which each address should redirect, by address.

    Addresses without a clearly similar page are left out.
    """
    wanted = {one.url: _Wanted.of(one) for one in gone}
    words = frozenset[str]().union(*(one.words for one in wanted.values()))
    if not words:
        return {}
    index = _Index(words, {one.url for one in gone})
    for page in pages:
        index.add(page)
    found = ((url, index.best(one)) for url, one in wanted.items())
    return {url: proposed for url, proposed in found if proposed is not None}


class _Address(NamedTuple):
    """The words of an address.

    - ``slug``: stems of its last part.
    - ``folders``: stems of the parts before.
    - ``name``: its last part in letters and digits.
    - ``numbers``: the numbers in its last part, without years.
    - ``lang``: the language that its first folder names.
    - ``home``: whether it is a home page, possibly that of a language.
    """

    slug: frozenset[str]
    folders: frozenset[str]
    name: str
    numbers: frozenset[str]
    lang: str | None
    home: bool

    @classmethod
    def of(cls, url: str) -> "_Address":
        url = next((one.rest for one in parts_of(url) if one.counts == "pages"), url)
        path, _, query = path_and_query(url).partition("?")
        path = path[:MOST_CHARACTERS]
        language = _LANGUAGE.match(path)
        lang = None if language is None else primary(language[1])
        if language is not None and lang is not None:
            path = path[language.end() :]
        path = _INDEX.sub("", _ENDING.sub("", path.rstrip("/")))
        folders, _, last = unquote(_DATE_FOLDERS.sub("", path)).rpartition("/")
        undated = _DATE_IN_NAME.sub(" ", last)
        said = split_words(undated.replace("_", " "))[:MOST_WORDS]
        names = _names(undated)
        return cls(
            slug=frozenset(stems(names)) if not query else frozenset(),
            folders=frozenset(stems(_names(folders))),
            name="" if query or not names else "-".join(said),
            numbers=frozenset(filter(str.isdigit, said)),
            lang=lang,
            home=not path.strip("/") and not query,
        )


class _Wanted(NamedTuple):
    """An address that is gone: its words, and the stems of each text."""

    address: _Address
    texts: tuple[tuple[Because, str, frozenset[str]], ...]

    @classmethod
    def of(cls, gone: Gone) -> "_Wanted":
        said: tuple[tuple[Because, Sequence[str]], ...] = (("links", gone.texts), ("search", gone.queries))
        texts = [(because, text, _stems_of(text)) for because, given in said for text in given[:MOST_TEXTS]]
        return cls(_Address.of(gone.url), tuple(one for one in texts if one[2]))

    @property
    def words(self) -> frozenset[str]:
        return self.address.slug.union(*(words for _, _, words in self.texts))


class _Known(NamedTuple):
    url: str
    address: _Address
    title: frozenset[str]


class _Index:
    """Pages by their words. ``words``: those of the missing addresses. ``gone``: addresses that are never proposed."""

    def __init__(self, words: frozenset[str], gone: set[str]) -> None:
        self._words = words
        self._gone = gone
        self._sharing: dict[str, list[_Known]] = defaultdict(list)
        self._often: Counter[str] = Counter()
        self._count = 0
        self._by_letters = 0

    def add(self, page: Page) -> None:
        if "%" not in page.url:  # most pages share no word with a missing address: they are only counted
            path, title = path_and_query(page.url)[:MOST_CHARACTERS], (page.title or "")[:MOST_CHARACTERS]
            said = stems(split_words(f"{path} {title}"))
            if self._words.isdisjoint(said):
                self._count += 1
                self._often.update(said)
                return
        if page.url in self._gone or any(one.counts == "pages" for one in parts_of(page.url)):
            return
        address = _Address.of(page.url)
        if address.home:
            return
        known = _Known(page.url, address, _stems_of(page.title or ""))
        words = known.address.slug | known.title
        self._count += 1
        self._often.update(words)
        for word in words & self._words:
            if self._often[word] <= MOST_SHARING:
                self._sharing[word].append(known)

    def best(self, wanted: _Wanted) -> Proposed | None:
        """Return the page that is clearly the most similar. Returns None if there is no such page."""
        ranked: list[tuple[float, int, str, Proposed]] = []
        for known in self._alike(wanted):
            found = self._likeness(wanted, known)
            if found is not None:
                score, proposed = found
                ranked.append((-score, len(known.url), known.url, proposed))
        ranked.sort(key=lambda one: one[:3])
        if not ranked or (len(ranked) > 1 and ranked[1][0] - ranked[0][0] < _CLEARLY):
            return None
        return ranked[0][3]

    def _alike(self, wanted: _Wanted) -> Iterable[_Known]:
        """Return the pages that share a word with the missing address, those that share a rare word first."""
        found: dict[str, _Known] = {}
        for word in sorted(wanted.words, key=lambda word: (self._often[word], word)):
            if self._often[word] > MOST_SHARING:
                break
            for known in self._sharing.get(word, ()):
                if len(found) == MOST_COMPARED:
                    return found.values()
                if known.address.lang == wanted.address.lang or wanted.address.lang is None:
                    found.setdefault(known.url, known)
        return found.values()

    def _likeness(self, wanted: _Wanted, known: _Known) -> tuple[float, Proposed] | None:
        by_address = self._by_address(wanted.address, known.address)
        by_text, text = max(
            ((self._shared(words, known.title), (because, said)) for because, said, words in wanted.texts),
            key=lambda one: one[0],
            default=(0.0, None),
        )
        enough = (
            by_address >= _ENOUGH_ADDRESS
            or by_text >= _ENOUGH_TEXT
            or (min(by_address, by_text) >= _ENOUGH_EACH and by_address + by_text >= _ENOUGH_BOTH)
        )
        if not enough:
            return None
        score = max(by_address, by_text) + _SECOND * min(by_address, by_text)
        if text is not None and by_text > by_address:
            return score, Proposed(known.url, *text)
        same = known.address.name == wanted.address.name
        return score, Proposed(known.url, "name" if same else "address")

    def _by_address(self, one: _Address, other: _Address) -> float:
        if not one.slug or not other.slug or (one.numbers and other.numbers and one.numbers != other.numbers):
            return 0.0
        folders = self._shared(one.folders, other.folders) if one.folders or other.folders else 1.0
        if not folders and bool(one.numbers) != bool(other.numbers):
            return 0.0  # a release of a thing is not the page of that name in another folder
        if one.name == other.name:
            return _SAME_SLUG + (1 - _SAME_SLUG) * folders
        slug = self._shared(one.slug, other.slug)
        if max(len(one.name), len(other.name)) <= MOST_LETTERS:
            edits = SequenceMatcher(None, one.name, other.name, autojunk=False)
            alike = edits.real_quick_ratio() >= _LEAST_EDITS and edits.quick_ratio() >= _LEAST_EDITS
            if alike and self._by_letters < MOST_BY_LETTERS:
                self._by_letters += 1
                ratio = edits.ratio()
                slug = max(slug, ratio if ratio >= _LEAST_EDITS else 0.0)
        return _SLUG_SHARE * slug + (1 - _SLUG_SHARE) * folders * slug

    def _shared(self, one: frozenset[str], other: frozenset[str]) -> float:
        """Return how much of their words two texts share, 0 to 1. Rare words count more."""
        both = self._weight(one & other)
        return 2 * both / (self._weight(one) + self._weight(other)) if both else 0.0

    def _weight(self, words: Iterable[str]) -> float:
        return sum(math.log(1 + (self._count + 1) / (self._often[word] + 1)) for word in sorted(words))


def _names(text: str) -> list[str]:
    """Return the words of a text except numbers and single letters."""
    said = split_words(text[:MOST_CHARACTERS].replace("_", " "))[:MOST_WORDS]
    return [word for word in said if not word.isdigit() and (len(word) > 1 or not word.isascii())]


def _stems_of(text: str) -> frozenset[str]:
    return frozenset(stems(_names(text)))
