"""Judging an audit: facts in; findings, rows, counts and suggestions out."""

from collections.abc import Iterator, Sequence
from typing import Any

from chalicelib.domain import ids
from chalicelib.domain.audit.inputs import NOTHING_BESIDE, SiteInputs
from chalicelib.domain.audit.issues import RuleCount
from chalicelib.domain.audit.records import PageFinding, PageRow
from chalicelib.domain.page.facts import LINK_IN_CONTENT, LINK_IN_NAV, PageFacts, TargetFacts
from chalicelib.domain.page.rendered import Told
from chalicelib.rules.judging import Judgement, judge
from chalicelib.rules.survey import CARRIED_SECONDS, AuditInputs
from tests.rules.builders import HOME, NOW, address, answer, links, page, robots, shown, site_facts

NO_TITLE = "SEO-ONP-001"
GONE, FORBIDDEN = "SEO-TEC-004", "SEO-TEC-012"
SOFT_404 = "SEO-TEC-005"
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

    def earlier_targets(self) -> Iterator[TargetFacts]:
        return iter(())

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
    rows: Sequence[PageRow] = (),
    unread_rows: int = 0,
    beside: SiteInputs = NOTHING_BESIDE,
    **site: Any,
) -> Judgement:
    """What an audit of these pages says. ``earlier``: pages of the last audit, ``days_old``; ``rows``: others."""
    seen = int(NOW - days_old * 86_400)
    of_pages = [
        PageRow(page_id(facts.url), facts.url, 200, "Old title", "old", 1, 1, [], 0, seen, "crawl_1", 7)
        for facts in earlier
    ]
    inputs = AuditInputs(
        site_id=SITE,
        crawl_id="crawl_2",
        now=NOW,
        partial=partial,
        site_facts=site_facts(**site),
        addresses=[*(facts.url for facts in read), *map(address, known)],
        earlier_rows={row.url: row for row in (*of_pages, *rows)},
        earlier_findings=earlier_findings or {},
        crawl_token="ExampleBot",
        unread_rows=unread_rows,
        beside=beside,
    )
    return judge(inputs, Facts(read, targets, earlier))


def page_id(path: str) -> str:
    return ids.page_id(SITE, address(path))


def affected(judgement: Judgement, rule_id: str) -> list[str]:
    return [found.url.removeprefix(HOME[:-1]) for found in judgement.verdicts.affected.get(rule_id, ())]


def test_the_stored_row_of_a_page_refers_to_the_place_of_its_facts() -> None:
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


def test_the_affected_pages_of_a_rule_are_sorted_by_address() -> None:
    untitled = [page(path, title=None, title_count=0) for path in ("/c", "/a", "/b")]
    assert affected(judged(page("/"), *untitled), NO_TITLE) == ["/a", "/b", "/c"]


def test_repeated_findings_keep_their_first_date() -> None:
    findings = {page_id("/a"): [PageFinding(NO_TITLE, {}, 77)]}
    found = judged(page("/"), page("/a", title=None, title_count=0), earlier_findings=findings)
    assert found.verdicts.affected[NO_TITLE][0].first_seen == 77


def test_a_page_that_did_not_answer_keeps_its_findings_and_is_counted() -> None:
    findings = {page_id("/a"): [PageFinding(NO_TITLE, {"message": "old"}, 77)]}
    found = judged(
        page("/"), answer("/a", 503), earlier=[page("/a", title=None, title_count=0)], earlier_findings=findings
    )
    (listed,) = found.verdicts.affected[NO_TITLE]
    assert (listed.evidence, listed.first_seen, listed.last_seen) == ({"message": "old"}, 77, int(NOW) - 86_400)
    assert found.counts[NO_TITLE] == RuleCount(2, 1)
    (row,) = (row for row in found.rows if row.url == address("/a"))
    assert (row.status, row.title, row.template) == (503, "Old title", "old") and NO_TITLE in row.rules


def test_a_page_that_lost_its_title_does_not_show_the_earlier_title() -> None:
    read_now = page("/a", title=None, title_count=0, links=links("/not-requested"))  # leaves a rule undecided
    found = judged(page("/"), read_now, earlier=[page("/a")])
    (row,) = (row for row in found.rows if row.url == address("/a"))
    assert NO_TITLE in row.rules and row.title is None


def test_a_removed_page_keeps_no_findings() -> None:
    findings = {page_id("/a"): [PageFinding(NO_TITLE, {"message": "old"}, 77)]}
    found = judged(page("/"), answer("/a", 404), earlier=[page("/a")], earlier_findings=findings)
    assert affected(found, NO_TITLE) == []


