"""Runs real audits of served websites in the embedded store, and reads what they found by path."""

import json
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import trustme

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.issues import OPEN_STATUSES, IssueBook
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.operations import accounts, audits, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls, issues
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers.audit import checking, crawl
from local import demo
from local.demo.fault import SITE, Affected

PAGES = 5_000  # the budget: every page of the demo website is read
SLICES = 20


class Runtime:
    """A function's runtime that has all the time it needs."""

    def get_remaining_time_in_millis(self) -> int:
        return 900_000


@dataclass(frozen=True)
class Audited:
    """One finished audit: its header, the website's issues and summary, and what was found by rule."""

    website: Website
    header: CrawlHeader
    book: IssueBook
    summary: SiteSummary
    found: dict[str, Affected]


def configure(monkeypatch: pytest.MonkeyPatch, ca: trustme.CA, folder: Path) -> None:
    """Settings under which the service reads the demo websites."""
    bundle = folder / "ca.pem"
    bundle.write_bytes(ca.cert_pem.bytes())
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("EXTRA_CA_FILE", str(bundle))
    monkeypatch.setenv("EXTRA_HOSTS", demo.EXTRA_HOSTS)
    monkeypatch.setattr(checking, "GAP_ELSEWHERE_SECONDS", 0.0)
    forget_settings()


def new_website(url: str) -> Website:
    """A website of a new workspace on the largest plan."""
    workspace = accounts.create_workspace(OPERATOR, "Audited", "enterprise")
    return websites.add(OPERATOR, workspace.id, url)


def audit(website: Website, *, page_budget: int = PAGES) -> Audited:
    """Start an audit and work it off, slice by slice, to its end."""
    current = stored.get(website.workspace_id, website.id)
    assert current is not None
    started = audits.start(
        current, page_budget, page_budget=page_budget, person_id=None, through_api=False, now=clock.now()
    )
    header: CrawlHeader | None = started.header
    for _ in range(SLICES):
        assert header is not None
        if header.ended:
            break
        message = {
            "workspaceId": website.workspace_id,
            "siteId": website.id,
            "crawlId": header.id,
            "slice": header.slice,
        }
        crawl.handle(json.loads(json.dumps(message)), Runtime())
        header = crawls.get(website.id, header.id)
    assert header is not None and header.status == "done", header
    book = issues.load_state(website.id)
    after = stored.get(website.workspace_id, website.id)
    assert book is not None and after is not None and after.summary is not None
    return Audited(after, header, book, after.summary, _found(website.id, book))


def _found(site_id: str, book: IssueBook) -> dict[str, Affected]:
    found: dict[str, Affected] = {}
    for issue in book.issues:
        if issue.status not in OPEN_STATUSES:
            continue
        pages = issues.load_affected(site_id, issue)
        found[issue.rule_id] = frozenset(_target(page.url) for page in pages) if issue.evidence is None else SITE
    return found


def _target(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
