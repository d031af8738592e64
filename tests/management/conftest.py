"""Running the operator's command line as it is run by hand, but in this process."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import manage
from chalicelib.store import client
from local import embedded

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def bucket(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The bucket of the embedded AWS, which is reached over a socket only."""
    served = embedded.Endpoint()
    monkeypatch.setenv(embedded.OBJECTS_ENDPOINT, served.url)
    client.reset()
    yield
    served.stop()
    monkeypatch.undo()
    client.reset()


@pytest.fixture
def run(store: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command with ``--json``, expects success and gives the object it printed."""
    monkeypatch.setenv("LOCAL_DIR", str(tmp_path))

    def run_command(*arguments: str) -> dict[str, Any]:
        status = manage.main([*arguments, "--json"])
        printed = capsys.readouterr()
        assert (status, printed.err) == (0, "")
        answer = json.loads(printed.out)
        assert isinstance(answer, dict)
        assert all("id" in row for row in answer.get("items", [answer]))
        return answer

    return run_command


@pytest.fixture
def refused(run: Run, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command, expects exit status 2 and gives the one plain line on standard error."""

    def run_command(*arguments: str) -> str:
        assert manage.main(arguments) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.endswith("\n")
        assert printed.err.count("\n") == 1
        return printed.err.strip()

    return run_command
