"""Workers of approved changes that run out of time, are overtaken or stopped, or meet a recheck."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from chalicelib import clock
from chalicelib.connectors import live_reader
from chalicelib.connectors.cms import HttpCms
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.changes.batch import BLOCK, job_id
from chalicelib.domain.connector.messages import Change, Outcome
from chalicelib.operations import rechecks, websites
from chalicelib.store import removals
from chalicelib.workers import writes
from chalicelib.workers.audit import recheck
from chalicelib.workers.jobs import LEASE_SECONDS
from tests import aws
from tests.changes import House, kinds, open_house
from tests.workers.audit.websites import Runtime

VALUES = {"/a": "All about A", "/b": "All about B", "/c": "All about C"}


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


class Short:
    """A function's runtime that is over before a second block and a reading that begins at its end could be."""

    def get_remaining_time_in_millis(self) -> int:
        return int((writes.BLOCK_SECONDS + live_reader.LONGEST_READING) * 1_000)


def test_changes_that_one_function_has_no_time_for_are_done_by_the_next_one(
    store: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = tuple(f"/page-{number}" for number in range(2 * BLOCK + 1))
    with open_house(monkeypatch, paths) as house:
        batch = house.apply({path: f"All about {path}" for path in paths})
        for done in (BLOCK, 2 * BLOCK, 2 * BLOCK + 1):
            (message,) = aws.messages("writes")
            aws.purge("writes")
            writes.handle(message, Short())
            assert sum(status == "applied" for status in house.statuses(batch).values()) == done
        assert aws.messages("writes") == []
        assert len(house.cms.writes) == len(paths) and house.loaded(batch).batch.status == "done"


def test_a_function_has_time_for_a_block_of_changes_and_for_reading_their_pages() -> None:
    config = json.loads((Path(writes.__file__).parents[2] / ".chalice" / "config.json").read_text())
    seconds = config["stages"]["prod"]["lambda_functions"]["writes"]["lambda_timeout"]
    assert writes.BLOCK_SECONDS + live_reader.LONGEST_READING < writes.BLOCK_SECONDS + writes.MARGIN_SECONDS < seconds


def test_a_worker_that_lost_its_lease_cannot_write(house: House) -> None:
    batch = house.apply({"/a": "All about A"})
    message = {"siteId": house.site_id, "jobId": job_id(batch.id)}
    real = HttpCms.change
    answers: list[Outcome] = []

    def overtaken(cms: HttpCms, change: Change) -> Outcome:
        answers.append(real(cms, change))
        if len(answers) == 1:  # this worker stands still for longer than its lease
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
            writes.handle(message, Runtime())
        return answers[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HttpCms, "change", overtaken)
        writes.handle(message, Runtime())
    assert len(answers) == 2 and answers[0] == answers[1]
    assert len(house.cms.writes) == 1
    assert house.statuses(batch) == {"/a": "applied"}
    house.work()
    assert kinds(house).count("write.applied") == 1


def test_a_change_is_marked_as_being_sent_before_it_is_sent(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = tuple(f"/page-{number}" for number in range(BLOCK + 2))
    with open_house(monkeypatch, paths) as house:
        batch = house.apply({path: f"All about {path}" for path in paths})
        real, said = HttpCms.change, []

        def looking(cms: HttpCms, change: Change) -> Outcome:
            said.append(house.statuses(batch)[urlsplit(change.url).path])
            return real(cms, change)

        monkeypatch.setattr(HttpCms, "change", looking)
        house.write()
    assert said == ["applying"] * len(paths)


def test_a_recheck_during_which_values_are_written_is_repeated_after_the_write(house: House) -> None:
    old = rechecks.start(house.current(), house.issue_id, person_id=None, now=clock.now())
    aws.purge("recheck")
    batch = house.apply(VALUES)
    real = recheck.read_again

    async def meanwhile(*arguments: object, **named: object) -> object:
        found = await real(*arguments, **named)  # type: ignore[arg-type]
        house_write()
        return found

    def house_write() -> None:
        thread = threading.Thread(target=house.write)  # it has an event loop of its own
        thread.start()
        thread.join()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recheck, "read_again", meanwhile)
        recheck.handle(
            {"workspaceId": house.website.workspace_id, "siteId": house.site_id, "crawlId": old.id, "slice": 0},
            Runtime(),
        )
    assert house.issue().pending_recheck not in (None, old.id)
    assert set(house.statuses(batch).values()) == {"applied"}
    assert "recheck.failed" not in kinds(house)
    house.work()
    assert house.issue().status == "resolved"


def test_a_batch_that_repeatedly_kills_its_workers_fails(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = house.apply({"/a": "All about A"})

    def dies(*_: object) -> None:
        raise MemoryError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writes.Writing, "round", dies)
        for _ in range(3):
            with pytest.raises(MemoryError):
                writes.handle({"siteId": house.site_id, "jobId": job_id(batch.id)}, Runtime())
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
    house.work()
    change = house.change(batch, "/a")
    assert (change.status, change.error) == ("failed", writes.STALLED)


def test_removing_the_website_removes_its_batches(house: House) -> None:
    batch = house.apply({"/a": "All about A"})
    message = {"siteId": house.site_id, "jobId": job_id(batch.id)}
    websites.remove(OPERATOR, house.site_id)
    assert not [pk for pk, _ in aws.rows("changes") if house.site_id in pk]
    assert removals.pending(house.site_id) is None
    writes.handle(message, Runtime())
    assert house.cms.writes == []