def test_pages_not_reached_by_an_audit_are_carried_forward() -> None:
    earlier = [page("/a", title=None, title_count=0)]
    found = judged(page("/"), earlier=earlier, partial=True, known=["/a"])
    (row,) = (row for row in found.rows if row.url == address("/a"))
    assert (row.facts_crawl, row.facts_block) == ("crawl_1", 7)
    assert affected(found, NO_TITLE) == ["/a"] and address("/a") in found.seen


def test_findings_of_a_page_that_is_old_or_removed_are_not_carried_forward() -> None:
    earlier = [page("/a", title=None, title_count=0)]
    old = judged(page("/"), earlier=earlier, partial=True, days_old=1 + CARRIED_SECONDS / 86_400)
    gone = [TargetFacts(url=address("/a"), own_host=True, status=404)]
    left = judged(page("/"), earlier=earlier, partial=True, targets=gone)
    for found in (old, left, judged(page("/"), earlier=earlier)):
        assert [row.url for row in found.rows if row.facts_crawl] == [HOME]
    assert address("/a") in left.seen and address("/a") not in old.seen


def test_the_target_of_a_link_is_judged_and_stored_with_its_answer() -> None:
    target = TargetFacts(url=address("/gone"), own_host=True, status=404, tries=2)
    found = judged(page("/", links=links("/gone")), targets=[target], known=["/gone"])
    assert affected(found, GONE) == ["/gone"]
    assert [(row.url, row.status, row.facts_crawl) for row in found.rows] == [
        (HOME, 200, "crawl_2"),
        (address("/gone"), 404, None),
    ]


def test_an_address_that_was_requested_but_not_read_is_judged_by_its_status() -> None:
    back = TargetFacts(url=address("/back"), own_host=True, status=200, is_html=True, fetched_at=int(NOW))
    silent = TargetFacts(url=address("/silent"), own_host=True, error="timeout", fetched_at=int(NOW))
    found = judged(page("/", links=links("/back", "/silent")), targets=[back, silent], known=["/back", "/silent"])
    decided = found.decided[address("/back")]
    assert GONE in decided and SOFT_404 not in decided and NO_TITLE not in decided
    assert address("/silent") not in found.decided


def test_the_stored_row_of_an_unread_address_has_no_status_score_or_facts() -> None:
    found = judged(
        page("/", links=links("/private/a")),
        known=["/private/a"],
        robots=robots("User-agent: *\nDisallow: /private/"),
    )
    (row,) = (row for row in found.rows if row.url == address("/private/a"))
    assert affected(found, FORBIDDEN) == ["/private/a"] and FORBIDDEN in row.rules
    assert (row.id, row.status, row.page_score, row.aeo_score) == (page_id("/private/a"), None, None, None)
    assert (row.facts_crawl, row.last_crawled, row.title, row.template) == (None, None, None, None)
    assert (row.inlinks, row.indexable, row.not_indexable_reason) == (1, False, "robots_txt")


def test_only_rows_of_unread_addresses_without_findings_are_limited() -> None:
    known = [f"/p{number}" for number in range(50)]
    linked = page("/", links=links("/private/a"))
    closed = robots("User-agent: *\nDisallow: /private/")
    found = judged(linked, known=[*known, "/file.pdf", "/private/a"], robots=closed, unread_rows=3)
    assert [row.url for row in found.rows] == [HOME, *map(address, ("/p0", "/p1", "/p2", "/private/a"))]


UNTITLED = {page_id("/a"): [PageFinding(NO_TITLE, {"message": "old"}, 77)]}


def test_a_page_keeps_its_findings_if_robots_txt_newly_disallows_it() -> None:
    earlier = [page("/", links=links("/b")), page("/a", title=None, title_count=0), page("/b", links=links("/a"))]
    before = judged(*earlier)
    found = judged(earlier=earlier, earlier_findings=UNTITLED, known=["/"], robots=robots("User-agent: *\nDisallow: /"))
    assert affected(found, NO_TITLE) == ["/a"]
    assert found.counts[NO_TITLE] == before.counts[NO_TITLE] == RuleCount(3, 1)
    assert not found.read_any and {address("/"), address("/a"), address("/b")} <= found.seen
    assert [(row.url, row.indexable, row.not_indexable_reason) for row in found.rows] == [
        (facts.url, False, "robots_txt") for facts in earlier
    ]
    assert "SEO-TEC-001" in found.site_evidence


def test_pages_keep_their_findings_if_robots_txt_disallows_their_folder() -> None:
    earlier = [page("/", links=links("/b")), page("/a", title=None, title_count=0), page("/b", links=links("/a"))]
    closed = robots("User-agent: *\nDisallow: /a")
    found = judged(earlier[0], earlier[2], earlier=earlier, earlier_findings=UNTITLED, robots=closed)
    assert affected(found, NO_TITLE) == ["/a"] and found.counts[NO_TITLE] == RuleCount(3, 1)


