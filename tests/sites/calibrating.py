"""Variants of the clean demo website, made from the facts of one audit of it: what each degradation costs.

The website is read once; a variant changes the facts as the degradation would, and the rules judge them again.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import msgspec
import trustme

from chalicelib.domain.audit.score import Score, Standing
from chalicelib.domain.page.facts import LINK_IN_CONTENT, Link, PageFacts, SiteFacts, TargetFacts
from chalicelib.rules import judging, registry
from chalicelib.rules.outcomes import conclude
from chalicelib.rules.survey import AuditInputs
from chalicelib.store import crawls, targets
from local import demo
from local.demo.serve import start
from local.demo.variants import CLEAN
from tests.sites import auditing

ELSEWHERE = "https://elsewhere.example/"


@dataclass(frozen=True)
class Facts:
    """What an audit has read of a website."""

    pages: list[PageFacts]
    targets: list[TargetFacts]
    site: SiteFacts


@dataclass(frozen=True)
class Judged:
    """The score of a website, and how many pages each rule affects, of how many. ``units``: what they count for, of
    rules that count links."""

    score: Score
    counts: dict[str, tuple[int, int]]
    points: dict[str, int]
    units: dict[str, int | None]

    @property
    def cost(self) -> float:
        """Points that are lost."""
        return (1_000 - self.score.site_tenths) / 10


class _Read:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def pages(self) -> Iterator[tuple[int, list[PageFacts]]]:
        yield 0, self._facts.pages

    def targets(self) -> Iterator[TargetFacts]:
        return iter(self._facts.targets)

    def earlier_targets(self) -> Iterator[TargetFacts]:
        return iter(())

    def block(self, crawl_id: str, number: int) -> list[PageFacts]:
        return []


def clean_facts(ca: trustme.CA) -> Facts:
    """Reads the clean demo website."""
    server = start(CLEAN, tls=ca, host=demo.DEMO_HOST)
    try:
        header = auditing.audit(auditing.new_website(server.url)).header
    finally:
        server.stop()
    return Facts(
        [page for _, block in crawls.load_facts(header.id) for page in block],
        list(targets.load(header.id)),
        crawls.load_site_facts(header.id, header.site_facts_fence),
    )


def judged(facts: Facts) -> Judged:
    """What an audit would make of these facts."""
    inputs = AuditInputs(
        site_id="site_1",
        crawl_id="crawl_1",
        now=float(max(page.fetched_at for page in facts.pages)),
        partial=False,
        site_facts=facts.site,
        addresses=[page.url for page in facts.pages],
        earlier_rows={},
        earlier_findings={},
        crawl_token="anything",
    )
    judgement = judging.judge(inputs, _Read(facts))
    assert judgement.failures == []
    conclusion = conclude(judgement, None, {})
    standing = Standing(registry.shares(conclusion.counts), conclusion.measured)
    counts = {rule_id: (count.affected, count.applicable) for rule_id, count in conclusion.counts.items()}
    units = {rule_id: count.units for rule_id, count in conclusion.counts.items()}
    return Judged(standing.score(), counts, standing.points_lost(), units)


# -- degradations ------------------------------------------------------------------------------------------


def readable(facts: Facts) -> list[PageFacts]:
    """The pages of the website."""
    return [page for page in facts.pages if page.is_html and page.status == 200]


def every_page(facts: Facts, change: Callable[[PageFacts], dict[str, object]]) -> Facts:
    """The website with something changed on every page: ``change`` names the fields."""
    return some_pages(facts, readable(facts), change)


def some_pages(facts: Facts, some: Iterable[PageFacts], change: Callable[[PageFacts], dict[str, object]]) -> Facts:
    """The same on some pages only."""
    wanted = {page.url for page in some}
    pages = [
        msgspec.structs.replace(page, **change(page)) if page.url in wanted else page  # type: ignore[arg-type]
        for page in facts.pages
    ]
    return Facts(pages, facts.targets, facts.site)


def of_site(facts: Facts, **changes: object) -> Facts:
    """The website with other files."""
    return Facts(facts.pages, facts.targets, msgspec.structs.replace(facts.site, **changes))  # type: ignore[arg-type]


def share_of(facts: Facts, share: float) -> list[PageFacts]:
    """This share of the pages, at even distances, without the home page."""
    pages = [page for page in readable(facts) if page.url != facts.site.home_url]
    wanted = max(1, round(share * len(pages)))
    return [pages[number * len(pages) // wanted] for number in range(wanted)]


def without_https(facts: Facts) -> Facts:
    """The same website on http."""
    host = facts.site.host.encode()
    encoded = msgspec.json.encode((facts.pages, facts.targets, facts.site))
    on_http = encoded.replace(b"https://" + host, b"http://" + host)
    decoded = msgspec.json.decode(on_http, type=tuple[list[PageFacts], list[TargetFacts], SiteFacts])
    return Facts(*decoded)


def answering_404(facts: Facts, some: Iterable[PageFacts]) -> Facts:
    """The website with some of its pages gone, and everything that links them as it was."""
    gone = {page.url for page in some}
    pages = [_not_found(page.url, page.fetched_at) if page.url in gone else page for page in facts.pages]
    return Facts(pages, facts.targets, facts.site)


def with_broken_links(facts: Facts, some: list[PageFacts]) -> Facts:
    """The website with a link on each of some pages to an address of its own that does not work."""
    targets = {page.url: f"{facts.site.home_url}gone-{number}/" for number, page in enumerate(some)}
    linked = some_pages(
        facts, some, lambda page: {"links": [*page.links, Link(targets[page.url], "See more", LINK_IN_CONTENT)]}
    )
    dead = [_not_found(url, some[0].fetched_at) for url in targets.values()]
    return Facts([*linked.pages, *dead], facts.targets, facts.site)


def off_the_domain(facts: Facts, some: Iterable[PageFacts]) -> Facts:
    """The website with some pages that name a page of another website as their canonical address."""

    def change(page: PageFacts) -> dict[str, object]:
        target = ELSEWHERE + page.url.partition("://")[2].partition("/")[2]
        return {"canonicals": [(target, target, "html")]}

    return some_pages(facts, some, change)


def _not_found(url: str, fetched_at: int) -> PageFacts:
    return PageFacts(
        url=url, status=404, fetched_at=fetched_at, content_type="text/html", bytes=500, is_html=True, tries=2
    )
