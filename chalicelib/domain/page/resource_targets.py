"""Chooses which scripts and style sheets of a website to request, and records which pages load each of them."""

from collections.abc import Callable, Collection
from typing import Final, NamedTuple

from chalicelib.domain.page.facts import PageFacts, ResourceKind

MOST_KNOWN: Final = 10_000  # for memory: no audit asks for more
MOST_COUNTED: Final = 50_000  # of those beyond ``MOST_KNOWN``


class Named(NamedTuple):
    """A file that pages load. ``pages``: the addresses of the first and the last page that load the file, in the
    spelling in which the pages were requested."""

    url: str
    kind: ResourceKind
    pages: tuple[str, ...]


class ResourceTargets:
    """Collects the files that pages load, page by page. ``wanted``: whether an address may be requested."""

    def __init__(self, wanted: Callable[[str], bool]) -> None:
        self._wanted = wanted
        self._kinds: dict[str, ResourceKind] = {}
        self._counts: dict[str, int] = {}  # how many pages load it
        self._first: dict[str, str] = {}
        self._last: dict[str, str] = {}
        self._passed_over: set[int] = set()  # hashes of addresses that are not requested
        self._beyond: set[int] = set()  # hashes of addresses beyond the limit

    def __len__(self) -> int:
        """The number of different files that the pages load and that may be requested. Counting stops at a limit."""
        return len(self._kinds) + len(self._beyond)

    def __contains__(self, url: str) -> bool:
        return url in self._kinds

    def note(self, facts: PageFacts) -> None:
        """Record the files of one page."""
        page = facts.asked or facts.url
        for resource in facts.resources:
            url = resource.url
            if url in self._counts:
                self._counts[url] += 1
                self._last[url] = page
            elif hash(url) not in self._passed_over:
                self._note_new(url, resource.kind, page)

    def _note_new(self, url: str, kind: ResourceKind, page: str) -> None:
        if not self._wanted(url):
            if len(self._passed_over) < MOST_COUNTED:
                self._passed_over.add(hash(url))
        elif len(self._kinds) < MOST_KNOWN:
            self._kinds[url], self._counts[url], self._first[url] = kind, 1, page
        elif len(self._beyond) < MOST_COUNTED:
            self._beyond.add(hash(url))

    def count(self, url: str) -> int:
        """Return how many pages load the file."""
        return self._counts.get(url, 0)

    def in_order(self, known: Collection[str]) -> list[Named]:
        """Return the files in the order in which to request them. Files in ``known``, which earlier audits requested,
        come before all others. In both groups, the files that most pages load come first."""
        order = sorted(self._kinds, key=lambda url: (url not in known, -self._counts[url]))
        return [Named(url, self._kinds[url], self._pages(url)) for url in order]

    def _pages(self, url: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(page for page in (self._first[url], self._last.get(url)) if page is not None))
