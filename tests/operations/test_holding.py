"""A store that is restored into another deployment: its workers are held until the operator releases them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, get_args

import pytest
from chalice.app import ScheduledEventConfig

from app import app
from chalicelib import clock
from chalicelib.connectors import mail
from chalicelib.connectors.errors import Unavailable
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.domain.mails import Mail
from chalicelib.domain.webhooks.events import Event
from chalicelib.operations import accounts, cancelling, endpoints, holding, notices, pending, sessions
from chalicelib.operations.errors import Refused
from chalicelib.settings.core import core_settings
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls, deliveries, ownership, previews, reports, secrets
from chalicelib.store import endpoints as stored_endpoints
from chalicelib.store.queues import Queue
from chalicelib.workers.report_mails import FIRST_WAIT_SECONDS
from host.jobs import Jobs
from infra.functions import FUNCTIONS
from local import embedded
from tests import aws, report_mails, webhooks
from tests.api.client import Client
from tests.api.conftest import settle
from tests.changes import House, open_house
from tests.operations.test_restore import Backup, backup, restore
from tests.servers.receiver import Receiver
from tests.workers.audit import previewing
from tests.workers.audit.websites import start

pytestmark = pytest.mark.usefixtures("store")

SENDER = "service@demo.example"
SCHEDULES = [source.name for source in app.event_sources if isinstance(source, ScheduledEventConfig)]
MINUTE = 60.0
HOUR = 3_600.0


@pytest.fixture(autouse=True)
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Makes this process one of a deployment. The first is ``first``."""

    def become(name: str) -> None:
        monkeypatch.setenv("STACK_ID", name)
        forget_settings()
        ownership._free_until.clear()

    become("first")
    yield become
    monkeypatch.undo()
    forget_settings()
    ownership._free_until.clear()


def fire(*schedules: str) -> None:
    """Fire schedules of app.py."""
    for name in schedules:
        event = {
            "version": "0",
            "id": "e",
            "detail-type": "Scheduled Event",
            "source": "aws.events",
            "account": "1",
            "time": "2026-11-29T12:00:00Z",
            "region": "us-east-1",
            "resources": [],
            "detail": {},
        }
        app.handler_map[name](event, Jobs().context(name))


def consume(function: str, queue: str, bodies: list[dict[str, Any]]) -> None:
    """Bring messages to the function of app.py that consumes a queue."""
    records = [
        {"messageId": str(number), "body": json.dumps(body), "eventSourceARN": f"arn:aws:sqs:::{queue}"}
        for number, body in enumerate(bodies)
    ]
    answer = app.handler_map[function]({"Records": records}, Jobs().context(function))
    assert answer == {"batchItemFailures": []}


def run_stack(turns: int = 12) -> None:
    """The stack for some minutes: its schedules, and its consumers until their queues are empty."""
    consumers = {one.queue: one.name for one in FUNCTIONS if one.queue is not None}
    for _ in range(turns):
        clock.set_offset(clock.offset() + MINUTE)
        fire("sweeper", "notices")
        for _ in range(20):
            due = {queue: webhooks.take(queue) for queue in get_args(Queue)}
            for queue, bodies in due.items():
                if bodies:
                    consume(consumers[queue], queue, bodies)
            if not any(due.values()):
                break


@dataclass
class Pending:
    """What is pending at the backup."""

    house: House
    receiver: Receiver
    delivery: str
    endpoint: str
    secret: str
    key: str
    batch: Any
    audit: str
    rows: Backup

    def restore(self, stack: Callable[[str], None]) -> None:
        """Put the backup into the tables of a second stack."""
        restore(self.rows)
        embedded.MAILBOX.verify(SENDER)
        stack("second")

    def left(self) -> dict[str, int]:
        """What has left the stack since the backup."""
        return {
            "deliveries": len(self.receiver.arrivals),
            "writes": len(self.house.cms.writes),
            "pages": len(self.house.shop.asked),
            "mails": sum("It does not answer." in mail.text for mail in embedded.MAILBOX.sent()),
        }


@pytest.fixture
def before(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pending]:
    """A delivery, a notice, an audit and an approved change, all pending, and the backup of them."""
    monkeypatch.setenv("MAIL_FROM", SENDER)
    monkeypatch.setenv("CURSOR_SECRET", "a secret of the tests")
    monkeypatch.setenv("APP_URL", "https://seo.example.com/app")
    forget_settings()
    embedded.MAILBOX.verify(SENDER)
    with open_house(monkeypatch) as house, Receiver() as receiver:
        workspace_id = house.website.workspace_id
        fire("sweeper")
        webhooks.hand_over()
        made = endpoints.add(OPERATOR, workspace_id, receiver.url(), ["connection.broken"])
        notices.choose(Actor(workspace_id, house.person_id, "owner"), "at_once")
        webhooks.publish(
            Event(
                "evt_broken",
                "connection.broken",
                clock.now(),
                workspace_id,
                house.site_id,
                house.website.host,
                "/app/sites",
                {"connection": "cms", "error": "It does not answer."},
            )
        )
        webhooks.hand_over()
        (delivery,) = deliveries.list_latest(workspace_id, made.endpoint.id, 10)
        batch = house.apply({"/a": "All about A"})
        audit = start(house.website)
        key = accounts.create_workspace_key(OPERATOR, workspace_id, house.person_id, ["sites:read"], None)
        rows = backup()
        house.shop.asked.clear()
        yield Pending(
            house, receiver, delivery.id, made.endpoint.id, made.secret.reveal(), key.secret, batch, audit.id, rows
        )


