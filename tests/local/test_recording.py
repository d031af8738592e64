"""The examples of the OpenAPI document, as ``make examples`` records them."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from chalicelib.api.description import EXAMPLES_FILE
from local.recording import BODIES, PORTS, wait_until_free
from tests.api.operations import ENDPOINTS

ROOT = Path(__file__).resolve().parent.parent.parent


def test_every_operation_has_a_recorded_example() -> None:
    wanted = {endpoint.operation_id for endpoint in ENDPOINTS}
    wanted |= {f"{endpoint.operation_id}.body" for endpoint in ENDPOINTS if endpoint.body is not None}
    assert json.loads(EXAMPLES_FILE.read_text("utf-8")).keys() == wanted


def test_every_operation_with_a_body_has_a_body_for_the_recording() -> None:
    assert {endpoint.operation_id for endpoint in ENDPOINTS if endpoint.body is not None} == BODIES.keys()


def test_recorded_examples_contain_no_local_port() -> None:
    assert not re.findall(r"127\.0\.0\.1|:\d{4,5}/", EXAMPLES_FILE.read_text("utf-8"))


def test_the_recording_waits_until_its_port_is_free() -> None:
    taken = socket.create_server(("127.0.0.1", 0))
    ends = threading.Timer(0.5, taken.close)
    ends.start()
    wait_until_free(taken.getsockname()[1])
    assert taken.fileno() == -1
    ends.join()


def test_recording_ports_are_outside_the_ephemeral_range() -> None:
    assert all(1_024 <= port < 32_768 for port in PORTS.values())


@pytest.mark.deep
def test_the_stored_examples_equal_a_new_recording(tmp_path: Path) -> None:
    file = tmp_path / "examples.json"
    command = [sys.executable, "-m", "local.recording", str(file)]
    subprocess.run(command, check=True, timeout=600, cwd=ROOT, env={**os.environ, "LOG_LEVEL": "ERROR"})
    assert file.read_text("utf-8") == EXAMPLES_FILE.read_text("utf-8"), "stale: run make examples docs"
