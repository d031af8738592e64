"""Which addresses a crawl knows, in which order they are read, and which are traps.

Addresses are read and their links added strictly in order, so that what a crawl reads depends on the website
alone, not on which answer came first: a crawl that was killed and taken over reads the same pages.
"""

import re
from collections import Counter

import msgspec

# A path that repeats a run of segments, or an address with a heap of parameters, is made by a program without end.
MAX_SEGMENTS = 20
MAX_PARAMETERS = 8
MAX_SAME_SEGMENT = 4
# How many addresses may differ only in the values of two or more parameters (facets), and in dates (calendars).
MAX_FACET_VARIANTS = 100
MAX_DATE_VARIANTS = 240
# Known addresses are bounded whatever the website links: this many for each page that may be read, at least 20,000.
KNOWN_PER_PAGE = 20
KNOWN_AT_LEAST = 20_000
# What one step adds, at most, in characters of its addresses: a step is stored whole, and a transaction holds 4 MB.
STEP_CHARACTERS = 1_000_000

_DATE = re.compile(r"(?:19|20)\d\d[-/_]?(?:0?[1-9]|1[0-2])(?:[-/_]?(?:0?[1-9]|[12]\d|3[01]))?(?!\d)")
_SESSION = re.compile(r"(?:^|[?&;])(?:phpsessid|jsessionid|aspsessionid\w*|sid|sessionid)=", re.IGNORECASE)


class Step(msgspec.Struct, array_like=True):
    """What one checkpoint adds: newly known addresses in order, and how many addresses are behind the crawl."""

    added: list[str]
    cursor: int
    skipped_traps: int = 0


class Frontier:
    """All known addresses in order of discovery, and a cursor that moves through them."""

    def __init__(self, page_budget: int) -> None:
        self.urls: list[str] = []
        self.known: set[str] = set()
        self.cursor = 0  # the next address to hand out
        self.recorded = 0  # addresses whose outcome is recorded: a prefix of urls
        self.skipped_traps = 0
        self._limit = max(KNOWN_AT_LEAST, KNOWN_PER_PAGE * page_budget)
        self._variants: Counter[str] = Counter()
        self._committed = 0  # addresses that are stored
        self._committed_cursor = 0

    def __len__(self) -> int:
        return len(self.urls)

    def add(self, url: str) -> bool:
        """Make an address known. False when it was known, or when it looks like a trap."""
        if url in self.known:
            return False
        if len(self.urls) >= self._limit or self._is_trap(url):
            self.skipped_traps += 1
            return False
        self.known.add(url)
        self.urls.append(url)
        return True

    def take(self) -> str | None:
        """The next address to read, or None when there is none at present."""
        if self.cursor >= len(self.urls):
            return None
        url = self.urls[self.cursor]
        self.cursor += 1
        return url

    def untake(self) -> None:
        """Forget what was handed out but not recorded."""
        self.cursor = self.recorded

    def pending_steps(self) -> list[Step]:
        """What has come since the last stored step, in as many steps as its addresses need, and at least one.

        Only the last one moves the cursor. Whoever is stopped after one of the others knows more addresses than it
        has read pages, and finds them known when it reads those pages again.
        """
        pending = self.urls[self._committed :]
        steps: list[Step] = []
        start = characters = 0
        for position, url in enumerate(pending):
            if characters + len(url) > STEP_CHARACTERS and position > start:
                steps.append(Step(pending[start:position], self._committed_cursor, self.skipped_traps))
                start, characters = position, 0
            characters += len(url)
        steps.append(Step(pending[start:], self.recorded, self.skipped_traps))
        return steps

    def committed(self, step: Step) -> None:
        """The first of the pending steps is stored, perhaps with its cursor at an earlier address."""
        self._committed += len(step.added)
        self._committed_cursor = step.cursor

    def replay(self, step: Step) -> None:
        """Apply a stored step (in order)."""
        for url in step.added:
            self.known.add(url)
            self.urls.append(url)
            self._count_variant(url)
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
        if query and (query.count("&") >= MAX_PARAMETERS or _SESSION.search(query)):
            return True
        if path.count("/") > 6 and _is_endless_path(path):
            return True
        count, limit = self._count_variant(url)
        return count > limit


def _is_endless_path(path: str) -> bool:
    segments = [segment for segment in path.split("/")[3:] if segment]
    if len(segments) > MAX_SEGMENTS:
        return True
    return bool(segments) and max(Counter(segments).values()) >= MAX_SAME_SEGMENT


def _variant(url: str) -> tuple[str | None, int]:
    """What an address is a variant of, and how many such variants may be known."""
    start = url.find("/", url.find("://") + 3)  # an address as it is normalised: a path, perhaps a query
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
        # A dated archive or calendar: nothing but the date tells its pages apart.
        return "date " + path[: match.start()], MAX_DATE_VARIANTS
    return None, 0
