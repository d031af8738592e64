"""Alerts gather: what comes before one begins joins it, and nothing that was taken is lost."""

from threading import Thread

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit import alert as limits
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.jobs import Job
from chalicelib.operations import accounts, alerts, connections, websites
from chalicelib.store import alerts as stored
from chalicelib.store import crawl_turns, jobs, places
from chalicelib.store import websites as stored_websites
from chalicelib.store.lanes import LANES
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from tests import aws
from tests.api import seed
from tests.crash.crashing import killed_at
from tests.workers.audit.alerting import of, send


@pytest.fixture
def website(store: None) -> Website:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    added = websites.add(OPERATOR, workspace.id, "https://example.com/")
    seed.audited(added)
    return added


def urls(count: int, start: int = 0) -> list[str]:
    return [f"https://example.com/{number}" for number in range(start, start + count)]


def begin(header: CrawlHeader) -> None:
    """A worker takes the alert."""
    now = clock.now()
    place = places.take_running(header.workspace_id, header.site_id, header.id, header.kind)
    assert crawl_turns.claim(header, now=now, lease_until=now + 240, place=place, lane=LANES["crawl"]) is not None


def test_alerts_within_half_a_minute_are_merged(website: Website) -> None:
    assert send(website, *urls(3)) == 3
    assert send(website, *urls(3, start=1)) == 3
    assert send(website, *urls(2)) == 2
    (header,) = of(website)
    assert stored.asked(header.id) == urls(4)
    assert (header.kind, header.status, header.issue_id) == ("recheck", "queued", None)
    assert header.due_at == pytest.approx(clock.now() + limits.GATHER_SECONDS, abs=5)
    (message,) = aws.messages("recheck")
    assert message["crawlId"] == header.id
    assert limits.GATHER_SECONDS <= aws.delays("recheck")[0] <= limits.GATHER_SECONDS + 5


def test_a_repeated_alert_writes_nothing(website: Website) -> None:
    send(website, *urls(5))
    with aws.counted_calls() as calls:
        assert send(website, *urls(5)) == 5
    assert "TransactWriteItems" not in calls and "SendMessage" not in calls


def test_a_page_reported_while_an_alert_runs_goes_into_the_next_alert(website: Website) -> None:
    send(website, *urls(2))
    (first,) = of(website)
    begin(first)
    assert send(website, *urls(3)) == 3
    first, second = of(website)
    assert (first.status, second.status) == ("running", "queued")
    assert (stored.asked(first.id), stored.asked(second.id)) == (urls(2), urls(3))


def test_a_page_reported_while_an_alert_starts_goes_into_the_next_alert(website: Website) -> None:
    send(website, *urls(2))
    (first,) = of(website)
    with killed_at(0, instead=lambda: begin(first)) as counter:
        assert send(website, *urls(3)) == 3
    assert counter.operations.count("TransactWriteItems") >= 2, "the first try was too late"
    _, second = of(website)
    assert (stored.asked(first.id), stored.asked(second.id)) == (urls(2), urls(3))


def test_simultaneous_alerts_are_merged_without_loss(website: Website) -> None:
    threads = [Thread(target=send, args=(website, *urls(5, start * 5))) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (header,) = of(website)
    assert sorted(stored.asked(header.id)) == sorted(urls(20))


def test_pages_above_500_wait_for_the_next_alert(website: Website) -> None:
    assert send(website, *urls(400)) == 400
    assert send(website, *urls(500, start=300)) == 500
    first, second = of(website)
    assert (stored.asked(first.id), stored.asked(second.id)) == (urls(500), urls(300, start=500))
    assert send(website, *urls(1, start=900)) == 1
    assert stored.asked(second.id) == [*urls(300, start=500), *urls(1, start=900)]


def test_alerts_with_long_addresses_are_split_to_fit(website: Website) -> None:
    long = [f"https://example.com/{number}/{'x' * 1_900}" for number in range(400)]
    assert send(website, *long) == 400
    found = [stored.asked(header.id) for header in of(website)]
    assert [url for urls in found for url in urls] == long
    assert len(found) == 3 and all(sum(map(len, urls)) <= limits.MOST_CHARACTERS for urls in found)


def test_the_number_of_waiting_pages_is_limited(website: Website, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_ADDRESSES", 10)
    monkeypatch.setattr(alerts, "MOST_WAITING", 3)
    assert send(website, *urls(25)) == 25
    assert send(website, *urls(20, start=20)) == 10
    assert send(website, *urls(5, start=40)) == 0
    assert [stored.asked(header.id) for header in of(website)] == [urls(10), urls(10, 10), urls(10, 20)]
    begin(of(website)[0])
    assert send(website, *urls(5, start=40)) == 5


def test_alerts_before_the_first_audit_are_ignored(store: None) -> None:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    website = websites.add(OPERATOR, workspace.id, "https://example.com/")
    assert send(website, *urls(3)) == 0
    assert of(website) == [] and aws.messages("recheck") == []


def test_removing_a_website_removes_its_alerts(website: Website) -> None:
    send(website, *urls(600))
    websites.remove(OPERATOR, website.id)
    assert aws.rows("crawls") == []


def test_a_lost_queue_message_of_an_alert_is_sent_again_when_it_is_due(website: Website) -> None:
    send(website, *urls(1))
    aws.purge("recheck")
    clock.set_offset(clock.offset() + 100)
    sweeper.run()
    assert aws.messages("recheck") == []
    clock.set_offset(clock.offset() + 60)
    sweeper.run()
    assert [message["crawlId"] for message in aws.messages("recheck")] == [of(website)[0].id]


# -- how the CMS is ---------------------------------------------------------------------------------------


def checked_later(website: Website) -> Job:
    seed.connected(website)
    now = clock.now()
    job = Job(
        id=connections.job_id("cms"),
        kind="connection_status",
        site_id=website.id,
        workspace_id=website.workspace_id,
        queued_at=now,
        due_at=now + 6 * 3_600,
        payload={"connection": "cms"},
    )
    commit([jobs.put_new(job)])
    return job


def tell_system(website: Website) -> None:
    current = stored_websites.get(website.workspace_id, website.id)
    assert current is not None
    alerts.changed_system(current, now=clock.now())


def test_changes_reported_by_a_cms_cause_at_most_one_check_per_minute(website: Website) -> None:
    job = checked_later(website)
    for _ in range(5):
        tell_system(website)
    assert [message["jobId"] for message in aws.messages("imports")] == [job.id]
    found = jobs.get(website.id, job.id)
    assert found is not None and found.due_at == pytest.approx(clock.now() + limits.GATHER_SECONDS, abs=5)
    assert jobs.claim(found, now=clock.now(), lease_until=clock.now() + 240, lane=LANES["imports"]) is None
    later = clock.now() + limits.GATHER_SECONDS + 1
    assert jobs.claim(found, now=later, lease_until=later + 240, lane=LANES["imports"]) is not None


def test_a_lost_queue_message_of_an_alert_is_sent_again(website: Website) -> None:
    checked_later(website)
    tell_system(website)
    aws.purge("imports")
    clock.set_offset(clock.offset() + 120)
    sweeper.run()
    assert len(aws.messages("imports")) == 1


def test_a_running_connection_check_is_not_rescheduled(website: Website) -> None:
    tell_system(website)
    assert aws.messages("imports") == []
    job = checked_later(website)
    held = jobs.claim(job, now=job.due_at, lease_until=job.due_at + 240, lane=LANES["imports"])
    tell_system(website)
    assert jobs.get(website.id, job.id) == held and aws.messages("imports") == []
