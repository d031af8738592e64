"""Writes a large workspace for benchmarks, with the data that audits would have stored. It uses the store's own
functions."""

from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import cycle

from bench.site import WORDS, path_of
from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.domain.analytics.landing_pages import joined
from chalicelib.domain.analytics.report import Landing, Report
from chalicelib.domain.audit.issue_log import LogEntry
from chalicelib.domain.audit.issues import Issue, IssueBook, RuleCount
from chalicelib.domain.audit.records import AffectedPage, Coverage, CrawlHeader, PageFinding, PageRow
from chalicelib.domain.audit.summary import (
    CategoryScore,
    CurrentScore,
    Generation,
    LastAudit,
    ScoreEntry,
    SiteSummary,
)
from chalicelib.domain.changes.missing_addresses import Missing, Offered
from chalicelib.domain.connections import Source
from chalicelib.domain.page.facts import Link, PageFacts
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import ending
from chalicelib.domain.search.recent import KEPT_DAYS, RecentDays
from chalicelib.domain.search.totals import DayTotals, TypeTotals
from chalicelib.operations import accounts, websites
from chalicelib.operations.analytics import question_of
from chalicelib.rules import registry
from chalicelib.rules.missing_addresses import MOST, MOST_LINKING
from chalicelib.store import connections, crawls, issues, items, jobs, kept_landing_pages, keys, pages, readiness
from chalicelib.store import websites as websites_store
from chalicelib.store.kept_landing_pages import Told
from chalicelib.store.shapes import SITE_SUMMARY
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website

DAY = 86_400.0
WEEKS = 13
PREVIEW = "prev_01KB2Z6A7B8C9D0E1F2G3H4J5K"
EXPORT = "exp_01KB2Z6A7B8C9D0E1F2G3H4J5K"
RUN = "job_01KB2Z6A7B8C9D0E1F2G3H4J5K"
AUDIT = "crawl_01KB2Z6A7B8C9D0E1F2G3H4J5K"
BEFORE = "crawl_01KA2Z6A7B8C9D0E1F2G3H4J5K"  # the previous audit, which exists only as a kept audit
BATCH = "batch_01KB2Z6A7B8C9D0E1F2G3H4J5K"
PAGE_RULES = [rule for rule in registry.RULES if rule.scope == "page"]
FINDINGS_A_PAGE = 5
CATEGORIES = sorted({rule.category for rule in registry.RULES})
FACTS_IN_BLOCK = 100


@dataclass(frozen=True, slots=True)
class House:
    """A workspace with many websites, one of them large, and the ids that the measured requests need."""

    workspace_id: str
    person_id: str
    site_id: str
    page_id: str
    page_url: str
    issue_id: str

    def new_key(self) -> str:
        """Create an API key with every scope for all websites. The key has its full hourly limit of requests left."""
        return accounts.create_workspace_key(OPERATOR, self.workspace_id, self.person_id, SCOPES).secret


