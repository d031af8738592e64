"""Alerts of every page of the demo website: what did not change changes nothing, what was mended is found as an audit
finds it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from chalicelib import clock
from chalicelib.domain.audit.issues import IssueBook
from chalicelib.rules import registry
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issues, keys, outbox, pages
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from local import demo
from local.demo.serve import Server, start
from local.demo.variants import FAULTY
from tests.sites import auditing
from tests.workers.audit import alerting

# What is mended in files that pages point at, or that speak of them, and so is no change of a page: the next audit's.
MENDED_ELSEWHERE = {"SEO-IMG-004", "SEO-IMG-005", "SEO-SMP-005", "SEO-SMP-006", "SEO-TEC-012"}
PAGE_RULES = {rule.id for rule in registry.RULES if rule.scope == "page"}


@pytest.fixture
def server(store: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    authority = trustme.CA()
    auditing.configure(monkeypatch, authority, tmp_path)
    served = start(FAULTY, tls=authority, host=demo.DEMO_HOST)
    yield served
    served.stop()
    forget_settings()


def alert_all(website: Website) -> None:
    """Alerts of all published pages that were read."""
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.current_crawl is not None
    urls = [row.url for row in pages.load_list(website.id, current.current_crawl) if row.facts_crawl is not None]
    assert alerting.send(website, *urls) == len(urls) > 100
    for header in (alerting.work(website), *alerting.of(website)):
        assert (header.status, header.partial_reason) == ("done", None), header


def book(website: Website) -> IssueBook:
    found = issues.load_state(website.id)
    assert found is not None
    return found


def of_pages(website: Website) -> dict[str, list[str]]:
    """The pages that the open issue of each page rule lists."""
    return {
        issue.rule_id: sorted(page.url for page in issues.load_affected(website.id, issue))
        for issue in book(website).issues
        if issue.rule_id in PAGE_RULES and issue.status in ("open", "reopened")
    }


def events() -> list[str]:
    return [event.kind for shard in keys.shards() for batch in outbox.pending(shard) for event in batch.events]


def score(website: Website) -> int:
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.summary is not None and current.summary.score is not None
    return current.summary.score.entry.site


def test_an_unchanged_website_causes_no_alert(server: Server) -> None:
    website = auditing.audit(auditing.new_website(server.url)).website
    before, counts, points, told = of_pages(website), book(website).counts, score(website), events()
    assert len(before) >= 60, "the demo website shows most faults"
    alert_all(website)
    assert of_pages(website) == before
    assert book(website).counts == counts
    assert (score(website), events()) == (points, told)


def test_alerts_after_a_fix_match_a_full_audit(server: Server) -> None:
    website = auditing.audit(auditing.new_website(server.url)).website
    before, points = of_pages(website), score(website)
    for rule_id, paths in server.variant.declared.items():
        for path in paths if rule_id in PAGE_RULES else ():
            with contextlib.suppress(LookupError):  # it went with another one
                server.fix(rule_id, path)
    alert_all(website)
    after, better = of_pages(website), score(website)
    assert set(before) - set(after) == set(before) - MENDED_ELSEWHERE
    assert events().count("issue.resolved") == len(before) - len(after) >= 60
    clock.set_offset(clock.offset() + 60)
    auditing.audit(website)
    assert of_pages(website) == {}
    assert points < better <= score(website)
