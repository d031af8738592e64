"""Which addresses are asked for beside the pages: targets of canonicals, links of the website that were not read as
pages, external links, and files: images, and scripts and style sheets of the website with the sheets these import.

They count to no page budget. Every distinct address of the website that pages link is asked for, those first that most
pages link; external links and files have a limit, and of files those go first that most pages show, then one of each
page. Scripts and style sheets come before images, which keep half of the room for files where they need it. What is
asked for, and in which order, follows from the pages that were read and from what earlier targets answered, so that a
crawl that was taken over asks for the same.
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
# The part of the limit that is kept for where redirecting targets lead.
HOPS_SHARE = 5
MOST_HOPS = 5
# Links of the website, and images, for memory: each one asked for is an address that is judged. Of those beyond, so
# many are counted.
MOST_INTERNAL = 50_000
MOST_COUNTED = 200_000
# One other website is asked for at most this many addresses: share buttons would otherwise take the whole limit.
TARGETS_PER_HOST = 30

Kind = Literal["canonical", "link", "image", "script", "style"]
RESOURCES: Final[frozenset[Kind]] = frozenset(("script", "style"))
FILES: Final[frozenset[Kind]] = RESOURCES | {"image"}


class Target(NamedTuple):
    """An address to ask for. ``hops``: how many redirects and imports led from the address that a page names to this
    one; ``written``: as it is asked for, where that is not ``url``. ``pages``: of a script or style sheet, some that
    load it, and ``named``, the file that they name for it."""

    url: str
    kind: Kind
    hops: int = 0
    written: str | None = None
    pages: tuple[str, ...] = ()
    named: str | None = None


def target_limit(pages_read: int) -> int:
    """How many external links, and how many files, an audit asks for."""
    return max(LEAST_TARGETS, pages_read // PAGES_PER_TARGET)


def _room(limit: int) -> int:
    """How many of a limit may be addresses that pages name. The rest is kept for where redirects lead."""
    return limit - limit // HOPS_SHARE


class AskedBefore:
    """The files that earlier audits asked for, where these read more pages than this one.

    Of more files than there is room for, an audit of some pages would choose others than one of all pages. So it asks
    for these, and for other images only as far as the known files leave room. ``known``: what is known of targets;
    ``pages``: how many pages of the website are known.
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
        """The images to ask for, known ones first, of images in the order in which an audit asks for them."""
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
    """Whether another website than ``host`` is not yet asked for too many addresses; counts this one."""
    if urls.same_site(url, host):
        return True
    origin = urls.origin(url)
    of_host[origin] += 1
    return of_host[origin] <= TARGETS_PER_HOST


