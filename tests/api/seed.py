"""What an audit leaves behind, written with the store's own functions: pages, issues, headers and the summary."""

from datetime import timedelta
from typing import Any

import msgspec

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.analytics.landing_pages import joined
from chalicelib.domain.analytics.report import Event, Landing, Report
from chalicelib.domain.audit.issue_log import LogEntry
from chalicelib.domain.audit.issues import Issue, IssueBook, LastRecheck, RuleCount
from chalicelib.domain.audit.kept import (
    PAGES_SECONDS,
    KeptAudit,
    KeptSpeed,
    PageTexts,
    kept_issues,
    kept_pages,
    robots_of,
)
from chalicelib.domain.audit.records import AffectedPage, Coverage, CrawlHeader, PageFinding, PageRow
from chalicelib.domain.audit.summary import (
    CategoryScore,
    CurrentScore,
    Generation,
    LastAudit,
    ScoreEntry,
    SiteSummary,
)
from chalicelib.domain.changes.batch import Batch, Change, ChangeOutcome, Look
from chalicelib.domain.connections import Source, Writer, WriterKind, WriterStatus
from chalicelib.domain.content import ContentItem
from chalicelib.domain.crawl import robots as robots_txt
from chalicelib.domain.exports import Exported
from chalicelib.domain.jobs import Job
from chalicelib.domain.page.facts import Hreflang, Image, Link, PageFacts
from chalicelib.domain.readiness import access
from chalicelib.domain.readiness.draft import Candidate, draft_of
from chalicelib.domain.readiness.records import Entity, LlmsState, Readiness, RobotsState
from chalicelib.domain.search.periods import ending
from chalicelib.domain.search.topics import Topic, TopicPage, TopicQuery, Topics
from chalicelib.domain.search.totals import DayTotals, TypeTotals
from chalicelib.operations.analytics import question_of
from chalicelib.operations.topics import question_of as topics_question
from chalicelib.rules import registry
from chalicelib.store import (
    changes,
    connections,
    content,
    crawls,
    issues,
    items,
    jobs,
    kept_audits,
    kept_landing_pages,
    kept_topics,
    keys,
    pages,
    previews,
    readiness,
    websites,
)
from chalicelib.store.kept_landing_pages import Told
from chalicelib.store.kept_topics import Kept
from chalicelib.store.shapes import SITE_SUMMARY, SPEED_RESULT
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.workers.audit import keeping
from tests import speed, stored_search
from tests.domain.search.naive import Told as Row
from tests.prepared import continued

DAY = 86_400.0
RUN = "job_01KB2Z6A7B8C9D0E1F2G3H4J5K"
EXPORT = "exp_01KB2Z6A7B8C9D0E1F2G3H4J5K"
PREVIEW = "prev_01KB2Z6A7B8C9D0E1F2G3H4J5K"
AUDIT = "crawl_01KB2Z6A7B8C9D0E1F2G3H4J5K"
BEFORE = "crawl_01KA2Z6A7B8C9D0E1F2G3H4J5K"  # the audit before, of which what is kept is there
SITE_RULE = next(rule for rule in registry.RULES if rule.scope == "site")
PAGE_RULE = next(rule for rule in registry.RULES if rule.scope == "page")


def url(site: Website, number: int) -> str:
    return f"{site.url}page-{number:05d}"


def rows(site: Website, count: int) -> list[PageRow]:
    now = int(clock.now())
    return [
        PageRow(
            id=ids.page_id(site.id, url(site, number)),
            url=url(site, number),
            status=200,
            title=f"Page {number}",
            template=None,
            page_score=881,
            aeo_score=None,
            rules=[PAGE_RULE.id],
            inlinks=number,
            last_crawled=now,
            facts_crawl=AUDIT if number == 0 else None,
            facts_block=0,
            indexable=True,
            category_scores={"ONP": 910},
        )
        for number in range(count)
    ]


