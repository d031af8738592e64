"""A website at the documented limits of all that a GET shows of it: the longest texts, of the dearest characters.

Every GET has a line in ``LARGEST``: a function that stores what it shows and returns the path that shows most of it.
Where a limit is so high that no store could hold everything, there is at least three times what an answer may have.
"""

from collections.abc import Callable, Iterable
from datetime import timedelta

import msgspec

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.agentic import Check, Item
from chalicelib.domain.analytics.landing_pages import joined
from chalicelib.domain.analytics.report import Event, Landing, Report
from chalicelib.domain.audit import evidence
from chalicelib.domain.audit.causes import Cause
from chalicelib.domain.audit.issue_log import MOST_REASON, LogEntry
from chalicelib.domain.audit.issues import MOST_SUMMARY, Issue, IssueBook, RuleCount
from chalicelib.domain.audit.kept import KeptIssue, KeptPage
from chalicelib.domain.audit.records import AffectedPage, PageFinding, PageRow
from chalicelib.domain.audit.summary import RuleLoss
from chalicelib.domain.changes.batch import Batch, Change, ChangeOutcome, Look
from chalicelib.domain.crawl import robots as robots_txt
from chalicelib.domain.crawlers import crawler_list
from chalicelib.domain.exports import Exported
from chalicelib.domain.page.facts import Hreflang, PageFacts
from chalicelib.domain.readiness import access
from chalicelib.domain.readiness.draft import Candidate, draft_of
from chalicelib.domain.readiness.records import Readiness
from chalicelib.domain.readiness.written import LlmsWrite
from chalicelib.domain.search.periods import ending
from chalicelib.domain.search.topics import Topic, TopicPage, TopicQuery, Topics
from chalicelib.domain.suggestion import SecondField, Suggestion, SuggestionSet
from chalicelib.domain.visibility.calendar import weeks_back
from chalicelib.domain.visibility.prompts import Prompt
from chalicelib.domain.visibility.samples import Answer, Asked, Week
from chalicelib.exports.lists import LISTS
from chalicelib.operations import websites
from chalicelib.operations.analytics import question_of
from chalicelib.operations.topics import question_of as topics_question
from chalicelib.rules import registry
from chalicelib.rules.engine import MAX_FAILURES
from chalicelib.store import (
    changes,
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
    speed,
    visibility,
    website_names,
)
from chalicelib.store import websites as records
from chalicelib.store.kept_landing_pages import Told
from chalicelib.store.kept_topics import Kept
from chalicelib.store.shapes import SITE_SUMMARY, SPEED_RESULT
from chalicelib.store.transactions import Write, commit
from chalicelib.store.website_names import NameRow
from chalicelib.store.websites import Website
from tests import speed as speed_tests
from tests import stored_search
from tests.api import seed
from tests.api.conftest import House
from tests.api.live import Files
from tests.domain.search.naive import Told as Row

WIDE = "\U0001d54f"  # four bytes; twelve in a JSON text that is carried in another one
CONTROL = "\x01"  # one byte where it is stored, seven where it is carried

Prepare = Callable[[House], str]


def address(site: Website, number: int, length: int = 2_048) -> str:
    """An address of the website that is as long as one may be."""
    start = f"{site.url}{number:06d}/"
    return start + "x" * (length - len(start))


def _commit_all(writes: Iterable[Write]) -> None:
    for write in writes:
        commit([write])


def _evidence(number: int) -> dict[str, object]:
    return evidence.bounded({"message": f"{number:04d}" + CONTROL * (evidence.MOST_BYTES - 30)})


# -- websites ------------------------------------------------------------------------------------------


WEBSITES = 2_500


def sites(house: House) -> str:
    host = "a" * 59 + ".example"
    rows = [
        NameRow(f"site_{number}", f"{number:04d}" + WIDE * 96, host, address(house.site, number), "unknown", "active")
        for number in range(WEBSITES)
    ]
    _commit_all(website_names.put(house.workspace_id, row) for row in rows)
    return "/sites"