def test_a_restored_store_sends_nothing_until_the_operator_releases_it(
    before: Pending, stack: Callable[[str], None]
) -> None:
    before.restore(stack)
    run_stack()
    fire("weekly")
    assert before.left() == {"deliveries": 0, "writes": 0, "pages": 0, "mails": 0}
    found = {kind.name: kind.count for kind in pending.count(OPERATOR, clock.now())}
    assert [found.get(kind) for kind in ("deliveries", "write", "audit", "notices")] == [1, 1, 1, 1]

    holding.release(OPERATOR)
    run_stack()
    assert [one.headers["X-Service-Delivery"] for one in before.receiver.arrivals] == [before.delivery]
    assert before.house.statuses(before.batch) == {"/a": "applied"}
    assert len(before.house.cms.writes) == 1
    audit = crawls.get(before.house.site_id, before.audit)
    assert audit is not None and audit.status == "done"
    once = {"deliveries": 1, "writes": 1, "pages": 0, "mails": 1}
    assert before.left() | {"pages": 0} == once
    run_stack()
    assert before.left() | {"pages": 0} == once


def test_a_store_on_hold_answers_requests_and_decrypts_its_secrets(
    before: Pending, stack: Callable[[str], None]
) -> None:
    before.restore(stack)
    run_stack(1)
    assert ownership.is_held()
    workspace_id = before.house.website.workspace_id
    endpoint = stored_endpoints.get(workspace_id, before.endpoint)
    assert endpoint is not None
    opened = secrets.unseal(endpoint.secret, **stored_endpoints.context(workspace_id, endpoint.id))
    assert opened.reveal() == before.secret
    key = Client(before.key)
    (site,) = key.get("/sites").json["websites"]
    assert site["id"] == before.house.site_id
    link = sessions.make_link(workspace_id, before.house.person_id)
    assert sessions.use_link(link).email == "owner@acme.example"


def test_work_that_was_dropped_is_never_done_and_is_reported_as_dropped(
    before: Pending, stack: Callable[[str], None]
) -> None:
    before.restore(stack)
    run_stack(1)
    kinds = ("deliveries", "write", "audit", "notices")
    assert pending.drop(OPERATOR, kinds, clock.now(), clock.now()) == dict.fromkeys(sorted(kinds), 1)
    holding.release(OPERATOR)
    run_stack()
    assert set(before.left().values()) == {0}
    dropped = deliveries.get(before.delivery)
    assert dropped is not None and dropped.state == "dropped"
    change = before.house.change(before.batch, "/a")
    assert (change.status, change.error) == ("failed", cancelling.RESTORED)
    audit = crawls.get(before.house.site_id, before.audit)
    assert audit is not None and audit.status == "cancelled"


def test_only_work_older_than_the_given_time_is_dropped(before: Pending, stack: Callable[[str], None]) -> None:
    before.restore(stack)
    run_stack(1)
    now = clock.now()
    assert pending.drop(OPERATOR, pending.DROPPABLE, now - HOUR, now) == dict.fromkeys(pending.DROPPABLE, 0)
    assert before.house.statuses(before.batch) == {"/a": "approved"}


def test_undelivered_events_are_dropped() -> None:
    holding.hold(OPERATOR)
    webhooks.publish(webhooks.event())
    assert pending.drop(OPERATOR, ["events"], clock.now() - HOUR, clock.now()) == {"events": 0}
    assert pending.drop(OPERATOR, ["events"], clock.now() + 1, clock.now()) == {"events": 1}
    assert webhooks.pending() == []


def test_a_waiting_preview_can_be_dropped_and_is_then_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_house(monkeypatch) as house:
        preview = previewing.start(house.website, "https://93.184.215.14/")
        holding.hold(OPERATOR)
        webhooks.publish(webhooks.event())
        later = clock.now() + 1
        assert pending.drop(OPERATOR, ["preview", "write"], later, later) == {"preview": 1, "write": 0}
        assert pending.drop(OPERATOR, ["preview"], later, later) == {"preview": 0}
        found = previews.load(house.site_id, preview.id)
        assert found is not None and found.header.cancel_requested


def unavailable(of: Mail) -> None:
    raise Unavailable("The mail server does not answer.")


