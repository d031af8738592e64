"""Some pages of an issue are ignored: in audits, rechecks, lists, gates and the score, until a date or taken back."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.difference import difference
from chalicelib.domain.audit.gate import Asked, GateRule, judge
from chalicelib.domain.audit.ignoring import Scope
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.search.periods import ending
from chalicelib.operations import issues as operations
from chalicelib.operations import workspace
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issue_details, issues, kept_audits, pages
from chalicelib.store.websites import Website
from chalicelib.workers.audit import reading
from tests import stored_search
from tests.domain.search.naive import Told
from tests.operations.test_issues import just_before_the_write, refusal, shown, summary, title_issue, unignore
from tests.servers.wire import WireServer
from tests.workers.audit import rechecking
from tests.workers.audit.websites import Site, audit, html, new_website

TITLE = "SEO-ONP-001"
RULES = {TITLE: GateRule("high", of_website=False, measured=False)}
UNTITLED = ("/a", "/tag/b", "/tag/c")


@pytest.fixture(autouse=True)
def settings(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.01)
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


@pytest.fixture
def site() -> Site:
    """Three pages without a title, two of them below /tag/, and one with a title."""
    links = ("/a", "/tag/b", "/tag/c", "/d")
    return Site(
        {
            "/": html("The home page of a small website", *links),
            "/d": html("Everything about the letter D", "/"),
            **{path: html(None, "/") for path in UNTITLED},
        }
    )


@pytest.fixture
def website(site: Site) -> Iterator[Website]:
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        yield website


def ignore(website: Website, *patterns: str, chosen: tuple[str, ...] = (), until: float | None = None) -> Issue:
    scope = Scope(tuple(ids.page_id(website.id, f"{website.url.rstrip('/')}{path}") for path in chosen), patterns)
    return operations.ignore_pages(OPERATOR, website.id, title_issue(website).id, scope, "Meant so", until)


def listed(website: Website) -> list[str]:
    """The paths of the pages that the issue lists, as its screen reads them; lists and exports agree."""
    issue = title_issue(website)
    found = issue_details.load(website.id, issue, offset=0, limit=10)
    assert [page.url for page in found.suggestions] == [page.url for page in found.affected]
    assert found.total == len(found.affected) == issue.affected_pages
    ((_, exported),) = issues.load_affected_of(website.id, [issue])
    assert exported == found.affected == issues.load_affected(website.id, issue)
    assert issues.load_affected_ids(website.id, issue) == {page.page_id for page in exported}
    return [page.url.removeprefix(website.url.rstrip("/")) for page in exported]


def mend(site: Site, *paths: str) -> None:
    for path in paths:
        site.pages[path] = html(f"Everything there is to know about {path}", "/")


def test_ignoring_pages_removes_them_from_the_issue_and_keeps_the_score(website: Website) -> None:
    counts, before, whole = shown(website), rechecking.tenths(website), rechecking.gain(website, TITLE)
    issue = ignore(website, "/tag/*")
    assert (issue.status, issue.affected_pages, listed(website)) == ("open", 1, ["/a"])
    assert issue.summary.startswith("1 of 5 pages.") and issue.aside is not None and issue.aside.pages == 2
    assert shown(website) == counts and rechecking.tenths(website) == before
    assert 0 < rechecking.gain(website, TITLE) < whole
    row = next(found for found in operations.list_all(OPERATOR, website.id) if found.issue.rule_id == TITLE)
    assert row.gain == rechecking.gain(website, TITLE) / 10


@pytest.mark.parametrize("with_search", [False, True])
def test_ignored_pages_do_not_count_in_the_importance_of_an_issue(website: Website, with_search: bool) -> None:
    if with_search:
        last = stored_search.today() - timedelta(days=3)
        rows = [Told(f"{website.url.rstrip('/')}{path}", n, 10 * n, 2.0) for path, n in (("/a", 3), ("/tag/b", 97))]
        stored_search.put_rows(website, "page", {last: rows}, ending(last, 28))
        clock.set_offset(60.0)
        audit(website)
    before = title_issue(website)
    ignored = ignore(website, "/tag/*")
    assert 0 < ignored.importance < before.importance
    assert not with_search or ignored.importance == 0.03
    assert ignored.impressions == (30 if with_search else 0)
    clock.set_offset(3_600.0)
    audit(website)
    judged = title_issue(website)
    assert (judged.importance, judged.impressions) == (ignored.importance, ignored.impressions)


@pytest.mark.parametrize("again", ["recheck", "audit"])
def test_fixing_the_pages_that_are_not_ignored_raises_the_score_as_promised(
    site: Site, website: Website, again: str
) -> None:
    ignore(website, chosen=("/tag/b", "/tag/c"))
    before, promised = rechecking.tenths(website), rechecking.gain(website, TITLE)
    mend(site, "/a")
    clock.set_offset(60.0)
    site.asked.clear()
    if again == "recheck":
        sent = [event.id for event in rechecking.stored_events()]
        rechecking.rechecked(website)
        assert [event.id for event in rechecking.stored_events()] == sent, "it is neither resolved nor failed"
        assert "/a" in site.asked and not any(path.startswith("/tag/") for path in site.asked)
    else:
        audit(website)
    issue = title_issue(website)
    assert (issue.status, issue.affected_pages) == ("ignored", 0) and listed(website) == []
    if again == "recheck":
        assert issue.last_recheck is not None
        assert (issue.last_recheck.present, issue.last_recheck.checked, issue.last_recheck.passed) == (0, 1, True)
        assert rechecking.tenths(website) - before == promised > 0
    assert unignore(website).status == "open" and len(listed(website)) == 2


def test_new_pages_are_ignored_only_if_they_match_the_ignored_pattern(site: Site, website: Website) -> None:
    ignore(website, "/tag/*", chosen=("/a",))
    assert title_issue(website).status == "ignored"
    counts = shown(website)
    site.pages["/"] = html("The home page of a small website", *UNTITLED, "/d", "/tag/new")
    site.pages["/tag/new"] = html(None, "/")
    clock.set_offset(3_600.0)
    audit(website)
    issue = title_issue(website)
    assert issue.status == "ignored" and issue.aside is not None and issue.aside.pages == 4
    assert shown(website) == counts
    site.pages["/d"] = html(None, "/")
    clock.set_offset(7_200.0)
    audit(website)
    assert title_issue(website).status == "open" and listed(website) == ["/d"]
    assert not rechecking.events("issue.reopened")


def test_a_fixed_issue_keeps_its_ignored_pattern(site: Site, website: Website) -> None:
    ignore(website, "/tag/*")
    mend(site, *UNTITLED)
    clock.set_offset(3_600.0)
    audit(website)
    assert title_issue(website).status == "resolved" and title_issue(website).partly_ignored
    site.pages["/tag/b"] = html(None, "/")
    clock.set_offset(7_200.0)
    audit(website)
    assert title_issue(website).status == "ignored" and not rechecking.events("issue.reopened")


def test_the_issue_count_of_a_page_omits_issues_ignored_on_it(website: Website) -> None:
    ignore(website, "/tag/*")
    generation = summary(website).generation
    found = {}
    for path in ("/a", "/tag/b"):
        page_id = ids.page_id(website.id, f"{website.url.rstrip('/')}{path}")
        record = pages.load_page(website.id, generation.crawl_id, generation.partitions, page_id)
        assert record is not None and TITLE in record.row.rules
        scope = record.rules[TITLE]
        assert scope is not None and scope.scope is not None
        found[path] = scope.scope.holds(page_id, record.row.url)
    assert found == {"/a": False, "/tag/b": True}


def test_ignored_pages_come_back_after_the_date_or_when_unignored(website: Website) -> None:
    before = title_issue(website)
    ignore(website, "/tag/*", until=clock.now() + 86_400)
    clock.set_offset(86_400 + 60)
    assert title_issue(website) == before and len(listed(website)) == 3
    ignore(website, "/tag/*")
    assert unignore(website) == before and len(listed(website)) == 3


def test_neither_gate_results_nor_comparisons_include_ignored_pages(site: Site, website: Website) -> None:
    ignore(website, "/tag/*")
    audits = []
    for hours, path in ((1, None), (2, "/tag/new"), (3, None)):
        clock.set_offset(hours * 3_600.0)
        if path is not None:
            site.pages["/"] = html("The home page of a small website", *UNTITLED, "/d", path)
            site.pages[path] = html(None, "/")
        if hours == 3:
            unignore(website)
        audits.append(audit(website).id)
    kept = [kept_audits.load(website.id, [one])[one] for one in audits]
    of = kept_audits.load_pages(website.id, kept)

    def outcome(base: int, head: int) -> tuple[str, set[str]]:
        verdict = judge(Asked(no_new="high"), kept[head], kept[base], (of[head], of[base]), RULES)
        changed = difference(kept[base], kept[head], of[base], of[head]).issues
        return verdict.outcome, {one.rule_id for one in changed}

    assert outcome(0, 1)[0] == "pass" and TITLE not in outcome(0, 1)[1]
    assert outcome(1, 2)[0] == "pass" and TITLE not in outcome(1, 2)[1], "that nobody ignores them now is no change"


def test_further_ignored_pages_are_added_and_set_a_new_reason_and_date(website: Website) -> None:
    ignore(website, chosen=("/a",), until=clock.now() + 86_400)
    issue = ignore(website, chosen=("/tag/b",))
    assert issue.ignored is not None and issue.ignored.until is None and listed(website) == ["/tag/c"]
    assert ignore(website, "/tag/*").status == "ignored"
    entries = operations.history(OPERATOR, website.id, issue.id)
    assert [(one.kind, one.pages) for one in entries[:3]] == [("ignored", 3), ("ignored", 2), ("ignored", 1)]
    assert refusal(operations.ignore, OPERATOR, website.id, issue.id) == "wrong_state"
    acts = workspace.log(OPERATOR, website.workspace_id, 10)
    assert acts[0].act.act == "issue.ignored" and acts[0].act.about.endswith(", /tag/*")


def test_ignoring_a_pattern_does_not_reopen_an_issue_without_pages(site: Site, website: Website) -> None:
    ignore(website, "/*a*", "/tag/*")
    mend(site, *UNTITLED)
    clock.set_offset(3_600.0)
    audit(website)
    before = title_issue(website)
    assert (before.status, before.affected_pages, before.aside) == ("ignored", 0, None)
    counts = shown(website)
    assert ignore(website, "/x/*").status == "ignored" and shown(website) == counts


def test_ignoring_the_whole_issue_covers_pages_that_were_ignored_before(website: Website) -> None:
    ignore(website, "/tag/*")
    issue = operations.ignore(OPERATOR, website.id, title_issue(website).id)
    assert (issue.status, issue.affected_pages, issue.partly_ignored) == ("ignored", 3, False)
    assert refusal(ignore, website, "/tag/*") == "wrong_state"


def test_an_invalid_request_to_ignore_is_refused_and_changes_nothing(
    website: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = issues.load_state(website.id)
    assert refusal(ignore, website, "tag") == "bad_pattern"
    assert refusal(lambda: ignore(website, chosen=("/d",))) == "not_listed"
    assert before is not None
    of_site = next(one for one in before.issues if not one.affected_chunks and one.status == "open")
    with pytest.raises(Refused) as caught:
        operations.ignore_pages(OPERATOR, website.id, of_site.id, Scope((), ("/tag/*",)))
    assert caught.value.code == "no_pages"
    for name, most in (("MOST_PATTERNS", 1), ("MOST_PATTERNS_OF_WEBSITE", 1), ("MOST_PAGES", 1)):
        with monkeypatch.context() as patched:
            patched.setattr(operations, name, most)
            many: dict[str, Any] = {"chosen": ("/a", "/tag/b")} if name == "MOST_PAGES" else {}
            assert refusal(lambda many=many: ignore(website, "/x/*", "/y/*", **many)) == "too_many_ignored"
    assert issues.load_state(website.id) == before


def test_two_simultaneous_requests_to_ignore_pages_are_both_kept(website: Website) -> None:
    with just_before_the_write(lambda: ignore(website, "/tag/*")):
        issue = ignore(website, chosen=("/a",))
    assert issue.ignored is not None and issue.ignored.scope is not None
    assert issue.ignored.scope.patterns == ("/tag/*",) and len(issue.ignored.scope.pages) == 1