def test_a_linked_page_that_was_not_read_keeps_its_findings() -> None:
    earlier = [page("/a", title=None, title_count=0)]
    found = judged(page("/", links=links("/a")), earlier=earlier, earlier_findings=UNTITLED)
    assert affected(found, NO_TITLE) == ["/a"]


def test_a_broken_address_not_read_again_stays_broken_while_it_is_linked() -> None:
    lost = PageRow(page_id("/lost"), address("/lost"), 404, None, None, None, None, [GONE], 1, None)
    findings = {lost.id: [PageFinding(GONE, {"message": "old"}, 77)]}
    still = judged(page("/", links=links("/lost")), known=["/lost"], rows=[lost], earlier_findings=findings)
    assert affected(still, GONE) == ["/lost"] and still.verdicts.affected[GONE][0].first_seen == 77
    assert still.counts[GONE] == RuleCount(2, 1)
    mended = judged(page("/"), rows=[lost], earlier_findings=findings)
    assert affected(mended, GONE) == [] and address("/lost") not in mended.unread


def test_an_address_linked_only_from_unread_pages_is_kept() -> None:
    lost = PageRow(page_id("/lost"), address("/lost"), 404, None, None, None, None, [GONE], 1, None)
    findings = {lost.id: [PageFinding(GONE, {"message": "old"}, 77)]}
    linking = [page("/", links=links("/lost"))]
    closed = robots("User-agent: *\nDisallow: /")
    found = judged(earlier=linking, rows=[lost], earlier_findings=findings, known=["/"], robots=closed)
    assert affected(found, GONE) == ["/lost"] and address("/lost") in found.unread


def test_a_page_does_not_count_as_answering_if_its_facts_are_not_stored() -> None:
    row = PageRow(page_id("/a"), address("/a"), 200, "t", None, 1, 1, [], 0, int(NOW) - 5, "crawl_1", 7)
    found = judged(page("/"), rows=[row])
    assert address("/a") not in found.seen


def test_a_page_that_cannot_be_judged_affects_no_other_page() -> None:
    odd = page("/a", hreflang=[None])
    earlier = page("/a", title=None, title_count=0)
    found = judged(page("/"), odd, page("/b", title=None, title_count=0), earlier=[earlier], earlier_findings=UNTITLED)
    assert affected(found, NO_TITLE) == ["/a", "/b"]
    assert [(failure.rule_id, failure.url) for failure in found.failures] == [("page", address("/a"))]


def test_a_failing_suggestion_affects_no_other_page() -> None:
    untitled = [page("/a", title=None, title_count=0, og_title=7), page("/b", title=None, title_count=0)]
    found = judged(page("/"), *untitled)
    assert affected(found, NO_TITLE) == ["/a", "/b"]
    assert [one.url for one in found.suggested[NO_TITLE].suggestions] == [address("/a"), address("/b")]
    assert [(failure.rule_id, failure.url) for failure in found.failures] == [("suggestion", address("/a"))]


def test_coverage_is_given_for_the_sitemap_and_for_all_known_addresses() -> None:
    found = judged(page("/"), page("/a"), known=["/b"], sitemap=["/a", "/c"])
    assert found.coverage.sitemap is not None and found.coverage.sitemap.percent == 50.0
    assert found.coverage.percent == 50.0


def test_whether_orphans_are_judged_depends_on_the_coverage_of_the_audit() -> None:
    names = [f"/{number}" for number in range(10)]
    pages = [page("/", links=links(*names)), *(page(name, links=links("/")) for name in names)]
    too_hard = [answer(f"/hard{number}", 200, error="too_hard") for number in range(2)]
    whole = judged(*pages, sitemap=[*names, "/orphan"])
    partly = judged(*pages, *too_hard, sitemap=[*names])
    assert whole.coverage.percent > 90 and "SEO-LNK-003" not in whole.unjudged
    assert partly.coverage.percent < 90 and "SEO-LNK-003" in partly.unjudged
    searched = SiteInputs(search=shown({address(f"/seen{number}"): 5 for number in range(3)}))
    known_elsewhere = judged(*pages, sitemap=names, beside=searched)
    assert known_elsewhere.coverage.percent < 90 and "SEO-LNK-003" in known_elsewhere.unjudged


# -- links that count, documents, and what was understood ---------------------------------------------------

BROKEN = "SEO-LNK-001"


