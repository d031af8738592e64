"""Queue messages and schedules: partial failures, and logs that belong to one entry alone."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from chalice.app import CloudWatchEvent, SQSEvent

from chalicelib.http import jobs
from chalicelib.store import context

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("store")


def _event(*bodies: str) -> SQSEvent:
    records = [{"messageId": f"m{number}", "body": body, "receiptHandle": "r"} for number, body in enumerate(bodies)]
    return SQSEvent({"Records": records}, None)


def _schedule() -> CloudWatchEvent:
    return CloudWatchEvent(
        {
            "version": "0",
            "account": "1",
            "region": "eu",
            "detail": {},
            "detail-type": "Scheduled Event",
            "source": "aws.events",
            "time": "2026-11-22T02:00:00Z",
            "id": "e",
            "resources": [],
        },
        None,
    )


def test_only_failed_messages_are_delivered_again() -> None:
    seen: list[Mapping[str, Any]] = []

    def handle(message: Mapping[str, Any], _: Any) -> None:
        seen.append(message)
        if message["n"] == 1:
            raise ValueError("this one fails")

    answer = jobs.consume(_event('{"n": 0}', '{"n": 1}', "no json", '{"n": 3}'), handle)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "m1"}, {"itemIdentifier": "m2"}]}
    assert [message["n"] for message in seen] == [0, 1, 3]


def test_each_job_has_the_request_id_of_its_message() -> None:
    ids: list[str | None] = []

    def handle(_: Mapping[str, Any], __: Any) -> None:
        ids.append(context.request_id.get())

    jobs.consume(_event('{"requestId": "req_1"}', "{}", '{"requestId": "req_2"}'), handle)
    assert ids == ["req_1", None, "req_2"]
    assert context.request_id.get() is None


def test_a_log_line_contains_no_values_of_another_request() -> None:
    """Runs in a separate process, because the log handler keeps the output stream of its creation."""
    script = (
        "from chalicelib.http import logs\n"
        "logs.begin('req_1', keyId='key_1'); logs.add(siteId='site_1'); logs.answered(200, 1.0)\n"
        "logs.begin('req_2'); logs.answered(404, 2.0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    first, second = [json.loads(line) for line in done.stdout.splitlines()]
    assert (first["requestId"], first["keyId"], first["siteId"], first["status"]) == ("req_1", "key_1", "site_1", 200)
    assert (second["requestId"], second["status"]) == ("req_2", 404)
    assert not second.keys() & {"keyId", "siteId"}


def test_the_error_of_a_failing_schedule_is_logged_and_raised(caplog: pytest.LogCaptureFixture) -> None:
    def work() -> None:
        raise ValueError("it fails")

    with pytest.raises(ValueError, match="it fails"):
        jobs.run("weekly", _schedule(), work)
    assert "a schedule failed" in caplog.text


def test_the_result_of_a_schedule_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    jobs.run("sweeper", _schedule(), lambda: 3)
    assert any(getattr(record, "result", None) == 3 for record in caplog.records)