def house(site_pages: int, site_count: int, home: str = "https://website-0.example/") -> House:
    """Create a workspace with ``site_count`` websites with search data.

    The first website, at ``home``, has ``site_pages`` pages. One of its issues affects every page.
    """
    workspace = accounts.create_workspace(OPERATOR, "Benchmark", "enterprise")
    person = accounts.add_person(OPERATOR, workspace.id, "owner@bench.example", "owner")
    urls = [home, *(f"https://website-{number}.example/" for number in range(1, site_count))]
    sites = [websites.add(OPERATOR, workspace.id, url, name=f"Website {number}") for number, url in enumerate(urls)]
    for site in sites[1:]:
        _published(site, 500, 2)
        _searched(workspace.id, site.id)
    large = sites[0]
    _published(large, site_pages, _pages(large, site_pages))
    url = _url(large, site_pages // 2)
    return House(
        workspace.id,
        person.id,
        large.id,
        ids.page_id(large.id, url),
        url,
        ids.issue_id(large.id, PAGE_RULES[0].id),
    )


def of_pages(house: House, site_pages: int, count: int) -> list[House]:
    """Return ``count`` copies of ``house``, each with another page for requests that read one page. The facts of all
    these pages are stored in one block, so ``count`` is at most ``FACTS_IN_BLOCK``."""
    large = websites_store.get(house.workspace_id, house.site_id)
    assert large is not None
    urls = [_url(large, site_pages // 2 + number) for number in range(count)]
    return [replace(house, page_id=ids.page_id(large.id, url), page_url=url) for url in urls]


def settle(house: House, site_pages: int) -> None:
    """Store the data that the large website has in addition to the results of its audit.

    - 28 days of search data, each day with 1,000 queries and 1,000 pages
    - landing pages, findings about AI assistants, and speed tests of 500 pages
    - a requested speed test, two finished audits to compare, and a batch of changes
    """
    from tests import speed, stored_search
    from tests.api import seed as small
    from tests.domain.search.naive import Told as Row

    site = websites_store.get(house.workspace_id, house.site_id)
    assert site is not None
    last = stored_search.today() - timedelta(3)
    whole, days = ending(last, 60), list(ending(last, 28).days())
    queries = [Row(f"query {number}", number % 9, 20 + number, 4.0) for number in range(1_000)]
    addresses = [Row(_url(site, number % site_pages), number % 9, 20 + number, 4.0) for number in range(1_000)]
    stored_search.connect(site)
    stored_search.put_totals(site, [DayTotals(day.isoformat(), TypeTotals()) for day in whole.days()], whole)
    stored_search.put_rows(site, "query", dict.fromkeys(days, queries), whole, archived=days[:14])
    stored_search.put_rows(site, "page", dict.fromkeys(days, addresses), whole, archived=days[:14])
    small.measured(site)
    site = websites_store.get(house.workspace_id, house.site_id)
    assert site is not None
    landings = [Landing(path_of(number), 10, 5, 2.0, 1.0, 1, 9.5, 9.5) for number in range(site_pages)]
    told = Told(fetched_at=clock.now(), row_count=site_pages, currency="EUR", time_zone="Europe/Berlin")
    question = question_of(site, ending(last, 28), "organic")
    kept_landing_pages.keep(question, joined(Report(landings, [], site_pages), None), told)
    commit(
        [
            readiness.put(site.id, small.learned(site)),
            jobs.put_new(small.run(site, RUN)),
            jobs.put_new(small.export(site)),
        ]
    )
    speed.stored(site.id, [speed.result(_url(site, number)) for number in range(min(500, site_pages))])
    rows, _ = _rows(site, site_pages)
    small.keep(site, BEFORE, rows[1:], site_pages - 1)
    small.previewed(site, small.keep(site, AUDIT, rows, site_pages, compared=True))
    small.written(site, BATCH)


def _searched(workspace_id: str, site_id: str) -> None:
    """Store the daily search figures that lists of websites show."""
    site = websites_store.get(workspace_id, site_id)
    assert site is not None
    name = f"sc-domain:{site.host}"
    source = Source(kind="search", name=name, account="owner@bench.example", connected_at=clock.now())
    days = [Figures(day, 40 * day, 320 * day) for day in range(1, 1 + KEPT_DAYS)]
    recent = RecentDays.of_figures(days, clock.utc(clock.now()).date() - timedelta(3))
    commit([connections.shown(site, site.connections.with_source("search", source), recent)])


def _url(site: Website, number: int) -> str:
    return site.url.rstrip("/") + path_of(number)


def _pages(site: Website, count: int) -> int:
    """Store a finished audit of ``count`` pages. Returns the number of partitions that its rows have."""
    now = int(clock.now())
    rows, findings = _rows(site, count)
    writes, partitions = pages.generation_writes(site.id, AUDIT, rows, findings)
    affected = [AffectedPage(row.url, row.id, _evidence(number), now, now) for number, row in enumerate(rows)]
    book = _book(site, count)
    chunks = issues.affected_writes(site.id, book.issues[0].id, AUDIT, affected)
    book.issues[0].affected_chunks = len(chunks)
    middle = count // 2
    block = [_facts(site, number, count) for number in range(middle, min(middle + FACTS_IN_BLOCK, count))]
    fact_writes = crawls.facts_writes(AUDIT, 0, crawls.pack_facts(block))
    items.batch_write((write.table, write.item) for write in [*writes, *chunks, *fact_writes])
    pages.keep_missing(site.id, AUDIT, _missing(site))
    log = [LogEntry(issue.first_seen, issue.id, "found", crawl_id=AUDIT) for issue in book.issues]
    commit([issues.put_state(site.id, book, replaces=0, log=log)])
    commit([crawls.put_new(_header(site, count))])
    return partitions


def _rows(site: Website, count: int) -> tuple[list[PageRow], pages.Findings]:
    """Make the rows of ``count`` pages, sorted by address, and the findings of each page."""
    now = int(clock.now())
    words, rules = cycle(WORDS), cycle(PAGE_RULES[1:])
    rows: list[PageRow] = []
    findings: pages.Findings = {}
    for number in range(count):
        fires = [PAGE_RULES[0], *(next(rules) for _ in range(FINDINGS_A_PAGE - 1))]
        url = _url(site, number)
        row = PageRow(
            id=ids.page_id(site.id, url),
            url=url,
            status=200,
            title=f"{' '.join(next(words) for _ in range(6))} {number} | Bench Outdoor",
            template=f"Section {number % 20}",
            page_score=881 - number % 90,
            aeo_score=700 + number % 200,
            rules=[rule.id for rule in fires],
            inlinks=number % 60,
            last_crawled=now,
            facts_crawl=AUDIT,
            facts_block=0,
            depth=1 + number % 4,
            indexable=True,
            category_scores=dict.fromkeys(CATEGORIES[:6], 910),
        )
        rows.append(row)
        findings[row.id] = [PageFinding(rule.id, _evidence(number), now) for rule in fires]
    rows.sort(key=lambda row: row.url)
    return rows, findings


def _missing(site: Website) -> list[Offered]:
    """Make addresses that no longer exist: the most that an audit stores."""
    words, found = cycle(WORDS), []
    for number in range(MOST):
        text = " ".join(next(words) for _ in range(4))
        sources, url = [_url(site, number + more) for more in range(MOST_LINKING)], f"{_url(site, number)}/old-{number}"
        gone = Missing(url, 404, 40, sources, [f"{text} {more}" for more in range(3)], 9, 90, int(clock.now()))
        found.append(Offered(gone, _url(site, number), "links", text))
    return found


def _evidence(number: int) -> dict[str, object]:
    return {"message": f"The page has {number % 17} of what it should have {1 + number % 3} of.", "found": number % 17}


def _facts(site: Website, number: int, count: int) -> PageFacts:
    return PageFacts(
        url=_url(site, number),
        status=200,
        fetched_at=int(clock.now()),
        content_type="text/html",
        bytes=40_000,
        ttfb_ms=40,
        is_html=True,
        title=f"Page {number} | Bench Outdoor",
        description=" ".join(WORDS[:20]),
        lang="en",
        headings=[(2, " ".join(WORDS[part : part + 6])) for part in range(25)],
        words=900,
        text=" ".join(WORDS * 3)[:1_500],
        links=[Link(_url(site, (number * 7 + step) % count), f"Page {step}") for step in range(40)],
        structured_types=["Article"],
    )


def _book(site: Website, count: int) -> IssueBook:
    """Make the issues of the website: one for every page rule. The first issue affects all pages."""
    now = clock.now()
    found = [
        Issue(
            id=ids.issue_id(site.id, rule.id),
            rule_id=rule.id,
            status="open",
            affected_pages=count if position == 0 else max(1, count // 20),
            applicable_pages=count,
            first_seen=now - 30 * DAY,
            last_seen=now,
            summary="Some pages show it.",
            affected_crawl=AUDIT,
            importance=0.1,
        )
        for position, rule in enumerate(PAGE_RULES)
    ]
    counts = {issue.rule_id: RuleCount(issue.applicable_pages, issue.affected_pages) for issue in found}
    return IssueBook(1, AUDIT, now, registry.RULESET, found, counts, CATEGORIES)


def _header(site: Website, count: int) -> CrawlHeader:
    now = clock.now()
    return CrawlHeader(
        id=AUDIT,
        site_id=site.id,
        workspace_id=site.workspace_id,
        kind="audit",
        status="done",
        stage="finished",
        queued_at=now - 600,
        page_budget=10_000,
        time_limit_minutes=120,
        started_at=now - 590,
        finished_at=now - 10,
        pages_crawled=count,
        pages_discovered=count,
        coverage=Coverage(count, count, 100.0),
        issues_found=len(PAGE_RULES),
    )


def _published(site: Website, count: int, partitions: int) -> None:
    """Make the audit the website's current one. Its summary has the scores of thirteen weeks."""
    now = clock.now()
    history = [
        ScoreEntry(814 - week, 830 - week, 766 - week, "1", now - 7 * week * DAY, AUDIT)
        for week in reversed(range(WEEKS))
    ]
    first_seen = [now - number * DAY for number in range(len(PAGE_RULES))]
    summary = SiteSummary(
        generation=Generation(AUDIT, partitions, count),
        score=CurrentScore(history[-1], 98.1, "high", [CategoryScore(name, 742, 9.0, 3) for name in CATEGORIES]),
        previous_audit=history[-2],
        history=history,
        critical_issues=1,
        issue_first_seen=first_seen,
        action_first_seen=first_seen,
        last_audit=LastAudit(AUDIT, now - 10, count, None, Coverage(count, count, 100.0)),
        measured=CATEGORIES,
    )
    items.update(
        "sites",
        *keys.website(site.workspace_id, site.id),
        "SET #summary = :summary, #crawl = :crawl",
        names={"#summary": "summary", "#crawl": "currentCrawl"},
        values={":summary": SITE_SUMMARY.pack(summary), ":crawl": AUDIT},
    )
