"""The rows that an audit stores under its id, and their expiry once the next one has published."""

import random

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.evidence import bounded
from chalicelib.domain.audit.issues import Issue, IssueBook, RuleCount, StoredLists, summary_of_pages
from chalicelib.domain.audit.records import AffectedPage, PageFinding, PageRow
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.suggestion import Suggested, Suggestion, SuggestionSet
from chalicelib.rules import registry
from chalicelib.store import blocks, crawls, generations, issue_details, issues, items, pages
from chalicelib.store.transactions import commit

pytestmark = pytest.mark.usefixtures("store")

SITE, RULE = "site_1", "SEO-ONP-001"
ISSUE = ids.issue_id(SITE, RULE)
PAGES = [f"/{number}" for number in range(600)]


def store(crawl_id: str, *facts_crawls: str) -> dict[str, StoredLists]:
    """Store a generation whose pages' facts lie with these crawls (by turns), and let the issue point at it."""
    rows = [
        PageRow(f"page_{url}", url, 200, None, None, None, None, [RULE], 0, 1, facts_crawls[n % len(facts_crawls)], 100)
        for n, url in enumerate(PAGES)
    ]
    findings = {row.id: [PageFinding(RULE, {"message": row.url}, 1)] for row in rows}
    affected = [AffectedPage(row.url, row.id, {"message": row.url}, 1, 1) for row in rows]
    suggested = Suggested([Suggestion(row.url, row.id, None, f"Title of {row.url}") for row in rows], "a note")
    generation, lists = generations.write(
        SITE, crawl_id, rows, findings, affected={RULE: affected}, suggested={RULE: suggested}
    )
    assert (generation.crawl_id, generation.pages) == (crawl_id, len(PAGES)) and generation.partitions > 1
    old = issues.load_state(SITE)
    version = old.version if old is not None else 0
    issue = Issue(
        ISSUE,
        RULE,
        "open",
        len(PAGES),
        len(PAGES),
        1.0,
        1.0,
        "s",
        affected_crawl=crawl_id,
        affected_chunks=lists[RULE].affected_chunks,
        suggestions=lists[RULE].suggestions,
    )
    commit([issues.put_state(SITE, IssueBook(version + 1, crawl_id, 1.0, "r", [issue], {}, []), replaces=version)])
    blocks.write(crawls.facts_writes(crawl_id, 1, crawls.pack_facts([PageFacts(url="/0", status=200)])))
    return lists


def stored(crawl_id: str) -> dict[str, int]:
    """How many blocks of a crawl are read, by kind."""
    site = [sk for prefix in ("AFF#", "SUG#") for sk in _keys(issues.TABLE, f"SITE#{SITE}", prefix) if crawl_id in sk]
    return {
        "pages": len(_keys(pages.TABLE, f"SITE#{SITE}#GEN#{crawl_id}", "")),
        "facts": len(_keys(crawls.TABLE, f"CRAWL#{crawl_id}", "")),
        "issues": len(site),
    }


def _keys(table: str, pk: str, prefix: str) -> list[str]:
    return [item["sk"] for item in items.query_all(table, pk, prefix or None, keys_only=True)]


def test_the_stored_results_of_an_audit_are_read_back_unchanged() -> None:
    lists = store("crawl_1", "crawl_1")
    assert lists[RULE].suggestions is not None and lists[RULE].suggestions.note == "a note"
    assert isinstance(lists[RULE].suggestions, SuggestionSet) and sum(lists[RULE].suggestions.counts) == len(PAGES)
    assert sorted(row.url for row in pages.load_list(SITE, "crawl_1")) == sorted(PAGES)
    assert pages.load_findings(SITE, "crawl_1")["page_/7"] == [PageFinding(RULE, {"message": "/7"}, 1)]
    book = issues.load_state(SITE)
    assert book is not None
    detail = issue_details.load(SITE, book.issues[0], offset=5, limit=1)
    assert [page.url for page in detail.affected] == PAGES and detail.suggestions[0].suggested == "Title of /5"


