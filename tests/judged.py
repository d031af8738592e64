"""A small website from what its server and the search service say to its list of actions, by the real workers."""

import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any, NamedTuple

import pytest

from chalicelib.connectors import google
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.domain.search import importing
from chalicelib.domain.search.periods import ending
from chalicelib.operations import accounts, keyword_tasks, sources
from chalicelib.rules.keywords import BY_ID
from chalicelib.settings.reading import forget_settings
from chalicelib.store import jobs
from chalicelib.store import websites as records
from chalicelib.store.websites import Website
from chalicelib.workers import imports, search_import
from local.standins.search_console import Search
from local.standins.search_data import ListSearch, PairRow
from tests import aws
from tests.api.client import Client
from tests.searched import today
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Site, audit, new_website

TURNS = 20
LISTED = 100  # actions: all of them


class Found(NamedTuple):
    """What a query brought a path in 28 days, on each of the last ``days`` of them the same: figures are of one day."""

    query: str
    path: str
    clicks: int
    impressions: int
    position: float
    days: int = 28


class Judged(NamedTuple):
    """A website that was audited, whose search data was imported, and whose keyword tasks were judged."""

    server: WireServer
    website: Website
    standin: Search
    api: Client

    @property
    def path(self) -> str:
        return f"/sites/{self.website.id}"

    def actions(self) -> dict[str, dict[str, Any]]:
        """The keyword tasks of the list of actions, by their ids in the catalogue."""
        listed = self.api.get(f"{self.path}/actions?limit={LISTED}").json["actions"]
        assert len(listed) < LISTED
        of = {ids.issue_id(self.website.id, task_id): task_id for task_id in BY_ID}
        return {of[one["issueId"]]: one for one in listed if one["issueId"] in of}

    def detail(self, task_id: str) -> dict[str, Any]:
        """A task in full."""
        received = self.api.get(f"{self.path}/issues/{ids.issue_id(self.website.id, task_id)}")
        assert received.status == 200, received.json
        found: dict[str, Any] = received.json
        return found

    def pages(self, task_id: str) -> dict[str, dict[str, Any]]:
        """The evidence of a task by path, without its words for people."""
        base = self.server.url("").rstrip("/")
        return {
            page["url"].removeprefix(base): {name: one for name, one in page["evidence"].items() if name != "message"}
            for page in self.detail(task_id)["pages"]
        }

    def messages(self, task_id: str) -> dict[str, str]:
        """A task's messages for people about its pages, by path."""
        base = self.server.url("").rstrip("/")
        return {page["url"].removeprefix(base): page["evidence"]["message"] for page in self.detail(task_id)["pages"]}


def last_day() -> date:
    """The last final day of the stand-in."""
    return today() - timedelta(3)


@contextmanager
def judged(
    monkeypatch: pytest.MonkeyPatch,
    pages: Mapping[str, Any],
    now: Sequence[Found],
    *,
    before: Sequence[Found] = (),
    year_ago: Sequence[Found] = (),
    kept: int = 60,
    tls: ssl.SSLContext | None = None,
) -> Iterator[Judged]:
    """``pages``: what the server says for each path; ``now``, ``before`` and ``year_ago``: what search brought in the
    last 28 final days, in those before, and in the same of the year before. ``kept``: so many days are imported."""
    monkeypatch.setattr(importing, "wanted", lambda final: ending(final, kept))
    monkeypatch.setattr(search_import, "SLICE_SECONDS", 3_600.0)  # however slow the machine is
    monkeypatch.setattr(search_import, "LAST_SECONDS", 3_600.0)
    monkeypatch.setenv("CURSOR_SECRET", "a secret of the tests")
    last = last_day()
    with WireServer(Site(dict(pages)), tls=tls) as server:
        days: dict[date, list[PairRow]] = {}
        for ago, told in ((0, now), (28, before), (364, year_ago)):
            for one in told:
                for number in range(one.days):
                    row = PairRow(one.query, server.url(one.path), one.clicks, one.impressions, one.position)
                    days.setdefault(last - timedelta(ago + number), []).append(row)
        standin = Search(server.url("/"), ListSearch(days, last))
        try:
            for name, value in standin.settings({}).items():
                monkeypatch.setenv(name, value)
            forget_settings()
            google.forget_tokens()
            website = new_website(server)
            assert audit(website).status == "done"
            given = standin.credentials()
            sources.connect_search(OPERATOR, website.id, name=given["property"], credentials=given["credentials"])
            work(website)
            found = records.get(website.workspace_id, website.id)
            assert found is not None
            person = accounts.add_person(OPERATOR, website.workspace_id, "owner@acme.example", "owner")
            key = accounts.create_workspace_key(OPERATOR, website.workspace_id, person.id, tuple(SCOPES), None).secret
            yield Judged(server, found, standin, Client(key))
        finally:
            standin.stop()
            google.forget_tokens()
            monkeypatch.undo()
            forget_settings()


def work(website: Website) -> None:
    """Do the jobs that messages wait for, until none does: the import, and then the tasks that follow from it."""
    for _ in range(TURNS):
        waiting = aws.messages("imports")
        aws.purge("imports")
        if not waiting:
            break
        for message in waiting:
            imports.handle(message, None)
    else:
        raise AssertionError("the imports do not end")
    ended = jobs.get(website.id, keyword_tasks.JOB_ID)
    assert ended is not None and ended.ended and ended.error is None
