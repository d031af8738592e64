"""The addresses that a crawl knows, the order in which it reads them, and how it avoids crawler traps.

Addresses are read in strict order, and their links are added in the same order. So the pages that a crawl reads depend
on the website alone, not on which answer arrives first. If a crawl is killed and another worker continues it, it reads
the same pages.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from chalicelib.domain.crawl.address_names import has_session

# A path that repeats a run of segments, or an address with very many parameters: programs generate these endlessly.
MAX_SEGMENTS = 20
MAX_PARAMETERS = 8
MAX_SAME_SEGMENT = 4
# How many addresses may differ only in the values of two or more parameters (facets), or in dates (calendars).
MAX_FACET_VARIANTS = 100
MAX_DATE_VARIANTS = 240
# The limit of known addresses: this many for each page that may be read, at least 20,000.
KNOWN_PER_PAGE = 20
KNOWN_AT_LEAST = 20_000
# The most that one step adds, in characters of its addresses: a step is stored whole, and a transaction holds 4 MB.
STEP_CHARACTERS = 1_000_000

_DATE = re.compile(r"(?:19|20)\d\d[-/_]?(?:0?[1-9]|1[0-2])(?:[-/_]?(?:0?[1-9]|[12]\d|3[01]))?(?!\d)")


class Step(msgspec.Struct, array_like=True):
    """The part that one checkpoint of a crawl adds to the stored list of addresses.

    - ``added``: newly known addresses, in order.
    - ``cursor``: how many addresses the crawl has finished.
    - ``spelled``: for addresses whose spelling has changed, the spelling in which to request them, by normal form.
    """

    added: list[str]
    cursor: int
    skipped_traps: int = 0
    spelled: dict[str, str] = {}


class Frontier:
    """All known addresses in order of discovery, and how many of them were read (the cursor)."""

    def __init__(self, page_budget: int) -> None:
        self.urls: list[str] = []
        self.known: set[str] = set()
        self.cursor = 0  # the next address to hand out
        self.recorded = 0  # addresses whose outcome is recorded: a prefix of urls
        self.skipped_traps = 0
        self._limit = max(KNOWN_AT_LEAST, KNOWN_PER_PAGE * page_budget)
        self._variants: Counter[str] = Counter()
        # For addresses that some page does not write in their normal form: how often each spelling was seen.
        self._spellings: dict[str, dict[str, int]] = {}
        self._respelled: dict[str, None] = {}  # addresses in _spellings that no stored step has yet
        self._committed = 0  # addresses that are stored
        self._committed_cursor = 0

    def __len__(self) -> int:
        return len(self.urls)

    def add(self, url: str) -> bool:
        """Add an address to the known addresses. Returns False if it was known already, looks like a trap, or exceeds
        the limit."""
        if url in self.known:
            return False
        if len(self.urls) >= self._limit or self._is_trap(url):
            self.skipped_traps += 1
            return False
        self.known.add(url)
        self.urls.append(url)
        return True

    def count(self, named: Iterable[str], spelled: Mapping[str, str], known_before: int) -> None:
        """Count the spellings in which a page writes addresses. Call this for each page.

        - ``named``: the addresses that the page names, in normal form.
        - ``spelled``: for addresses that the page does not write in normal form, the spelling in which it writes them.
        - ``known_before``: how many addresses were known before the page.
        """
        if not spelled and not self._spellings:
            return
        new: set[str] | None = None
        for url in dict.fromkeys(named):
            written = spelled.get(url, url)
            seen = self._spellings.get(url)
            if seen is None:
                if written == url or url not in self.known:
                    continue
                if new is None:
                    new = set(self.urls[known_before:])
                # If the address was known before this page, one use of its normal form is counted.
                seen = self._spellings[url] = {} if url in new else {url: 1}
            before = _most_seen(seen)
            seen[written] = seen.get(written, 0) + 1
            if _most_seen(seen) != before:
                self._respelled[url] = None

    def spelling(self, url: str) -> str:
        """Return the spelling in which to request an address: the most frequent one so far. If several are equally
        frequent, it is the first in alphabetical order."""
        seen = self._spellings.get(url)
        return url if seen is None else _most_seen(seen)

    def take(self) -> str | None:
        """Return the next address to read; None if none is ready."""
        if self.cursor >= len(self.urls):
            return None
        url = self.urls[self.cursor]
        self.cursor += 1
        return url

    def untake(self) -> None:
        """Undo ``take`` for addresses whose outcome was not recorded."""
        self.cursor = self.recorded

    def pending_steps(self) -> list[Step]:
        """Return everything that is new since the last stored step, as one or more steps. Many new addresses need more
        than one.

        Only the last step raises the cursor. If the crawl stops before that step is stored, it reads the pages since
        the old cursor again; the addresses on them are then known already.
        """
        pending = self.urls[self._committed :]
        steps: list[Step] = []
        start = characters = 0
        for position, url in enumerate(pending):
            length = len(url) + (len(self.spelling(url)) if url in self._respelled else 0)
            if characters + length > STEP_CHARACTERS and position > start:
                steps.append(self._step(pending[start:position], self._committed_cursor))
                start, characters = position, 0
            characters += length
        steps.append(self._step(pending[start:], self.recorded))
        told = {url for step in steps for url in step.spelled}
        for url in self._respelled:
            if url not in told and characters < STEP_CHARACTERS:
                steps[-1].spelled[url] = self.spelling(url)
                characters += 2 * len(url)
        return steps

    def _step(self, added: list[str], cursor: int) -> Step:
        spelled = {url: self.spelling(url) for url in added if url in self._respelled}
        return Step(added, cursor, self.skipped_traps, spelled)

    def committed(self, step: Step) -> None:
        """Record that the first pending step was stored. Its cursor may be lower than the current one."""
        self._committed += len(step.added)
        self._committed_cursor = step.cursor
        for url in step.spelled:
            self._respelled.pop(url, None)

    def replay(self, step: Step) -> None:
        """Apply a stored step. Steps must be replayed in order."""
        for url in step.added:
            self.known.add(url)
            self.urls.append(url)
            self._count_variant(url)
        for url, written in step.spelled.items():
            self._spellings[url] = {written: 1}
        self.cursor = self.recorded = step.cursor
        self.skipped_traps = step.skipped_traps
        self._committed = len(self.urls)
        self._committed_cursor = step.cursor

    def _count_variant(self, url: str) -> tuple[int, int]:
        key, limit = _variant(url)
        if key is None:
            return 0, 1
        self._variants[key] += 1
        return self._variants[key], limit

    def _is_trap(self, url: str) -> bool:
        path, _, query = url.partition("?")
        if (query and query.count("&") >= MAX_PARAMETERS) or has_session(url):
            return True
        if path.count("/") > 6 and _is_endless_path(path):
            return True
        count, limit = self._count_variant(url)
        return count > limit


def _most_seen(seen: Mapping[str, int]) -> str:
    return min(seen, key=lambda written: (-seen[written], written), default="")


def _is_endless_path(path: str) -> bool:
    segments = [segment for segment in path.split("/")[3:] if segment]
    if len(segments) > MAX_SEGMENTS:
        return True
    return bool(segments) and max(Counter(segments).values()) >= MAX_SAME_SEGMENT


def calendar_of(url: str) -> str | None:
    """Return the calendar that a page belongs to; None if it belongs to none. Pages of a calendar differ in little more
    than a date."""
    key, limit = _variant(url)
    return key.partition("?")[0] if key is not None and limit == MAX_DATE_VARIANTS else None


def _variant(url: str) -> tuple[str | None, int]:
    """Return the pattern that an address is a variant of, and how many such variants may be known."""
    start = url.find("/", url.find("://") + 3)  # a normalised address has a path, perhaps a query
    path, _, query = url[start:].partition("?") if start >= 0 else ("", "", "")
    if query:
        names = sorted({pair.partition("=")[0] for pair in query.split("&")})
        if _DATE.search(query):
            return "date " + path + "?" + "&".join(names), MAX_DATE_VARIANTS
        if len(names) >= 2:
            return "facet " + path + "?" + "&".join(names), MAX_FACET_VARIANTS
        return None, 0
    match = _DATE.search(path)
    if match and not path[match.end() :].strip("/"):
        # A dated archive or calendar: only the date distinguishes its pages.
        return "date " + path[: match.start()], MAX_DATE_VARIANTS
    return None, 0
