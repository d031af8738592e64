"""What a recheck leaves is what an audit of the same website would have left, and an audit is told from a recheck."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.domain.webhooks import bodies
from chalicelib.operations import rechecks
from chalicelib.store import crawls, issues, pages
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers.audit import recheck
from tests import aws
from tests.servers.wire import WireServer
from tests.workers.audit import rechecking
from tests.workers.audit.websites import Runtime, Site, audit, html, new_website

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

TITLE = "SEO-ONP-001"
MENDED = "Everything there is to say about B"  # neither too short nor too long, nor anybody else's


def untitled_site() -> Site:
    names = "abcd"
    home = html("The home page of a small website", *(f"/{name}" for name in names))
    others = {f"/{name}": html(None, "/", body=f"<p>Words about {name}</p>") for name in names}
    return Site({"/": home, **others})


def mend(site: Site, *names: str) -> None:
    """Give the pages titles, and nothing else."""
    for name in names:
        titled = site.pages[f"/{name}"].replace("<head>", f"<head><title>{MENDED.replace('B', name.upper())}</title>")
        site.pages[f"/{name}"] = titled


def run_recheck(website: Website, rule_id: str = TITLE) -> None:
    current = stored.get(website.workspace_id, website.id)
    assert current is not None
    header = rechecks.start(current, ids.issue_id(website.id, rule_id), person_id=None, now=clock.now())
    (message,) = aws.messages("recheck")
    aws.purge("recheck")
    recheck.handle(message, Runtime())
    ended = crawls.get(website.id, header.id)
    assert ended is not None and ended.status == "done"


def summary_of(website: Website) -> SiteSummary:
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.summary is not None and current.summary.score is not None
    return current.summary


def shown(website: Website) -> dict[str, Any]:
    """The API's values for the issue of missing titles, the pages' scores and the category."""
    book, summary = issues.load_state(website.id), summary_of(website)
    assert book is not None and summary.score is not None
    issue = next(issue for issue in book.issues if issue.rule_id == TITLE)
    base = website.url.rstrip("/")
    rows = pages.load_list(website.id, summary.generation.crawl_id)
    return {
        "status": issue.status,
        "affectedPages": issue.affected_pages,
        "summary": issue.summary.replace(base, ""),
        "counts": (book.counts[TITLE].applicable, book.counts[TITLE].affected),
        "pages": {row.url.replace(base, ""): (row.page_score, sorted(row.rules)) for row in rows},
        "category": next(part for part in summary.score.categories if part.category == "ONP"),
    }


@pytest.mark.parametrize("names", ["b", "bc", "abcd"])
def test_a_recheck_gives_the_same_counts_and_scores_as_an_audit(names: str) -> None:
    found = []
    for by_audit in (False, True):
        site = untitled_site()
        with WireServer(site) as server:
            website = new_website(server)
            audit(website)
            before = shown(website)
            mend(site, *names)
            _ = audit(website) if by_audit else run_recheck(website)
            found.append(shown(website))
    assert found[0] == found[1]
    assert before["summary"].startswith("4 of 5 pages.") and before["counts"] == (5, 4)
    assert found[0]["affectedPages"] == 4 - len(names) and found[0]["counts"] == (5, 4 - len(names))
    assert all(f"/{name}:" not in found[0]["summary"] for name in names), "no page that is mended is named"
    for name in names:
        assert found[0]["pages"][f"/{name}"][0] > before["pages"][f"/{name}"][0], "its score is up at once"


def test_a_recheck_does_not_change_the_stored_results_of_the_audit_before_it() -> None:
    site = untitled_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        first = summary_of(website)
        mend(site, "b")
        run_recheck(website)
        between = summary_of(website)
        audit(website)
        second = summary_of(website)
    assert first.score is not None and between.score is not None
    assert between.score.entry.site > first.score.entry.site, "the recheck moved it"
    assert second.previous_audit == first.score.entry


def test_only_audits_send_score_events() -> None:
    site = untitled_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        first = summary_of(website).score
        for name in "bcd":
            mend(site, name)
        run_recheck(website)
        between = summary_of(website).score
        assert first is not None and between is not None
        assert between.entry.site - first.entry.site >= 20, "the recheck moved it by two points and more"
        assert rechecking.events("score.changed") == []
        audit(website)
    last = summary_of(website).score
    (told,) = rechecking.events("score.changed")
    assert last is not None
    assert (told["from"], told["to"]) == (first.entry.site / 10, last.entry.site / 10)
    assert told["since"] == bodies.instant(first.entry.computed_at)


def test_an_audit_ends_at_the_time_when_its_pages_have_been_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    load, read_at = crawls.unpack_facts, []

    def slow(*arguments: Any) -> Any:
        clock.set_offset(clock.offset() + 30)
        read_at.append(clock.now())
        return load(*arguments)

    monkeypatch.setattr(crawls, "unpack_facts", slow)
    with WireServer(untitled_site()) as server:
        website = new_website(server)
        header = audit(website)
    assert header.finished_at is not None and header.finished_at >= max(read_at)
    last, book = summary_of(website).last_audit, issues.load_state(website.id)
    assert last is not None and book is not None
    assert last.finished_at == book.computed_at == header.finished_at
