"""Content brought from the CMS: all of it, nothing twice, nothing lost, and an end whatever the CMS answers."""

from collections.abc import Callable, Iterator
from itertools import count

import msgspec
import pytest

from chalicelib import clock
from chalicelib.connectors.errors import Declined, NoAccess, OutsideError, Quota, Unavailable
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.connector.messages import MOST_ITEMS as A_PAGE
from chalicelib.domain.connector.messages import ContentPage
from chalicelib.domain.content import DELETED, ContentItem
from chalicelib.domain.jobs import STALLED_TAKEOVERS
from chalicelib.operations import connections, content, websites
from chalicelib.store import connections as credentials
from chalicelib.store import content as stored
from chalicelib.store import items, jobs, keys
from chalicelib.store.lanes import LANES
from chalicelib.workers import content_sync, imports, sweeper
from chalicelib.workers.jobs import LEASE_SECONDS, take
from local.standins.cms import Entry, ListSite
from tests import aws
from tests.connections import Connected, connectable
from tests.content import content_item
from tests.servers.wire import WireServer

BASE = "https://shop.example/"


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connected]:
    with connectable(monkeypatch) as found:
        yield found


def site(house: Connected, count: int) -> ListSite:
    """The CMS holds so many items from now on."""
    house.cms.site = ListSite(count)
    return house.cms.site


def known(house: Connected) -> dict[str, ContentItem]:
    return stored.load(house.site_id).items


def numbers(house: Connected) -> list[int]:
    return sorted(int(item.url.rpartition("page-")[2].strip("/")) for item in known(house).values())


def push(house: Connected, *sent: ContentItem) -> None:
    website = websites.existing(OPERATOR, house.site_id, "work")
    content.put(website, sent, now=clock.now())


def job_error(house: Connected) -> str | None:
    job = house.sync_job()
    assert job is not None and not job.ended
    return job.error


def trouble(house: Connected) -> str | None:
    writer = house.writer()
    assert writer is not None
    return writer.trouble


def until_given_up(house: Connected) -> list[float]:
    """Work the job until its walk is at an end; gives the waits before each try."""
    waits = []
    for _ in range(20):
        house.sync()
        job = house.sync_job()
        assert job is not None
        if job.payload["walk"] is None:
            return waits
        waits.append(round(job.due_at - clock.now()))
    raise AssertionError("it does not end")


class Answers:
    """A CMS that answers as ``page`` says, by what it is asked behind."""

    def __init__(self, page: Callable[[str | None], ContentPage]) -> None:
        self.page = page
        self.asked: list[str | None] = []

    def items(self, after: str | None = None, limit: int = A_PAGE) -> ContentPage:
        self.asked.append(after)
        return self.page(after)


@pytest.fixture
def answering(house: Connected, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Answers]:
    house.pair()

    def answer(page: Callable[[str | None], ContentPage]) -> Answers:
        cms = Answers(page)
        monkeypatch.setattr(content_sync, "target", lambda credentials: cms)
        return cms

    return answer


def failing(error: OutsideError) -> Callable[[str | None], ContentPage]:
    def page(_: str | None) -> ContentPage:
        raise error

    return page


# -- what it does ---------------------------------------------------------------------------------------


def test_pairing_imports_all_content_of_the_cms(house: Connected) -> None:
    site(house, 450)
    house.cms.edit("page:7", "title", "Seven")
    house.pair()
    (message,) = aws.messages("imports")
    imports.handle(message, None)
    assert numbers(house) == list(range(1, 451))
    assert known(house)["page:7"].fields.title == "Seven"
    writer, job = house.writer(), house.sync_job()
    assert writer is not None and (writer.imported_items, writer.trouble) == (450, None)
    assert writer.imported_at is not None and clock.now() - writer.imported_at < 60
    assert job is not None and content_sync.EVERY_SECONDS - 60 < job.due_at - clock.now() <= content_sync.EVERY_SECONDS
    assert house.cms.counts["items"] == 3


def test_the_content_sync_repeats_daily_and_removes_missing_items(house: Connected) -> None:
    site(house, 450)
    house.pair()
    house.sync()
    site(house, 205)
    clock.set_offset(clock.offset() + content_sync.EVERY_SECONDS + jobs.QUEUED_GRACE_SECONDS)
    sweeper.run()
    for message in aws.messages("imports"):
        imports.handle(message, None)
    assert numbers(house) == list(range(1, 206))
    website = websites.existing(OPERATOR, house.site_id, "work")
    assert website.connections.cms is not None and website.connections.cms.imported_items == 205
    published = items.batch_get([stored.published_key(house.site_id)])[stored.published_key(house.site_id)]
    addresses = stored.published_of(published)
    assert addresses is not None
    assert f"{BASE}page-205/" in addresses["cms"] and f"{BASE}page-206/" not in addresses["cms"]


