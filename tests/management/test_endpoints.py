"""``manage.py endpoints``: from adding one to replaying a delivery, as JSON."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import manage
from chalicelib.domain.webhooks import signature
from tests import webhooks
from tests.servers.receiver import Receiver

pytestmark = pytest.mark.usefixtures("store", "loopback_allowed")
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("LOCAL_DIR", str(tmp_path))

    def run_command(*arguments: str) -> dict[str, Any]:
        status = manage.main([*arguments, "--json"])
        printed = capsys.readouterr()
        assert (status, printed.err) == (0, "")
        answer: dict[str, Any] = json.loads(printed.out)
        assert all("id" in row for row in answer.get("items", [answer]))
        return answer

    return run_command


@pytest.fixture
def worker() -> Iterator[None]:
    """The delivery worker, at work beside the command that waits for it."""
    ending = threading.Event()

    def work() -> None:
        while not ending.wait(0.01):
            webhooks.deliver()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    ending.set()
    thread.join()


def test_an_endpoint_is_added_and_a_delivery_is_replayed(run: Run, worker: None) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "starter")["id"]
    with Receiver() as receiver:
        added = run("endpoints", "add", workspace, receiver.url(), "--event", "audit.finished")
        endpoint = added["id"]
        assert set(added) >= {"id", "url", "events", "state", "offReason", "failuresInARow", "createdAt", "secret"}
        assert (added["state"], added["events"], added["failuresInARow"]) == ("on", ["audit.finished"], 0)
        (listed,) = run("endpoints", "list", workspace)["items"]
        assert "secret" not in listed and listed["id"] == endpoint
        edited = run("endpoints", "edit", workspace, endpoint, "--event", "issue.resolved", "--event", "audit.finished")
        assert edited["events"] == ["issue.resolved", "audit.finished"] and edited["url"] == receiver.url()

        pinged = run("endpoints", "test", workspace, endpoint)
        assert (pinged["event"], pinged["state"], pinged["nextTryAt"]) == ("ping", "delivered", None)
        assert set(pinged["tries"][0]) >= {"at", "phase", "status", "ms", "reply"}
        assert pinged["tries"][0]["status"] == 204
        (arrival,) = receiver.arrivals
        assert signature.verify(added["secret"], arrival.body, arrival.headers["X-Service-Signature"])

        again = run("endpoints", "replay", workspace, pinged["id"])
        assert [attempt["replay"] for attempt in again["tries"]] == [False, True]
        assert receiver.arrivals[1].body == arrival.body
        (entry,) = run("endpoints", "log", workspace, endpoint)["items"]
        assert entry == again

        assert run("endpoints", "off", workspace, endpoint)["state"] == "off"
        assert run("endpoints", "on", workspace, endpoint)["state"] == "on"
        assert run("endpoints", "remove", workspace, endpoint)["id"] == endpoint
        assert run("endpoints", "list", workspace)["items"] == []


def test_a_refusal_is_printed_in_one_line(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "starter")["id"]
    for arguments in (
        ("add", workspace, "http://10.0.0.1/", "--event", "audit.finished"),
        ("test", workspace, "end_x"),
    ):
        assert manage.main(["endpoints", *arguments]) == 2
        assert capsys.readouterr().err.count("\n") == 1
