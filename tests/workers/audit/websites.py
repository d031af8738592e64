"""Small websites that tests serve, change and audit."""

from collections.abc import Callable
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.issues import OPEN_STATUSES
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.operations import accounts, audits, websites
from chalicelib.store import crawls, issues, pages
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.audit import crawl, reading
from chalicelib.workers.audit.lease import LEASE_SECONDS
from local import embedded
from tests import aws
from tests.servers.wire import Connection, WireServer

TURNS = 100


class Runtime:
    """A function's runtime that has all the time it needs."""

    def get_remaining_time_in_millis(self) -> int:
        return 900_000


def html(title: str | None, *links: str, head: str = "", body: str = "") -> str:
    """A page with a title (None: without one), a heading, links, and whatever else."""
    title_tag = "" if title is None else f"<title>{title}</title>"
    anchors = "".join(f'<a href="{link}">To {link}</a>\n' for link in links)
    return (
        f'<!doctype html><html lang="en"><head>{title_tag}{head}</head>'
        f"<body><h1>{title or 'A page'}</h1>{body}{anchors}</body></html>"
    )


class Site:
    """What a server says for each path. Values: HTML text, (status line, headers, body), or a function."""

    def __init__(self, pages: dict[str, Any]) -> None:
        self.pages = pages
        self.asked: list[str] = []

    def __call__(self, connection: Connection) -> None:
        path = connection.path
        self.asked.append(path)
        answer: Any = self.pages.get(path)
        if isinstance(answer, Callable):  # type: ignore[arg-type]
            answer = answer(connection)
            if answer is None:
                return
        if answer is None:
            connection.answer(b"<html><body>no such page</body></html>", "404 Not Found", content_type="text/html")
        elif isinstance(answer, tuple):
            status, headers, body = answer
            connection.answer(body if isinstance(body, bytes) else body.encode(), status, **headers)
        else:
            data = answer if isinstance(answer, bytes) else answer.encode()
            connection.answer(data, content_type="text/html; charset=utf-8")


def new_website(server: WireServer, *, plan: str = "enterprise", host: str | None = None) -> Website:
    """A website of a new workspace, under the server's address or under ``host``."""
    workspace = accounts.create_workspace(OPERATOR, "Acme", plan)
    return websites.add(OPERATOR, workspace.id, server.url(host=host))


def start(website: Website, *, page_budget: int | None = None, plan_limit: int = 10_000) -> CrawlHeader:
    """Start an audit of the website as it is stored now."""
    current = stored.get(website.workspace_id, website.id)
    assert current is not None
    return audits.start(
        current, plan_limit, page_budget=page_budget, person_id=None, through_api=False, now=clock.now()
    ).header


def work(header: CrawlHeader) -> CrawlHeader:
    """Work the queue until the crawl has ended."""
    for _ in range(TURNS):
        current = crawls.get(header.site_id, header.id)
        assert current is not None
        if current.ended:
            return current
        waiting = aws.messages("crawl")
        aws.purge("crawl")
        if not waiting:
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
            sweeper.run()
        for message in waiting:
            crawl.handle(message, Runtime())
    raise AssertionError("the crawl does not end")


def audit(website: Website, *, page_budget: int | None = None, plan_limit: int = 10_000) -> CrawlHeader:
    """Start an audit and work it off."""
    return work(start(website, page_budget=page_budget, plan_limit=plan_limit))


def found(website: Website, rule_id: str) -> list[str]:
    """The paths that an open issue of the rule affects, sorted; empty when there is none."""
    book = issues.load_state(website.id)
    assert book is not None
    issue = next((issue for issue in book.issues if issue.rule_id == rule_id), None)
    if issue is None or issue.status in ("resolved", "ignored"):
        return []
    return sorted("/" + page.url.split("/", 3)[3] for page in issues.load_affected(website.id, issue))


def findings(website: Website) -> dict[str, list[str]]:
    """All open issues: the paths that each rule affects, sorted; for issues of the website as a whole ``["SITE"]``."""
    book = issues.load_state(website.id)
    assert book is not None
    return {
        issue.rule_id: found(website, issue.rule_id) or ["SITE"]
        for issue in book.issues
        if issue.status in OPEN_STATUSES
    }


def status_of(website: Website, rule_id: str) -> str | None:
    """The state of the rule's issue."""
    book = issues.load_state(website.id)
    return next((issue.status for issue in book.issues if issue.rule_id == rule_id), None) if book else None


def listed(website: Website) -> list[str]:
    """The paths of the published pages that were read, sorted."""
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.current_crawl is not None
    rows = pages.load_list(website.id, current.current_crawl)
    return sorted("/" + row.url.split("/", 3)[3] for row in rows if row.facts_crawl is not None)


def starts_of(delay: float, monkeypatch: pytest.MonkeyPatch) -> dict[reading.Politeness, list[float]]:
    """When requests to hosts with this delay may start, as whoever is polite reads its clock: seen from here they may
    be late, and then the next one seems early."""
    starts: dict[reading.Politeness, list[float]] = {}
    turn = reading.Politeness.turn

    async def noted(self: reading.Politeness) -> None:
        await turn(self)
        if self.delay == delay:
            starts.setdefault(self, []).append(self._next_start - delay)

    monkeypatch.setattr(reading.Politeness, "turn", noted)
    return starts


def reset() -> None:
    """Forget everything that was stored."""
    embedded.clear()