def portfolio(house: House) -> str:
    for number in range(200):
        name = f"{number:03d}" + WIDE * 97
        _scored(websites.add(OPERATOR, house.workspace_id, f"https://s{number}.example/", name=name))
    return "/portfolio?per=200"


def _scored(site: Website) -> None:
    summary = seed.summary(3, 1)
    assert summary.score is not None
    categories = [msgspec.structs.replace(summary.score.categories[0], category=one) for one in _CATEGORIES]
    losses = [RuleLoss(rule.id, 7) for rule in registry.RULES]
    summary.score = msgspec.structs.replace(summary.score, categories=categories, losses=losses)
    entry = summary.score.entry
    weeks = [entry.computed_at - number * 7 * seed.DAY for number in reversed(range(13))]
    summary.history = [msgspec.structs.replace(entry, computed_at=at) for at in weeks]
    items.update(
        "sites",
        *keys.website(site.workspace_id, site.id),
        "SET #summary = :summary, #crawl = :crawl",
        names={"#summary": "summary", "#crawl": "currentCrawl"},
        values={":summary": SITE_SUMMARY.pack(summary), ":crawl": seed.AUDIT},
    )


_CATEGORIES = sorted({rule.category for rule in registry.RULES})


def site(house: House) -> str:
    seed.settled(house.site)
    seed.connected(house.site, reason=WIDE * 500)
    _scored(house.site)
    return f"/sites/{house.site.id}"


def scores(house: House) -> str:
    """With more audits and rechecks than are shown."""
    _scored(house.site)
    score = seed.summary(3, 1).history[0]
    for number in range(300):
        seed.keep(house.site, f"crawl_{number:026d}", [], 0)
        commit(kept_audits.rescored(house.site.id, f"crawl_a{number:025d}", "recheck", score))
    return f"/sites/{house.site.id}/scores?detail=audits"


# -- issues and actions --------------------------------------------------------------------------------


def _book(site: Website) -> IssueBook:
    book = seed.book(site, 2)
    book.issues = [_issue(site, rule.id) for rule in registry.RULES]
    return book


def _issue(site: Website, rule_id: str) -> Issue:
    now = clock.now()
    return Issue(
        id=ids.issue_id(site.id, rule_id),
        rule_id=rule_id,
        status="open",
        affected_pages=20_000,
        applicable_pages=20_000,
        first_seen=now - seed.DAY,
        last_seen=now,
        summary=WIDE * MOST_SUMMARY,
        template=WIDE * 200,
        evidence=_evidence(0),
        last_recheck=msgspec.structs.replace(seed.book(site, 2).issues[0].last_recheck, note=WIDE * 500),  # type: ignore[type-var]
        explanation=WIDE * 2_000,
        cause=Cause("robots_line", WIDE * 1_000),
    )


def issue_list(house: House) -> str:
    seed.audited(house.site)
    replaced = issues.load_state(house.site.id)
    assert replaced is not None
    commit([issues.put_state(house.site.id, _book(house.site), replaces=replaced.version)])
    return f"/sites/{house.site.id}/issues"


def action_list(house: House) -> str:
    issue_list(house)
    return f"/sites/{house.site.id}/actions?limit=100"


TITLE_RULE = next(rule for rule in registry.RULES if rule.writable_field == "title")
AFFECTED, CHANGED = 1_100, 500


def change_list(house: House) -> str:
    for number in range(30):
        seed.written(house.site, f"batch_{number:026d}", approved_by="u" * 64)
    return f"/sites/{house.site.id}/changes?limit=25"


def change_batch(house: House) -> str:
    """The batch of an issue of 500 changes with the longest texts."""
    issue(house)
    return f"/sites/{house.site.id}/changes/batch_1"


