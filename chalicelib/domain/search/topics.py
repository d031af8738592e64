"""The topics of a website: its pages grouped by the folder of their address and the words of their queries.

A topic has one language and one section. If most pages of a section are found by queries with one common word, the
section is one topic. Otherwise its pages are grouped by shared words of their queries (``clustering``). Pages without
searches join a topic by the words of their title and address. The remaining pages of a section are a topic that is
named after the section's folder.

The same data gives the same topics, ids and names, whatever the order of the data.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple
from urllib.parse import unquote

import msgspec

from chalicelib.domain import ids
from chalicelib.domain.search.addresses import (
    MOST_IN_SECTION,
    Place,
    page_key,
    place,
    section_name,
    sections,
    words_of_folder,
)
from chalicelib.domain.search.clustering import DIGITS, Joining, Weights, grouped, strength
from chalicelib.domain.search.tokens import Vocabulary, language_of, plain

MOST_GROUPED: Final = 20_000  # pages with search data
MOST_PAGES: Final = 50  # of a topic that are listed
MOST_QUERIES: Final = 10
MOST_TOPIC_WORDS: Final = 5
COHERENT_SHARE: Final = 0.6  # a section is one topic if one word finds at least this share of its searched pages
MOST_READ: Final = 2_000  # titles, or queries, from which the website's language is detected
ID_WORDS: Final = 3
NAMING_WORDS: Final = 2  # of a topic's words, one of which should be in its name
CLICK_WEIGHT: Final = 10  # a click counts as this many impressions in the weight of a word
LONGEST_NAME: Final = 200  # characters

NameFrom = Literal["queries", "section", "page"]


class SearchedPage(NamedTuple):
    """An address with its search figures in the period. ``positions``: the sum of the positions of all impressions."""

    url: str
    clicks: int
    impressions: int
    positions: int


class Pair(NamedTuple):
    """A query, and an address that search showed for it in the 28 days of the stored pairs.

    ``positions``: the sum of the positions of all impressions.
    """

    query: str
    url: str
    clicks: int
    impressions: int
    positions: int


class CrawledPage(NamedTuple):
    """A page of the website as the last audit published it. ``content``: whether search may show the page."""

    url: str
    title: str | None
    content: bool


class TopicPage(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A page of a topic. If it has no impressions, search did not show it in the period."""

    url: str
    clicks: int
    impressions: int
    positions: int


class TopicQuery(msgspec.Struct, array_like=True, frozen=True, gc=False):
    query: str
    clicks: int
    impressions: int
    positions: int