def test_a_sync_without_changes_writes_no_content(house: Connected) -> None:
    site(house, 450)
    house.pair()
    house.sync()
    version = stored.load(house.site_id).version
    with aws.counted_calls() as calls:
        house.sync()
    assert stored.load(house.site_id).version == version
    # The claim with its slot; then content is read once, and each of the three pages is one transaction.
    assert (calls["PutItem"], calls["TransactWriteItems"]) == (0, 4)
    assert calls["BatchGetItem"] == 2, "the job, and the content"


def test_older_versions_of_an_item_are_ignored(house: Connected, answering: Callable[..., Answers]) -> None:
    at = {"page:1": 1_000.0, "page:2": 3_000.0}
    push(house, *(_item(number, modified_at=2_000.0, title="pushed") for number in (1, 2)))
    answering(lambda _: ContentPage([_item(n, modified_at=at[f"page:{n}"], title="told") for n in (1, 2)], None))
    house.sync()
    assert [known(house)[f"page:{number}"].title for number in (1, 2)] == ["pushed", "told"]


def test_items_pushed_during_a_sync_are_kept(house: Connected, answering: Callable[..., Answers]) -> None:
    push(house, *(_item(number) for number in range(1, 7)))
    meanwhile = [_item(3, title="edited"), _item(5, status=DELETED, modified_at=clock.now()), _item(100)]

    def page(after: str | None) -> ContentPage:
        if after is None:
            return ContentPage([_item(1), _item(2)], "two")
        # While the CMS is asked for its last page: 3 is edited, 5 deleted, 100 made. 4 is gone, without a word.
        if meanwhile:
            push(house, *meanwhile)
            meanwhile.clear()
        return ContentPage([_item(6)], None)

    answering(page)
    house.sync()
    assert numbers(house) == [1, 2, 3, 5, 6, 100]
    assert known(house)["page:3"].title == "edited" and known(house)["page:5"].status == DELETED
    assert trouble(house) is None


def test_a_page_of_content_is_read_again_if_the_cms_pushed_an_item_meanwhile(
    house: Connected, answering: Callable[..., Answers]
) -> None:
    states = count(1)

    def page(_: str | None) -> ContentPage:
        state = next(states)
        if state == 1:
            push(house, _item(1, title="state 2"))
        return ContentPage([_item(1, title=f"state {state}")], None)

    cms = answering(page)
    house.sync()
    assert (cms.asked, known(house)["page:1"].title) == ([None, None], "state 2")


def test_a_page_of_content_that_keeps_changing_is_postponed(
    house: Connected, answering: Callable[..., Answers]
) -> None:
    states = count(1)

    def page(_: str | None) -> ContentPage:
        push(house, _item(2, title=f"state {next(states)}"))
        return ContentPage([_item(1)], None)

    cms = answering(page)
    house.sync()
    job = house.sync_job()
    assert len(cms.asked) == content_sync.TRIES and job is not None
    assert 0 < job.due_at - clock.now() <= content_sync.BUSY_SECONDS and job.payload["walk"] is not None


def test_the_sync_of_a_cms_does_not_remove_items_of_a_shop(house: Connected, answering: Callable[..., Answers]) -> None:
    push(house, _item(1), _item(2), _of_shop(3), _of_shop(4))
    website = websites.existing(OPERATOR, house.site_id, "work")
    assert website.connections.cms is not None
    shop = msgspec.structs.replace(website.connections.cms, kind="shop")
    items.update(
        "sites",
        *keys.website(house.workspace_id, house.site_id),
        "SET #connections = :connections",
        names={"#connections": "connections"},
        values={":connections": credentials.shapes.CONNECTIONS.pack(website.connections.with_writer("shop", shop))},
    )
    answering(lambda _: ContentPage([_item(1)], None))
    house.sync()
    assert numbers(house) == [1, 3, 4]


def test_a_worker_at_its_time_limit_hands_the_sync_over(house: Connected, monkeypatch: pytest.MonkeyPatch) -> None:
    site(house, 450)
    house.pair()
    monkeypatch.setattr(content_sync, "SLICE_SECONDS", 0.0)
    for asked in (1, 2, 3):
        (message,) = aws.messages("imports")
        aws.purge("imports")
        imports.handle(message, None)
        assert house.cms.counts["items"] == asked
    assert aws.messages("imports") == [] and len(known(house)) == 450


