"""The first pass over an audit's facts. It collects data about the website as a whole, and finds out for each
address whether this audit, an earlier audit or no audit has read it.

Failure policy: a page whose facts cannot be used counts as not read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from chalicelib.domain.audit import coverage
from chalicelib.domain.audit.inputs import NOTHING_BESIDE, SiteInputs
from chalicelib.domain.audit.records import PageFinding, PageRow
from chalicelib.domain.audit.understood import Understood
from chalicelib.domain.audit.verdicts import has_left
from chalicelib.domain.crawl import urls
from chalicelib.domain.crawl.assets import is_file
from chalicelib.domain.crawl.frontier import Frontier
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.domain.page.leads import leads_of
from chalicelib.rules.address import Address
from chalicelib.rules.building import site_builder
from chalicelib.rules.engine import MAX_FAILURES, Failure
from chalicelib.rules.known_targets import KnownTargets

CARRIED_SECONDS: Final = 28 * 24 * 3600  # how long pages and answers of earlier audits are carried forward
TAKING_UP: Final = "page"  # stands for the id of a rule in a ``Failure``, if a page's facts cannot be used


class StoredFacts(Protocol):
    """The stored facts of a website's crawls."""

    def pages(self) -> Iterator[tuple[int, list[PageFacts]]]:
        """Yield the pages that this audit read, block by block, as (block number, pages). May be called several
        times."""
        ...

    def targets(self) -> Iterator[TargetFacts]:
        """Yield the answers of addresses that this audit requested but did not read as pages."""
        ...

    def earlier_targets(self) -> Iterator[TargetFacts]:
        """Yield the targets that earlier audits requested, as the last audit stored them."""
        ...

    def block(self, crawl_id: str, number: int) -> list[PageFacts]:
        """Return the pages of one block of any crawl. The list is empty if the block no longer exists."""
        ...


@dataclass(frozen=True, slots=True)
class AuditInputs:
    """The input of an audit's judgement, without the facts of its pages. ``now``: epoch seconds.

    - ``addresses``: all known addresses, read or not.
    - ``partial``: whether the audit ended before it had read all of these addresses.
    - ``earlier_rows`` (by address) and ``earlier_findings`` (by page id): the data that is published so far.
    - ``crawl_token``: the crawler's name in robots.txt.
    - ``unread_rows``: how many rows are stored at most for addresses that were not read and have no findings.
    - ``links_unasked``: how many links of the website could not be requested in time.
    - ``images_unasked``: how many files that pages load (images, scripts, style sheets) could not be requested, because
      of the limit or the time.
    - ``beside``: data that does not come from the crawl, such as search data.
    - ``had``: the kinds of data from outside the crawl that earlier audits used, and whose source is still connected.
    """

    site_id: str
    crawl_id: str
    now: float
    partial: bool
    site_facts: SiteFacts
    addresses: Sequence[str]
    earlier_rows: Mapping[str, PageRow]
    earlier_findings: Mapping[str, Sequence[PageFinding]]
    crawl_token: str
    unread_rows: int = 0
    links_unasked: int | None = None
    images_unasked: int | None = None
    beside: SiteInputs = NOTHING_BESIDE
    had: frozenset[str] = frozenset()


