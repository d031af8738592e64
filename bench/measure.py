"""Runs a module in a separate process and reads the cost that it reports."""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field


@dataclass
class Cost:
    """The cost of a run.

    ``cpu``: CPU seconds of the process (user and system, all threads) from the first request to the last result,
    without the start of Python and imports. ``rss_mb``: the most memory that the process ever held.
    """

    pages: int
    seconds: float
    cpu: float
    rss_mb: float
    notes: dict[str, float] = field(default_factory=dict)

    @property
    def cpu_ms_a_page(self) -> float:
        return 1_000 * self.cpu / max(self.pages, 1)


class Meter:
    """Measures this process from ``__init__`` to ``cost``."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._cpu = _cpu_seconds()

    def cost(self, pages: int, **notes: float) -> Cost:
        spent = _cpu_seconds() - self._cpu
        return Cost(pages, time.perf_counter() - self._began, spent, peak_megabytes(), notes)


def peak_megabytes() -> float:
    """Return the most memory that this process ever held, in MB, as the kernel reports it for this program alone.

    ``ru_maxrss`` cannot be used: in a child process it starts with the parent's peak.
    """
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def cpu_of(work: Callable[[], object]) -> float:
    """Run the work once. Returns the CPU seconds (user and system) that all threads of this process used for it."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def read_units(size: int) -> float:
    """Return the read units that DynamoDB bills for an eventually consistent read of an item of ``size`` bytes."""
    return -(-size // 4_096) / 2


def write_units(size: int) -> int:
    """Return the write units that DynamoDB bills for writing an item of ``size`` bytes."""
    return -(-size // 1_024)


def report(cost: Cost) -> None:
    """Print the cost as the last line of the output, where ``run`` reads it."""
    print(json.dumps(asdict(cost)), flush=True)


def run(module: str, *arguments: str) -> Cost:
    """Run ``python -m module``, and return the cost that it reports.

    Raises ``RuntimeError`` with its output if it fails.
    """
    done = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{module} failed:\n{done.stderr[-4_000:]}")
    return Cost(**json.loads(done.stdout.strip().rsplit("\n", 1)[-1]))


@contextmanager
def served(pages: int, *options: str) -> Iterator[str]:
    """Serve the benchmark's website in a separate process during the ``with`` block. Yields the home page's address.

    ``options``: further options of ``bench.site``.
    """
    with served_many(pages, 1, *options) as urls:
        yield urls[0]


@contextmanager
def served_many(pages: int, websites: int, *options: str) -> Iterator[list[str]]:
    """Serve several websites of ``pages`` pages each in one separate process. Yields the addresses of the home
    pages."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.site", "--pages", str(pages), "--websites", str(websites), *options],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdin is not None
    try:
        urls = [process.stdout.readline().strip() for _ in range(websites)]
        if not all(urls):
            raise RuntimeError("the benchmark's website did not start")
        yield urls
    finally:
        process.stdin.close()
        process.wait(timeout=30)
        process.stdout.close()


def ended(missed: Sequence[str]) -> int:
    """Print each missed target. Returns the exit status: 1 if a target was missed."""
    for problem in missed:
        print(f"MISSED: {problem}", flush=True)
    return int(bool(missed))