def facts(site: Website) -> PageFacts:
    return PageFacts(
        url=url(site, 0),
        status=200,
        fetched_at=int(clock.now()),
        content_type="text/html",
        bytes=48_120,
        ttfb_ms=112,
        headers={"x-robots-tag": "noarchive"},
        is_html=True,
        title="Page 0",
        description="The first page",
        canonicals=[("/page-00000", url(site, 0), "html")],
        robots_meta=[("robots", "index, follow")],
        hreflang=[Hreflang("de", f"{site.url}de")],
        lang="en",
        headings=[(1, "Page 0")],
        words=512,
        text="Write to s•••@example.com.",
        links=[Link(url(site, 1), "next")],
        external_links=[Link("https://elsewhere.example/", "elsewhere")],
        images=[Image("https://acme.example/a.png"), Image("https://acme.example/b.png", alt="b")],
        structured_types=["Product"],
    )


def header(site: Website, crawl_id: str = AUDIT, **changes: object) -> CrawlHeader:
    now = clock.now()
    values: dict[str, object] = {
        "id": crawl_id,
        "site_id": site.id,
        "workspace_id": site.workspace_id,
        "kind": "audit",
        "status": "done",
        "stage": "finished",
        "queued_at": now - 600,
        "page_budget": 500,
        "time_limit_minutes": 30,
        "started_at": now - 590,
        "finished_at": now - 10,
        "pages_crawled": 3,
        "pages_discovered": 4,
        "coverage": Coverage(4, 3, 75.0),
        "issues_found": 2,
    }
    return CrawlHeader(**{**values, **changes})  # type: ignore[arg-type]


def book(site: Website, affected: int) -> IssueBook:
    now = clock.now()
    recheck = LastRecheck(at=now - 60, present=1, checked=2, crawl_id="crawl_recheck", passed=False, not_rechecked=1)
    page_issue = Issue(
        id=ids.issue_id(site.id, PAGE_RULE.id),
        rule_id=PAGE_RULE.id,
        status="open",
        affected_pages=affected,
        applicable_pages=affected,
        first_seen=now - 3 * DAY,
        last_seen=now,
        summary="Some pages show it.",
        last_recheck=recheck,
        affected_crawl=AUDIT,
    )
    site_issue = Issue(
        id=ids.issue_id(site.id, SITE_RULE.id),
        rule_id=SITE_RULE.id,
        status="resolved",
        affected_pages=1,
        applicable_pages=1,
        first_seen=now - 20 * DAY,
        last_seen=now,
        summary="The website shows it.",
        evidence={"message": "It is so."},
    )
    counts = {PAGE_RULE.id: RuleCount(affected, affected)}
    return IssueBook(1, AUDIT, now, registry.RULESET, [page_issue, site_issue], counts, [PAGE_RULE.category])


def summary(count: int, partitions: int) -> SiteSummary:
    now = clock.now()
    entry = ScoreEntry(814, 830, 766, "1", now - 10, AUDIT)
    before = ScoreEntry(789, 801, 753, "1", now - 8 * DAY, "crawl_before")
    return SiteSummary(
        generation=Generation(AUDIT, partitions, count),
        score=CurrentScore(entry, 98.14, "high", [CategoryScore("ONP", 742, 18.0, 1)]),
        previous_audit=before,
        history=[before, entry],
        critical_issues=1,
        issue_first_seen=[now - 3 * DAY, now - 20 * DAY],
        action_first_seen=[now - 3 * DAY, now - 20 * DAY],
        last_audit=LastAudit(AUDIT, now - 10, 3, None, Coverage(4, 3, 75.0)),
    )


def learned(site: Website) -> Readiness:
    """What the audit learned of the website's readiness for assistants."""
    now = clock.now()
    robots = "User-agent: GPTBot\nDisallow: /\n"
    return Readiness(
        crawl_id=AUDIT,
        checked_at=now - 20,
        robots=RobotsState(url=f"{site.url}robots.txt", status=200, fetched_at=now - 580),
        crawlers=access.accesses(robots_txt.parse(robots), site.url),
        llms=LlmsState(present=False, url=f"{site.url}llms.txt", status=404, bytes=512, fetched_at=now - 570),
        entity=Entity(
            organization_schema=True,
            organization_name="Acme",
            same_as=("https://profiles.example.net/acme",),
            about_page=f"{site.url}about/",
            contact_page=None,
            nap_agrees=None,
        ),
        draft=draft_of("Acme", None, [Candidate(url(site, 0), "Page 0", 1, 3, False)]),
    )


