"""The judge: populations, counts, order, rules that fail, and page scores."""

import random
from dataclasses import replace

import pytest

from chalicelib.domain.crawl.assets import is_asset
from chalicelib.domain.page.facts import Image, Link, PageFacts, TargetFacts
from chalicelib.rules.context import Page, Site, SiteBuilder
from chalicelib.rules.engine import MAX_FAILURES, Judge, PageResult, Tally
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.registry import BY_ID, RULES, scored
from tests.rules.builders import NOW, address, answer, links, page, redirect, robots, site_facts, site_of

SITEMAP = ["/", "/a", "/b", "/gone", "/old", "/private/x", "/unread"]
FACTS = site_facts(sitemap=SITEMAP, robots=robots("User-agent: *\nDisallow: /private/\n"))


def website() -> list[PageFacts]:
    """A website with a fault of every shape."""
    return [
        page("/", links=links("/a", "/b", "/old", "/gone", "/list?page=2")),
        page("/a", title=None, links=links("/gone", "/", "/old"), images=[Image("https://example.com/x.png")]),
        page("/b", title="Same", description=None, links=links("/a", "/c"), text_hash="same"),
        page("/c", title="Same", canonicals=[("", address("/gone"), "html")], text_hash="same"),
        page("/d", robots_meta=[("robots", "noindex")], links=links("/b")),
        page("/list", title="List", links=links("/list?page=2")),
        page("/list?page=2", title="List", links=links("/list")),
        page("/orphan", lang="en_US"),
        answer("/gone", 404),
        answer("/down", 500),
        redirect("/old", "/older"),
        redirect("/older", "/b"),
        PageFacts(url=address("/silent"), error="timeout", tries=2),
        PageFacts(url=address("/file.pdf"), status=200, content_type="application/pdf", bytes=10),
    ]


def judged(pages: list[PageFacts]) -> tuple[dict[str, PageResult], list[object], dict[str, Tally]]:
    site = site_of(pages, FACTS, known=["/private/x", "/unread", "/unread/2"])
    judge = Judge(site)
    results = {facts.url: judge.page(facts) for facts in pages}
    results.update((url, judge.unread(url)) for url in sorted(site.unread))
    return results, [*judge.site(), judge.rule_evidence()], judge.tallies()


def rule(check: object, **changes: object) -> Rule:
    """A page rule of its own, with the sentences of another."""
    return replace(BY_ID["SEO-ONP-001"], id="SEO-ONP-999", page_check=check, **changes)  # type: ignore[arg-type]


def test_results_do_not_depend_on_the_order_of_pages() -> None:
    pages = website()
    expected = judged(pages)
    for seed in range(5):
        shuffled = list(pages)
        random.Random(seed).shuffle(shuffled)
        assert judged(shuffled) == expected


def test_affected_pages_are_never_more_than_applicable_pages() -> None:
    results, _, tallies = judged(website())
    for rule_id, tally in tallies.items():
        assert 0 <= tally.affected <= tally.applicable
        if BY_ID[rule_id].scope == "page":
            found = sum(rule_id in dict(result.findings) for result in results.values())
            assert found == tally.affected


def test_every_rule_has_counts_and_a_judged_flag() -> None:
    _, _, tallies = judged(website())
    assert set(tallies) == {rule.id for rule in RULES}
    assert tallies["SEO-ONP-001"].judged
    assert tallies["SEO-LNK-003"] == Tally(0, 0, judged=False)  # what was not read keeps the coverage below 90%


def test_findings_are_in_registry_order() -> None:
    order = [rule.id for rule in RULES]
    results, _, _ = judged(website())
    for result in results.values():
        found = [rule_id for rule_id, _ in result.findings]
        assert found == sorted(found, key=order.index)


def test_evidence_is_plain_json_with_a_message() -> None:
    import json

    results, sites, _ = judged(website())
    for result in results.values():
        for _, evidence in result.findings:
            assert json.loads(json.dumps(evidence)) == evidence
            assert isinstance(evidence["message"], str)
    assert json.loads(json.dumps(sites))


