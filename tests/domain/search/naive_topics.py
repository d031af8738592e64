"""Topics of a website put together in the plainest way, from the definition in docs/decisions/topics.md alone: every
page is compared with every page of every group, and nothing is shared with what it checks.

It reads the addresses and texts of ``WEBSITES`` only: plain words in lower case whose plural has an "s".
"""

import math
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hypothesis import strategies as st

HOST = "shop.example"
NAME = "acme"
LANGUAGES = ("de", "fr")
KINDS_OF_FOLDER = ("blog", "shop")  # that say nothing of a topic
WORDS = tuple("tent boot lamp rock pack sock cord flag tarp belt knot pot hut mat".split())
NOT_SAID = ("the", "best", "how", "2026", NAME)  # small words, what every search says, numbers, the website's name


class Row(NamedTuple):
    """An address, what search results showed of it, and for a pair the query."""

    url: str
    clicks: int
    impressions: int
    positions: int
    query: str = ""


class Known(NamedTuple):
    """A page that was crawled. ``content``: it may be found in search."""

    url: str
    title: str | None
    content: bool


class WholeSite(NamedTuple):
    """``searched``: rows by page of the period; ``pairs``: of 28 days; ``crawled``: the published list."""

    searched: list[Row]
    pairs: list[Row]
    crawled: list[Known]


@dataclass
class Page:
    key: str
    clicks: int = 0
    impressions: int = 0
    positions: int = 0
    title: str = ""
    weights: dict[str, int] = field(default_factory=dict)  # of the words that it is searched for with

    @property
    def rank(self) -> tuple[int, int, str]:
        return -self.clicks, -self.impressions, self.key


class Group(NamedTuple):
    section: str | None
    pages: list[Page]


def key(url: str) -> str:
    return re.sub("^https?://(www[.])?|#.*$|/(#.*)?$", "", url)


def words(text: str) -> list[str]:
    said = [re.sub("s$", "", word) for word in re.split("[ -]+", text.lower()) if word not in NOT_SAID]
    return sorted(set(said) - {""})


def groups(site: WholeSite) -> list[Group]:
    """All pages in their groups, also those that are alone."""
    pages: dict[str, Page] = {}
    for row in site.searched:
        page = pages.setdefault(key(row.url), Page(key(row.url)))
        page.clicks += row.clicks
        page.impressions += row.impressions
        page.positions += row.positions
    for known in site.crawled:
        if known.content:
            pages.setdefault(key(known.url), Page(key(known.url)))
        if key(known.url) in pages:
            pages[key(known.url)].title = known.title or ""
    for pair in site.pairs:
        if key(pair.url) in pages:
            weights = pages[key(pair.url)].weights
            for word in words(pair.query):
                weights[word] = weights.get(word, 0) + max(1, 10 * pair.clicks + pair.impressions)
    every = sorted(pages.values(), key=lambda page: page.rank)
    return [
        Group("/".join(section) or None, group)
        for (_, section), members in sections(every).items()
        for group in divided(bool(section), members, every)
    ]


# -- where pages lie -------------------------------------------------------------------------------------


def place(page: Page) -> tuple[str, list[str], str]:
    """Language, folders and name of a page; dates are no folders."""
    *parts, last = page.key.partition("/")[2].split("/")
    if not parts and last in LANGUAGES:
        return last, [], ""
    language = parts.pop(0) if parts and parts[0] in LANGUAGES else ""
    return language, [part for part in parts if not part.isdecimal()], last


def folders_of(page: Page, every: Iterable[Page]) -> list[str]:
    """Those that it lies in; its own, where other pages lie below it."""
    language, folders, last = place(page)
    own = [*folders, last]
    for other in every:
        of_other = place(other)
        if last and of_other[0] == language and of_other[1][: len(own)] == own:
            return own
    return folders


def sections(every: Sequence[Page]) -> dict[tuple[str, tuple[str, ...]], list[Page]]:
    """Pages by language and by the first folder that says something; by the folders below where more than 50 pages lie
    together."""
    found: dict[tuple[str, tuple[str, ...]], list[Page]] = {}
    within = {page.key: folders_of(page, every) for page in every}
    for page in every:
        folders = within[page.key]
        depth = next((at for at, one in enumerate(folders, 1) if one not in KINDS_OF_FOLDER), len(folders))
        found.setdefault((place(page)[0], tuple(folders[:depth])), []).append(page)
    while True:
        for (language, section), members in found.items():
            deeper = [page for page in members if len(within[page.key]) > len(section)]
            if section and len(members) > 50 and deeper:
                found[language, section] = [page for page in members if page not in deeper]
                for page in deeper:
                    found.setdefault((language, tuple(within[page.key][: len(section) + 1])), []).append(page)
                break
        else:
            return found


# -- which of them belong together -----------------------------------------------------------------------


def tells(word: str, every: Iterable[Page]) -> bool:
    """More than one page is searched for with the word, and not most of them."""
    searched = [page for page in every if page.weights]
    having = sum(word in page.weights for page in searched)
    return having >= 2 and having <= 400 and (len(searched) < 10 or 10 * having <= 4 * len(searched))