def run(site: Website, job_id: str = RUN) -> Job:
    """A re-run of the home page that is done."""
    now = clock.now()
    job = Job(
        id=job_id,
        kind="agentic_run",
        site_id=site.id,
        workspace_id=site.workspace_id,
        queued_at=now - 60,
        due_at=now - 60,
        payload={"url": site.url, "strategy": "mobile"},
    )
    found = SPEED_RESULT.pack(speed.result(site.url, at=now - 10))
    return job.claimed(now - 50, now).done(now - 10, result=found)


def keep(
    site: Website, audit_id: str, listed: list[PageRow], affected: int, *, compared: bool = False, **members: object
) -> KeptAudit:
    """Keep an audit of these pages, of which the first ``affected`` show the issue. ``compared``: with what it changed
    against the one before, as audits do that end today."""
    state = summary(len(listed), 1)
    assert state.score is not None
    shown = [AffectedPage(row.url, row.id, {}, 1, 1) for row in listed[:affected]]
    texts = {row.id: PageTexts(f"About {row.title}", row.url, 120) for row in listed}
    of_audit = kept_pages(audit_id, listed, texts, {PAGE_RULE.id: shown} if shown else {}, {})
    now = clock.now()
    written, partitions = kept_audits.pages_writes(site.id, audit_id, of_audit, now + PAGES_SECONDS)
    values: dict[str, object] = {
        "id": audit_id,
        "status": "done",
        "started_at": now - 590,
        "finished_at": now - 10,
        "pages_crawled": len(listed),
        "partial_reason": None,
        "ruleset": registry.RULESET,
        "score": msgspec.structs.replace(state.score.entry, audit_id=audit_id),
        "categories": state.score.categories,
        "losses": None,
        "counts": {PAGE_RULE.id: RuleCount(len(listed), affected)},
        "issues": kept_issues(book(site, affected).issues, frozenset()),
        "partitions": partitions,
        "robots": robots_of(200, ""),
        "crawlers": {"GPTBot": False},
        "speed": KeptSpeed(pages=2, lab_lcp_ms=1_800.0),
    }
    audit = KeptAudit(**{**values, **members})  # type: ignore[arg-type]
    before = keeping.before(header(site, audit_id)) if compared else None
    for write in [*written, *kept_audits.writes(site.id, audit, keeping.since(before, audit, of_audit))]:
        commit([write])
    return audit


def previewed(site: Website, audit: KeptAudit) -> None:
    """Leave a preview that has ended, and found what the audit did."""
    (listed,) = kept_audits.load_pages(site.id, [audit])
    written, partitions = kept_audits.pages_writes(site.id, PREVIEW, listed or [], clock.now() + PAGES_SECONDS)
    kept = msgspec.structs.replace(audit, id=PREVIEW, partitions=partitions)
    origins = {"preview_origin": "https://staging.example", "site_origin": site.url.rstrip("/")}
    for write in [*written, previews.keep(site.id, kept)]:
        commit([write])
    commit([crawls.put_new(header(site, PREVIEW, kind="preview", **origins))])


BATCH = "batch_01KB2Z6A7B8C9D0E1F2G3H4J5K"


