"""Judging an audit: facts in; findings, rows, counts and suggestions out."""

from collections.abc import Iterator, Sequence
from typing import Any

from chalicelib.domain import ids
from chalicelib.domain.audit.issues import RuleCount
from chalicelib.domain.audit.records import PageFinding, PageRow
from chalicelib.domain.page.facts import PageFacts, TargetFacts
from chalicelib.rules.judging import CARRIED_SECONDS, AuditInputs, Judgement, judge
from tests.rules.builders import HOME, NOW, address, answer, links, page, site_facts

NO_TITLE = "SEO-ONP-001"
GONE = "SEO-TEC-004"
SITE = "site_1"


class Facts:
    """Facts in memory: of this audit in blocks of two, of the last one in its block 7."""

    def __init__(self, read: Sequence[PageFacts], targets: Sequence[TargetFacts], earlier: Sequence[PageFacts]) -> None:
        self._read, self._targets, self._earlier = read, targets, earlier

    def pages(self) -> Iterator[tuple[int, list[PageFacts]]]:
        for start in range(0, len(self._read), 2):
            yield 100 + start // 2, list(self._read[start : start + 2])

    def targets(self) -> Iterator[TargetFacts]:
        yield from self._targets

    def block(self, crawl_id: str, number: int) -> list[PageFacts]:
        assert (crawl_id, number) == ("crawl_1", 7)
        return list(self._earlier)


def judged(
    *read: PageFacts,
    targets: Sequence[TargetFacts] = (),
    earlier: Sequence[PageFacts] = (),
    earlier_findings: dict[str, list[PageFinding]] | None = None,
    known: Sequence[str] = (),
    partial: bool = False,
    days_old: float = 1,
    **site: Any,
) -> Judgement:
    """What an audit that read these pages says. ``earlier``: pages of the last audit, ``days_old``."""
    seen = int(NOW - days_old * 86_400)
    rows = {
        facts.url: PageRow(page_id(facts.url), facts.url, 200, "Old title", "old", 1, 1, [], 0, seen, "crawl_1", 7)
        for facts in earlier
    }
    inputs = AuditInputs(
        site_id=SITE,
        crawl_id="crawl_2",
        now=NOW,
        partial=partial,
        site_facts=site_facts(**site),
        addresses=[*(facts.url for facts in read), *map(address, known)],
        earlier_rows=rows,
        earlier_findings=earlier_findings or {},
        crawl_token="ExampleBot",
    )
    return judge(inputs, Facts(read, targets, earlier))


def page_id(path: str) -> str:
    return ids.page_id(SITE, address(path))


def affected(judgement: Judgement, rule_id: str) -> list[str]:
    return [found.url.removeprefix(HOME[:-1]) for found in judgement.verdicts.affected.get(rule_id, ())]


def test_a_page_has_a_row_that_says_where_its_facts_are_stored() -> None:
    found = judged(page("/z"), page("/", links=links("/z", "/a")), page("/a", title=None, title_count=0))
    assert [(row.url, row.facts_crawl, row.facts_block) for row in found.rows] == [
        (HOME, "crawl_2", 100),
        (address("/a"), "crawl_2", 101),
        (address("/z"), "crawl_2", 100),
    ]
    (row,) = (row for row in found.rows if row.url == address("/a"))
    assert NO_TITLE in row.rules and (row.inlinks, row.last_crawled) == (1, int(NOW))
    assert affected(found, NO_TITLE) == ["/a"] and found.counts[NO_TITLE] == RuleCount(3, 1)
    assert [one.url for one in found.suggested[NO_TITLE].suggestions] == [address("/a")]
    assert found.host == "example.com" and found.home_read and not found.failures


def test_the_pages_of_a_rule_are_in_order_of_address() -> None:
    untitled = [page(path, title=None, title_count=0) for path in ("/c", "/a", "/b")]
    assert affected(judged(page("/"), *untitled), NO_TITLE) == ["/a", "/b", "/c"]


def test_what_the_last_audit_found_keeps_its_first_day() -> None:
    findings = {page_id("/a"): [PageFinding(NO_TITLE, {}, 77)]}
    found = judged(page("/"), page("/a", title=None, title_count=0), earlier_findings=findings)
    assert found.verdicts.affected[NO_TITLE][0].first_seen == 77


def test_a_page_that_did_not_answer_stays_listed_and_counts_on_both_sides() -> None:
    findings = {page_id("/a"): [PageFinding(NO_TITLE, {"message": "old"}, 77)]}
    found = judged(
        page("/"), answer("/a", 503), earlier=[page("/a", title=None, title_count=0)], earlier_findings=findings
    )
    (listed,) = found.verdicts.affected[NO_TITLE]
    assert (listed.evidence, listed.first_seen, listed.last_seen) == ({"message": "old"}, 77, int(NOW) - 86_400)
    assert found.counts[NO_TITLE] == RuleCount(2, 1)
    (row,) = (row for row in found.rows if row.url == address("/a"))
    assert (row.status, row.title, row.template) == (503, "Old title", "old") and NO_TITLE in row.rules


def test_a_page_that_is_gone_keeps_nothing() -> None:
    findings = {page_id("/a"): [PageFinding(NO_TITLE, {"message": "old"}, 77)]}
    found = judged(page("/"), answer("/a", 404), earlier=[page("/a")], earlier_findings=findings)
    assert affected(found, NO_TITLE) == []


def test_a_partial_audit_carries_forward_what_it_did_not_reach() -> None:
    earlier = [page("/a", title=None, title_count=0)]
    found = judged(page("/"), earlier=earlier, partial=True, known=["/a"])
    (row,) = (row for row in found.rows if row.url == address("/a"))
    assert (row.facts_crawl, row.facts_block) == ("crawl_1", 7)
    assert affected(found, NO_TITLE) == ["/a"] and address("/a") in found.seen


def test_what_is_too_old_or_has_left_the_website_is_not_carried() -> None:
    earlier = [page("/a", title=None, title_count=0)]
    old = judged(page("/"), earlier=earlier, partial=True, days_old=1 + CARRIED_SECONDS / 86_400)
    gone = [TargetFacts(url=address("/a"), own_host=True, status=404)]
    left = judged(page("/"), earlier=earlier, partial=True, targets=gone)
    for found in (old, left, judged(page("/"), earlier=earlier)):
        assert [row.url for row in found.rows] == [HOME]
    assert address("/a") in left.seen and address("/a") not in old.seen


def test_the_target_of_a_link_is_judged_and_is_in_no_list() -> None:
    target = TargetFacts(url=address("/gone"), own_host=True, status=404, tries=2)
    found = judged(page("/", links=links("/gone")), targets=[target], known=["/gone"])
    assert affected(found, GONE) == ["/gone"]
    assert [row.url for row in found.rows] == [HOME]


def test_coverage_is_that_of_the_sitemap_and_of_all_known_addresses() -> None:
    found = judged(page("/"), page("/a"), known=["/b"], sitemap=["/a", "/c"])
    assert found.coverage.sitemap is not None and found.coverage.sitemap.percent == 50.0
    assert found.coverage.percent == 50.0
