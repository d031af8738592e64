"""Search data in audits, rechecks and alerts: from rows as an import stores them to findings and their order."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from chalicelib import clock
from chalicelib.connectors import google
from chalicelib.domain.audit import actions
from chalicelib.domain.audit.actions import Work
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.score import Standing
from chalicelib.domain.search import importing
from chalicelib.domain.search.periods import Period, ending
from chalicelib.operations import rechecks, search
from chalicelib.rules import registry
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issues, websites
from chalicelib.store.websites import Website
from chalicelib.workers.audit import recheck
from chalicelib.workers.audit.inputs import load_beside
from local.standins.search_console import Search
from local.standins.search_data import ListSearch, PairRow
from tests import aws, stored_search
from tests.domain.search.naive import Told
from tests.searched import Searched
from tests.servers.wire import WireServer
from tests.workers.audit import alerting
from tests.workers.audit.websites import Runtime, Site, audit, found, html, listed, new_website

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

IMPORTANT_NOINDEX, ORPHAN, NO_H1, NO_LANG = "SEO-TEC-008", "SEO-LNK-003", "SEO-ONP-015", "SEO-ONP-019"
LAST = stored_search.today() - timedelta(3)
WINDOW = ending(LAST, 28)
NOINDEX = '<meta name="robots" content="noindex">'


def shown(website: Website, rows: Mapping[str, tuple[int, int]], *, days: int = 28) -> None:
    """Leave search data of so many days: clicks and impressions of addresses, the first half on the first day that is
    asked about, the rest on the last; ten times as much just before."""
    first, last = ({url: (one[0] // 2, one[1] // 2) for url, one in rows.items()}, {})
    last = {url: (one[0] - first[url][0], one[1] - first[url][1]) for url, one in rows.items()}
    told = {
        day: [Told(url, clicks, impressions, 2.0) for url, (clicks, impressions) in of_day.items() if impressions]
        for day, of_day in ((WINDOW.first, first), (LAST, last))
    }
    told[WINDOW.first - timedelta(1)] = [Told(url, 10 * one[0], 10 * one[1], 2.0) for url, one in rows.items()]
    stored_search.connect(website)
    stored_search.put_rows(website, "page", told, Period(LAST - timedelta(days - 1), LAST), archived=[WINDOW.first])


def a_website(server: WireServer, site: Site) -> Website:
    linked = ["/hidden", "/a", "/b"]
    site.pages = {
        "/": html("The home page of a small website", *linked),
        "/hidden": html("Everything about this page", "/", head=NOINDEX),
        "/a": html("All there is to say about a", "/", "/b"),
        "/b": html("All there is to say about b", "/"),
        "/lost": html("A page that no other page links", "/"),
    }
    return new_website(server)


def issue_of(website: Website, rule_id: str) -> Issue | None:
    book = issues.load_state(website.id)
    return None if book is None else next((one for one in book.issues if one.rule_id == rule_id), None)


def current(website: Website) -> Website:
    now = websites.get(website.workspace_id, website.id)
    assert now is not None
    return now


def coverage(website: Website) -> float:
    summary = current(website).summary
    assert summary is not None and summary.score is not None
    return summary.score.coverage


def run_queue() -> None:
    for message in aws.messages("recheck"):
        recheck.handle(message, Runtime())
    aws.purge("recheck")


def test_clicks_on_addresses_with_a_fragment_count_for_the_page_over_28_days() -> None:
    with WireServer(Site({})) as server:
        website = new_website(server)
        rows = {server.url("/a"): (3, 7), server.url("/a#part"): (1, 5), server.url("/A"): (0, 1), "mailto:x": (1, 1)}
        shown(website, rows, days=29)
        figures = search.by_page(website.id) or {}
        assert {url: (one.clicks, one.impressions) for url, one in figures.items()} == {
            server.url("/a"): (4, 12),
            server.url("/A"): (0, 1),
        }


def test_incomplete_search_data_is_not_used() -> None:
    with WireServer(Site({})) as server:
        website = new_website(server)
        assert search.by_page(website.id) is None
        shown(website, {server.url("/"): (1, 1)}, days=27)
        assert search.by_page(website.id) is None and load_beside(website.id).search is None


def test_audits_and_rechecks_use_search_data_in_their_judgement() -> None:
    site = Site({})
    with WireServer(site) as server:
        website = a_website(server, site)
        audit(website)
        assert listed(website) == ["/", "/a", "/b", "/hidden"] and coverage(website) == 100.0
        assert not found(website, IMPORTANT_NOINDEX) and not found(website, ORPHAN)

        shown(website, {server.url("/hidden"): (0, 100), server.url("/lost"): (5, 40), server.url("/gone"): (0, 2)})
        audit(website)
        assert listed(website) == ["/", "/a", "/b", "/gone", "/hidden", "/lost"], (
            "pages that search alone knows are read"
        )
        assert coverage(website) == 100.0
        assert found(website, IMPORTANT_NOINDEX) == ["/hidden"] and found(website, ORPHAN) == ["/lost"]
        orphan, hidden = issue_of(website, ORPHAN), issue_of(website, IMPORTANT_NOINDEX)
        assert orphan is not None and (orphan.importance, orphan.impressions) == (1.0, 40)
        assert hidden is not None and (hidden.importance, hidden.impressions) == (0.0, 100)

        rechecks.start(current(website), hidden.id, person_id=None, now=clock.now())
        run_queue()
        again = issue_of(website, IMPORTANT_NOINDEX)
        assert again is not None and again.status == "open" and again.last_recheck is not None
        assert (again.last_recheck.present, again.impressions, again.importance) == (1, 100, 0.0)

        shown(website, {server.url("/hidden"): (0, 99), server.url("/lost"): (5, 40)})
        rechecks.start(current(website), hidden.id, person_id=None, now=clock.now())
        run_queue()
        gone = issue_of(website, IMPORTANT_NOINDEX)
        assert gone is not None and gone.status == "resolved"


def test_an_alert_judges_by_search_data_too() -> None:
    site = Site({})
    with WireServer(site) as server:
        website = a_website(server, site)
        shown(website, {server.url("/a"): (6, 300), server.url("/b"): (2, 700)})
        audit(website)
        assert not found(website, IMPORTANT_NOINDEX)
        site.pages["/a"] = html("All there is to say about a", "/", "/b", head=NOINDEX)
        alerting.alerted(website, server, "/a")
        assert found(website, IMPORTANT_NOINDEX) == ["/a"]
        issue = issue_of(website, IMPORTANT_NOINDEX)
        assert issue is not None and (issue.importance, issue.impressions) == (0.75, 300)


def order(website: Website) -> list[str]:
    """The rules of the two issues in question, in the order in which they are to be worked on."""
    book = issues.load_state(website.id)
    assert book is not None
    works = {rule.id: Work(rule.severity, rule.effort_divisor) for rule in registry.RULES}
    standing = Standing(registry.shares(book.counts), book.measured)
    ranked = actions.ranked(book.issues, standing, works)
    return [one.issue.rule_id for one in ranked if one.issue.rule_id in (NO_H1, NO_LANG)]


def test_issues_on_pages_with_most_impressions_come_first() -> None:
    """Two pages have one fault each. The fault on the page with more impressions comes first."""
    site = Site({})
    with WireServer(site) as server:
        website = a_website(server, site)
        site.pages["/a"] = html("All there is to say about a", "/", "/b").replace(' lang="en"', "")
        site.pages["/b"] = html("All there is to say about b", "/").replace("<h1>", "<h2>").replace("</h1>", "</h2>")
        audit(website)
        assert order(website) == [NO_H1, NO_LANG]
        rarely, often = (1, 1), (1, 1_000_000)
        for seen in ("/a", "/b"):
            shown(website, {server.url(path): often if path == seen else rarely for path in ("/a", "/b")})
            audit(website)
            assert order(website) == ([NO_LANG, NO_H1] if seen == "/a" else [NO_H1, NO_LANG])


def test_imported_search_data_changes_findings_and_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next audit uses the imported search data, and the issue moves to its place in the list."""
    monkeypatch.setattr(importing, "wanted", lambda final: ending(final, 30))
    site = Site({})
    with WireServer(site) as server:
        website = a_website(server, site)
        site.pages["/a"] = html("All there is to say about a", "/", "/b").replace(' lang="en"', "")
        site.pages["/b"] = html("All there is to say about b", "/").replace("<h1>", "<h2>").replace("</h1>", "</h2>")
        paths = {"/hidden": 4, "/a": 50_000, "/a#part": 1, "/lost": 2}
        days = {
            day: [PairRow("a query", server.url(path), 1, n, 2.0) for path, n in paths.items()] for day in WINDOW.days()
        }
        standin = Search(server.url("/"), ListSearch(days, LAST))
        try:
            for name, value in standin.settings({}).items():
                monkeypatch.setenv(name, value)
            forget_settings()
            google.forget_tokens()
            audit(website)
            assert order(website) == [NO_H1, NO_LANG] and not found(website, ORPHAN)
            imported = Searched(standin, standin.data, website.workspace_id, website.id)  # type: ignore[arg-type]
            imported.connect()
            imported.work()
        finally:
            standin.stop()
            google.forget_tokens()
        audit(website)
        assert found(website, IMPORTANT_NOINDEX) == ["/hidden"] and found(website, ORPHAN) == ["/lost"]
        assert order(website) == [NO_LANG, NO_H1]
        seen = {rule: issue_of(website, rule) for rule in (IMPORTANT_NOINDEX, ORPHAN, NO_LANG)}
        assert {rule: issue and (issue.impressions, issue.importance) for rule, issue in seen.items()} == {
            IMPORTANT_NOINDEX: (28 * 4, 0.25),
            ORPHAN: (28 * 2, 0.25),
            NO_LANG: (28 * 50_001, 0.5),
        }