def test_a_rule_is_called_only_for_the_pages_it_is_declared_for() -> None:
    seen: list[str] = []

    def note(page: Page, site: Site) -> PageVerdict:
        seen.append(page.url.removeprefix("https://example.com"))
        return None

    expected = {
        "indexable": {"/", "/a", "/b", "/c", "/list", "/list?page=2", "/orphan"},
        "readable": {"/", "/a", "/b", "/c", "/d", "/list", "/list?page=2", "/orphan"},
        "links": {"/", "/a", "/b", "/list", "/list?page=2"},
        "images": {"/a"},
        "hreflang": set(),
        "structured": set(),
        "sitemap": {"/", "/a", "/b", "/gone", "/old", "/private/x", "/unread"},
    }
    asked = {facts.url.removeprefix("https://example.com") for facts in website()} - {"/file.pdf"}
    expected |= {"crawled": asked, "known": asked | {"/private/x", "/unread"}}
    pages = website()
    for population, urls in expected.items():
        seen.clear()
        site = site_of(pages, FACTS, known=["/private/x"])
        judge = Judge(site, [rule(note, population=population)])
        for facts in pages:
            judge.page(facts)
        for url in site.unread:
            judge.unread(url)
        assert set(seen) == urls, population
        assert judge.tallies()["SEO-ONP-999"] == Tally(len(urls), 0)


def test_a_page_to_which_a_rule_does_not_apply_is_not_counted() -> None:
    def check(page: Page, site: Site) -> PageVerdict:
        return NOT_APPLICABLE if page.is_home else Finding("Something is wrong with this page.")

    pages = [page("/"), page("/a")]
    judge = Judge(site_of(pages), [rule(check)])
    for facts in pages:
        judge.page(facts)
    assert judge.tallies()["SEO-ONP-999"] == Tally(1, 1)


def test_a_rule_is_undecided_if_its_data_is_missing() -> None:
    naming = page("/a", canonicals=[("", "https://shop.example.com/a", "html")])
    site = site_of([naming, page("/b")], site_facts(sitemap=["/unread"]))
    undecided = Judge(site).page(naming).undecided
    assert {"SEO-TEC-014", "SEO-TEC-017", "SEO-LNK-003", "SEO-TEC-002"} <= set(undecided)
    assert "SEO-TEC-014" not in Judge(site).page(page("/b")).undecided
    assert "SEO-LNK-005" not in undecided  # no click leads there: that rule does not apply


def test_a_failing_rule_is_undecided_and_does_not_stop_the_others() -> None:
    def check(page: Page, site: Site) -> PageVerdict:
        raise KeyError(page.url)

    pages = [page("/"), page("/a", title=None)]
    judge = Judge(site_of(pages), [rule(check), BY_ID["SEO-ONP-001"]])
    results = [judge.page(facts) for facts in pages]
    assert [[rule_id for rule_id, _ in result.findings] for result in results] == [[], ["SEO-ONP-001"]]
    assert [result.undecided for result in results] == [("SEO-ONP-999",)] * 2
    assert judge.tallies()["SEO-ONP-999"] == Tally(0, 0, judged=False)
    assert judge.tallies()["SEO-ONP-001"] == Tally(2, 1)
    assert [(failure.rule_id, failure.url) for failure in judge.failures] == [
        ("SEO-ONP-999", address("/")),
        ("SEO-ONP-999", address("/a")),
    ]
    assert "KeyError" in judge.failures[0].error


def test_the_number_of_recorded_failures_is_limited() -> None:
    def check(page: Page, site: Site) -> PageVerdict:
        raise ValueError

    pages = [page(f"/{number}") for number in range(MAX_FAILURES + 20)]
    judge = Judge(site_of(pages), [rule(check)])
    for facts in pages:
        judge.page(facts)
    assert len(judge.failures) == MAX_FAILURES


@pytest.mark.parametrize("broken", ["site_check", "has_data", "whole_evidence"])
def test_an_error_in_the_check_of_a_website_rule_is_recorded_too(broken: str) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    base = BY_ID["SEO-SMP-001"] if broken != "whole_evidence" else BY_ID["SEO-ONP-001"]
    pages = [page("/", title=None)]
    judge = Judge(site_of(pages), [replace(base, **{broken: fail})])  # type: ignore[arg-type]
    judge.page(pages[0])
    judge.site()
    judge.rule_evidence()
    assert judge.tallies()[base.id].judged is False
    assert [failure.url for failure in judge.failures] == [None]


def test_addresses_that_are_not_pages_have_no_scores() -> None:
    results, _, _ = judged(website())
    for path in ("/gone", "/old", "/silent", "/file.pdf", "/unread"):
        result = results[address(path)]
        assert (result.page_score, result.aeo_score, result.category_scores) == (None, None, {})
    home = results[address("/orphan")]
    assert home.page_score is not None and home.aeo_score == 1_000
    assert home.category_scores["ONP"] == 950  # SEO-ONP-019 takes 5%