class Topic(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Pages that belong together. A topic may have any number of pages.

    - ``page_count``: the number of all its pages.
    - ``pages_without_data``: how many of them search did not show in the period.
    - ``pages``: the pages with most clicks.
    """

    id: str
    name: str
    name_from: NameFrom
    section: str | None
    words: tuple[str, ...]
    page_count: int
    pages_without_data: int
    clicks: int
    impressions: int
    positions: int
    pages: tuple[TopicPage, ...]
    queries: tuple[TopicQuery, ...]


class Topics(msgspec.Struct, array_like=True, frozen=True):
    """All pages of a website as topics, most clicks first.

    - ``searched``: how many pages the search data has.
    - ``capped``: whether there are more pages than the service groups into topics.
    """

    topics: tuple[Topic, ...]
    searched: int
    capped: bool


class _Page(msgspec.Struct, gc=False):
    """One page during grouping. ``words``: the words of its queries by key, with their weights. ``title``: None if it
    was not crawled."""

    key: str
    url: str
    place: Place
    crawled: bool = False
    title: str | None = None
    clicks: int = 0
    impressions: int = 0
    positions: int = 0
    shown: int = 0  # impressions of the address that represents it
    queries: list[Pair] = []
    words: dict[str, int] = {}

    @property
    def weight(self) -> int:
        return CLICK_WEIGHT * self.clicks + self.impressions


class _Group(NamedTuple):
    """Pages of one topic. ``named``: whether they share words of queries."""

    language: str | None
    section: tuple[str, ...]
    pages: list[_Page]
    named: bool


def topics(
    searched: Iterable[SearchedPage],
    pairs: Iterable[Pair],
    crawled: Iterable[CrawledPage],
    names: Iterable[str] = (),
) -> Topics:
    """Find the topics of a website.

    - ``searched``: every address in the search data of the period.
    - ``names``: the website's own names, which do not count as topics.
    """
    pages, count = _pages(searched, crawled)
    pairs = sorted(pairs)
    vocabulary = _vocabulary(pairs, pages, names)
    _add_queries(pages, pairs, vocabulary)
    made = _Making(vocabulary, pages)
    ordered = sorted(made.groups(), key=_order)
    return Topics(tuple(made.described(ordered)), count, count > MOST_GROUPED)


def _pages(searched: Iterable[SearchedPage], crawled: Iterable[CrawledPage]) -> tuple[dict[str, _Page], int]:
    """Return the pages to group, by key and in a fixed order, and how many pages the search data has."""
    found: dict[str, _Page] = {}
    for row in searched:
        key = page_key(row.url)
        page = found.get(key)
        if page is None:
            page = found[key] = _Page(key, row.url, place(key), shown=row.impressions)
        elif (row.impressions, page.url) > (page.shown, row.url):
            page.url, page.shown = row.url, row.impressions
        page.clicks += row.clicks
        page.impressions += row.impressions
        page.positions += row.positions
    count = len(found)
    kept = sorted(found.values(), key=lambda page: (-page.impressions, page.key))
    left_out = {page.key for page in kept[MOST_GROUPED:]}
    pages = {page.key: page for page in kept[:MOST_GROUPED]}
    for known in sorted(crawled, key=lambda row: (row.url, row.title or "")):
        key = page_key(known.url)
        page = pages.get(key)
        if page is None and known.content and key not in left_out:
            page = pages[key] = _Page(key, known.url, place(key))
        if page is not None and (not page.crawled or (page.title is None and known.title)):
            page.crawled, page.url, page.title = True, known.url, known.title
    return {page.key: page for page in sorted(pages.values(), key=_page_order)}, count


def _vocabulary(pairs: Sequence[Pair], pages: Mapping[str, _Page], names: Iterable[str]) -> Vocabulary:
    titles = [page.title for page in pages.values() if page.title and page.place.language is None]
    language = language_of(titles[:MOST_READ]) or language_of(pair.query for pair in pairs[:MOST_READ])
    return Vocabulary(language, names)


def _add_queries(pages: Mapping[str, _Page], pairs: Iterable[Pair], vocabulary: Vocabulary) -> None:
    for pair in pairs:
        page = pages.get(page_key(pair.url))
        if page is None:
            continue
        page.queries.append(pair)
        weight = max(1, CLICK_WEIGHT * pair.clicks + pair.impressions)
        for word in vocabulary.words(pair.query, page.place.language):
            page.words[word.key] = page.words.get(word.key, 0) + weight


class _Making:
    """Builds the topics from the pages."""

    def __init__(self, vocabulary: Vocabulary, pages: Mapping[str, _Page]) -> None:
        self._vocabulary = vocabulary
        self._pages = list(pages.values())
        self._weights = Weights([page.words for page in self._pages if page.words])

    def groups(self) -> list[_Group]:
        parts: dict[tuple[str | None, tuple[str, ...]], list[_Page]] = {}
        found = sections([page.place for page in self._pages])
        for page, section in zip(self._pages, found, strict=True):
            parts.setdefault((page.place.language, section), []).append(page)
        return [
            group for (language, section), pages in parts.items() for group in self._divided(language, section, pages)
        ]

    def _divided(self, language: str | None, section: tuple[str, ...], pages: list[_Page]) -> list[_Group]:
        """Divide the pages of one section into topics. The pages must be sorted."""
        if section and len(pages) <= MOST_IN_SECTION and self._coherent(pages):
            return [_Group(language, section, pages, named=True)]
        searched = [page for page in pages if page.words]
        vectors = [self._weights.vector(page.words) for page in searched]
        clusters = [numbers for numbers in grouped(vectors) if len(numbers) > 1]
        groups = [[searched[number] for number in numbers] for numbers in clusters]
        joining = Joining([[vectors[number] for number in numbers] for numbers in clusters])
        taken = {page.key for group in groups for page in group}
        rest: list[_Page] = []
        for page in pages:
            if page.key in taken:
                continue
            group = joining.group_of(self._own_words(page)) if groups and not page.words else None
            (rest if group is None else groups[group]).append(page)
        left = [rest] if section else [[page] for page in rest]
        return [
            *(_Group(language, section, sorted(group, key=_page_order), named=True) for group in groups),
            *(_Group(language, section, group, named=not section) for group in left if group),
        ]

    def _coherent(self, pages: Sequence[_Page]) -> bool:
        """Whether one word finds most of the searched pages, without being too common on the website."""
        having: Counter[str] = Counter()
        searched = [page for page in pages if page.words]
        for page in searched:
            having.update(word for word in page.words if self._weights.tells(word))
        return len(searched) > 1 and max(having.values(), default=0) >= COHERENT_SHARE * len(searched)

    def _own_words(self, page: _Page) -> list[str]:
        """Return the words of a page's title and address, each once."""
        text = f"{page.title or ''} {words_of_folder(page.place.last)}"
        return [word.key for word in self._vocabulary.words(text, page.place.language)]

    def described(self, groups: Sequence[_Group]) -> Iterable[Topic]:
        """Make a topic from each group of pages, with a unique id and a name."""
        taken: set[str] = set()
        names: set[str] = set()
        for group in groups:
            queries = _queries(group.pages)
            scores, forms = self._scores(group, queries)
            best = sorted(scores, key=lambda word: (-scores[word], word))
            name, name_from = self._name(group, queries, best[:MOST_TOPIC_WORDS], names)
            names.add(plain(name))
            yield Topic(
                id=_id(group, best[:ID_WORDS], taken),
                name=name,
                name_from=name_from,
                section=section_name(group.section),
                words=tuple(forms[word] for word in best[:MOST_TOPIC_WORDS]),
                page_count=len(group.pages),
                pages_without_data=sum(not page.impressions for page in group.pages),
                clicks=sum(page.clicks for page in group.pages),
                impressions=sum(page.impressions for page in group.pages),
                positions=sum(page.positions for page in group.pages),
                pages=tuple(
                    TopicPage(page.url, page.clicks, page.impressions, page.positions)
                    for page in group.pages[:MOST_PAGES]
                ),
                queries=tuple(queries[:MOST_QUERIES]),
            )

    def _scores(self, group: _Group, queries: Sequence[TopicQuery]) -> tuple[dict[str, float], dict[str, str]]:
        """Return the score of each word of a group's queries, and its most frequent spelling. The score is higher if
        more of the group's pages have the word."""
        if not queries:
            return {}, {}
        having: dict[str, list[int]] = {}
        for page in group.pages:
            for word, weight in page.words.items():
                having.setdefault(word, []).append(weight)
        forms: dict[str, Counter[str]] = {}
        for query in queries:
            for said in self._vocabulary.words(query.query, group.language):
                forms.setdefault(said.key, Counter())[said.form] += CLICK_WEIGHT * query.clicks + query.impressions
        telling = {word for word in having if self._weights.tells(word)} or having.keys()
        scores = {word: round(strength(having[word]) * self._weights.rarity(word), DIGITS) for word in telling}
        return scores, {word: _most_written(forms[word]) for word in scores}

    def _name(
        self, group: _Group, queries: Sequence[TopicQuery], words: Sequence[str], taken: set[str]
    ) -> tuple[str, NameFrom]:
        """Name a group. ``words``: the group's words, most significant first."""
        if group.named:
            name = _most_clicked(self._spellings(group, queries), self._widely(group), words, taken)
            if name is not None:
                return name[:LONGEST_NAME], "queries"
        folder = words_of_folder(group.section[-1]) if group.section else ""
        if folder:
            return folder[:LONGEST_NAME], "section"
        first = group.pages[0]
        title = next((page.title for page in group.pages if page.title), None)
        return (title or words_of_folder(first.place.last) or unquote(first.key))[:LONGEST_NAME], "page"

    def _spellings(self, group: _Group, queries: Sequence[TopicQuery]) -> list["_Spellings"]:
        """Group the queries of a group by the words that may name its topic, most clicks first. Queries that contain
        the website's own name are left out."""
        found: dict[frozenset[str], list[TopicQuery]] = {}
        for query in queries:
            said = frozenset(word.key for word in self._vocabulary.words(query.query, group.language))
            if said and not self._vocabulary.is_named(query.query):
                found.setdefault(said, []).append(query)
        made = [_Spellings(said, spelt) for said, spelt in found.items()]
        return sorted(made, key=lambda one: (-one.clicks, -one.impressions, sorted(one.words)))

    def _widely(self, group: _Group) -> set[str]:
        """Return the words that find at least half of a group's searched pages."""
        having = Counter(word for page in group.pages for word in page.words)
        searched = sum(bool(page.words) for page in group.pages)
        return {word for word, count in having.items() if 2 * count >= searched}


class _Spellings(NamedTuple):
    """Queries that differ only in small words and words of any search, most clicks first."""

    words: frozenset[str]
    queries: list[TopicQuery]

    @property
    def clicks(self) -> int:
        return sum(query.clicks for query in self.queries)

    @property
    def impressions(self) -> int:
        return sum(query.impressions for query in self.queries)

    @property
    def plainest(self) -> str:
        """Return the query with the fewest words. If several queries have equally few words, return the one with the
        most clicks."""
        return min(self.queries, key=lambda query: (len(query.query.split()), -query.clicks, -query.impressions)).query


def _most_clicked(
    spellings: Sequence[_Spellings], widely: set[str], words: Sequence[str], taken: set[str]
) -> str | None:
    """Return the query with most clicks that can name a group. Preferred are queries that have a main word and
    otherwise only words of most pages; then queries with a main word; then queries with any of the words. ``words``:
    the group's, most significant first; the first ones are main words."""
    foremost = frozenset(words[:NAMING_WORDS])
    for having, within in ((foremost, widely), (foremost, None), (frozenset(words), None)):
        for one in spellings:
            fits = not one.words.isdisjoint(having) and (within is None or one.words <= within)
            if fits and plain(one.plainest) not in taken:
                return one.plainest
    return None


def _queries(pages: Iterable[_Page]) -> list[TopicQuery]:
    """Return the queries of a topic's pages, most clicks first."""
    sums: dict[str, list[int]] = {}
    for page in pages:
        for pair in page.queries:
            row = sums.setdefault(pair.query, [0, 0, 0])
            row[0] += pair.clicks
            row[1] += pair.impressions
            row[2] += pair.positions
    found = [TopicQuery(query, *row) for query, row in sums.items()]
    return sorted(found, key=lambda one: (-one.clicks, -one.impressions, one.query))


def _most_written(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], form))


def _page_order(page: _Page) -> tuple[int, int, str]:
    return -page.clicks, -page.impressions, page.key


def _order(group: _Group) -> tuple[int, int, int, str]:
    pages = group.pages
    clicks, impressions = sum(page.clicks for page in pages), sum(page.impressions for page in pages)
    return -clicks, -impressions, -len(pages), pages[0].key


def _id(group: _Group, words: Sequence[str], taken: set[str]) -> str:
    """Return the id of a group. It stays the same as long as language, section and first words do. If a larger group
    shares all of these, a number is added."""
    parts = [group.language or "", *group.section, "", *sorted(words)]
    if not group.named or not words:
        parts += ["", *([] if group.section else [group.pages[0].key])]
    found, number = ids.hashed("topic", *parts), 1
    while found in taken:
        number += 1
        found = ids.hashed("topic", *parts, str(number))
    taken.add(found)
    return found
