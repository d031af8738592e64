"""Starts, kills and stops the service's processes in a soak."""

import http.client
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from bench.soak_result import Soak

START_SECONDS: Final = 120.0
STOP_SECONDS: Final = 60.0
KILL_SECONDS: Final = (4.0, 25.0)  # seconds from the start of serving to the kill
DOWN_SECONDS: Final = (0.0, 4.0)  # seconds from the kill to the next start
BOTH: Final = 0.2  # the share of kills that hit all processes
PORTS: Final = range(10_000, 30_000)
TRIED: Final = 100  # how many ports are tried
OK: Final = 200


class Hosts:
    """Processes of the service. Each has its own port, and all use the store of this process. ``urls``: their
    addresses."""

    def __init__(self, count: int, folder: Path, variables: dict[str, str]) -> None:
        self.ports = [free_port() for _ in range(count)]
        self.urls = [f"http://127.0.0.1:{port}/api/v1" for port in self.ports]
        self.ahead = 0.0  # seconds by which the processes' clocks are ahead
        self._folder, self._variables = folder, variables
        self._processes: list[subprocess.Popen[bytes] | None] = [None] * count

    def start(self) -> None:
        """Start the processes that are not running, and wait until every process answers requests.

        If a process exits during the start, it is started again, since its port may have been in use for a moment.
        Raises ``RuntimeError`` if the processes do not serve in time.
        """
        give_up = time.monotonic() + START_SECONDS
        while True:
            for number in range(len(self.ports)):
                self._begin(number)
            if all(self._serves(port) for port in self.ports):
                return
            if time.monotonic() > give_up:
                raise RuntimeError(f"the service did not start in {START_SECONDS:.0f} s:\n{self.log()[-4_000:]}")
            time.sleep(0.1)

    def _begin(self, number: int) -> None:
        """Start one process, unless it is running."""
        running = self._processes[number]
        if running is not None and running.poll() is None:
            return
        # With few arenas, glibc returns memory that other threads have freed, so that the measured memory is in use.
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
            **self._variables,
            "MALLOC_ARENA_MAX": "2",
            "SOAK_SECONDS_AHEAD": str(self.ahead),
        }
        with (self._folder / f"host-{number}.log").open("ab") as log:
            self._processes[number] = subprocess.Popen(
                [sys.executable, "-m", "bench.soak_host", "--port", str(self.ports[number])],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip

    def kill(self, number: int) -> bool:
        """Kill one process. Returns False if it was not running."""
        process = self._processes[number]
        if process is None or process.poll() is not None:
            return False
        process.kill()
        process.wait()
        return True

    def stop(self) -> list[int]:
        """Shut all processes down. Returns their exit statuses."""
        running = [process for process in self._processes if process is not None and process.poll() is None]
        for process in running:
            process.send_signal(signal.SIGTERM)
        try:
            return [process.wait(STOP_SECONDS) for process in running]
        finally:
            for process in running:
                if process.poll() is None:
                    process.kill()
                    process.wait()

    def log(self) -> str:
        """Return the log lines of all processes."""
        return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in self._folder.glob("host-*.log"))

    def resident_megabytes(self) -> float:
        """Return the memory that the first process holds now, in MB."""
        return self._megabytes("VmRSS")

    def peak_megabytes(self) -> float:
        """Return the most memory, in MB, that the first process has held since it was started."""
        return self._megabytes("VmHWM")

    def _megabytes(self, name: str) -> float:
        process = self._processes[0]
        assert process is not None
        with open(f"/proc/{process.pid}/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))

    @staticmethod
    def _serves(port: int) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("GET", "/api/v1/plans")
            return connection.getresponse().status == OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def free_port() -> int:
    """Find a free port outside the ephemeral range, so that no other program takes it while a killed process is
    down."""
    for port in random.Random().sample(PORTS, TRIED):
        with socket.socket() as taken, suppress(OSError):
            taken.bind(("127.0.0.1", port))
            return port
    raise RuntimeError(f"none of {TRIED} ports is free")


@contextmanager
def killed_at_random(hosts: Hosts, soak: Soak, draw: random.Random) -> Iterator[None]:
    """Kill one or all processes at random moments during the ``with`` block, and start them again."""
    over, numbers = threading.Event(), list(range(len(hosts.ports)))

    def kill() -> None:
        while not over.wait(draw.uniform(*KILL_SECONDS)):
            chosen = numbers if draw.random() < BOTH else [draw.choice(numbers)]
            soak.kills += sum(hosts.kill(number) for number in chosen)
            over.wait(draw.uniform(*DOWN_SECONDS))
            hosts.start()

    killer = threading.Thread(target=kill, name="killer", daemon=True)
    killer.start()
    try:
        yield
    finally:
        over.set()
        killer.join()
        hosts.start()
