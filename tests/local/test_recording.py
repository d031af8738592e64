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


def test_each_operation_has_an_example_and_each_example_an_operation() -> None:
    wanted = {endpoint.operation_id for endpoint in ENDPOINTS}
    wanted |= {f"{endpoint.operation_id}.body" for endpoint in ENDPOINTS if endpoint.body is not None}
    assert json.loads(EXAMPLES_FILE.read_text("utf-8")).keys() == wanted


def test_each_operation_with_a_body_has_one_to_be_recorded_with() -> None:
    assert {endpoint.operation_id for endpoint in ENDPOINTS if endpoint.body is not None} == BODIES.keys()


def test_examples_name_no_port_of_the_machine_that_recorded_them() -> None:
    assert not re.findall(r"127\.0\.0\.1|:\d{4,5}/", EXAMPLES_FILE.read_text("utf-8"))


def test_a_recording_waits_for_a_port_that_somebody_has_for_a_moment() -> None:
    taken = socket.create_server(("127.0.0.1", 0))
    ends = threading.Timer(0.5, taken.close)
    ends.start()
    wait_until_free(taken.getsockname()[1])
    assert taken.fileno() == -1
    ends.join()


def test_its_ports_are_outside_the_ephemeral_range() -> None:
    assert all(1_024 <= port < 32_768 for port in PORTS.values())


@pytest.mark.deep
def test_the_examples_equal_a_new_recording(tmp_path: Path) -> None:
    file = tmp_path / "examples.json"
    command = [sys.executable, "-m", "local.recording", str(file)]
    subprocess.run(command, check=True, timeout=600, cwd=ROOT, env={**os.environ, "LOG_LEVEL": "ERROR"})
    assert file.read_text("utf-8") == EXAMPLES_FILE.read_text("utf-8"), "stale: run make examples docs"
