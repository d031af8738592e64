"""One of several processes fires a schedule at each of its times."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib.store import schedule_locks
from tests import aws

pytestmark = pytest.mark.usefixtures("store")


def test_a_schedule_runs_once_at_each_time_and_never_for_a_time_before_its_last_run() -> None:
    assert schedule_locks.claim("sweeper", 120.0)
    assert not schedule_locks.claim("sweeper", 120.0)
    assert not schedule_locks.claim("sweeper", 60.0)
    assert schedule_locks.claim("sweeper", 180.0)
    assert schedule_locks.claim("weekly", 120.0)


def test_only_one_of_many_processes_runs_a_schedule() -> None:
    with ThreadPoolExecutor(8) as pool:
        for at in (60.0, 120.0, 180.0):
            assert sum(pool.map(lambda _, at=at: schedule_locks.claim("sweeper", at), range(8))) == 1


def test_a_schedule_runs_even_if_the_answer_of_the_lock_is_lost() -> None:
    with aws.lost_answers("PutItem"):
        assert schedule_locks.claim("sweeper", 60.0)
    assert not schedule_locks.claim("sweeper", 60.0)