def test_results_give_the_reason_why_a_page_is_not_indexable() -> None:
    results, _, _ = judged(website())
    reasons = {url.removeprefix("https://example.com"): result.not_indexable_reason for url, result in results.items()}
    assert reasons["/"] is None and results[address("/")].indexable
    assert {path: reasons[path] for path in ("/d", "/gone", "/down", "/old", "/silent", "/file.pdf")} == {
        "/d": "noindex",
        "/gone": "client_error",
        "/down": "server_error",
        "/old": "redirect",
        "/silent": "no_answer",
        "/file.pdf": "not_html",
    }
    assert reasons["/private/x"] == "robots_txt"
    assert reasons["/unread"] == "not_read"


def test_a_shared_ending_is_reported_once_if_it_makes_titles_too_long() -> None:
    ending = " | The Example Outdoor and Camping Shop of the North"
    pages = [page("/", title="Home"), *(page(f"/{name}", title=f"Tents {name * 9}{ending}") for name in "abcdef")]
    judge = Judge(site_of(pages))
    for facts in pages:
        judge.page(facts)
    template = judge.rule_evidence()["SEO-ONP-005"]["titleTemplate"]
    assert isinstance(template, dict)
    assert (template["suffix"], template["count"]) == (ending, 6)
    assert "template" in str(template["note"])


def test_no_title_template_is_named_as_the_cause_if_titles_are_too_long_without_it() -> None:
    long = "Waterproof hiking jackets, lightweight and packable, for the longest of days out"
    pages = [page(f"/{name}", title=f"{long} {name} | Shop") for name in "abcdef"]
    judge = Judge(site_of(pages))
    for facts in pages:
        judge.page(facts)
    assert judge.tallies()["SEO-ONP-005"].affected == 6
    assert "SEO-ONP-005" not in judge.rule_evidence()


def test_a_page_of_an_earlier_audit_is_judged_like_a_new_one() -> None:
    builder = SiteBuilder(site_facts(sitemap=["/", "/a"]), now=NOW)
    builder.add(page("/"))
    builder.add(page("/a", title=None), read=False)
    site = builder.finish()
    assert site.coverage == 50.0
    judge = Judge(site)
    assert dict(judge.page(page("/a", title=None)).findings)["SEO-ONP-001"]


def test_a_link_target_that_was_requested_but_not_read_is_judged_by_its_status() -> None:
    checked = PageFacts(url=address("/beyond"), status=404, is_html=True)
    builder = SiteBuilder(site_facts(), now=NOW)
    builder.add(page("/", links=links("/beyond")))
    builder.add(checked, read=False)
    builder.add_known(checked.url)
    judge = Judge(builder.finish())
    assert [rule_id for rule_id, _ in judge.unread(checked.url).findings] == ["SEO-TEC-004"]
    assert [rule_id for rule_id, _ in judge.page(page("/", links=links("/beyond"))).findings] == ["SEO-LNK-001"]


def test_a_page_that_was_only_requested_is_not_indexable() -> None:
    checked = PageFacts(url=address("/beyond"), status=200, is_html=True)
    builder = SiteBuilder(site_facts(), now=NOW)
    builder.add(checked, read=False)
    result = Judge(builder.finish()).unread(checked.url)
    assert (result.findings, result.page_score, result.indexable) == ([], None, False)


def test_the_score_gets_the_weight_the_share_and_the_factor_of_each_rule() -> None:
    assert scored(BY_ID["SEO-ONP-005"]) == ("SEO-ONP-005", "ONP", 8, 0.8, None)
    assert scored(BY_ID["SEO-TEC-001"]).gate == 0.85


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/a", False), ("/a.html", False), ("/a.PDF", True), ("/a.jpg?v=2", True), ("/pdf", False), ("/a.php", False)],
)
def test_files_are_recognised_by_their_extension(path: str, expected: bool) -> None:
    assert is_asset(address(path)) is expected


def test_an_audit_without_internet_access_has_a_note_and_no_broken_links() -> None:
    dead = [TargetFacts(f"https://host{number}.example/", own_host=False, error="dns", tries=2) for number in range(4)]
    pages = [page("/"), *(page(f"/{target.url[12]}", external_links=[Link(target.url)]) for target in dead)]
    judge = Judge(site_of(pages, targets=dead), [BY_ID["SEO-LNK-008"]])
    assert [judge.page(facts).findings for facts in pages] == [[]] * 5
    assert judge.notes == [
        "Of 4 other websites that pages link, none answered: the crawler could not reach other websites, so "
        "SEO-LNK-008 (broken external links) was not judged."
    ]
    assert judge.tallies()["SEO-LNK-008"] == Tally(0, 0, judged=False)
    assert Judge(site_of([page("/")])).notes == [], "where no other website is linked there is nothing to note"
