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
from bench.week import UNTIL_AUDIT
from tests.real import dynoxide

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 300.0  # for what takes a few on a machine that is not busy


@contextmanager
def endpoints(folder: Path) -> Iterator[dict[str, str]]:
    """Two servers, empty. Gives the variables by which a process finds them, and a key file beside them."""
    with dynoxide.running(folder / "tables.sqlite") as tables, queues(folder) as memory:
        yield variables(folder, tables, memory.url)


def variables(folder: Path, tables: str, queues: str) -> dict[str, str]:
    """What a process is told: the two addresses, and a key file that is made."""
    key = folder / "secrets.key"
    key.write_bytes(base64.b64encode(os.urandom(32)) + b"\n")
    key.chmod(0o600)
    return {
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


class Queues:
    """moto's server in a process of its own: queues and objects, in memory."""

    def __init__(self, log: Path) -> None:
        self._log, self._port = log, free_port()
        self.url = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Starts it, empty, and waits until it answers."""
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self._port)]
        with self._log.open("w") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output)
        until(lambda: _answers(f"{self.url}/moto-api/"), self._process)

    def kill(self) -> None:
        """Kills it: everything in it is lost."""
        self._process.kill()
        self._process.wait(SECONDS)


@contextmanager
def queues(folder: Path) -> Iterator[Queues]:
    """They run, and are killed at the end."""
    memory = Queues(folder / "queues.log")
    memory.start()
    try:
        yield memory
    finally:
        memory.kill()


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
    """One ``python -m host`` on a free port; ``url`` once it serves. ``ahead``: seconds by which its clock is, so that
    nobody waits for leases to end."""

    def __init__(self, variables: Mapping[str, str], log: Path, ahead: float = 0.0) -> None:
        self._log = log
        later = {"SOAK_SECONDS_AHEAD": str(ahead), "SOAK_AUDITS_AT": str(int(time.time()) + UNTIL_AUDIT)}
        with log.open("w") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bench.soak_host" if ahead else "host", "--port", "0"],
                cwd=ROOT,
                env={**os.environ, **variables, **later, "PYTHONUNBUFFERED": "1"},
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