def issue(house: House) -> str:
    """An issue of 1,100 pages, each with a suggestion, 500 of them changed."""
    website, now = house.site, int(clock.now())
    seed.audited(website)
    found = _issue(website, TITLE_RULE.id)
    where = [address(website, number) for number in range(AFFECTED)]
    page_ids = [ids.page_id(website.id, url) for url in where]
    affected = [
        AffectedPage(url, page_id, _evidence(number), now, now)
        for number, (url, page_id) in enumerate(zip(where, page_ids, strict=True))
    ]
    chunks = issues.affected_writes(website.id, found.id, seed.AUDIT, affected)
    second = SecondField(WIDE * 5_000, WIDE * 1_000, "paragraph", WIDE * 500)
    suggestions = [
        Suggestion(url, page_id, WIDE * 5_000, WIDE * 300, None, "title", WIDE * 500, second)
        for url, page_id in zip(where, page_ids, strict=True)
    ]
    writes, counts = issues.suggestion_writes(website.id, found.id, seed.AUDIT, suggestions)
    batch = Batch(
        id="batch_1",
        site_id=website.id,
        workspace_id=website.workspace_id,
        kind="fields",
        sequence=1,
        field="title",
        source="cms",
        approved_at=now,
        count=CHANGED,
        issue_id=found.id,
        approved_by=house.person_id,
    )
    changed = [
        Change(
            number=number,
            url=where[number],
            cms_id=f"post:{number}",
            field="title",
            value=WIDE * 1_000,
            status="not_live",
            outcome=ChangeOutcome(before=WIDE * 2_000),
            look=Look(live=False, at=now, value=WIDE * 1_000, reason=WIDE * 500, note=WIDE * 500),
            written_at=now,
            error=WIDE * 500,
        )
        for number in range(CHANGED)
    ]
    found.affected_crawl, found.affected_chunks = seed.AUDIT, len(chunks)
    found.suggestions = SuggestionSet(seed.AUDIT, counts, WIDE * 500)
    found.change_batch, found.change_blocks = batch.id, batch.blocks
    book = issues.load_state(website.id)
    assert book is not None
    book.issues = [found]
    _commit_all([*chunks, *writes, *changes.put_new(batch, changed)])
    commit([issues.put_state(website.id, book, replaces=book.version)])
    return f"/sites/{website.id}/issues/{found.id}"


LOGGED = 1_100


def issue_history(house: House) -> str:
    """An issue that more happened to than is read, each time with the longest reason."""
    seed.audited(house.site)
    book = issues.load_state(house.site.id)
    assert book is not None
    found, now = book.issues[0], clock.now()
    for version in range(2, 2 + LOGGED):
        entry = LogEntry(
            now, found.id, "ignored", by=house.person_id, reason=f"{version:04d}" + WIDE * (MOST_REASON - 4)
        )
        put = issues.put_state(house.site.id, msgspec.structs.replace(book, version=version), replaces=0, log=[entry])
        commit(put.also)
    return f"/sites/{house.site.id}/issues/{found.id}/history?limit=1000"


# -- pages ---------------------------------------------------------------------------------------------


def _rows(site: Website, count: int) -> list[PageRow]:
    row = seed.rows(site, 1)[0]
    return [
        msgspec.structs.replace(
            row,
            id=ids.page_id(site.id, address(site, number)),
            url=address(site, number),
            title=f"{number:04d}" + WIDE * 4_996,
            template=WIDE * 200,
            redirects=[address(site, hop) for hop in range(20)],
            redirects_end="loop",
            not_indexable_reason=CONTROL * 500,
        )
        for number in range(count)
    ]


