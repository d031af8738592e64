"""Which addresses are asked for beside the pages: targets of canonicals, of links beyond the budget, of external
links, and images.

They count to no page budget and have a limit of their own. What is asked for, and in which order, follows from the
pages that were read and from what earlier targets answered, so that a crawl that was taken over asks for the same.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from itertools import chain, zip_longest
from typing import Literal, NamedTuple

from chalicelib.domain.crawl import urls
from chalicelib.domain.page.facts import PageFacts, TargetFacts

LEAST_TARGETS = 200
PAGES_PER_TARGET = 2  # at most half as many targets as pages read
# The part of the limit that is kept for where redirecting targets lead.
HOPS_SHARE = 5
MOST_HOPS = 5
# One other website is asked for at most this many addresses: share buttons would otherwise take the whole limit.
TARGETS_PER_HOST = 30

IMAGES_PER_PAGE = 10  # new ones taken from one page, so that a gallery does not take the whole limit

Kind = Literal["canonical", "link", "image"]


class Target(NamedTuple):
    """An address to ask for. ``hops``: how many redirects led from the address that a page names to this one."""

    url: str
    kind: Kind
    hops: int = 0


def target_limit(pages_read: int) -> int:
    """How many addresses beside its pages an audit asks for."""
    return max(LEAST_TARGETS, pages_read // PAGES_PER_TARGET)


class Plan:
    """Collects the targets that pages name, page by page in order of reading.

    ``host`` is the website's; ``read`` says whether an address of the website was taken up as a page; ``unread`` are
    those that the crawl knows and did not read; ``allowed`` says whether robots.txt lets the crawler read one.
    """

    def __init__(
        self,
        host: str,
        limit: int,
        *,
        read: Callable[[str], bool],
        unread: Collection[str],
        allowed: Callable[[str], bool],
    ) -> None:
        self.host = host
        self.limit = limit
        self._read = read
        self._unread = unread
        self._allowed = allowed
        self._room = limit - limit // HOPS_SHARE
        self._canonicals: dict[str, None] = {}
        self._internal: dict[str, None] = {}
        self._external: dict[str, None] = {}
        self._images: dict[str, None] = {}
        self._weighed: set[int] = set()  # hashes of external addresses that were looked at
        self._of_host: Counter[str] = Counter()

    def note(self, facts: PageFacts) -> None:
        """Take up the targets of one page."""
        for _, absolute, _ in facts.canonicals:
            if absolute and absolute != facts.url and self._has_room(self._canonicals) and self._wanted(absolute):
                self._canonicals[absolute] = None
        for link in facts.links if self._unread and self._has_room(self._internal) else ():
            if link.url in self._unread and link.url not in self._internal and self._allowed(link.url):
                self._internal[link.url] = None
        for link in facts.external_links if self._has_room(self._external) else ():
            if self._is_new(link.url) and self._among_others(link.url):
                self._external[link.url] = None

        taken = 0
        for image in facts.images if self._has_room(self._images) else ():
            if taken == IMAGES_PER_PAGE:
                break
            if image.src and self._is_new(image.src) and self._wanted(image.src) and self._among_others(image.src):
                self._images[image.src] = None
                taken += 1

    def note_published(self, url: str) -> None:
        """Take up an address that the last audit published and that this one has found no way to: whether it has left
        the website is asked, not guessed."""
        if self._has_room(self._internal) and urls.same_site(url, self.host) and self._allowed(url):
            self._internal[url] = None

    def _among_others(self, url: str) -> bool:
        """Whether another website is not yet asked for too many addresses; counts this one."""
        if urls.same_site(url, self.host):
            return True
        origin = urls.origin(url)
        self._of_host[origin] += 1
        return self._of_host[origin] <= TARGETS_PER_HOST

    def _has_room(self, targets: dict[str, None]) -> bool:
        return len(targets) < self._room

    def _is_new(self, url: str) -> bool:
        number = hash(url)
        if number in self._weighed:
            return False
        self._weighed.add(number)
        return True

    def _wanted(self, url: str) -> bool:
        if not urls.same_site(url, self.host):
            return True
        return not self._read(url) and self._allowed(url)

    def targets(self) -> list[Target]:
        """Canonical targets first, then links of the website, links to others and images in turn, as far as the limit
        goes."""
        kinds: tuple[tuple[Kind, dict[str, None]], ...] = (
            ("link", self._internal),
            ("link", self._external),
            ("image", self._images),
        )
        others: Iterable[Target | None] = chain.from_iterable(
            zip_longest(*([Target(url, kind) for url in targets] for kind, targets in kinds))
        )
        ordered = [Target(url, "canonical") for url in self._canonicals]
        ordered += [target for target in others if target is not None and target.url not in self._canonicals]
        return ordered[: self._room]

    def leads_on(self, target: Target, facts: TargetFacts) -> Target | None:
        """Where a redirecting target leads, when that is to be asked for too."""
        following = facts.redirect_to
        if following is None or target.hops >= MOST_HOPS or not self._wanted(following):
            return None
        return Target(following, "image" if target.kind == "image" else "link", target.hops + 1)


class TargetQueue:
    """The plan's targets in order, then where redirecting ones lead, up to the limit."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._queue = plan.targets()
        self._queued = {target.url for target in self._queue}
        self._taken = 0
        self._recorded = 0

    def take(self) -> Target | None:
        """The next one to ask for, or None when there is none at present."""
        if self._taken >= len(self._queue):
            return None
        self._taken += 1
        return self._queue[self._taken - 1]

    def record(self, facts: TargetFacts) -> None:
        """Take up the answer of the next target in order, asked for now or (when taking over) by another worker."""
        target = self._queue[self._recorded]
        self._recorded += 1
        self._taken = max(self._taken, self._recorded)
        following = self._plan.leads_on(target, facts)
        if following is not None and following.url not in self._queued and len(self._queue) < self._plan.limit:
            self._queued.add(following.url)
            self._queue.append(following)
