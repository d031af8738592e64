"""Jobs: one worker at a time, found again when nobody does them, out of the index when nobody must."""

from collections.abc import Callable

import pytest

from chalicelib import clock
from chalicelib.domain.jobs import Job
from chalicelib.store import jobs, keys
from chalicelib.store.errors import Conflict, FenceLost
from chalicelib.store.lanes import LANES
from chalicelib.store.transactions import commit
from tests.plugins import aws_weather

pytestmark = pytest.mark.usefixtures("store")

NOW = 1_800_000_000.0


def job(job_id: str = "connection_status", site_id: str = "site_1", **changes: object) -> Job:
    values: dict[str, object] = {
        "id": job_id,
        "kind": "connection_status",
        "site_id": site_id,
        "workspace_id": "wsp_1",
        "queued_at": NOW,
        "due_at": NOW,
        "payload": {"connection": "cms"},
    }
    return Job(**{**values, **changes})  # type: ignore[arg-type]


def stored(made: Job) -> Job:
    commit([jobs.put_new(made)])
    found = jobs.get(made.site_id, made.id)
    assert found is not None
    return found


def claimed(found: Job, now: float = NOW) -> Job:
    taken = jobs.claim(found, now=now, lease_until=now + 240, lane=LANES["imports"])
    assert taken is not None
    return taken


def overdue(now: float) -> list[str]:
    """The overdue rows, including those that the index does not show yet."""
    with aws_weather.calm():
        return [found.id for shard in keys.job_shards() for found in jobs.overdue(shard, now)]


def test_a_stored_job_is_read_back() -> None:
    made = job()
    assert stored(made) == made
    assert jobs.list_all("site_1") == [made]
    assert jobs.get("site_2", made.id) is None


def test_overdue_jobs_are_found_even_if_the_index_is_late() -> None:
    made = stored(job())
    looks = (one.id for _ in range(200) for shard in keys.job_shards() for one in jobs.overdue(shard, NOW + 86_400))
    assert next(looks, None) == made.id


def test_a_job_can_be_created_again_only_after_it_has_ended() -> None:
    found = stored(job())
    with pytest.raises(Conflict) as conflict:
        commit([jobs.put_new(job(queued_at=NOW + 1))])
    assert list(conflict.value.failed) == [jobs.JOB]
    commit([jobs.put_fenced(claimed(found).done(NOW + 2))])
    assert stored(job(queued_at=NOW + 3)).queued_at == NOW + 3


def test_only_one_of_two_workers_gets_the_job() -> None:
    found = stored(job())
    first = claimed(found)
    assert (first.fence, first.stalled) == (1, 1)
    assert jobs.claim(found, now=NOW, lease_until=NOW + 240, lane=LANES["imports"]) is None
    again = jobs.get("site_1", found.id)
    assert again == first
    assert jobs.claim(first, now=NOW + 100, lease_until=NOW + 340, lane=LANES["imports"]) is None


def test_a_job_cannot_be_claimed_before_its_time() -> None:
    found = stored(job(due_at=NOW + 10))
    assert jobs.claim(found, now=NOW + 9, lease_until=NOW + 240, lane=LANES["imports"]) is None
    assert claimed(found, NOW + 10).fence == 1


def test_a_worker_that_lost_its_lease_cannot_write() -> None:
    first = claimed(stored(job()))
    second = claimed(first, NOW + 241)
    assert (second.fence, second.stalled) == (2, 2)
    with pytest.raises(FenceLost):
        jobs.renew(first, NOW + 999)
    for write in (jobs.put_fenced(first.done(NOW)), jobs.waits(first)):
        with pytest.raises(Conflict):
            commit([write])
    assert jobs.get("site_1", first.id) == second


def test_no_other_worker_gets_a_job_while_its_lease_is_renewed() -> None:
    first = claimed(stored(job()))
    jobs.renew(first, NOW + 500)
    kept = jobs.get("site_1", first.id)
    assert kept is not None
    assert jobs.claim(kept, now=NOW + 400, lease_until=NOW + 900, lane=LANES["imports"]) is None
    assert overdue(NOW + 499) == []
    assert overdue(NOW + 500) == [first.id]


def test_a_job_that_is_handed_over_is_due_again_and_counts_as_progress() -> None:
    first = claimed(stored(job()))
    commit([jobs.put_fenced(first.goes_on(NOW + 3_600, failures=1))])
    later = jobs.get("site_1", first.id)
    assert later is not None
    assert (later.slice, later.stalled, later.lease_until) == (1, 0, 0.0)
    assert later.payload == {"connection": "cms", "failures": 1}
    assert overdue(NOW + 3_600) == []
    assert overdue(NOW + 3_600 + jobs.QUEUED_GRACE_SECONDS) == [first.id]