def _generation(site: Website, count: int) -> None:
    rows = _rows(site, count)
    rules = [rule.id for rule in registry.RULES]
    findings = {rows[0].id: [PageFinding(rule, {"message": CONTROL * (19_000 // len(rules))}, 1) for rule in rules]}
    book = _book(site)
    facts = _facts(site, rows[0].url)
    writes, partitions = pages.generation_writes(site.id, seed.AUDIT, rows, findings)
    _commit_all([*writes, *crawls.facts_writes(seed.AUDIT, 0, crawls.pack_facts([facts]))])
    commit([issues.put_state(site.id, book, replaces=0), crawls.put_new(seed.header(site))])
    items.update(
        "sites",
        *keys.website(site.workspace_id, site.id),
        "SET #summary = :summary, #crawl = :crawl",
        names={"#summary": "summary", "#crawl": "currentCrawl"},
        values={":summary": SITE_SUMMARY.pack(seed.summary(count, partitions)), ":crawl": seed.AUDIT},
    )


def _facts(site: Website, url: str) -> PageFacts:
    return msgspec.structs.replace(
        seed.facts(site),
        url=url,
        redirect_to=address(site, 0),
        headers={"x-robots-tag": WIDE * 20_000},
        title=WIDE * 5_000,
        description=WIDE * 5_000,
        canonicals=[(WIDE * 2_100, address(site, 1), "html")] * 500,
        robots_meta=[("r" * 60, WIDE * 500)] * 500,
        hreflang=[Hreflang(WIDE * 40, address(site, number)) for number in range(500)],
        lang=WIDE * 40,
        headings=[(1, WIDE * 200)] * 100,
        text=WIDE * 1_500,
        structured_types=[WIDE * 200] * 100,
    )


PAGES = 200


def page_list(house: House) -> str:
    _generation(house.site, PAGES)
    return f"/sites/{house.site.id}/pages?per=200"


def page(house: House) -> str:
    _generation(house.site, 1)
    return f"/sites/{house.site.id}/pages/{ids.page_id(house.site.id, address(house.site, 0))}"


def page_history(house: House) -> str:
    """Fifty audits at each of which everything of the page changed."""
    site = house.site
    url = address(site, 0)
    for number in range(50):
        text = f"{number:02d}" + WIDE * 298
        kept = KeptPage(ids.page_id(site.id, url), url, True, 200, text, text, text, page_score=number)
        written, partitions = kept_audits.pages_writes(site.id, f"crawl_{number:02d}", [kept], clock.now() + seed.DAY)
        _commit_all(written)
        seed.keep(site, f"crawl_{number:02d}", [], 0, partitions=partitions)
        _commit_all(written)
    return f"/sites/{site.id}/pages/{ids.page_id(site.id, url)}/history"


def page_by_address(house: House) -> str:
    _generation(house.site, 1)
    return f"/sites/{house.site.id}/pages/findings?url={address(house.site, 0)}"


# -- search, topics, analytics -------------------------------------------------------------------------


def _searched(house: House, keys_: list[str]) -> None:
    last = stored_search.today() - timedelta(3)
    days = ending(last, 60)
    stored_search.connect(house.site)
    for dataset in ("query", "page"):
        stored_search.put_rows(house.site, dataset, {last: [Row(key, 1, 2, 3.0) for key in keys_]}, days)  # type: ignore[arg-type]


LONGEST_KEY = 20_000  # characters of a query or page that search data may have


def search_summary(house: House) -> str:
    seed.settled(house.site)
    _searched(house, [f"{number:03d}" + WIDE * (LONGEST_KEY - 3) for number in range(12)])
    return f"/sites/{house.site.id}/search/summary?days=90"


def search_rows(house: House) -> str:
    _searched(house, [f"{number:03d}" + WIDE * (LONGEST_KEY - 3) for number in range(80)])
    last = stored_search.today()
    return f"/sites/{house.site.id}/search/rows?from={last - timedelta(30)}&to={last}&limit=10000"


def topic_list(house: House) -> str:
    last = stored_search.today() - timedelta(3)
    stored_search.connect(house.site)
    site = records.get(house.workspace_id, house.site.id)
    assert site is not None
    query = TopicQuery(WIDE * LONGEST_KEY, 1, 2, 6)
    long = tuple(TopicPage(f"{number:03d}" + WIDE * (LONGEST_KEY - 3), 1, 2, 6) for number in range(50))
    usual = tuple(TopicPage(address(site, number), 1, 2, 6) for number in range(50))
    topics = [
        Topic(
            id=f"topic_{number}",
            name=WIDE * 200,
            name_from="queries",
            section=WIDE * 2_000,
            words=(WIDE * 200,) * 5,
            page_count=50,
            pages_without_data=0,
            clicks=1_000 - number,
            impressions=1_000,
            positions=3_000,
            pages=long if number == 0 else usual,
            queries=(query,) * 10 if number == 0 else (query,),
        )
        for number in range(60)
    ]
    small = msgspec.structs.replace(topics[0], id="topic_small", page_count=1, pages=long[:1], clicks=1, queries=())
    topics += [msgspec.structs.replace(small, id=f"topic_small_{number}") for number in range(60)]
    kept = Kept(Topics(tuple(topics), 3_000, capped=True), clock.now(), None, last)
    kept_topics.keep(topics_question(site, ending(last, 28)), kept)
    stored_search.put_rows(site, "page", {last: [Row(site.url, 1, 2, 3.0)]}, ending(last, 60))
    return f"/sites/{site.id}/topics?limit=200"


LANDINGS, EVENTS = 1_000, 500


def landing_pages(house: House) -> str:
    seed.measured(house.site)
    site = records.get(house.workspace_id, house.site.id)
    assert site is not None
    landings = [Landing(f"/{number:04d}" + WIDE * 2_043, 10, 5, 2.0, 1.0, 1, 9.5, 9.5) for number in range(LANDINGS)]
    events = [Event(landings[0].page, f"{number:05d}" + WIDE * 2_043, 2.0) for number in range(EVENTS)]
    period = ending(stored_search.today() - timedelta(3), 28)
    told = Told(fetched_at=clock.now(), row_count=LANDINGS, currency="EUR", time_zone="Europe/Berlin")
    found = joined(Report(landings, events, LANDINGS), None)
    kept_landing_pages.keep(question_of(site, period, "organic"), found, told)
    return f"/sites/{site.id}/analytics/pages?limit=1000"


# -- assistants ----------------------------------------------------------------------------------------


def _robots() -> str:
    """A group of its own for each crawler, with a rule as long as rules are shown."""
    bots = [crawler.bot for crawler in crawler_list().crawlers]
    return "".join(f"User-agent: {bot}\nDisallow: / # {WIDE * 400}\n" for bot in bots)


def _learned(site: Website) -> Readiness:
    learned = seed.learned(site)
    assert learned.entity is not None
    entity = msgspec.structs.replace(
        learned.entity,
        organization_name=WIDE * 200,
        same_as=tuple(address(site, number) for number in range(50)),
        about_page=address(site, 1),
        contact_page=address(site, 2),
    )
    candidates = [Candidate(f"{site.url}{number}", WIDE * 120, 1, 1, False) for number in range(2_000)]
    return msgspec.structs.replace(
        learned,
        crawlers=access.accesses(robots_txt.parse(_robots()), site.url),
        entity=entity,
        draft=draft_of(WIDE * 120, WIDE * 300, candidates),
    )


def geo(house: House) -> str:
    commit([readiness.put(house.site.id, _learned(house.site))])
    return f"/sites/{house.site.id}/geo"


def llms_txt(house: House) -> str:
    """Beside a website that serves ``LIVE_FILES``."""
    site, now = house.site, clock.now()
    write = LlmsWrite(
        batch_id="batch_1",
        status="failed",
        approved_by=house.person_id,
        approved_at=now,
        error=WIDE * 500,
        value=WIDE * 60_000,
        previous=WIDE * 60_000,
    )
    commit([readiness.put(site.id, _learned(site)), readiness.put_last(site.id, write)])
    return f"/sites/{site.id}/geo/llms-txt"


def ai_crawlers(house: House) -> str:
    """Beside a website that serves ``LIVE_FILES``."""
    return f"/sites/{house.site.id}/geo/ai-crawlers"


LIVE_FILES = Files({"/llms.txt": (WIDE * 60_001).encode(), "/robots.txt": _robots().encode()})

PROMPTS, PROVIDERS = 50, 5


def _visibility(house: House) -> None:
    now = clock.now()
    names = [f"prm_{number:03d}" for number in range(PROMPTS)]
    asked = tuple(Asked(name, f"{name}" + WIDE * 293, "de-Latn-AT") for name in names)
    prompts = [Prompt(id=one.id, text=one.text, locale=one.locale, created_at=now) for one in asked]
    commit([visibility.put_prompts(house.site.id, prompts, visibility.load_prompts(house.site.id))])
    for ago, week in enumerate(weeks_back(now, 12)):
        answers = [
            Answer(
                prompt_id=name,
                provider=f"provider {number}",
                model="m" * 100,
                at=now,
                named=False,
                cited_us=False,
                cited=tuple(f"https://{place:02d}.example/" + "x" * 378 for place in range(20)),
                sources=tuple(f"{ago:02d}{number}{place:02d}" + "a" * 240 + ".example" for place in range(20)),
                position=1,
                listed=9,
            )
            for name in names
            for number in range(PROVIDERS)
        ]
        made = Week(week=week, prompts=asked, answers=tuple(answers), failed=0, refused=0, unsearched=0)
        commit(visibility.put_week(house.site.id, made, now))


def ai_visibility(house: House) -> str:
    _visibility(house)
    return f"/sites/{house.site.id}/ai-visibility?weeks=12&limit=1000"


def gaps(house: House) -> str:
    _visibility(house)
    return f"/sites/{house.site.id}/ai-visibility/gaps?weeks=12"


# -- speed ---------------------------------------------------------------------------------------------

_ITEM = Item(WIDE * 300, WIDE * 300, WIDE * 300, WIDE * 300)


def _checks(count: int) -> dict[str, Check]:
    check = Check("fail", 0.0, WIDE * 300, (_ITEM,) * 5, WIDE * 300, WIDE * 600)
    return {f"check-{number}": check for number in range(count)}


def performance(house: House) -> str:
    """As many tested pages as are kept."""
    blocks: dict[int, list[str]] = {number: [] for number in range(speed.BLOCKS)}
    number = 0
    while any(len(urls) < speed.MOST_RESULTS for urls in blocks.values()):
        url = address(house.site, number)
        urls = blocks[speed.block_of(url)]
        if len(urls) < speed.MOST_RESULTS:
            urls.append(url)
        number += 1
    for block, urls in blocks.items():
        results = [speed_tests.result(url, checks={}, template=WIDE * 200) for url in urls]
        commit([speed.put_results(house.site.id, speed.Block(block, {}, 0), results)])
    return f"/sites/{house.site.id}/performance"


RESULTS, CHECKS = 25, 12


def agentic(house: House) -> str:
    for number in range(RESULTS):
        result = speed_tests.result(address(house.site, number), checks=_checks(CHECKS), template=WIDE * 200)
        speed_tests.stored(house.site.id, [result])
    return f"/sites/{house.site.id}/agentic?per=200"


def agentic_run(house: House) -> str:
    done = seed.run(house.site)
    found = speed_tests.result(address(house.site, 0), checks=_checks(120), template=WIDE * 200)
    commit([jobs.put_new(msgspec.structs.replace(done, result=SPEED_RESULT.pack(found)))])
    return f"/sites/{house.site.id}/agentic/runs/{done.id}"


def export(house: House) -> str:
    lists = [Exported("x" * 40, None, WIDE * 300) for _ in LISTS]
    commit([jobs.put_new(msgspec.structs.replace(seed.export(house.site, *lists), error=WIDE * 300))])
    return f"/sites/{house.site.id}/exports/{seed.EXPORT}"


# -- audits --------------------------------------------------------------------------------------------


def _audits(house: House) -> str:
    crawl_id = ""
    for number in range(25):
        crawl_id = f"crawl_{number:026d}"
        notes = [f"{note:03d}" + "x" * 300 for note in range(MAX_FAILURES + 20)]
        commit([crawls.put_new(seed.header(house.site, crawl_id, notes=notes, error=WIDE * 500))])
    return crawl_id


def audits(house: House) -> str:
    _audits(house)
    return f"/sites/{house.site.id}/audits?limit=25"


def audit(house: House) -> str:
    return f"/sites/{house.site.id}/audits/{_audits(house)}"


def audit_difference(house: House) -> str:
    """Of all issues and pages: each that there was is gone, or says something else."""
    site, rules = house.site, [rule.id for rule in registry.RULES]
    for audit_id, first in ((seed.BEFORE, 0), (seed.AUDIT, 120)):
        listed = [
            KeptPage(
                ids.page_id(site.id, address(site, number)),
                address(site, number),
                True,
                status=200,
                title=f"{first:03d}" + WIDE * 297,
                description=f"{first:03d}" + WIDE * 297,
                canonical=f"{first:03d}" + WIDE * 297,
                indexable=first == 0,
                words=first,
                rules=rules,
            )
            for number in range(first, first + 240)
        ]
        written, partitions = kept_audits.pages_writes(site.id, audit_id, listed, clock.now() + seed.DAY)
        _commit_all(written)
        issues_kept = [KeptIssue(ids.issue_id(site.id, rule), rule, "open", 240, True) for rule in rules]
        bots = {crawler.bot: first == 0 for crawler in crawler_list().crawlers}
        seed.keep(site, audit_id, [], 0, issues=issues_kept, partitions=partitions, crawlers=bots)
        _commit_all(written)
    return f"/sites/{site.id}/audits/{seed.AUDIT}/diff"


REPORTED = 60


def audit_report(house: House) -> str:
    """Every rule finds something on every page."""
    site, rules = house.site, [rule.id for rule in registry.RULES]
    addresses = [address(site, number) for number in range(REPORTED)]
    listed = [KeptPage(ids.page_id(site.id, url), url, True, rules=rules) for url in addresses]
    written, partitions = kept_audits.pages_writes(site.id, seed.AUDIT, listed, clock.now() + seed.DAY)
    issues_kept = [KeptIssue(ids.issue_id(site.id, rule), rule, "open", REPORTED, True) for rule in rules]
    seed.keep(site, seed.AUDIT, [], 0, issues=issues_kept, partitions=partitions)
    _commit_all(written)
    return f"/sites/{site.id}/audits/{seed.AUDIT}/report"


def audit_gate(house: House) -> str:
    """Everything that the later audit found is new."""
    site, rules = house.site, [rule.id for rule in registry.RULES]
    listed = [
        KeptPage(ids.page_id(site.id, address(site, number)), address(site, number), True, rules=rules)
        for number in range(240)
    ]
    counts = {rule: RuleCount(240, 0) for rule in rules}
    seed.keep(site, seed.BEFORE, [], 0, issues=[], counts=counts)
    written, partitions = kept_audits.pages_writes(site.id, seed.AUDIT, listed, clock.now() + seed.DAY)
    issues_kept = [KeptIssue(ids.issue_id(site.id, rule), rule, "open", 240, True) for rule in rules]
    commit([crawls.put_new(seed.header(site))])
    seed.keep(site, seed.AUDIT, [], 0, issues=issues_kept, counts=counts, partitions=partitions)
    _commit_all(written)
    return f"/sites/{site.id}/audits/{seed.AUDIT}/gate?no_new=low&max_loss=0"


# -- previews ------------------------------------------------------------------------------------------


def preview(house: House) -> str:
    notes = [f"{note:03d}" + "x" * 300 for note in range(MAX_FAILURES + 20)]
    told = {"notes": notes, "error": WIDE * 500, "preview_origin": address(house.site, 1)}
    commit([crawls.put_new(seed.header(house.site, seed.PREVIEW, kind="preview", **told))])
    return f"/sites/{house.site.id}/previews/{seed.PREVIEW}"


def _kept_preview(house: House, count: int, counts: dict[str, RuleCount]) -> str:
    """Every rule finds something on every page."""
    site, rules = house.site, [rule.id for rule in registry.RULES]
    addresses = [address(site, number) for number in range(count)]
    listed = [KeptPage(ids.page_id(site.id, url), url, True, rules=rules) for url in addresses]
    written, partitions = kept_audits.pages_writes(site.id, seed.PREVIEW, listed, clock.now() + seed.DAY)
    issues_kept = [KeptIssue(ids.issue_id(site.id, rule), rule, "open", count, True) for rule in rules]
    kept = seed.keep(site, seed.AUDIT, [], 0, issues=issues_kept, counts=counts, partitions=partitions)
    seed.keep(site, seed.AUDIT, [], 0, issues=[], counts=counts)
    path = preview(house)
    _commit_all([*written, previews.keep(site.id, msgspec.structs.replace(kept, id=seed.PREVIEW))])
    return path


def preview_report(house: House) -> str:
    return f"{_kept_preview(house, REPORTED, {})}/report"


def preview_difference(house: House) -> str:
    """Of every issue all pages are others; every page is another in each member, and its address is as long as it may
    be."""
    site, rules = house.site, [rule.id for rule in registry.RULES]
    audit_difference(house)
    (listed,) = kept_audits.load_pages(site.id, kept_audits.load(site.id, [seed.AUDIT]).values())
    written, partitions = kept_audits.pages_writes(site.id, seed.PREVIEW, listed or [], clock.now() + seed.DAY)
    issues_kept = [KeptIssue(ids.issue_id(site.id, rule), rule, "open", 240, True) for rule in rules]
    counts = {rule: RuleCount(240, 0) for rule in rules}
    kept = seed.keep(site, seed.PREVIEW, [], 0, issues=issues_kept, counts=counts, partitions=partitions, crawlers={})
    path = preview(house)
    _commit_all([*written, previews.keep(site.id, kept)])
    return f"{path}/diff?against={seed.BEFORE}"


def preview_gate(house: House) -> str:
    """Everything that the preview found is new."""
    counts = {rule.id: RuleCount(240, 0) for rule in registry.RULES}
    return f"{_kept_preview(house, 240, counts)}/gate?no_new=low&max_loss=0"


LARGEST: dict[str, Prepare] = {
    "read_openapi": lambda house: "/openapi.json",
    "read_plans": lambda house: "/plans",
    "read_changelog": lambda house: "/changelog",
    "list_sites": sites,
    "read_portfolio": portfolio,
    "read_site": site,
    "read_scores": scores,
    "read_performance": performance,
    "list_issues": issue_list,
    "read_issue": issue,
    "read_issue_history": issue_history,
    "list_actions": action_list,
    "list_changes": change_list,
    "read_batch": change_batch,
    "list_pages": page_list,
    "read_page": page,
    "read_page_history": page_history,
    "read_page_by_address": page_by_address,
    "read_search_summary": search_summary,
    "read_search_rows": search_rows,
    "list_topics": topic_list,
    "read_landing_pages": landing_pages,
    "list_audits": audits,
    "read_audit": audit,
    "compare_audits": audit_difference,
    "read_report": audit_report,
    "read_gate": audit_gate,
    "read_readiness": geo,
    "read_llms_txt": llms_txt,
    "read_visibility": ai_visibility,
    "read_visibility_gaps": gaps,
    "read_ai_crawlers": ai_crawlers,
    "list_agentic": agentic,
    "read_run": agentic_run,
    "read_export": export,
    "read_preview": preview,
    "read_preview_report": preview_report,
    "compare_preview": preview_difference,
    "read_preview_gate": preview_gate,
}
