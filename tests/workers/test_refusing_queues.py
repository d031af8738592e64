"""Queues that refuse every message change no answer: what was committed is committed, and the sweeper sends again."""

from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.crawl.weekly import next_weekly_run
from chalicelib.operations import audits, endpoints, rechecks, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.audit import crawl, slices
from chalicelib.workers.delivery import deliveries, outbox
from tests import aws, webhooks
from tests.servers.receiver import Receiver
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Runtime, Site, audit, html, new_website, start, work

TITLE = "SEO-ONP-001"


@pytest.fixture(autouse=True)
def settings(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


def untitled_site() -> Site:
    return Site({"/": html("The home page of a small website", "/a"), "/a": html(None, "/")})


def record(website: Website) -> Website:
    found = stored.get(website.workspace_id, website.id)
    assert found is not None
    return found


def later(seconds: float) -> None:
    """The sweeper some time later."""
    clock.set_offset(clock.offset() + seconds)
    sweeper.run()


def test_an_audit_starts_although_the_queues_refuse_messages() -> None:
    with WireServer(untitled_site()) as server:
        website = new_website(server)
        with aws.refusing_queues():
            header = start(website)
        place = record(website).place
        assert place is not None and place.crawl_id == header.id
        assert aws.messages("crawl") == []
        later(200)
        assert [message["crawlId"] for message in aws.messages("crawl")] == [header.id]
        assert work(header).status == "done"


def test_an_audit_is_cancelled_although_the_queues_refuse_messages() -> None:
    with WireServer(untitled_site()) as server:
        website = new_website(server)
        header = start(website)
        with aws.refusing_queues():
            assert audits.cancel(website.id, header.id, now=clock.now()).cancel_requested
        assert work(header).status == "cancelled"


def test_a_recheck_starts_although_the_queues_refuse_messages() -> None:
    with WireServer(untitled_site()) as server:
        website = new_website(server)
        audit(website)
        issue_id = ids.issue_id(website.id, TITLE)
        with aws.refusing_queues():
            header = rechecks.start(record(website), issue_id, person_id=None, now=clock.now())
            rechecks.send_waiting(website.id)
    assert crawls.get(website.id, header.id) is not None and aws.messages("recheck") == []
    later(200)
    assert [message["crawlId"] for message in aws.messages("recheck")] == [header.id]


def test_the_sweeper_does_all_its_work_although_the_queues_refuse_messages() -> None:
    run = next_weekly_run(clock.now())
    with WireServer(untitled_site()) as server, Receiver() as receiver:
        unfinished = start(new_website(server))
        website = websites.add(OPERATOR, unfinished.workspace_id, "https://example.org")
        webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        webhooks.publish(webhooks.event())
    for queue in ("crawl", "outbox", "deliveries"):
        aws.purge(queue)
    clock.set_offset(run + 1 - clock.now())
    with aws.refusing_queues():
        sweeper.run()
    place = record(website).place
    assert place is not None
    later(200)
    assert {unfinished.id, place.crawl_id} <= {message["crawlId"] for message in aws.messages("crawl")}
    assert len(aws.messages("outbox")) == 1 and len(aws.messages("deliveries")) == 1


def test_the_next_worker_continues_an_audit_although_the_queues_refuse_messages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SLICE_SECONDS", "0")
    monkeypatch.setattr(slices, "WINDOW_PER_PLACE", 1)
    forget_settings()
    with WireServer(untitled_site()) as server:
        website = new_website(server)
        header = start(website)
        (message,) = aws.messages("crawl")
        aws.purge("crawl")
        with aws.refusing_queues():
            crawl.handle(message, Runtime())
        after = crawls.get(website.id, header.id)
        assert after is not None and not after.ended and after.slice == header.slice + 1
        assert work(header).status == "done"


def test_a_ping_and_a_replay_are_sent_although_the_queues_refused_messages() -> None:
    with Receiver() as receiver:
        made = webhooks.endpoint(receiver.url())
        with aws.refusing_queues():
            ping = endpoints.ping(OPERATOR, made.workspace_id, made.id)
        assert aws.messages("deliveries") == []
        later(30)
        webhooks.deliver()
        assert len(receiver.arrivals) == 1
        with aws.refusing_queues():
            assert endpoints.replay(OPERATOR, made.workspace_id, ping.id).id == ping.id
        later(30)
        webhooks.deliver()
    assert [arrival.headers["X-Service-Delivery"] for arrival in receiver.arrivals] == [ping.id, ping.id]


def test_deliveries_are_made_and_retried_although_the_queues_refused_messages() -> None:
    answers = iter([500, 204])
    with Receiver(lambda arrival: next(answers)) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        with aws.refusing_queues():
            batches = webhooks.leftovers()
            assert len(batches) == 1
        aws.purge("outbox")
        later(10)
        (batch,) = aws.messages("outbox")
        with aws.refusing_queues():
            outbox.handle(batch, None)
        assert webhooks.leftovers() == [] and aws.messages("deliveries") == []
        aws.purge("outbox")
        later(30)
        (message,) = webhooks.take("deliveries")
        with aws.refusing_queues():
            deliveries.handle({**message, "at": clock.now() + 60}, None)  # early: it would be sent again
            deliveries.handle(message, None)
        assert len(receiver.arrivals) == 1
        later(90)
        webhooks.deliver()
    (delivery,) = webhooks.log()
    assert delivery.state == "delivered" and [attempt.status for attempt in delivery.attempts] == [500, 204]
