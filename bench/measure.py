"""Runs a module in a process of its own and reads its cost."""

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
    """The cost of a run. ``cpu``: the process's CPU seconds (user and system, all threads) from the first request to
    the last result, without starting Python and importing; ``rss_mb``: the most memory it ever held.
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
    """The most memory that this process ever held, as reported by the kernel for this program alone. ``ru_maxrss`` is
    unusable: a child process starts with the peak of its parent.
    """
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def cpu_of(work: Callable[[], object]) -> float:
    """CPU seconds (user and system, all threads) of this process for one run of the work."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def read_units(size: int) -> float:
    """DynamoDB's read units for an eventually consistent read of an item of this size in bytes."""
    return -(-size // 4_096) / 2


def write_units(size: int) -> int:
    """DynamoDB's write units for writing an item of this size in bytes."""
    return -(-size // 1_024)


def report(cost: Cost) -> None:
    """Print the cost as the last line, for ``run`` to read."""
    print(json.dumps(asdict(cost)), flush=True)


def run(module: str, *arguments: str) -> Cost:
    """Run ``python -m module`` and read the cost it reports. Raises ``RuntimeError`` with its output if it fails."""
    done = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{module} failed:\n{done.stderr[-4_000:]}")
    return Cost(**json.loads(done.stdout.strip().rsplit("\n", 1)[-1]))


@contextmanager
def served(pages: int, *options: str) -> Iterator[str]:
    """The benchmark's website in a process of its own; its home address while the block runs. ``options``: others of
    ``bench.site``."""
    with served_many(pages, 1, *options) as urls:
        yield urls[0]


@contextmanager
def served_many(pages: int, websites: int, *options: str) -> Iterator[list[str]]:
    """Serve several websites of ``pages`` pages each in one process of their own. Yields their home addresses."""
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
    """Print each missed target. Returns the exit status: 1 if there is one."""
    for problem in missed:
        print(f"MISSED: {problem}", flush=True)
    return int(bool(missed))
