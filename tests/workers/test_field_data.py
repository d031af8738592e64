"""Field data: fetched once a day, of the website and of its tested pages."""

import pytest

from chalicelib import clock
from chalicelib.connectors import field_data as connector
from chalicelib.connectors.errors import Declined, NoAccess, OutsideError, Quota, Unavailable
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.jobs import Job
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.operations import accounts, speed, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import jobs
from chalicelib.store import speed as store
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.workers import field_data, imports, sweeper
from tests import aws
from tests import speed as made
from tests.api import seed

DAY = 86_400.0
CONNECTED = connector.connected
OWN = FieldRecord(True, lcp_ms=1_500.0, period_end="2026-11-19")


@pytest.fixture
def site(store: None) -> Website:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
    return websites.add(OPERATOR, workspace.id, "https://shop.example/")


@pytest.fixture
def visitors(site: Website, monkeypatch: pytest.MonkeyPatch) -> made.Visitors:
    made.stored(site.id, [made.result(seed.url(site, number), at=5.0 + number) for number in range(4)])
    return made.visitors(monkeypatch, {seed.url(site, 1): OWN})


@pytest.mark.calm("a lost answer uses a step of the pace for nothing, and the waits are counted")
def test_all_websites_share_one_request_rate(
    site: Website, visitors: made.Visitors, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, waits = clock.now(), list[float]()
    other = websites.add(OPERATOR, site.workspace_id, "https://other.example/")
    monkeypatch.setattr(clock, "now", lambda: now)
    monkeypatch.setattr(clock, "sleep", waits.append)
    collect(site)
    speed.begin_collecting(OPERATOR, other.id)
    made.work("imports", imports.handle)
    assert len(visitors.asked) == 8
    assert waits == pytest.approx([number / 2 for number in range(1, 8)]), "two a second, whosever they are"


def collect(site: Website) -> Job:
    """Begin a day's collection, and work it until nothing is due."""
    speed.begin_collecting(OPERATOR, site.id)
    while made.work("imports", imports.handle):
        pass
    return read(site)


def read(site: Website) -> Job:
    job = jobs.get(site.id, "field_data")
    assert job is not None
    return job


def test_field_data_is_requested_for_the_website_and_its_tested_pages(site: Website, visitors: made.Visitors) -> None:
    job = collect(site)
    assert visitors.asked == [
        ("phone", site.url),
        ("desktop", site.url),
        *(("page", seed.url(site, number)) for number in range(4)),
    ]
    book = store.load(site.id).field.book
    assert book.phone is not None and book.phone.record == visitors.phone
    assert book.desktop is not None and (book.desktop.record.available, book.desktop.record.reason) == (
        False,
        "Too few visits.",
    )
    assert [book.pages[seed.url(site, number)].record.available for number in range(4)] == [False, True, False, False]
    assert 0 < job.due_at - clock.now() <= DAY and (job.error, job.payload["collection"]) == (None, None)


def test_field_data_is_requested_daily_and_untested_pages_are_dropped(site: Website, visitors: made.Visitors) -> None:
    collect(site)
    block = store.load_block(site.id, seed.url(site, 1))
    kept = [one for one in block.results.values() if one.url != seed.url(site, 1)]
    commit([store.put_results(site.id, block, kept)])
    visitors.asked.clear()
    clock.set_offset(clock.offset() + DAY + 120)
    sweeper.run()
    assert made.work("imports", imports.handle) == 1
    assert len(visitors.asked) == 5
    assert store.load(site.id).field.book.pages.keys() == {seed.url(site, number) for number in (0, 2, 3)}


@pytest.mark.calm("a lost answer uses a step of the pace for nothing, and the waits are counted")
def test_requests_are_limited_to_two_a_second(
    site: Website, visitors: made.Visitors, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, waits = clock.now(), list[float]()
    monkeypatch.setattr(clock, "now", lambda: now)
    monkeypatch.setattr(clock, "sleep", waits.append)
    collect(site)
    assert waits == pytest.approx([0.5, 1.0, 1.5, 2.0, 2.5]), "the clock stands, so each waits for all before"


def test_each_worker_continues_after_the_last_page_fetched_by_the_one_before(
    site: Website, visitors: made.Visitors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(field_data, "SLICE_SECONDS", -1.0)  # each worker asks for one page, and hands on
    collect(site)
    pages = [url for of, url in visitors.asked if of == "page"]
    assert pages == sorted(pages) and len(pages) == 4
    assert [of for of, _ in visitors.asked].count("phone") == 1
    assert len(store.load(site.id).field.book.pages) == 4


@pytest.mark.parametrize("error", [Quota, Unavailable])
def test_after_an_error_the_job_waits_and_keeps_its_results(
    site: Website, visitors: made.Visitors, error: type[OutsideError]
) -> None:
    visitors.failure = lambda url: error("Not now.") if url == seed.url(site, 2) else None
    waits = []
    job = collect(site)
    while job.payload["collection"] is not None:
        waits.append(round(job.due_at - clock.now()))
        clock.set_offset(clock.offset() + waits[-1] + 120)
        sweeper.run()
        made.work("imports", imports.handle)
        job = read(site)
    assert waits == pytest.approx([60, 900, 3_600], abs=30)
    assert job.error == "Not now."
    assert store.load(site.id).field.book.pages.keys() == {seed.url(site, 0), seed.url(site, 1)}
    assert [url for _, url in visitors.asked].count(seed.url(site, 0)) == 1


def test_an_address_that_the_provider_refuses_is_skipped(site: Website, visitors: made.Visitors) -> None:
    visitors.failure = lambda url: Declined("An address without a record.") if url == seed.url(site, 0) else None
    assert collect(site).error is None
    assert store.load(site.id).field.book.pages.keys() == {seed.url(site, number) for number in (1, 2, 3)}


def test_no_more_field_data_is_requested_that_day_if_the_key_is_refused(site: Website, visitors: made.Visitors) -> None:
    visitors.failure = lambda url: NoAccess("The key was refused.")
    job = collect(site)
    assert (job.error, job.payload["collection"]) == ("The key was refused.", None)
    assert store.load(site.id).field.book.phone is None


def test_without_a_key_no_data_is_requested_and_stored_data_is_kept(
    site: Website, visitors: made.Visitors, monkeypatch: pytest.MonkeyPatch
) -> None:
    collect(site)
    before = store.load(site.id).field

    monkeypatch.setattr(connector, "connected", CONNECTED)
    monkeypatch.delenv("CRUX_API_KEY", raising=False)
    forget_settings()
    assert collect(site).error == "Field data is not connected: CRUX_API_KEY is not set."
    assert store.load(site.id).field == before


def test_two_simultaneous_workers_fetch_the_data_once(site: Website, visitors: made.Visitors) -> None:
    speed.begin_collecting(OPERATOR, site.id)
    (message,) = aws.messages("imports")

    def taken_over(url: str) -> None:
        visitors.failure = lambda url: None
        imports.handle(message, None)  # the lease is held: nothing happens

    visitors.failure = taken_over
    imports.handle(message, None)
    assert len(visitors.asked) == 6
