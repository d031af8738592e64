"""Chooses the addresses that an audit requests in addition to pages. They do not count in the page budget:

- targets of canonicals
- links of the website that were not read as pages
- external links
- files: images, scripts, and style sheets with their imports

Every distinct address of the website that pages link to is requested, the most linked first. External links and files
have a limit. Files that most pages show come first. After these, one file of each page is chosen in turn. Scripts and
style sheets come before images, but half of the limit for files is reserved for images.

The choice and its order depend only on the pages that were read and on earlier answers. If another worker continues a
crawl, it therefore requests the same addresses.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain, islice, zip_longest
from typing import Final, Literal, NamedTuple

from chalicelib.domain.crawl import urls
from chalicelib.domain.crawl.address_names import is_infrastructure
from chalicelib.domain.crawl.assets import is_file
from chalicelib.domain.page.facts import LINK_NOFOLLOW, PageFacts, TargetFacts
from chalicelib.domain.page.resource_targets import ResourceTargets

LEAST_TARGETS = 200
PAGES_PER_TARGET = 2  # external links, and images: at most half as many as pages read
# The part of the limit that is reserved for the targets of redirects.
HOPS_SHARE = 5
MOST_HOPS = 5
# The website's links and images, bounded for memory. Beyond the first bound, addresses are only counted, up to the
# second.
MOST_INTERNAL = 50_000
MOST_COUNTED = 200_000
# At most this many addresses of one other website are requested: share buttons would otherwise use up the limit.
TARGETS_PER_HOST = 30

Kind = Literal["canonical", "link", "image", "script", "style"]
RESOURCES: Final[frozenset[Kind]] = frozenset(("script", "style"))
FILES: Final[frozenset[Kind]] = RESOURCES | {"image"}


class Target(NamedTuple):
    """An address to request.

    - ``hops``: how many redirects and imports led to it from the address that a page names.
    - ``written``: the spelling in which to request the address, if it differs from ``url``.
    - ``pages``: for a script or style sheet, some pages that load it.
    - ``named``: for a script or style sheet, the file's address in these pages.
    """

    url: str
    kind: Kind
    hops: int = 0
    written: str | None = None
    pages: tuple[str, ...] = ()
    named: str | None = None


def target_limit(pages_read: int) -> int:
    """Return how many external links and how many files an audit may request."""
    return max(LEAST_TARGETS, pages_read // PAGES_PER_TARGET)


def _room(limit: int) -> int:
    """Return how much of a limit is for addresses that pages name. The rest is reserved for the targets of
    redirects."""
    return limit - limit // HOPS_SHARE


class AskedBefore:
    """The files that earlier audits requested. An audit uses them if it reads fewer pages than those audits.

    If a website has more files than the limit, the choice of files depends on the pages that were read. An audit of
    fewer pages would therefore choose different files. To prevent this, it requests the files of the earlier audits,
    and other images only if the limit allows more. ``known``: the stored target facts. ``pages``: how many pages of the
    website are known.
    """

    def __init__(self, known: Iterable[TargetFacts], pages: int) -> None:
        self._images: set[str] = set()
        self.resources: set[str] = set()
        self._elsewhere: Counter[str] = Counter()  # how many addresses are known of each other website
        for target in known:
            if target.image:
                self._images.add(target.url)
            if target.resource:
                self.resources.add(target.url)
            if not target.own_host:
                self._elsewhere[urls.origin(target.url)] += 1
        self._free = max(0, _room(target_limit(pages)) - len(self._images) - len(self.resources))

    def choose(self, images: Iterable[str], host: str) -> list[str]:
        """Choose the images to request. Images that earlier audits requested come first. ``images``: all images, in the
        order in which an audit would request them."""
        known: list[str] = []
        others: list[str] = []
        elsewhere = self._elsewhere.copy()
        for src in images:
            if src in self._images:
                known.append(src)
            elif len(others) < self._free and _among_others(src, host, elsewhere):
                others.append(src)
        return known + others


def _among_others(url: str, host: str, of_host: Counter[str]) -> bool:
    """Whether another address on this host may be requested; counts the address. Only websites other than ``host`` have
    a limit."""
    if urls.same_site(url, host):
        return True
    origin = urls.origin(url)
    of_host[origin] += 1
    return of_host[origin] <= TARGETS_PER_HOST


class Plan:
    """Collects the targets that pages name, page by page in order of reading.

    - ``host``: the website's host.
    - ``read``: the website's addresses that were read as pages.
    - ``unread``: the addresses that the crawl knows but did not read.
    - ``allowed``: whether robots.txt lets the crawler read an address.
    - ``asked_before``: the files that earlier audits requested, if those audits read more pages than this audit.
    """

    def __init__(
        self,
        host: str,
        limit: int,
        *,
        read: Collection[str],
        unread: Collection[str],
        allowed: Callable[[str], bool],
        asked_before: AskedBefore | None = None,
    ) -> None:
        self.host = host
        self.limit = limit
        self._read = read
        self._unread = unread
        self._allowed = allowed
        self._asked_before = asked_before
        self._room = _room(limit)
        self._canonicals: dict[str, None] = {}
        self._published: dict[str, None] = {}
        self._internal: dict[str, int] = {}  # address -> how many pages link it
        self._external: dict[str, None] = {}
        self._images: dict[str, int] = {}  # address -> how many pages show it
        self._resources = ResourceTargets(self._wanted)
        self._turns: dict[str, int] = {}  # image -> how many new images precede it on the first page that shows it
        self._passed_over: set[str] = set()  # links of the website and images that are not requested
        self._beyond: set[int] = set()  # hashes of links beyond the limit
        self._images_beyond: set[int] = set()  # hashes of images beyond the limit
        self._weighed: set[int] = set()  # hashes of other websites' addresses that were looked at
        self._of_host: Counter[str] = Counter()
        # For addresses that were not read: how many pages use each spelling other than the normal form.
        self._spellings: dict[str, dict[str, int]] = {}

    def note(self, facts: PageFacts) -> None:
        """Record the targets of one page."""
        for _, absolute, _ in facts.canonicals:
            if absolute and absolute != facts.url and self._has_room(self._canonicals) and self._wanted(absolute):
                self._canonicals[absolute] = None
        internal, read = self._internal, self._read
        for link in facts.links:
            url = link.url
            if url in internal:
                internal[url] += 1
            elif url not in read and url not in self._passed_over:
                self._note_internal(url, follow=not link.flags & LINK_NOFOLLOW)
        if facts.redirect_to is not None and urls.same_site(facts.redirect_to, self.host):
            self.note_file(facts.redirect_to)
        for link in facts.external_links if self._has_room(self._external) else ():
            if self._is_new(link.url) and _among_others(link.url, self.host, self._of_host):
                self._external[link.url] = None

        if facts.spelled:
            self._note_spellings(facts.spelled)
        self._resources.note(facts)
        images, turn = self._images, 0
        for src in dict.fromkeys(image.src for image in facts.images):
            if src in images:
                images[src] += 1
            elif src and src not in self._passed_over:
                turn += self._note_image(src, turn)

    def _note_spellings(self, spelled: Mapping[str, str]) -> None:
        for url, written in spelled.items():
            if url not in self._read and (url in self._spellings or len(self._spellings) < MOST_COUNTED):
                seen = self._spellings.setdefault(url, {})
                seen[written] = seen.get(written, 0) + 1

    def _written(self, url: str) -> str | None:
        """Return the spelling in which to request an address: the one that most pages use; if several are equally
        frequent, the first in alphabetical order. Returns None if that is the address itself."""
        seen = self._spellings.get(url)
        if seen is None:
            return None
        named = self._internal.get(url) or self._images.get(url) or self._resources.count(url)
        ways = {url: max(0, named - sum(seen.values())), **seen}
        written = min(ways, key=lambda way: (-ways[way], way))
        return None if written == url else written

    def _note_image(self, src: str, turn: int) -> bool:
        """Record an image that no earlier page has shown. Returns whether it may be requested."""
        if not self._wanted(src):
            if len(self._passed_over) < MOST_COUNTED:
                self._passed_over.add(src)
            return False
        if len(self._images) < MOST_INTERNAL:
            self._images[src], self._turns[src] = 1, turn
        elif len(self._images_beyond) < MOST_COUNTED:
            self._images_beyond.add(hash(src))
        return True

    def _note_internal(self, url: str, *, follow: bool) -> None:
        # Addresses that the crawl skipped, such as an endless calendar, are skipped here too. So are filters that a
        # website marks nofollow.
        known = url in self._unread or is_file(url) or (not follow and "?" not in url)
        if not known or not self._allowed(url):
            if len(self._passed_over) < MOST_COUNTED:
                self._passed_over.add(url)
        elif len(self._internal) < MOST_INTERNAL:
            self._internal[url] = 1
        elif len(self._beyond) < MOST_COUNTED:
            self._beyond.add(hash(url))

    def note_file(self, url: str) -> None:
        """Record an address of the website that a sitemap or a redirect names, if it has the ending of a file."""
        if is_file(url) and url not in self._internal and self._allowed(url) and len(self._internal) < MOST_INTERNAL:
            self._internal[url] = 0

    def note_published(self, url: str) -> None:
        """Record an address that the last audit published but that no page of this audit links to.

        It is requested to find out whether the page still exists.
        """
        may_ask = urls.same_site(url, self.host) and self._allowed(url) and not is_infrastructure(url)
        if len(self._published) < MOST_INTERNAL and may_ask:
            self._published[url] = None

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
        return url not in self._read and self._allowed(url)

    def targets(self) -> list[Target]:
        """Return all targets in request order.

        First come canonical targets, and published pages that no page links to any more. After these, links of the
        website (the most linked first), external links and files alternate.
        """
        files = self._files_asked()
        # An address that is both linked and loaded as a file is requested once, as a file.
        loaded = {target.url for target in files}
        linked = (url for url in self._internal if url not in loaded)
        internal = sorted(linked, key=self._internal.__getitem__, reverse=True)
        links = ([self._target(url, "link") for url in urls] for urls in (internal, islice(self._external, self._room)))
        others: Iterable[Target | None] = chain.from_iterable(zip_longest(*links, files))
        first = [self._target(url, "canonical") for url in self._canonicals]
        first += [self._target(url, "link") for url in self._published if url not in self._canonicals]
        named = {target.url for target in first}
        return [*first, *(target for target in others if target is not None and target.url not in named)]

    def _target(self, url: str, kind: Kind) -> Target:
        return Target(url, kind, written=self._written(url))

    def _files_asked(self) -> list[Target]:
        """Return the files within the limit: scripts and style sheets, then images."""
        known = self._asked_before.resources if self._asked_before is not None else frozenset[str]()
        images = [url for url in self._images_in_order() if url not in self._resources]
        room = max(self._room // 2, self._room - len(images))
        resources = [
            Target(named.url, named.kind, written=self._written(named.url), pages=named.pages, named=named.url)
            for named in self._resources.in_order(known)[:room]
        ]
        return [*resources, *(self._target(url, "image") for url in images[: self._room - len(resources)])]

    def _images_in_order(self) -> list[str]:
        """Return the images within the limit: those that most pages show first, then one image of each page in turn."""
        of_host = self._of_host.copy()
        order = sorted(self._images, key=lambda src: (-self._images[src], self._turns[src]))
        if self._asked_before is not None:
            order = self._asked_before.choose(order, self.host)
        return list(islice((src for src in order if _among_others(src, self.host, of_host)), self._room))

    def beyond(self) -> int:
        """Return how many links of the website are not requested because there are more links than the limit. Counting
        stops once the number reaches a second, higher limit."""
        return len(self._beyond)

    def files(self) -> int:
        """Return how many different files the pages load. Files that robots.txt disallows are left out.

        Counting stops once the number reaches a limit.
        """
        return len(self._images) + len(self._images_beyond) + len(self._resources)

    def leads_on(self, target: Target, facts: TargetFacts) -> list[Target]:
        """Return the addresses that must be requested after an answer: the target of a redirect and the imports of a
        style sheet."""
        return [
            following
            for following in following_of(target, facts)
            if self._wanted(following.url)
            and (target.kind not in RESOURCES or urls.same_site(following.url, self.host))
        ]


def following_of(target: Target, facts: TargetFacts) -> list[Target]:
    """Return the target of a redirect and the imports of a style sheet. The list is empty once the maximum of hops is
    reached."""
    if target.hops >= MOST_HOPS:
        return []
    kind: Kind = target.kind if target.kind in FILES else "link"
    hop = Target("", kind, target.hops + 1, pages=target.pages, named=target.named)
    found = [hop._replace(url=url) for url in facts.imports]
    if facts.redirect_to is not None:
        found.append(hop._replace(url=facts.redirect_to, written=facts.redirect_written))
    return found


class TargetQueue:
    """The plan's targets in order, followed by the targets of redirects.

    A target on the website may redirect a few times. For all targets on other websites together, there is one limit of
    redirects.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._queue = plan.targets()
        self._queued = {target.url for target in self._queue}
        self._files_asked = 0
        self._imports = plan.limit // HOPS_SHARE  # how many imports of style sheets may still be added
        self._elsewhere = plan.limit // HOPS_SHARE  # how many redirects to other websites may still be added
        self._taken = 0
        self._recorded = 0

    def take(self) -> Target | None:
        """Return the next target to request; None if none is ready."""
        if self._taken >= len(self._queue):
            return None
        self._taken += 1
        return self._queue[self._taken - 1]

    def record(self, facts: TargetFacts) -> None:
        """Record the answer of the next target in order. The target was requested by this worker, or by the worker
        before it."""
        target = self._queue[self._recorded]
        self._recorded += 1
        self._taken = max(self._taken, self._recorded)
        self._files_asked += target.kind in FILES and not target.hops
        for following in self._plan.leads_on(target, facts):
            if following.url not in self._queued and self._may_follow(following, facts):
                self._queued.add(following.url)
                self._queue.append(following)

    def _may_follow(self, following: Target, facts: TargetFacts) -> bool:
        """Whether there is room for one more hop of this kind; counts the hop."""
        if following.url in facts.imports:
            self._imports -= 1
            return self._imports >= 0
        if not urls.same_site(following.url, self._plan.host):
            self._elsewhere -= 1
            return self._elsewhere >= 0
        return True

    def links_left(self) -> int:
        """Return how many links of the website were not requested."""
        left = self._queue[self._recorded :]
        host = self._plan.host
        return self._plan.beyond() + sum(
            target.kind not in FILES and urls.same_site(target.url, host) for target in left
        )

    def files_left(self) -> int:
        """Return how many files were not requested."""
        return self._plan.files() - self._files_asked
