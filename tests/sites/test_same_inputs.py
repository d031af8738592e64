"""A recheck that reads what the audit read says what the audit said: each page rule, each page of the demo website."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.content import ContentFields, ContentItem
from chalicelib.domain.page.facts import PageFacts
from chalicelib.operations import content, websites
from chalicelib.rules import judging
from chalicelib.rules.engine import Judge, PageResult
from chalicelib.rules.rechecking import PublishedAudit, reread, website_again
from chalicelib.rules.registry import RULES
from chalicelib.settings.reading import forget_settings
from chalicelib.store import content as stored_content
from chalicelib.store import crawls, pages
from chalicelib.workers.audit.inputs import load_beside, load_published
from local import demo
from local.demo.serve import start
from local.demo.variants import FAULTY
from tests.sites import auditing

PAGE_RULES = [rule for rule in RULES if rule.scope == "page"]


@pytest.fixture
def ca(store: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[trustme.CA]:
    authority = trustme.CA()
    auditing.configure(monkeypatch, authority, tmp_path)
    yield authority
    forget_settings()


class Recorded:
    """What an audit's judge said of each address, and at what time it judged."""

    def __init__(self) -> None:
        self.results: dict[str, PageResult] = {}
        self.now = 0.0

    def judge(self) -> type[Judge]:
        record = self

        class Recording(Judge):
            def page(self, facts: PageFacts) -> PageResult:
                result = super().page(facts)
                record.results[facts.url] = result
                record.now = self._website.now
                return result

        return Recording


@pytest.fixture
def audited(ca: trustme.CA, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[auditing.Audited, Recorded, list[str]]]:
    """The audit of the faulty demo website, whose CMS holds some of its pages; and the calls that read its content."""
    recorded, read = Recorded(), []
    load = stored_content.load
    server = start(FAULTY, tls=ca, host=demo.DEMO_HOST)
    try:
        website = auditing.new_website(server.url)
        base = server.url.rstrip("/")
        paths = [path for path in server.pages if "?" not in path]
        held = [
            ContentItem(
                cms_id=f"page:{number}",
                url=base + path,
                type="page",
                status="published",
                title=f"Page {number}",
                fields=ContentFields(noindex=number % 2 == 0),
            )
            for number, path in enumerate(paths)
        ]
        content.put(website, held, now=clock.now())
        with monkeypatch.context() as patch:
            patch.setattr(judging, "Judge", recorded.judge())
            patch.setattr(stored_content, "load", lambda site_id: read.append(site_id) or load(site_id))
            yield auditing.audit(website), recorded, read
    finally:
        server.stop()


def test_a_recheck_judges_with_the_same_data_as_the_audit(
    audited: tuple[auditing.Audited, Recorded, list[str]],
) -> None:
    found, recorded, read = audited
    assert read == [found.website.id], "an audit reads the content once"
    site_id, summary = found.website.id, found.summary
    assert summary.inputs == ["content"]
    website = websites.existing(OPERATOR, site_id, "work")
    rows = {row.url: row for row in pages.load_list(site_id, summary.generation.crawl_id)}
    audit = load_published(site_id, summary, rows, lambda: None)
    site_facts = crawls.load_site_facts(found.header.id, found.header.site_facts_fence)
    again = fresh(audit, recorded)
    site = website_again(site_facts, audit, audit.pages, now=recorded.now, beside=load_beside(site_id))
    assert website.summary == summary

    # All rules at once, as the rows are renewed.
    judge = Judge(site)
    for url, facts in again.items():
        then, now = recorded.results[url], judge.page(facts)
        assert (now.findings, set(now.applicable), set(now.undecided)) == (
            then.findings,
            set(then.applicable),
            set(then.undecided),
        ), url
        assert (now.page_score, now.template, now.inlinks, now.depth) == (
            then.page_score,
            then.template,
            then.inlinks,
            then.depth,
        ), url
    assert not judge.failures

    # Each rule alone, as its issue is decided.
    outcomes: Counter[str] = Counter()
    for rule in PAGE_RULES:
        alone = Judge(site, rules=(rule,))
        for url, facts in again.items():
            then, now = recorded.results[url], reread(rule, alone, facts)
            outcomes[now.outcome] += 1
            if now.outcome == "present":
                assert now.evidence == dict(then.findings).get(rule.id), (rule.id, url)
            else:
                assert rule.id not in dict(then.findings) or now.outcome == "unread", (rule.id, url)
            if now.outcome == "passed":
                assert rule.id not in then.undecided, (rule.id, url)
    assert outcomes["present"] >= 100 and outcomes["passed"] >= 1_000
    fired = {rule_id for result in recorded.results.values() for rule_id, _ in result.findings}
    assert len(fired) >= 60, "the demo website shows most faults"


def fresh(audit: PublishedAudit, recorded: Recorded) -> dict[str, PageFacts]:
    """What a recheck would read of every address that was judged, as it was when the audit asked for it."""
    asked = {target.url: target.as_page() for target in audit.targets if not target.image}
    known = {**asked, **audit.pages}
    return {url: known[url] for url in recorded.results if url in known}
