"""Queue messages and schedules reach app.py's functions as in a deployment, and time passes in order."""

import threading
import time
from collections.abc import Iterator

import pytest

from chalicelib import clock
from host.schedules import Schedules
from local import embedded
from local.control import Clock, Control, Refused
from local.pump import EmbeddedPump
from tests.host.small import START, WAIT_SECONDS, SmallApp, dead_letters, send
from tests.reference import loops_of

WORK_SECONDS = 55  # how late a thing may come on a busy machine; a schedule that is stepped over is minutes late


class Service(SmallApp):
    """The small app on the embedded queues, and its clock."""

    def __init__(self) -> None:
        super().__init__()
        self.pump = EmbeddedPump(self.app)
        self.schedules = Schedules(self.app, self.pump.jobs)
        self.clock = Clock(self.pump, self.schedules)


@pytest.fixture
def service() -> Iterator[Service]:
    with embedded.running():
        clock.set_offset(START - time.time())
        service = Service()
        service.pump.start()
        yield service
        service.release.set()
        service.pump.stop()
        service.schedules.stop()
    clock.set_offset(0.0)


# ------------------------------------------------------------------------------------------------- queues


def test_a_message_is_processed_at_once_and_deleted(service: Service) -> None:
    send("now")
    assert service.pump.wait_idle(WAIT_SECONDS)
    assert service.names() == ["now"], "without a step of the clock"
    service.clock.advance(1000)
    assert service.names().count("now") == 1


def test_a_failing_message_is_moved_to_the_dead_letters_after_five_tries(service: Service) -> None:
    service.failing.add("bad")
    send("bad")
    send("raise")
    service.clock.advance(3000)
    tries = service.names()
    assert tries.count("bad") == 5 and tries.count("raise") == 5
    assert len(dead_letters()) == 2


def test_the_service_is_not_idle_while_a_job_runs(service: Service) -> None:
    service.release.clear()
    send("slow")
    assert not service.pump.wait_idle(0.2)
    assert service.pump.jobs.running() == ["outbox"]
    service.release.set()
    assert service.pump.wait_idle(WAIT_SECONDS)


def test_an_idle_pump_uses_no_cpu_time(service: Service) -> None:
    send("later", delay_seconds=600)
    assert loops_of(lambda: time.sleep(0.5)) < 10, "a loop that asks for work without waiting takes fifty of them"


# ------------------------------------------------------------------------------------------------- the clock


def test_every_schedule_runs_once_in_order_if_the_clock_is_advanced(service: Service) -> None:
    start = clock.now()
    send("in ten minutes", delay_seconds=600)
    service.clock.advance(8 * 86400)
    assert clock.now() >= start + 8 * 86400
    names = service.names()
    assert names.count("hourly") == 8 * 24
    assert names.count("in ten minutes") == 1
    assert names.count("weekly") == names.count("from weekly") == 1
    times = [at for _, at in service.seen]
    assert times == sorted(times)
    at = dict(service.seen)
    assert 600 <= at["in ten minutes"] - start < 600 + WORK_SECONDS
    assert 600 <= at["from weekly"] - at["weekly"] < 600 + WORK_SECONDS
    for name, when in service.seen:
        if name == "hourly":
            assert when % 3600 < WORK_SECONDS
    assert service.events[0]["time"].endswith(":00:00Z")


def test_running_jobs_finish_before_the_clock_moves(service: Service) -> None:
    service.release.clear()
    send("slow")
    before = clock.offset()
    advanced = threading.Thread(target=service.clock.advance, args=(1800,))
    advanced.start()
    time.sleep(0.1)
    assert clock.offset() == before
    service.release.set()
    advanced.join(WAIT_SECONDS)
    assert dict(service.seen)["slow"] < START + 600
    assert clock.offset() - before > 1200


def test_the_clock_can_only_be_moved_forward_and_needs_the_embedded_store(service: Service) -> None:
    before = clock.offset()
    with pytest.raises(Refused, match="above 0"):
        service.clock.advance(-5)
    with pytest.raises(Refused, match="embedded store"):
        Clock(None, service.schedules).advance(5)
    assert clock.offset() == before


def test_the_clock_can_be_moved_over_http(service: Service) -> None:
    import httpx

    control = Control(service.clock)
    try:
        with httpx.Client(base_url=control.url, trust_env=False) as http:
            before = http.get("/clock").json()["offsetSeconds"]
            answer = http.post("/clock/advance", json={"seconds": 60})
            assert answer.status_code == 200
            assert answer.json()["id"] == "clock"
            assert answer.json()["offsetSeconds"] == pytest.approx(before + 60, abs=WORK_SECONDS)
            for body in ("{}", "x", '{"seconds": "5"}', '{"seconds": true}'):
                assert http.post("/clock/advance", content=body).json()["error"]["code"] == "bad_body"
            assert http.post("/clock/advance", json={"seconds": -1}).status_code == 409
            assert http.post("/nothing").status_code == 404
    finally:
        control.stop()