def test_a_broken_footer_link_counts_once_but_one_in_text_counts_on_each_page() -> None:
    dead = TargetFacts(address("/gone"), own_host=True, status=404, tries=2, is_html=True)
    other = TargetFacts(address("/gone-too"), own_host=True, status=404, tries=2, is_html=True)
    footer = links("/gone", flags=LINK_IN_NAV)
    pages = [page(f"/{number}", links=footer) for number in range(4)]
    pages.append(page("/text", links=[*footer, *links("/gone-too", flags=LINK_IN_CONTENT)]))
    found = judged(page("/", links=links("/0")), *pages, targets=[dead, other])
    assert found.counts[BROKEN] == RuleCount(6, 5, 200)


def test_the_earlier_links_of_a_page_count_if_it_did_not_answer() -> None:
    seen = {
        "message": "Broken.",
        "inContent": 1,
        "inLayout": 1,
        "targets": [{"url": address("/gone"), "inLayout": True}],
    }
    kept = {page_id("/a"): [PageFinding(BROKEN, seen, 5)], page_id("/old"): [PageFinding(BROKEN, {"message": "m"}, 5)]}
    dead = TargetFacts(address("/gone"), own_host=True, status=404, tries=2, is_html=True)
    found = judged(
        page("/", links=links("/gone", flags=LINK_IN_NAV)),
        answer("/a", 503),
        answer("/old", 503),
        targets=[dead],
        earlier_findings=kept,
    )
    assert found.counts[BROKEN] == RuleCount(3, 3, 300)  # the footer's target once, a text's, and a page of before


def test_linked_documents_and_images_are_judged_by_their_status() -> None:
    targets = [
        TargetFacts(address("/a.pdf"), own_host=True, status=404, tries=2),
        TargetFacts(address("/b.zip"), own_host=True, status=200),
        TargetFacts(address("/shown.png"), own_host=True, status=200, image=True),
        TargetFacts(address("/linked.png"), own_host=True, status=404, tries=2, image=True),
        TargetFacts(address("/closed.pdf"), own_host=True, status=403),
    ]
    found = judged(page("/", links=links("/a.pdf", "/b.zip", "/linked.png", "/closed.pdf")), targets=targets)
    assert found.counts[GONE] == RuleCount(5, 2)
    assert found.counts["SEO-TEC-003"].applicable == 5
    assert found.counts["SEO-TEC-006"].applicable == 1
    assert affected(found, GONE) == ["/a.pdf", "/linked.png"]


def shell(path: str) -> PageFacts:
    return page(path, words=0, headings=[], h1_count=0, text_hash="", scripts=2, shape="app")


def test_pages_filled_by_scripts_are_reported_as_one_issue() -> None:
    found = judged(*map(shell, ("/", "/a", "/b", "/c", "/d", "/e")))
    assert found.counts["SEO-AEO-017"] == RuleCount(6, 6)
    for rule_id in ("SEO-CON-001", "SEO-ONP-015", "SEO-LNK-006"):
        assert found.counts[rule_id] == RuleCount(0, 0)
    assert found.understood.mostly_shells and found.coverage.percent == 0.0
    assert found.notes[0].startswith("Little of this website could be judged: 6 of 6 pages")


def test_a_page_counts_as_read_once_its_scripts_were_rendered() -> None:
    pages = [shell("/"), page("/a", links=links("/"))]
    rendered = {address("/"): Told(300, 5)}
    assert judged(*pages).coverage.percent == 50.0
    found = judged(*pages, beside=NOTHING_BESIDE._replace(rendered=rendered))
    assert found.coverage.percent == 100.0 and found.understood.shells == 0
    assert found.counts["SEO-AEO-017"].affected == found.counts["SEO-TEC-025"].affected == 1
    assert found.counts["SEO-LNK-006"].affected == 0


def test_a_firewall_that_blocks_the_crawler_is_one_finding() -> None:
    questions = [page(f"/{number}", title="Just a moment...", links=[], scripts=3) for number in range(8)]
    found = judged(page("/", links=[*links(*(f"/{number}" for number in range(8)))]), *questions, answer("/x", 403))
    assert set(found.verdicts.affected) | set(found.site_evidence) == {"SEO-AEO-019"}
    assert (found.understood.refused, found.understood.asked) == (9, 10)
    assert "WebsiteOptimizationBot" in str(found.site_evidence["SEO-AEO-019"]["message"])
    assert found.notes[0].startswith("Little of this website could be judged: 9 of 10 addresses turned the crawler")


def test_a_note_says_that_few_of_many_known_pages_can_be_read() -> None:
    known = [f"/page-{number}" for number in range(5)]
    assert judged(page("/"), known=known).understood.few
    assert not judged(page("/"), known=known[:4]).understood.few
    assert not judged(page("/"), known=[f"{path}.pdf" for path in known]).understood.few