def vector(page: Page, every: Sequence[Page]) -> Mapping[str, float]:
    """The eight words that say most of a page, as a vector of length 1."""
    searched = [other for other in every if other.weights]
    values = {}
    for word, weight in page.weights.items():
        if tells(word, every):
            rarity = math.log(1 + len(searched) / sum(word in other.weights for other in searched))
            values[word] = math.log(1 + weight) * rarity
    most = sorted(values, key=lambda word: (-round(values[word], 9), word))[:8]
    length = math.sqrt(sum(values[word] ** 2 for word in most))
    return {word: values[word] / length for word in most}


def cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(value * other.get(word, 0.0) for word, value in one.items())


def divided(in_folder: bool, members: list[Page], every: Sequence[Page]) -> list[list[Page]]:
    """The groups of one section."""
    members = sorted(members, key=lambda page: page.rank)
    searched = [page for page in members if page.weights]
    shared = [sum(word in page.weights for page in searched) for word in WORDS if tells(word, every)]
    if in_folder and len(members) <= 50 and len(searched) >= 2 and any(10 * n >= 6 * len(searched) for n in shared):
        return [members]
    vectors = {page.key: vector(page, every) for page in searched}
    clusters: list[list[Page]] = []
    for page in searched:
        if vectors[page.key]:
            likeness = [
                round(sum(cosine(vectors[page.key], vectors[other.key]) for other in cluster) / len(cluster), 9)
                for cluster in clusters
            ]
            if likeness and max(likeness) >= 0.3:
                clusters[likeness.index(max(likeness))].append(page)
            else:
                clusters.append([page])
    clusters = [cluster for cluster in clusters if len(cluster) > 1]
    joined: list[list[Page]] = [[] for _ in clusters]
    rest = []
    for page in members:
        if any(page in cluster for cluster in clusters):
            continue
        said = words(f"{page.title} {place(page)[2]}")
        covered = [covers(said, [vectors[other.key] for other in cluster]) for cluster in clusters]
        if not page.weights and covered and max(covered) >= 0.5:
            joined[covered.index(max(covered))].append(page)
        else:
            rest.append(page)
    whole = [cluster + more for cluster, more in zip(clusters, joined, strict=True)]
    return whole + ([rest] if in_folder and rest else [[page] for page in rest])


def covers(said: Iterable[str], vectors: Sequence[Mapping[str, float]]) -> float:
    """How much of a cluster's words these are."""
    whole = sum(sum(one.values()) for one in vectors)
    return round(sum(one.get(word, 0.0) for one in vectors for word in said) / whole, 9)


# -- websites --------------------------------------------------------------------------------------------

# Folders meet, hold one another, and are of three languages; pages of one name lie in several of them.
FOLDERS = ("", "", "tents/", "tents/", "boots/", "blog/", "blog/maps/", "blog/2024/05/", "de/zelte/", "tents/family/")
LEAVES = (*WORDS[:6], "the-best-tent", "red-boots", "tents", "family", "de", "maps", "page-2", "")
SPELLINGS = ("https://shop.example/", "http://www.shop.example/", "https://shop.example/")


def drawn(draw: random.Random, pages: int, spread: int, pairs: int) -> WholeSite:
    """A website of so many addresses and pairs. ``spread``: how many words its queries are made of."""
    said, folders = WORDS[:spread], draw.choices(FOLDERS, k=draw.choice((1, 2, 3, len(FOLDERS))))
    named = draw.choice((0.0, 0.5))  # how many addresses meet in one page
    names = [draw.choice(LEAVES) if draw.random() < named else f"{draw.choice(said)}-x{n}" for n in range(pages)]
    paths = [f"{draw.choice(folders)}{name}".rstrip("/") for name in names]
    searched, crawled = [], {}
    for path in paths:
        url = draw.choice(SPELLINGS) + path + draw.choice(("", "", "/" if path else "", "#top"))
        if draw.random() < 0.8:
            impressions = draw.choice((1, 7, 7, 90))
            searched.append(Row(url, draw.choice((0, 0, 1, 5)), impressions, impressions * draw.randint(1, 30)))
        if draw.random() < 0.6:
            title = draw.choice((None, "The 2026", " ".join(draw.choices(said, k=2)).title()))
            crawled[key(url)] = Known(f"https://{key(url)}", title, draw.random() < 0.8)
    asked, often = {}, draw.choice(((7,), (1, 7, 90)))  # as often as others: pages are as like one group as another
    for _ in range(pairs):
        path = draw.choice([*paths, *paths[:1] * 3, ""])  # one page has many words
        query = " ".join([*draw.sample(said, draw.randint(0, 2)), *draw.sample(NOT_SAID, draw.choice((0, 0, 1)))])
        query += draw.choice(("", "s")) if query[-1:].isalpha() and query.split()[-1] in WORDS else ""
        impressions = draw.choice(often)
        row = Row(f"https://{HOST}/{path}", draw.choice((0, 0, 1)), impressions, impressions * 3, query or NAME)
        asked[row.url, row.query] = row
    return WholeSite(searched, list(asked.values()), list(crawled.values()))


WEBSITES = st.builds(
    drawn,
    st.integers(0, 2**32).map(random.Random),
    st.one_of(st.integers(0, 8), st.integers(9, 12), st.integers(13, 40), st.integers(52, 70)),
    st.integers(2, len(WORDS)),
    st.integers(0, 150),
)
