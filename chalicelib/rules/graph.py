"""The website's links: the in-links and linking pages of each address, and its distance from the home page in clicks.

Links are stored as 64-bit numbers in arrays (eight bytes each). ``finish`` replaces links to known addresses by
positions. So a website of 10,000 pages with a hundred links each takes a few megabytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence

_EMPTY: array[int] = array("q")


class Graph:
    """The links and redirects of a website. First add all of them, then call ``finish``, then read the results, such as
    ``inlinks``."""

    def __init__(self) -> None:
        self.redirects: dict[str, str] = {}
        self._same: dict[str, str] = {}
        self._followed: dict[str, array[int]] = {}
        self._others: dict[str, array[int]] = {}
        self._position: dict[str, int] = {}
        self._urls: list[str] = []
        self._inlinks: list[int] = []
        self._from_elsewhere: list[int] = []
        self._linked: list[int] = []
        self._depth: list[int] = []
        self._sources: dict[int, array[int]] = {}

    def add(self, source: str, followed: Iterable[str], others: Iterable[str] = ()) -> None:
        """Add the links of one page: links that search engines follow, and links marked nofollow."""
        self._followed[source] = array("q", map(hash, followed))
        marked = array("q", map(hash, others))
        if marked:
            self._others[source] = marked

    def redirect(self, origin: str, target: str) -> None:
        """Add a redirect to an address on any host."""
        self.redirects[origin] = target

    def same(self, copy: str, kept: str) -> None:
        """Count links to ``copy`` as links to ``kept``, because both are addresses of one page.

        Links that the page at ``copy`` contains do not count.
        """
        self._same[copy] = kept

    def linked_among(self, urls: Iterable[str]) -> list[str]:
        """Return the addresses in ``urls`` to which at least one page links. Call this before ``finish``."""
        wanted = {hash(url): url for url in urls}
        found: set[int] = set()
        if wanted:
            for links in (*self._followed.values(), *self._others.values()):
                found.update(wanted.keys() & links)
        return sorted(wanted[number] for number in found)

    def finish(self, addresses: Sequence[str], *, home: str, watched: Collection[str]) -> None:
        """Count in-links, measure click depth, and record which pages link to the ``watched`` addresses."""
        self._urls = list(addresses)
        self._position = {url: position for position, url in enumerate(self._urls)}
        size = len(self._urls)
        self._inlinks, self._linked, self._depth = [0] * size, [0] * size, [-1] * size
        self._from_elsewhere = [0] * size
        noted = {self._position[url] for url in watched if url in self._position}
        self._sources = {position: array("q") for position in noted}
        neighbours = self._count(noted)
        self._measure_depth(home, neighbours)
        self._followed, self._others = {}, {}

    def _count(self, noted: set[int]) -> dict[int, array[int]]:
        """Count in-links, and return the positions of the addresses to which each page links, by the page's
        position."""
        by_hash = {hash(url): position for url, position in self._position.items()}
        beyond = self._beyond()
        redirecting = set(beyond)
        inlinks, linked, sources = self._inlinks, self._linked, self._sources
        elsewhere, folders = self._from_elsewhere, _folders(self._urls)
        neighbours: dict[int, array[int]] = {}
        for url, hashes in self._followed.items():
            source = self._position[url]
            direct = {by_hash[number] for number in hashes if number in by_hash}
            direct.discard(source)
            reached = direct
            if through := direct & redirecting:
                reached = direct.union(*(beyond[position] for position in through))
                reached.discard(source)
            if marked := self._others.get(url):
                direct = direct.union(by_hash[number] for number in marked if number in by_hash)
                direct.discard(source)
            neighbours[source] = array("q", direct)
            if url in self._same:
                continue
            folder = folders[source]
            for position in reached:
                inlinks[position] += 1
                if folders[position] != folder or not folder:
                    elsewhere[position] += 1
            for position in direct:
                linked[position] += 1
            for position in direct & noted:
                sources[position].append(source)
        return neighbours

    def _beyond(self) -> dict[int, set[int]]:
        """Return the positions that each redirect passes through, by the position of the redirecting address.

        A page's second address counts as a redirect.
        """
        onward = {**self._same, **self.redirects}
        result: dict[int, set[int]] = {}
        for origin in onward:
            position = self._position.get(origin)
            if position is None:
                continue
            passed: set[int] = set()
            current: str | None = onward.get(origin)
            seen = {origin}
            while current is not None and current not in seen:
                seen.add(current)
                if current in self._position:
                    passed.add(self._position[current])
                current = onward.get(current)
            result[position] = passed
        return result

    def _measure_depth(self, home: str, neighbours: dict[int, array[int]]) -> None:
        """Count the clicks from the home page, breadth first. A redirect costs no click."""
        start = self._position.get(home)
        if start is None:
            return
        beyond = self._beyond()
        depth = self._depth
        level = [start, *beyond.get(start, ())]
        clicks = 0
        while level:
            for position in level:
                depth[position] = clicks
            clicks += 1
            # A redirect costs no click, so the addresses behind it are on the same level.
            following: set[int] = set()
            for position in level:
                for neighbour in neighbours.get(position, _EMPTY):
                    following.add(neighbour)
                    following.update(beyond.get(neighbour, ()))
            level = [position for position in following if depth[position] < 0]

    def inlinks(self, url: str) -> int:
        """Count the other pages that link to the address, directly or through redirects. Links with nofollow do not
        count."""
        position = self._position.get(url)
        return 0 if position is None else self._inlinks[position]

    def from_elsewhere(self, url: str) -> int:
        """Count the pages of other folders that link to the address, as ``inlinks`` counts them. If the address is in
        no folder, count all pages."""
        position = self._position.get(url)
        return 0 if position is None else self._from_elsewhere[position]

    def linked(self, url: str) -> int:
        """Count the other pages that link to exactly this address. Links with nofollow count too."""
        position = self._position.get(url)
        return 0 if position is None else self._linked[position]

    def depth(self, url: str) -> int | None:
        """Return how many clicks the address is away from the home page. Returns None if no path of links leads to the
        address."""
        position = self._position.get(url)
        if position is None or self._depth[position] < 0:
            return None
        return self._depth[position]

    def sources(self, url: str, limit: int) -> list[str]:
        """Return the first ``limit`` pages, in order of address, that link to a watched address."""
        position = self._position.get(url)
        found = self._sources.get(position, _EMPTY) if position is not None else _EMPTY
        return sorted(self._urls[source] for source in found)[:limit]


def _folders(urls: Iterable[str]) -> list[int]:
    """Return a number for the folder of each address; 0 for the top level of a website."""
    numbers: dict[str, int] = {}
    result = []
    for url in urls:
        folder = url.partition("?")[0].rpartition("/")[0]
        # An address at the top level has only the two slashes of its scheme: https://example.com
        result.append(numbers.setdefault(folder, len(numbers) + 1) if folder.count("/") > 2 else 0)
    return result