def test_a_report_is_sent_in_the_month_after_a_report_was_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", SENDER)
    monkeypatch.setenv("APP_URL", report_mails.APP)
    forget_settings()
    embedded.MAILBOX.verify(SENDER)
    report_mails.last_of_this_month()
    house = settle()
    due = report_mails.taken(house).due
    assert due is not None and pending.count(OPERATOR, clock.now()) == []
    report_mails.first_of_next_month()
    with monkeypatch.context() as patch:  # its link is made, and taken back with it
        patch.setattr(mail, "send", unavailable)
        assert report_mails.later(0) == 0 and len(reports.list_open(house.site.id)) == 1
    clock.set_offset(clock.offset() + FIRST_WAIT_SECONDS + MINUTE)
    holding.hold(OPERATOR)
    (found,) = pending.count(OPERATOR, clock.now())
    assert (found.name, found.count, found.due) == ("reports", 1, 1)
    assert pending.drop(OPERATOR, ["reports"], clock.now() - HOUR, clock.now()) == {"reports": 0}
    assert pending.drop(OPERATOR, ["reports"], clock.now(), clock.now()) == {"reports": 1}
    holding.release(OPERATOR)
    assert report_mails.later(24 * HOUR) == 0 and reports.list_open(house.site.id) == []
    report_mails.first_of_next_month()
    assert report_mails.later(0) == 1


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_schedule_claims_a_new_store_and_puts_one_of_another_deployment_on_hold(
    schedule: str, stack: Callable[[str], None]
) -> None:
    fire(schedule)
    assert ownership.get() == ownership.Ownership("first", None)
    stack("second")
    assert ownership.is_held()
    fire(schedule)
    held = ownership.get()
    assert held is not None and held.stack == "first" and held.held_since == pytest.approx(clock.now(), abs=60)
    stack("first")
    assert ownership.is_held(), "once it is held, only the operator releases it"
    holding.release(OPERATOR)
    fire(schedule)
    assert ownership.get() == ownership.Ownership("first", None)


@pytest.mark.parametrize("one", [one for one in FUNCTIONS if one.queue is not None], ids=lambda one: one.name)
def test_workers_of_a_store_on_hold_discard_their_messages(one: Any, caplog: pytest.LogCaptureFixture) -> None:
    holding.hold(OPERATOR)
    consume(one.name, one.queue, [{}])  # a message that its worker would fail on
    assert "messages are dropped" in caplog.text


def test_a_process_notices_a_hold_of_the_store_once_its_cached_answer_expires(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not ownership.is_held()
    with aws.counted_calls() as calls:
        assert not ownership.is_held()
    assert not calls
    ownership.hold(clock.now())
    later = clock.monotonic() + ownership.FREE_SECONDS
    monkeypatch.setattr(clock, "monotonic", lambda: later)
    assert ownership.is_held()


def test_a_store_released_while_a_schedule_checks_it_is_not_put_on_hold_again(stack: Callable[[str], None]) -> None:
    fire("sweeper")
    stack("second")
    read = ownership.get

    def released_after() -> ownership.Ownership | None:
        found = read()
        ownership.release()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ownership, "get", released_after)
        fire("sweeper")
    assert ownership.get() is None and not ownership.is_held()


def test_a_deployment_without_a_name_is_identified_by_its_table_prefix(stack: Callable[[str], None]) -> None:
    stack("")
    fire("sweeper")
    assert ownership.get() == ownership.Ownership(core_settings().table_prefix, None)


def test_only_the_operator_can_hold_or_release_a_store_or_drop_its_pending_work() -> None:
    somebody = Actor("wsp_1", "usr_1", "owner")
    for act in (
        lambda: holding.hold(somebody),
        lambda: holding.release(somebody),
        lambda: pending.drop(somebody, [], 0.0, 0.0),
    ):
        with pytest.raises(Refused) as refused:
            act()
        assert refused.value.code == "not_allowed"


def test_pending_work_can_be_dropped_only_while_the_store_is_on_hold() -> None:
    fire("sweeper")
    for act in (lambda: pending.drop(OPERATOR, ["write"], 0.0, 0.0), lambda: holding.release(OPERATOR)):
        with pytest.raises(Refused) as refused:
            act()
        assert refused.value.code == "not_held"


def test_an_unknown_kind_of_work_cannot_be_dropped() -> None:
    holding.hold(OPERATOR)
    with pytest.raises(Refused) as refused:
        pending.drop(OPERATOR, ["write", "sampling"], 0.0, 0.0)
    assert refused.value.message.startswith("'sampling' cannot be dropped")


def test_batches_that_wait_for_another_batch_are_counted_and_dropped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_house(monkeypatch) as house:
        batches = [house.apply({path: f"All about {path}"}) for path in ("/a", "/b")]
        assert house.place()[1] == 1
        holding.hold(OPERATOR)
        (writes,) = (kind for kind in pending.count(OPERATOR, clock.now()) if kind.name == "write")
        assert (writes.count, writes.oldest) == (2, batches[0].approved_at)
        assert pending.drop(OPERATOR, ["write"], clock.now(), clock.now()) == {"write": 2}
        assert pending.drop(OPERATOR, ["write"], clock.now(), clock.now()) == {"write": 0}
        holding.release(OPERATOR)
        house.write()
        assert [set(house.statuses(batch).values()) for batch in batches] == [{"failed"}, {"failed"}]
        assert house.cms.writes == []