class Survey:
    """The website as a whole, and which of its addresses this audit, an earlier audit or no audit has read.

    - ``read``: addresses that this audit read.
    - ``unfit``: the addresses in ``read`` whose facts cannot be used.
    - ``carried``: rows of pages that only an earlier audit read.
    - ``forbidden``: the pages in ``carried`` that robots.txt now disallows.
    - ``targets``: known answers of addresses that no audit read as pages, by address. Files that pages load, such as
      images, are left out.
    - ``unread``: known addresses that no audit read.
    - ``carried_targets``: answers to requests of earlier audits, such as for link targets, that the next audit needs.
    """

    def __init__(self, inputs: AuditInputs, stored: StoredFacts) -> None:
        self._inputs = inputs
        self._stored = stored
        self._builder = builder = site_builder(inputs.site_facts, inputs.now, inputs.beside, inputs.had)
        builder.links_unasked = inputs.links_unasked or 0
        self._oldest = inputs.now - CARRIED_SECONDS
        self.failures: list[Failure] = []
        self.read: set[str] = set()
        self.unfit: set[str] = set()
        self._unreadable: set[str] = set()  # pages that answered but could not be read
        self._linked: set[str] = set()  # earlier addresses that pages link, whether or not they are still known
        self._leads: set[str] = set()  # addresses that were discovered on carried pages
        self._known = KnownTargets(stored.targets(), stored.earlier_targets(), self._oldest)
        self._known.name(url for url, _ in inputs.site_facts.sitemap_urls)
        self._take_up_read()
        self.carried: dict[str, PageRow] = {}
        self.forbidden: set[str] = set()
        self._take_up_carried()
        known = self._known.finish(self.read | self.carried.keys())
        self.carried_targets = known.carried
        for target in known.targets.values():
            builder.add_target(target)
        self.targets = {key.url: target for key, target in known.targets.items() if not key.file}
        self.unread = self._unread()
        for url in self.unread:
            builder.add_known(url)
        self.site = builder.finish()
        # Files that pages also link are documents of the website: they are judged by their answer.
        self.targets.update(
            (url, file)
            for url, file in [*builder.images.items(), *builder.resources.items()]
            if url in builder.addresses and url not in self.read and url not in self.carried
        )
        self.coverage = self._measure()
        self.site.coverage = self.coverage.percent
        self.understood = self._understood()

    def _take_up_read(self) -> None:
        for _, block in self._stored.pages():
            for facts in block:
                self.read.add(facts.url)
                if facts.status and facts.error is not None:
                    self._unreadable.add(facts.url)
                self._note_links(facts)
                self._known.note(facts, read_now=True)
                try:
                    self._builder.add(facts)
                except Exception as error:
                    self.unfit.add(facts.url)
                    note(self.failures, TAKING_UP, facts.url, error)

    def _take_up_carried(self) -> None:
        inputs, builder = self._inputs, self._builder
        asked = {key.url: target for key, target in self._known.asked.items() if not key.file}
        read_at = {row.url: row.last_crawled or 0 for row in inputs.earlier_rows.values() if row.facts_crawl}
        possible = self._carried_rows(self._known.since(read_at))
        if not inputs.partial:
            present = {url for url, target in asked.items() if target.own_host and not has_left(target)}
            possible = _reached(possible, {*inputs.addresses, *self._linked, *present}, self._stored)
        robots, token = builder.robots, inputs.crawl_token
        self.forbidden = {url for url in possible if not robots.verdict(token, url).allowed}
        for facts, row in carried_facts(possible, self._stored):
            try:
                builder.add(facts, as_read=facts.url in self.forbidden)
            except Exception as error:
                note(self.failures, TAKING_UP, facts.url, error)
                continue
            self.carried[facts.url] = row
            self._note_links(facts)
            self._known.note(facts, read_now=False)
            if inputs.partial:
                self._leads.update(url for url in leads_of(facts, inputs.site_facts.host) if not is_file(url))

    def _note_links(self, facts: PageFacts) -> None:
        rows = self._inputs.earlier_rows
        self._linked.update(link.url for link in facts.links if link.url in rows)

    def _carried_rows(self, asked_since: Mapping[str, TargetFacts]) -> dict[str, PageRow]:
        """Return pages of the last audit that this one did not read, by address.

        These pages are beyond the page budget, newly disallowed, or left out. A page that has since answered in another
        way is not included.
        """
        read = self.read - self.unfit
        return {
            url: row
            for url, row in self._inputs.earlier_rows.items()
            if url not in read
            and not (url in asked_since and _answers_another_way(row, asked_since[url]))
            and row.facts_crawl is not None
            and (row.last_crawled or 0) >= self._oldest
            and urls.same_site(url, self._inputs.site_facts.host)
        }

    def _unread(self) -> list[str]:
        """Return every known address that this audit did not read, and that is not carried forward, in order."""
        known = dict.fromkeys(self._inputs.addresses)
        found = self.read - self.unfit | self.carried.keys()
        if self._leads:
            self._leads -= known.keys() | found
            self._leads = _without_traps(self._leads, known, self._inputs.earlier_rows.keys())
        return [url for url in dict.fromkeys([*known, *sorted(self._linked | self._leads)]) if url not in found]

    def _measure(self) -> coverage.AuditCoverage:
        inputs, robots = self._inputs, self._builder.robots
        searched = (url for url in self.site.search or () if not is_file(url))
        not_reached = [*self.carried, *self._leads] if inputs.partial else []
        return coverage.measure(
            self.read - self._unreadable - self.unfit,
            [*inputs.addresses, *not_reached, *searched],
            [url for url, _ in inputs.site_facts.sitemap_urls if not is_file(url)],
            lambda url: robots.verdict(inputs.crawl_token, url).allowed,
            self.site.shells,
        )

    def _understood(self) -> Understood:
        site = self.site
        asked = [site.addresses[url] for url in sorted(site.read)]
        silent = (address for address in site.addresses.values() if address.own_host and _told_nothing(address))
        unread = {*site.unread, *(address.url for address in silent)}
        return Understood(
            readable=sum(1 for _ in site.readable()),
            shells=len(site.shells),
            unread=sum(not is_file(url) for url in unread),
            refused=sum(address.turned_away for address in asked),
            asked=len(asked),
            partial=self._inputs.partial,
        )