def written(site: Website, batch_id: str = BATCH, count: int = 1, **members: object) -> Batch:
    """Leave a batch of the website that was written: its changes are live, but for the first, which failed where there
    are several."""
    now = clock.now()
    values: dict[str, object] = {
        "id": batch_id,
        "site_id": site.id,
        "workspace_id": site.workspace_id,
        "kind": "fields",
        "sequence": 1,
        "field": "title",
        "source": "cms",
        "approved_at": now - 600,
        "ended_at": now - 300,
        "status": "done",
        "count": count,
        "issue_id": ids.issue_id(site.id, PAGE_RULE.id),
        "approved_by": "usr_1",
    }
    batch = Batch(**{**values, **members})  # type: ignore[arg-type]
    look, outcome = Look(live=True, at=now, value="A title"), ChangeOutcome(before="Before")
    made = [
        Change(
            number=number,
            url=url(site, number),
            cms_id=f"post:{number}",
            field="title",
            value="A title",
            **_FAILED
            if count > 1 and number == 0
            else {"status": "applied", "outcome": outcome, "look": look, "written_at": now},
        )
        for number in range(count)
    ]
    for write in changes.put_new(batch, made):
        commit([write])
    return batch


_FAILED: dict[str, Any] = {"status": "failed", "error": "The CMS refused it."}


def export(site: Website, *lists: Exported) -> Job:
    """An export that is done."""
    now = clock.now()
    job = Job(
        id=EXPORT,
        kind="export",
        site_id=site.id,
        workspace_id=site.workspace_id,
        queued_at=now - 60,
        due_at=now - 60,
        payload={"lists": msgspec.to_builtins(list(lists) or [Exported("issues", 2)]), "bytes": 4_000},
    )
    return job.claimed(now - 50, now).done(now - 10)


def audited(site: Website, count: int = 3, affected: int = 2) -> None:
    """Leave a finished audit of ``count`` pages, of which ``affected`` show an issue, and make it the current one."""
    continued(("audited", _known(site), count, affected, rows), lambda: _audited(site, count, affected))


def _known(site: Website) -> tuple[str, str, str]:
    return site.workspace_id, site.id, site.url


def _audited(site: Website, count: int, affected: int) -> None:
    listed = rows(site, count)
    seen = int(clock.now())
    findings = {listed[0].id: [PageFinding(PAGE_RULE.id, {"message": "It is so."}, seen)]}
    writes, partitions = pages.generation_writes(site.id, AUDIT, listed, findings)
    state = book(site, affected)
    issue = state.issues[0]
    shown = [AffectedPage(row.url, row.id, {"message": "It is so."}, seen, seen) for row in rows(site, affected)]
    chunks = issues.affected_writes(site.id, issue.id, AUDIT, shown)
    issue.affected_chunks = len(chunks)
    fact_writes = crawls.facts_writes(AUDIT, 0, crawls.pack_facts([facts(site)]))
    log = [LogEntry(issue.first_seen, issue.id, "found", pages=affected, crawl_id=BEFORE)]
    for write in [*writes, *chunks, *fact_writes, issues.put_state(site.id, state, replaces=0, log=log)]:
        commit([write])
    read = [msgspec.structs.replace(row, facts_crawl=AUDIT) for row in listed]
    keep(site, BEFORE, read[1:], min(affected, count - 1), crawlers={"GPTBot": True})
    previewed(site, keep(site, AUDIT, read, affected, compared=True))
    commit([crawls.put_new(header(site)), readiness.put(site.id, learned(site))])
    commit([jobs.put_new(run(site)), jobs.put_new(export(site))])
    items.update(
        "sites",
        *keys.website(site.workspace_id, site.id),
        "SET #summary = :summary, #crawl = :crawl",
        names={"#summary": "summary", "#crawl": "currentCrawl"},
        values={":summary": SITE_SUMMARY.pack(summary(count, partitions)), ":crawl": AUDIT},
    )


def settled(site: Website, *, count: int = 3, affected: int = 2) -> None:
    """The same as ``audited``, of a website with search data and an analytics property."""
    continued(("settled", _known(site), count, affected, rows), lambda: _settled(site, count, affected))


