"""Processes of the service without Lambda: ``python -m host`` on Dynoxide, moto's SQS and a key file."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.soak_processes import free_port
from tests.real import dynoxide

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 300.0  # for what takes a few on a machine that is not busy


@contextmanager
def endpoints(folder: Path) -> Iterator[dict[str, str]]:
    """Two servers, empty. Gives the variables by which a process finds them, and a key file beside them."""
    key = folder / "secrets.key"
    key.write_bytes(base64.b64encode(os.urandom(32)) + b"\n")
    key.chmod(0o600)
    with dynoxide.running() as tables, _queues(folder / "queues.log") as queues:
        yield {
            "AWS_ENDPOINT_URL_DYNAMODB": tables,
            "AWS_ENDPOINT_URL_SQS": queues,
            "AWS_ENDPOINT_URL_S3": queues,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "NO_PROXY": "*",
            "no_proxy": "*",
            "SECRETS_KEY": f"file:{key}",
            "CURSOR_SECRET": "0123456789abcdef" * 4,
            "ALLOW_ADDRESSES": "127.0.0.0/8",
            "LOCAL_DIR": str(folder / "no-local-service"),
        }


@contextmanager
def _queues(log: Path) -> Iterator[str]:
    """moto's server in a process of its own."""
    port = free_port()
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], stdout=output, stderr=output
        )
    url = f"http://127.0.0.1:{port}"
    try:
        until(lambda: _answers(f"{url}/moto-api/"), process)
        yield url
    finally:
        process.terminate()
        process.wait(SECONDS)


def _answers(url: str) -> bool:
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=SECONDS).close()
    except OSError:
        return False
    return True


def until(holds: Any, process: "subprocess.Popen[Any] | None" = None) -> None:
    """Waits until a condition holds; a process that ends meanwhile is a failure."""
    give_up = time.monotonic() + SECONDS
    while not holds():
        assert process is None or process.poll() is None, f"it ended with {process.poll()}"
        assert time.monotonic() < give_up, "it did not come to that"
        time.sleep(0.2)


def command(variables: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """One run of manage.py."""
    return subprocess.run(
        [sys.executable, "manage.py", "--json", *arguments],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


class Process:
    """One ``python -m host`` on a free port; ``url`` once it serves."""

    def __init__(self, variables: Mapping[str, str], log: Path) -> None:
        self._log = log
        with log.open("w") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "host", "--port", "0"],
                cwd=ROOT,
                env={**os.environ, **variables, "PYTHONUNBUFFERED": "1"},
                stdout=output,
                stderr=output,
            )

    @property
    def url(self) -> str:
        until(lambda: "serving on " in self.text(), self._process)
        return self.text().split("serving on ")[1].split()[0]

    def text(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def logged(self, message: str) -> list[dict[str, Any]]:
        """The entries of the service's own log with this message."""
        entries = [json.loads(line) for line in self.text().splitlines() if line.startswith("{")]
        return [entry for entry in entries if entry["message"] == message]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Sends the signal once, waits, and gives the exit status."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        return self._process.wait(SECONDS)