def _told_nothing(address: Address) -> bool:
    """Whether an address gave no answer that shows what it is."""
    return address.turned_away or address.status == 0 or address.status >= 500


def _answers_another_way(row: PageRow, target: TargetFacts) -> bool:
    """Whether an address that was read as a page now answers in another way.

    It has left the website, redirects elsewhere than before, or answers 200 again.
    """
    if has_left(target):
        leads_elsewhere = target.redirect_to is not None and row.redirects[:1] != [target.redirect_to]
        return row.status != target.status or leads_elsewhere
    return target.status == 200 and row.status is not None and 300 <= row.status < 500 and row.status != 200


def _without_traps(found: Iterable[str], known: Iterable[str], published: Iterable[str]) -> set[str]:
    """Return the addresses in ``found`` that a crawl with the ``known`` addresses would add. Addresses of endless
    calendars are left out."""
    taken = set(published)
    frontier = Frontier(len(taken))
    for url in known:
        frontier.add(url)
    return {url for url in sorted(found) if url in taken or frontier.add(url)}


def _reached(possible: dict[str, PageRow], known: set[str], stored: StoredFacts) -> dict[str, PageRow]:
    """Return the pages that are known, or that are reachable from such a page.

    Nothing leads to the other pages any more, so they have left the website.
    """
    leads_to = {
        facts.url: [link.url for link in facts.links if link.url in possible]
        for facts, _ in carried_facts(possible, stored)
    }
    waiting = [url for url in possible if url in known]
    reached = set(waiting)
    while waiting:
        for url in leads_to.get(waiting.pop(), ()):
            if url not in reached:
                reached.add(url)
                waiting.append(url)
    return {url: row for url, row in possible.items() if url in reached}


def carried_facts(rows: Mapping[str, PageRow], stored: StoredFacts) -> Iterator[tuple[PageFacts, PageRow]]:
    """Yield the facts of these published pages, each with its row. A page without stored facts is left out."""
    blocks: dict[tuple[str, int], list[PageRow]] = {}
    for row in rows.values():
        blocks.setdefault((row.facts_crawl or "", row.facts_block), []).append(row)
    for (crawl_id, number), of_block in sorted(blocks.items()):
        wanted = {row.url: row for row in of_block}
        for facts in stored.block(crawl_id, number):
            if facts.url in wanted:
                yield facts, wanted[facts.url]


def note(failures: list[Failure], what: str, url: str | None, error: Exception) -> None:
    """Add a failure to a list, unless the list is full. ``what``: the rule's id, or what failed instead of a rule."""
    if len(failures) < MAX_FAILURES:
        failures.append(Failure(what, url, f"{type(error).__name__}: {error}"))