def test_pairing_again_restarts_the_sync(house: Connected, answering: Callable[..., Answers]) -> None:
    def page(after: str | None) -> ContentPage:
        if after is None:
            return ContentPage([_item(1)], "one")
        house.pair()
        return ContentPage([_item(2)], None)

    answering(page)
    house.sync()
    job = house.sync_job()
    assert job is not None and job.payload["walk"] is None and job.due_at <= clock.now()
    assert numbers(house) == [1]
    assert len(aws.messages("imports")) == 1
    answering(lambda _: ContentPage([_item(7)], None))
    house.sync()
    # 1 was there when this walk began, and the CMS does not tell of it.
    assert numbers(house) == [7]


def test_disconnecting_ends_the_sync(house: Connected, answering: Callable[..., Answers]) -> None:
    def page(after: str | None) -> ContentPage:
        connections.remove(OPERATOR, house.site_id, "cms")
        return ContentPage([_item(1)], None)

    answering(page)
    house.sync()
    assert house.sync_job() is None and known(house) == {}


def test_a_sync_job_without_its_connection_ends(house: Connected, answering: Callable[..., Answers]) -> None:
    answering(failing(AssertionError()))  # type: ignore[arg-type]  # it is not asked
    found = credentials.get(house.site_id, "cms")
    assert found is not None
    items.delete("sites", *keys.connection(house.site_id, "cms", "connected"))
    house.sync()
    job = house.sync_job()
    assert job is not None and job.ended and job.error == content_sync.GONE


# -- what the CMS may answer ------------------------------------------------------------------------------


def test_items_of_other_websites_are_skipped_and_reported(house: Connected, answering: Callable[..., Answers]) -> None:
    push(house, _item(1), _item(2))
    elsewhere = [content_item(f"https://elsewhere.example/{number}") for number in range(3)]
    moved = ContentItem(cms_id="page:2", url="https://elsewhere.example/2", type="page", status="published", title="x")
    answering(lambda _: ContentPage([_item(1), *elsewhere[:2], moved, _item(3)], None))
    house.sync()
    assert numbers(house) == [1, 3]
    writer = house.writer()
    assert writer is not None and writer.imported_items == 2
    assert trouble(house) == job_error(house)
    assert trouble(house) == "3 content items have an address that is not on shop.example, and were left out."
    answering(lambda _: ContentPage([_item(1)], None))
    house.sync()
    assert (trouble(house), job_error(house)) == (None, None)


@pytest.mark.parametrize("period", [1, 2, 3])
def test_a_cms_that_repeats_its_pages_ends_the_sync(
    house: Connected, answering: Callable[..., Answers], period: int
) -> None:
    push(house, _item(90))

    def page(after: str | None) -> ContentPage:
        number = 0 if after is None else int(after)
        return ContentPage([_item(1 + number)], str((number + 1) % period))

    cms = answering(page)
    house.sync()
    assert len(cms.asked) <= period + 1
    assert trouble(house) == job_error(house) == content_sync.CIRCLES
    assert 90 in numbers(house)
    job = house.sync_job()
    assert job is not None and job.due_at - clock.now() > content_sync.EVERY_SECONDS - 60


def test_endless_empty_pages_end_the_sync(
    house: Connected, answering: Callable[..., Answers], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_sync, "MOST_PAGES", 20)
    cms = answering(lambda after: ContentPage([], str(int(after or 0) + 1)))
    house.sync()
    assert len(cms.asked) == 20 and trouble(house) == content_sync.ENDLESS


def test_more_items_than_the_limit_end_the_sync_and_keep_the_first_ones(
    house: Connected, answering: Callable[..., Answers], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_sync, "MOST_ITEMS", 1_000)
    push(house, _item(100_001))

    def page(after: str | None) -> ContentPage:
        first = int(after or 1)
        return ContentPage([_item(number) for number in range(first, first + A_PAGE)], str(first + A_PAGE))

    cms = answering(page)
    house.sync()
    assert len(cms.asked) == 5
    assert numbers(house) == [*range(1, 801), 100_001]
    assert trouble(house) == job_error(house) == content_sync.TOO_MANY


def test_more_text_than_the_limit_ends_the_sync(
    house: Connected, answering: Callable[..., Answers], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "MOST_BYTES", 500)
    answering(lambda _: ContentPage([_item(number) for number in range(100)], None))
    house.sync()
    assert trouble(house) == content_sync.TOO_MANY and known(house) == {}