class Plan:
    """Collects the targets that pages name, page by page in order of reading.

    ``host`` is the website's; ``read``: its addresses that were taken up as pages; ``unread``: those that the crawl
    knows and did not read; ``allowed`` says whether robots.txt lets the crawler read one. ``asked_before``: what
    earlier audits asked for, where they read more pages than this one.
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
        self._internal: dict[str, int] = {}  # and how many pages link it
        self._external: dict[str, None] = {}
        self._images: dict[str, int] = {}  # and how many pages show it
        self._resources = ResourceTargets(self._wanted)
        self._turns: dict[str, int] = {}  # of images: how many new ones the page that first showed it had before it
        self._passed_over: set[str] = set()  # links of the website and images that are not asked for
        self._beyond: set[int] = set()  # hashes of links there is no room for
        self._images_beyond: set[int] = set()  # and of images
        self._weighed: set[int] = set()  # hashes of other websites' addresses that were looked at
        self._of_host: Counter[str] = Counter()
        # Of addresses that were not read: how many pages write each in another form than the normal one.
        self._spellings: dict[str, dict[str, int]] = {}

    def note(self, facts: PageFacts) -> None:
        """Take up the targets of one page."""
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
        """How an address is asked for: as most pages write it, of several such ways the smallest. None: as it is."""
        seen = self._spellings.get(url)
        if seen is None:
            return None
        named = self._internal.get(url) or self._images.get(url) or self._resources.count(url)
        ways = {url: max(0, named - sum(seen.values())), **seen}
        written = min(ways, key=lambda way: (-ways[way], way))
        return None if written == url else written

    def _note_image(self, src: str, turn: int) -> bool:
        """Take up an image that no page before has shown. Whether it may be asked for."""
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
        # What the crawl did not take up, such as a calendar without end, is left alone here too; and so are the
        # filters that a website marks nofollow.
        known = url in self._unread or is_file(url) or (not follow and "?" not in url)
        if not known or not self._allowed(url):
            if len(self._passed_over) < MOST_COUNTED:
                self._passed_over.add(url)
        elif len(self._internal) < MOST_INTERNAL:
            self._internal[url] = 1
        elif len(self._beyond) < MOST_COUNTED:
            self._beyond.add(hash(url))

    def note_file(self, url: str) -> None:
        """Take up an address of the website that a sitemap or a redirect names, where it ends like a file."""
        if is_file(url) and url not in self._internal and self._allowed(url) and len(self._internal) < MOST_INTERNAL:
            self._internal[url] = 0

    def note_published(self, url: str) -> None:
        """Take up an address that the last audit published and that this one has found no way to: whether it has left
        the website is asked, not guessed."""
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
        """Canonical targets first and pages that nothing links any more, then links of the website (those that most
        pages link first), links to others and files in turn."""
        files = self._files_asked()
        # What is linked and loaded as a file too is asked for once, as a file.
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
        """The files that there is room for: scripts and style sheets, then images."""
        known = self._asked_before.resources if self._asked_before is not None else frozenset[str]()
        images = [url for url in self._images_in_order() if url not in self._resources]
        room = max(self._room // 2, self._room - len(images))
        resources = [
            Target(named.url, named.kind, written=self._written(named.url), pages=named.pages, named=named.url)
            for named in self._resources.in_order(known)[:room]
        ]
        return [*resources, *(self._target(url, "image") for url in images[: self._room - len(resources)])]

    def _images_in_order(self) -> list[str]:
        """As many images as there may be room for: those first that most pages show, then one of each page in turn."""
        of_host = self._of_host.copy()
        order = sorted(self._images, key=lambda src: (-self._images[src], self._turns[src]))
        if self._asked_before is not None:
            order = self._asked_before.choose(order, self.host)
        return list(islice((src for src in order if _among_others(src, self.host, of_host)), self._room))

    def beyond(self) -> int:
        """How many links of the website there is no room for, as far as they are counted."""
        return len(self._beyond)

    def files(self) -> int:
        """How many files the pages load that may be asked for, as far as they are counted."""
        return len(self._images) + len(self._images_beyond) + len(self._resources)

    def leads_on(self, target: Target, facts: TargetFacts) -> list[Target]:
        """Where a redirecting target leads, and what a style sheet imports, when that is to be asked for too."""
        return [
            following
            for following in following_of(target, facts)
            if self._wanted(following.url)
            and (target.kind not in RESOURCES or urls.same_site(following.url, self.host))
        ]


def following_of(target: Target, facts: TargetFacts) -> list[Target]:
    """Where a redirecting target leads, and what a style sheet imports; none beyond the most hops."""
    if target.hops >= MOST_HOPS:
        return []
    kind: Kind = target.kind if target.kind in FILES else "link"
    hop = Target("", kind, target.hops + 1, pages=target.pages, named=target.named)
    found = [hop._replace(url=url) for url in facts.imports]
    if facts.redirect_to is not None:
        found.append(hop._replace(url=facts.redirect_to, written=facts.redirect_written))
    return found


class TargetQueue:
    """The plan's targets in order, then where redirecting ones lead: on the website itself a few hops each, elsewhere
    up to the limit."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._queue = plan.targets()
        self._queued = {target.url for target in self._queue}
        self._files_asked = 0
        self._imports = plan.limit // HOPS_SHARE  # of style sheets that are left
        self._elsewhere = plan.limit // HOPS_SHARE  # hops on other websites that are left
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
        self._files_asked += target.kind in FILES and not target.hops
        for following in self._plan.leads_on(target, facts):
            if following.url not in self._queued and self._may_follow(following, facts):
                self._queued.add(following.url)
                self._queue.append(following)

    def _may_follow(self, following: Target, facts: TargetFacts) -> bool:
        """Whether there is room for one more hop of this sort; counts it."""
        if following.url in facts.imports:
            self._imports -= 1
            return self._imports >= 0
        if not urls.same_site(following.url, self._plan.host):
            self._elsewhere -= 1
            return self._elsewhere >= 0
        return True

    def links_left(self) -> int:
        """How many links of the website were not asked for."""
        left = self._queue[self._recorded :]
        host = self._plan.host
        return self._plan.beyond() + sum(
            target.kind not in FILES and urls.same_site(target.url, host) for target in left
        )

    def files_left(self) -> int:
        """How many files were not asked for."""
        return self._plan.files() - self._files_asked