def test_replaced_rows_expire_after_a_day_but_current_facts_do_not() -> None:
    store("crawl_0", "crawl_0")
    store("crawl_1", "crawl_1", "crawl_0")
    store("crawl_2", "crawl_2", "crawl_0")
    before = {crawl_id: stored(crawl_id) for crawl_id in ("crawl_0", "crawl_1", "crawl_2")}
    generations.expire_replaced(SITE, "crawl_2", "crawl_1")
    assert {crawl_id: stored(crawl_id) for crawl_id in before} == before  # readers that began before go on
    clock.set_offset(clock.offset() + blocks.EXPIRY_SECONDS + 1)
    assert stored("crawl_1") == {"pages": 0, "facts": 0, "issues": 0}
    assert stored("crawl_2") == before["crawl_2"]
    assert stored("crawl_0")["facts"] == before["crawl_0"]["facts"] == 1


def test_marking_rows_as_replaced_again_does_not_extend_their_expiry() -> None:
    store("crawl_1", "crawl_1")
    store("crawl_2", "crawl_2")
    generations.expire_replaced(SITE, "crawl_2", "crawl_1")
    clock.set_offset(clock.offset() + blocks.EXPIRY_SECONDS - 60)
    generations.expire_replaced(SITE, "crawl_2", "crawl_1")
    clock.set_offset(clock.offset() + 120)
    assert stored("crawl_1")["pages"] == 0


CHOICE = random.Random(7)


def long_address() -> str:
    return "https://example.com/" + "".join(CHOICE.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=2_000))


def test_findings_with_many_long_addresses_can_be_stored() -> None:
    rules = [rule.id for rule in registry.RULES if rule.scope == "page"]
    rows, findings, affected = [], {}, {rule_id: [] for rule_id in rules}
    for number in range(120):
        url = long_address()
        row = PageRow(f"page_{number}", url, 200, url, url, 1, 1, rules, 0, 1, "crawl_1", 100)
        rows.append(row)
        evidence = {rule_id: bounded({"message": long_address(), "urls": [long_address()] * 9}) for rule_id in rules}
        findings[row.id] = [PageFinding(rule_id, seen, 1) for rule_id, seen in evidence.items()]
        for rule_id, seen in evidence.items():
            affected[rule_id].append(AffectedPage(url, row.id, seen, 1, 1))
    generation, lists = generations.write(SITE, "crawl_1", rows, findings, affected=affected, suggested={})
    assert {row.url for row in pages.load_list(SITE, "crawl_1")} == {row.url for row in rows}
    stored = pages.load_findings(SITE, "crawl_1")
    assert {len(fired) for fired in stored.values()} == {len(rules)} and len(stored) == len(rows)
    record = pages.load_page(SITE, "crawl_1", generation.partitions, "page_7")
    assert record is not None and len(record.findings) == len(rules)
    issue = Issue(ISSUE, RULE, "open", 120, 120, 1.0, 1.0, "s", affected_crawl="crawl_1")
    issue.affected_chunks = lists[RULE].affected_chunks
    assert len(issues.load_affected(SITE, issue)) == 120


def test_issues_with_many_long_addresses_can_be_stored() -> None:
    evidence = bounded({"message": long_address(), "urls": [long_address()] * 9})
    found = []
    for rule in registry.RULES:
        page = AffectedPage(long_address(), "page_1", {"message": long_address()}, 1, 1)
        issue = Issue(
            f"iss_{rule.id}",
            rule.id,
            "open",
            1,
            1,
            1.0,
            1.0,
            summary_of_pages(RuleCount(1, 1), [page]),
            evidence={**evidence, "rule": long_address()},
            explanation=long_address(),
            suggestions=SuggestionSet("crawl_1", list(range(1_000, 1_100))),
        )
        found.append(issue)
    book = IssueBook(1, "crawl_1", 1.0, "r", found, {rule.id: RuleCount(1, 1) for rule in registry.RULES}, ["ONP"])
    commit([issues.put_state(SITE, book, replaces=0)])
    stored = issues.load_state(SITE)
    assert stored is not None and [issue.id for issue in stored.issues] == [issue.id for issue in found]
    assert all(issue.evidence and issue.evidence["message"] and issue.summary for issue in stored.issues)


def test_an_unread_address_is_found_by_its_id() -> None:
    row = PageRow("page_far", "/far", None, None, None, None, None, [RULE], 1, None)
    generation, _ = generations.write(
        SITE, "crawl_1", [row], {row.id: [PageFinding(RULE, {"message": "m"}, 1)]}, affected={}, suggested={}
    )
    record = pages.load_page(SITE, "crawl_1", generation.partitions, "page_far")
    assert record is not None and (record.row.status, record.facts) == (None, None)
    assert [finding.rule_id for finding in record.findings] == [RULE]
