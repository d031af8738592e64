"""``queues`` and ``jobs`` on the command line."""

from collections.abc import Callable, Iterator

import pytest

from chalicelib import clock
from chalicelib.domain.jobs import Job
from chalicelib.store import dead_letters, jobs, queues
from chalicelib.store.dead_letters import DEAD
from chalicelib.store.transactions import commit
from tests import aws
from tests.changes import House, open_house
from tests.crash.crashing import Killed
from tests.management.conftest import Run

WORK = {"siteId": "site_1", "auditId": "aud_1"}


def give_up(queue: queues.Queue, messages: int) -> None:
    """Messages in the dead-letter queue, as those that failed five times."""
    for number in range(messages):
        queues.send(f"{queue}{DEAD}", {**WORK, "number": number})  # type: ignore[arg-type]


def of_queue(run: Run, name: str) -> dict[str, int]:
    (row,) = [row for row in run("queues", "list")["items"] if row["id"] == name]
    return {key: row[key] for key in ("waiting", "inFlight", "delayed", "givenUp")}


def test_queues_are_listed_with_their_message_counts(run: Run) -> None:
    assert of_queue(run, "crawl") == {"waiting": 0, "inFlight": 0, "delayed": 0, "givenUp": 0}
    queues.send("crawl", WORK)
    queues.send("crawl", WORK, delay_seconds=60)
    give_up("crawl", 2)
    assert of_queue(run, "crawl") == {"waiting": 1, "inFlight": 0, "delayed": 1, "givenUp": 2}


def test_showing_dead_letters_does_not_remove_them(run: Run) -> None:
    give_up("recheck", 12)
    shown = run("queues", "show", "recheck", "--limit", "5")["items"]
    assert len({row["id"] for row in shown}) == 5
    assert all(row["message"]["auditId"] == "aud_1" and row["tries"] >= 1 and row["sentAt"] for row in shown)
    assert of_queue(run, "recheck")["givenUp"] == 12


def test_the_text_of_a_message_that_is_not_json_is_not_shown(run: Run) -> None:
    queues.client.sqs().send_message(QueueUrl=queues.url_of("recheck-dead"), MessageBody="not json")
    assert [row["message"] for row in run("queues", "show", "recheck")["items"]] == [None]


def test_dead_letters_are_sent_again_once(run: Run) -> None:
    give_up("outbox", 23)
    assert run("queues", "redrive", "outbox") == {"id": "outbox", "sent": 23}
    assert sorted(message["number"] for message in aws.messages("outbox")) == list(range(23))
    assert of_queue(run, "outbox")["givenUp"] == 0
    assert run("queues", "redrive", "outbox") == {"id": "outbox", "sent": 0}


def test_no_dead_letter_is_lost_if_sending_again_is_interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    give_up("outbox", 3)
    sqs = queues.client.sqs()

    def killed(**_: object) -> None:
        raise Killed

    monkeypatch.setattr(sqs, "delete_message_batch", killed)
    with pytest.raises(Killed):
        dead_letters.send_again("outbox", 10)
    assert len(aws.messages("outbox")) == 3
    assert of_queue(run, "outbox")["givenUp"] == 3


def test_an_unknown_queue_is_refused(refused: Callable[..., str]) -> None:
    said = refused("queues", "show", "crawls")
    assert said.startswith("There is no queue 'crawls'; the queues are crawl, crawl-slow, recheck")
    assert refused("queues", "redrive", "crawls").startswith("There is no queue 'crawls'")


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def job(house: House, **changed: object) -> Job:
    found = Job(
        id="job_1",
        kind="content_sync",
        site_id=house.site_id,
        workspace_id="ws_1",
        queued_at=clock.now(),
        due_at=clock.now() + 3_600,
        **changed,  # type: ignore[arg-type]
    )
    commit([jobs.put_new(found)])
    return found


def test_a_waiting_job_is_listed_and_its_retry_makes_it_due_at_once(run: Run, house: House) -> None:
    made = job(house)
    aws.purge("imports")
    (row,) = [row for row in run("jobs", "list", house.site_id)["items"] if row["id"] == made.id]
    assert (row["kind"], row["endedAt"], row["error"], row["parts"]) == ("content_sync", None, None, 0)
    run("jobs", "retry", house.site_id, made.id)
    found = jobs.get(house.site_id, made.id)
    assert found is not None and found.due_at <= clock.now()
    assert [message["jobId"] for message in aws.messages("imports")] == [made.id]


def test_an_ended_running_or_unknown_job_is_not_run(refused: Callable[..., str], house: House) -> None:
    assert "There is no job job_9" in refused("jobs", "retry", house.site_id, "job_9")
    made = job(house, lease_until=clock.now() + 60)
    assert "is running" in refused("jobs", "retry", house.site_id, made.id)
    commit([jobs.put_fenced(made.done(clock.now(), "failed"))])
    assert "has ended" in refused("jobs", "retry", house.site_id, made.id)