@pytest.mark.parametrize("error", [Unavailable("It is down."), NoAccess("Connect it again.")])
def test_a_cms_that_does_not_answer_is_tried_five_times_and_reported(
    house: Connected, answering: Callable[..., Answers], error: OutsideError
) -> None:
    push(house, _item(1))
    cms = answering(failing(error))
    assert until_given_up(house) == list(content_sync.TRY_AGAIN_AFTER)
    assert len(cms.asked) == 5 and trouble(house) == job_error(house) == error.message
    assert numbers(house) == [1]
    writer = house.writer()
    assert writer is not None and writer.failures == 0, "how the connection is, is for its check to say"
    cms.page = lambda _: ContentPage([_item(2)], None)
    house.sync()
    assert (trouble(house), numbers(house)) == (None, [2])


def test_failed_tries_are_counted_for_each_page(house: Connected, answering: Callable[..., Answers]) -> None:
    calls = count()

    def page(after: str | None) -> ContentPage:
        if next(calls) % 5 < 4:
            raise Unavailable("It is down.")
        number = int(after or 0)
        return ContentPage([_item(number)], str(number + 1) if number < 3 else None)

    cms = answering(page)
    assert len(until_given_up(house)) == 16 and len(cms.asked) == 20
    assert numbers(house) == [0, 1, 2, 3] and trouble(house) is None


@pytest.mark.parametrize(("told", "waits"), [(None, 60), (5.0, 60), (600.0, 600), (999_999.0, 3_600)])
def test_the_retry_time_named_by_the_cms_is_respected(
    house: Connected, answering: Callable[..., Answers], told: float | None, waits: int
) -> None:
    answering(failing(Quota("Slower.", told)))
    house.sync()
    job = house.sync_job()
    assert job is not None and round(job.due_at - clock.now()) == waits
    assert aws.delays("imports") == [min(waits, 900)]


def test_a_refused_request_is_not_repeated(house: Connected, answering: Callable[..., Answers]) -> None:
    cms = answering(failing(Declined("No such cursor.")))
    house.sync()
    assert cms.asked == [None] and trouble(house) == "No such cursor."


@pytest.mark.parametrize("body", [b" " * 10_000_000, b'{"items": [{"cmsId": ""}]}', b"[" * 100_000, b"<html>"])
def test_stored_content_is_never_lost_whatever_the_cms_answers(house: Connected, body: bytes) -> None:
    house.pair()
    house.sync()
    with WireServer(lambda connection: connection.answer(body)) as server:
        found = credentials.get(house.site_id, "cms")
        assert found is not None
        items.update(
            "sites",
            *keys.connection(house.site_id, "cms", "connected"),
            "SET base_url = :url",
            values={":url": server.url("/wp-json/wos/v1")},
        )
        until_given_up(house)
    assert numbers(house) == [1, 2, 3]
    said = trouble(house)
    assert said is not None and ("longer than 4 MB" in said or "not from the connector" in said)


def test_a_sync_whose_workers_die_waits_until_the_next_day(house: Connected, answering: Callable[..., Answers]) -> None:
    answering(lambda _: ContentPage([_item(1)], None))
    for _ in range(STALLED_TAKEOVERS):
        job = house.sync_job()
        assert job is not None and take({"siteId": house.site_id, "jobId": job.id}, LANES["imports"]) is not None
        clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
    house.sync()
    assert trouble(house) == job_error(house) == content_sync.STALLED
    house.sync()
    assert (trouble(house), numbers(house)) == (None, [1])


def test_a_kms_failure_does_not_break_the_connection(house: Connected, monkeypatch: pytest.MonkeyPatch) -> None:
    house.pair()

    def unseal(*_: object, **__: object) -> None:
        raise RuntimeError("no KMS")

    with monkeypatch.context() as patch:
        patch.setattr("chalicelib.store.secrets.unseal", unseal)
        house.sync()
    assert trouble(house) is None and known(house) == {}
    house.sync()
    assert numbers(house) == [1, 2, 3]


def test_temporary_rows_of_a_sync_expire(house: Connected) -> None:
    site(house, 450)
    house.pair()
    house.sync()
    rows = items.query("pages", *keys.content_walk(house.site_id, 0)[:1], "WALK#")[0]
    assert len(rows) == 2 and all(row["ttl"] - clock.now() <= stored.WALK_SECONDS for row in rows)
    clock.set_offset(clock.offset() + stored.WALK_SECONDS + 60)
    assert items.query("pages", keys.content_partition(house.site_id), "WALK#")[0] == []


def _item(
    number: int, *, title: str = "Title", status: str = "published", modified_at: float | None = None
) -> ContentItem:
    entry = Entry(f"{BASE}page-{number}/", "page", title)
    return ContentItem(
        cms_id=f"page:{number}", url=entry.url, type="page", status=status, title=title, modified_at=modified_at
    )


def _of_shop(number: int) -> ContentItem:
    return msgspec.structs.replace(_item(number), cms_id=f"gid://shopify/Product/{number}")