def test_a_new_job_is_overdue_a_minute_after_its_time() -> None:
    made = stored(job(due_at=NOW + 10))
    assert overdue(NOW + 10 + 59) == []
    assert overdue(NOW + 10 + 60) == [made.id]


def test_an_ended_job_is_not_due_and_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    first = claimed(stored(job()))
    commit([jobs.put_fenced(first.done(NOW, "The CMS refused."))])
    ended = jobs.get("site_1", first.id)
    assert ended is not None and ended.error == "The CMS refused."
    assert overdue(NOW + 10**8) == []
    assert jobs.claim(ended, now=NOW + 10**6, lease_until=NOW + 10**6 + 240, lane=LANES["imports"]) is None
    with pytest.raises(FenceLost):
        jobs.renew(first, NOW + 10**6)
    monkeypatch.setattr(clock, "now", lambda: NOW + jobs.KEPT_SECONDS + 1)
    assert jobs.get("site_1", first.id) is None


def test_a_waiting_job_is_not_overdue_until_it_is_queued_again() -> None:
    first = claimed(stored(job()))
    commit([jobs.waits(first)])
    assert overdue(NOW + 10**8) == []
    waiting = jobs.get("site_1", first.id)
    assert waiting is not None and (waiting.stalled, waiting.lease_until) == (0, 0.0)
    commit([jobs.put_back("site_1", first.id, NOW + 50)])
    assert overdue(NOW + 50 + jobs.QUEUED_GRACE_SECONDS) == [first.id]
    assert claimed(waiting, NOW + 50).fence == 2
    with pytest.raises(Conflict):  # it does not wait
        commit([jobs.put_back("site_1", first.id, NOW + 60)])


def test_an_unclaimed_job_can_be_made_due_earlier() -> None:
    made = stored(job(due_at=NOW + 3_600))
    commit([jobs.due_earlier("site_1", made.id, NOW)])
    found = jobs.get("site_1", made.id)
    assert found is not None and found.due_at == NOW
    assert overdue(NOW + jobs.QUEUED_GRACE_SECONDS - 1) == []
    assert overdue(NOW + jobs.QUEUED_GRACE_SECONDS) == [made.id]
    _is_not_brought_forward(NOW)  # it is no earlier
    held = claimed(found)
    _is_not_brought_forward(NOW - 60)
    commit([jobs.put_fenced(held.done(NOW))])
    _is_not_brought_forward(NOW - 60)


def _is_not_brought_forward(due_at: float) -> None:
    before = jobs.get("site_1", job().id)
    with pytest.raises(Conflict) as conflict:
        commit([jobs.due_earlier("site_1", job().id, due_at)])
    assert list(conflict.value.failed) == [jobs.JOB]
    assert jobs.get("site_1", job().id) == before


def test_restarting_a_job_takes_it_from_its_worker() -> None:
    seen = stored(job())
    first = claimed(seen)
    with pytest.raises(Conflict) as conflict:  # it was taken since it was looked at
        commit([jobs.put_begun_again(seen, seen.begun_again(NOW + 5))])
    assert list(conflict.value.failed) == [jobs.JOB]
    again = first.begun_again(NOW + 5, failures=0)
    commit([jobs.put_begun_again(first, again)])
    found = jobs.get("site_1", first.id)
    assert found == again
    assert (again.due_at, again.lease_until, again.fence) == (NOW + 5, 0.0, first.fence + 1)
    assert again.payload == {"connection": "cms", "failures": 0}
    with pytest.raises(FenceLost):
        jobs.renew(first, NOW + 500)


@pytest.mark.parametrize("moved_on", [lambda job: job.advanced(NOW + 240), lambda job: job.done(NOW)])
def test_a_job_is_not_restarted_if_it_changed_after_it_was_read(moved_on: Callable[[Job], Job]) -> None:
    first = claimed(stored(job()))
    commit([jobs.put_fenced(moved_on(first))])
    with pytest.raises(Conflict):
        commit([jobs.put_begun_again(first, first.begun_again(NOW + 5))])


def test_an_unreadable_row_does_not_hide_other_jobs() -> None:
    stored(job("job_a"))
    stored(job("job_b"))
    broken = jobs.put_new(job("job_c"))
    commit([type(broken)(broken.table, {**broken.item, "kind": "unheard_of"})])
    assert sorted(overdue(NOW + jobs.QUEUED_GRACE_SECONDS)) == ["job_a", "job_b"]
