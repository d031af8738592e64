"""A website and the stand-in of Search Console that its search data comes from, for tests of imports."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any, NamedTuple

import pytest

from chalicelib import clock
from chalicelib.connectors import google
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.connections import Source
from chalicelib.domain.jobs import Job
from chalicelib.domain.search.manifest import DATASETS, Dataset, Manifest
from chalicelib.domain.search.rows import Row, ranked
from chalicelib.operations import accounts, sources, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import jobs, search
from chalicelib.store import websites as website_records
from chalicelib.store.websites import Website
from chalicelib.workers import imports, sweeper
from local.standins.search_console import Search
from local.standins.search_data import ListSearch, PairRow
from tests import aws

URL = "https://shop.example/"
PROPERTY = "sc-domain:shop.example"
TURNS = 60


class Searched(NamedTuple):
    """A website, not yet connected, and the stand-in."""

    search: Search
    data: ListSearch
    workspace_id: str
    site_id: str

    def connect(self, **credentials: Any) -> Source:
        given = {**self.search.credentials(), **credentials}
        return sources.connect_search(OPERATOR, self.site_id, name=given["property"], credentials=given["credentials"])

    def website(self) -> Website:
        found = website_records.get(self.workspace_id, self.site_id)
        assert found is not None
        return found

    def source(self) -> Source | None:
        return self.website().connections.search

    def job(self) -> Job | None:
        return jobs.get(self.site_id, sources.job_id("search"))

    def work(self) -> None:
        """Work the queue until nothing of it is due, with the sweeper's help where a message was lost."""
        for _ in range(TURNS):
            job = self.job()
            if job is None or job.ended or (not job.lease_until and job.due_at > clock.now()):
                aws.purge("imports")
                return
            waiting = aws.messages("imports")
            aws.purge("imports")
            for message in waiting:
                imports.handle(message, None)
            if not waiting:
                clock.set_offset(clock.offset() + 300)
                sweeper.run()
        raise AssertionError("the import does not end")

    def later(self, seconds: float | None = None) -> None:
        """Let time pass: to the next run, or so many seconds; then work."""
        job = self.job()
        assert job is not None
        clock.set_offset(clock.offset() + (job.due_at - clock.now() if seconds is None else seconds) + 100)
        sweeper.run()
        self.work()

    def goes_by(self, days: int, *, but: date | None = None) -> None:
        """So many days go by, and become final; on all ``but`` one something is brought. Then an import."""
        for _ in range(days):
            self.data.final += timedelta(1)
            if self.data.final != but:
                self.data.days[self.data.final] = pair_rows(self.data.final)
        self.later(days * 86_400.0)

    def manifests(self) -> dict[Dataset, Manifest]:
        return search.manifests(self.site_id, DATASETS, consistent=True)

    def rows(self, dataset: Dataset, first: date, last: date) -> list[Row]:
        manifest = self.manifests().get(dataset)
        return [] if manifest is None else ranked(search.rows(self.site_id, manifest, first, last), first, last)

    def blocks(self) -> list[tuple[str, str]]:
        """The keys of every block that is stored, without manifests."""
        return [row for row in aws.rows("search") if row[1] != "MANIFEST"]

    def named(self) -> set[tuple[str, str]]:
        """The keys of every block that a manifest names."""
        from chalicelib.store import keys

        found = self.manifests()
        return {keys.search_block(self.site_id, name, *block) for name, one in found.items() for block in one.blocks()}


def today() -> date:
    return clock.utc(clock.now()).date()


def pair_rows(day: date, count: int = 3) -> list[PairRow]:
    """Some rows of a day, other ones each day."""
    number = day.toordinal()
    return [
        PairRow(f"query {(number + n) % 7}", f"{URL}page-{n % 3}", n + number % 3, 10 + n + number % 5, 1.5 + n)
        for n in range(count)
    ]


def days_until(last: date, count: int) -> list[date]:
    return [last - timedelta(number) for number in range(count)]


@contextmanager
def searched(
    monkeypatch: pytest.MonkeyPatch, days: Mapping[date, Sequence[PairRow]] | int = 0, *, final: date | None = None
) -> Iterator[Searched]:
    """``days``: what search brought, or on how many of the last days it brought something."""
    last = final or today() - timedelta(3)
    if isinstance(days, int):
        days = {day: pair_rows(day) for day in days_until(last, days)}
    data = ListSearch(days, last)
    standin = Search(PROPERTY, data)
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    for name, value in standin.settings({}).items():
        monkeypatch.setenv(name, value)
    forget_settings()
    google.forget_tokens()
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    website = websites.add(OPERATOR, workspace.id, URL)
    try:
        yield Searched(standin, data, workspace.id, website.id)
    finally:
        standin.stop()
        google.forget_tokens()
        monkeypatch.undo()
        forget_settings()