def _settled(site: Website, count: int, affected: int) -> None:
    audited(site, count=count, affected=affected)
    last = stored_search.today() - timedelta(3)
    days = ending(last, 60)
    searched = {day: [Row(f"query {number}", 1, 2, 3.0) for number in range(count)] for day in days.days()}
    written(site)
    stored_search.connect(site)
    stored_search.put_totals(site, [DayTotals(day.isoformat(), TypeTotals()) for day in days.days()], days)
    for dataset in ("query", "page"):
        stored_search.put_rows(site, dataset, dict(list(searched.items())[-5:]), days, archived=[last])
    measured(site)
    current = websites.get(site.workspace_id, site.id)
    assert current is not None
    topics = Topics((_topic(site),), count, capped=False)
    kept_topics.keep(topics_question(current, ending(last, 28)), Kept(topics, clock.now(), None, last))


def _topic(site: Website) -> Topic:
    return Topic(
        id="topic_boots",
        name="hiking boots",
        name_from="queries",
        section="boots",
        words=("boots", "hiking"),
        page_count=2,
        pages_without_data=0,
        clicks=3,
        impressions=30,
        positions=90,
        pages=(TopicPage(url(site, 0), 2, 20, 60), TopicPage(url(site, 1), 1, 10, 30)),
        queries=(TopicQuery("hiking boots", 3, 30, 90),),
    )


def measured(site: Website) -> None:
    """Leave a connection to an analytics property that was asked a moment ago for the days that are asked for first."""
    current = websites.get(site.workspace_id, site.id)
    assert current is not None
    source = Source(kind="analytics", name="123456789", account="owner@acme.example", connected_at=clock.now())
    commit([connections.shown(current, current.connections.with_source("analytics", source))])
    current = websites.get(site.workspace_id, site.id)
    assert current is not None
    landing = Landing("/page-00000", 10, 5, 2.0, 1.0, 1, 9.5, 9.5)
    report = Report([landing, landing._replace(page="(not set)")], [Event("/page-00000", "purchase", 2.0)], 2)
    period = ending(stored_search.today() - timedelta(3), 28)
    told = Told(fetched_at=clock.now(), row_count=2, currency="EUR", time_zone="Europe/Berlin")
    kept_landing_pages.keep(question_of(current, period, "organic"), joined(report, None), told)


def connected(site: Website, *, count: int = 3, kind: WriterKind = "cms", **status: object) -> None:
    """Leave a connection to a CMS, or shop, that can write everything, and that has sent the first ``count`` pages."""
    now = clock.now()
    told = WriterStatus(**{**_CMS, **status})  # type: ignore[arg-type]
    writer = Writer(kind=kind, base_url=site.url, connected_at=now, checked_at=now, status=told)
    item = "post:" if kind == "cms" else "gid://shopify/Page/"
    shown = [
        ContentItem(cms_id=f"{item}{number}", url=url(site, number), type="post", status="published", title="A post")
        for number in range(count)
    ]
    current = websites.get(site.workspace_id, site.id)
    assert current is not None
    commit([connections.shown(current, current.connections.with_writer(kind, writer))])
    known = content.load(site.id)
    commit(content.writes(site.id, known, {item.cms_id: item for item in shown}, now))


_CMS = {
    "writable": True,
    "platform": "wordpress",
    "version": "1.0.0",
    "fields": ("canonical", "noindex", "title"),
    "files": ("llmsTxt", "robotsBlock"),
}


def running(site: Website, crawl_id: str = "crawl_running", kind: str = "audit", status: str = "running") -> None:
    """A crawl that is queued or running and holds the website's place."""
    stage = "queued" if status == "queued" else "crawling"
    commit([crawls.put_new(header(site, crawl_id, kind=kind, status=status, stage=stage, finished_at=None))])
    items.update(
        "sites",
        *keys.website(site.workspace_id, site.id),
        "SET #place = :place",
        names={"#place": "place"},
        values={":place": {"crawlId": crawl_id, "kind": kind, "status": status}},
    )


def reopened(site: Website) -> None:
    """Both issues that ``audited`` stored are open."""
    book = issues.load_state(site.id)
    assert book is not None
    issue = msgspec.structs.replace(book.issues[1], status="open")
    commit([issues.put_state(site.id, book.with_issue(issue), replaces=book.version)])
