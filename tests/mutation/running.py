"""A server of processes that runs mutants: it imports what is not the project's own once, and forks for each.

Two runs without a mutant come first. One notes which tests come to which lines of the modules, and how long each
takes. The other takes the tests quickest first, as all later ones do, and tells what they cost. A mutant is then given
those tests only that come to the lines of its statement, and stops at the first that fails.
"""

import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import os
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, Final, NamedTuple

from tests.mutation.operators import Mutant

ROOT: Final = Path(__file__).resolve().parent.parent.parent
OWN: Final = ("app", "bench", "chalicelib", "documents", "host", "infra", "local", "management", "tests")
IMPORTING: Final = ""  # the name of no test: what runs while tests are collected
# A loop without an end goes on using its processor. What waits for ever uses none, and a busy machine looks alike.
CPU_FACTOR: Final = 3.0
CPU_SPARE: Final = 5.0
WALL_FACTOR: Final = 10.0
WALL_SPARE: Final = 30.0
MOST_MEMORY: Final = 4 << 30

_forking = threading.Lock()  # no other process gets the end of a pipe that is to be closed


class Failed(Exception):
    """The tests fail without any mutant."""


class Outcome(NamedTuple):
    """What became of a mutant. ``state``: ``killed``, ``survived``, ``timeout`` or ``not run`` (no test comes there).
    ``by`` is the test that failed."""

    state: str
    by: str
    cpu_seconds: float


class Baseline(NamedTuple):
    """The tests of a subject, quickest first; the lines that each comes to, by module; what they cost in all."""

    order: list[str]
    lines: dict[str, dict[str, set[int]]]
    cpu_seconds: float
    wall_seconds: float

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Those that come to the mutant's statement, quickest first; all of them where importing does."""
        wanted = range(mutant.lines[0], mutant.lines[1] + 1)
        here = self.lines.get(mutant.module, {})
        if mutant.imported or not here.get(IMPORTING, set()).isdisjoint(wanted):
            return self.order
        return [test for test in self.order if not here.get(test, set()).isdisjoint(wanted)]


class _Ended(NamedTuple):
    status: int | None  # None: it was ended, for its time was over
    said: dict[str, Any]
    cpu_seconds: float
    wall_seconds: float


def measured(modules: Sequence[str], tests: Sequence[str]) -> Baseline:
    """Runs the tests twice without a mutant. Raises ``Failed``."""
    traced = _in_a_process(lambda: _run(tests, None, None, modules), None, None)
    if traced.status != 0:
        raise Failed(f"{', '.join(tests)}: {traced.said.get('failed') or traced.said.get('output') or traced.status}")
    for name in traced.said["loaded"]:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    order = sorted(traced.said["seconds"], key=traced.said["seconds"].__getitem__)
    alone = _in_a_process(lambda: _run(tests, order, None, ()), None, None)
    if alone.status != 0:
        raise Failed(f"quickest first, {alone.said.get('failed') or alone.said.get('output') or alone.status}")
    lines = {
        module: {test: set(numbers) for test, numbers in of_tests.items()}
        for module, of_tests in traced.said["lines"].items()
    }
    return Baseline(order, lines, alone.cpu_seconds, alone.wall_seconds)


def tried(mutant: Mutant, baseline: Baseline) -> Outcome:
    """Runs the tests that come to the mutant against it."""
    chosen = baseline.tests_of(mutant)
    if not chosen:
        return Outcome("not run", "", 0.0)
    files = sorted({test.partition("::")[0] for test in chosen})
    ended = _in_a_process(
        lambda: _run(files, chosen, mutant, ()),
        CPU_SPARE + CPU_FACTOR * baseline.cpu_seconds,
        WALL_SPARE + WALL_FACTOR * baseline.wall_seconds,
    )
    if ended.status is None or ended.status == -signal.SIGXCPU:
        return Outcome("timeout", "", ended.cpu_seconds)
    state = "survived" if ended.status == 0 else "killed"
    return Outcome(state, ended.said.get("failed", ""), ended.cpu_seconds)


def _in_a_process(work: Callable[[], tuple[int, dict[str, Any]]], cpu: float | None, wall: float | None) -> _Ended:
    """Does the work in a process of its own, with its children, and ends what is left of them."""
    begun = time.monotonic()
    sys.stdout.flush()
    with _forking:
        mine, theirs = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(mine)
            _work_alone(work, cpu, theirs)
        os.close(theirs)
    said, over = _line_of(mine, None if wall is None else begun + wall)
    if over:
        os.killpg(pid, signal.SIGKILL)
    _, state, used = os.wait4(pid, 0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    try:
        answer = json.loads(said) if said else {}
    except ValueError:
        answer = {}
    status = None if over else os.waitstatus_to_exitcode(state)
    return _Ended(status, answer, used.ru_utime + used.ru_stime, time.monotonic() - begun)


def _work_alone(work: Callable[[], tuple[int, dict[str, Any]]], cpu: float | None, to: int) -> None:
    status = 70
    try:
        os.setsid()
        if cpu is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 3))
            resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        status, said = work()
        with os.fdopen(to, "w") as out:
            out.write(json.dumps(said) + "\n")
    finally:
        os._exit(status)


def _line_of(pipe: int, until: float | None) -> tuple[bytes, bool]:
    """What comes out of the pipe up to the end of a line, or until nobody has its other end; and whether neither was
    by then. Processes that tests left behind may have that end still."""
    parts = []
    with os.fdopen(pipe, "rb", buffering=0) as file:
        while not parts or not parts[-1].endswith(b"\n"):
            left = None if until is None else until - time.monotonic()
            if left is not None and (left <= 0 or not select.select([file], [], [], left)[0]):
                return b"".join(parts), True
            part = file.read(1 << 16)
            if not part:
                break
            parts.append(part)
    return b"".join(parts), False


def _run(
    tests: Sequence[str], order: Sequence[str] | None, mutant: Mutant | None, traced: Sequence[str]
) -> tuple[int, dict[str, Any]]:
    import pytest

    os.chdir(ROOT)
    if mutant is not None:
        sys.meta_path.insert(0, _Importer(mutant))
    notes = _Notes(order, traced)
    output = io.StringIO()
    arguments = ["-x", "-p", "no:cacheprovider", "-p", "no:randomly", "--tb=line", *tests]
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        status = int(pytest.main(arguments, plugins=[notes]))
    return status, notes.said() | ({"output": output.getvalue()[-4_000:]} if status and mutant is None else {})


class _Importer(importlib.abc.MetaPathFinder):
    """Gives the mutant's source where its module is imported."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant
        self._name = mutant.module.removesuffix(".py").replace("/", ".")

    def find_spec(
        self, fullname: str, path: Any, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        file = str(ROOT / self._mutant.module)
        return importlib.util.spec_from_file_location(fullname, file, loader=_Loader(fullname, file, self._mutant))


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, fullname: str, path: str, mutant: Mutant) -> None:
        super().__init__(fullname, path)
        self._mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        source = self._mutant.source(Path(self.path).read_text(encoding="utf-8"))
        return compile(source, self.path, "exec", dont_inherit=True)


class _Notes:
    """A plugin of pytest that chooses and orders tests, and notes what they do."""

    def __init__(self, order: Sequence[str] | None, traced: Sequence[str]) -> None:
        self._order = None if order is None else {test: place for place, test in enumerate(order)}
        self._modules = {str(ROOT / module): module for module in traced}
        self._lines: dict[str, dict[str, set[int]]] = {module: {} for module in traced}
        self._test = IMPORTING
        self._seconds: dict[str, float] = {}
        self._failed = ""

    def said(self) -> dict[str, Any]:
        """What the process that waits is told."""
        if not self._modules:
            return {"failed": self._failed}
        return {
            "failed": self._failed,
            "seconds": self._seconds,
            "lines": {module: {test: sorted(at) for test, at in of.items()} for module, of in self._lines.items()},
            "loaded": [name for name in list(sys.modules) if name.partition(".")[0] not in {*OWN, "__main__"}],
        }

    def pytest_configure(self, config: Any) -> None:
        import hypothesis

        # An example that fails is all that is asked for: no smaller one is looked for.
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        quick = hypothesis.settings.get_profile("quick")
        hypothesis.settings.register_profile("quick", quick, phases=phases, report_multiple_bugs=False)
        hypothesis.settings.load_profile("quick")
        if self._modules:
            threading.settrace(self._trace)
            sys.settrace(self._trace)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self._order is not None:
            places = self._order
            items[:] = sorted((item for item in items if item.nodeid in places), key=lambda item: places[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._test = nodeid

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed and not self._failed:
            self._failed = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self._failed:
            self._failed = f"{report.nodeid} (not imported)"

    def _trace(self, frame: FrameType, event: str, argument: object) -> Any:
        module = self._modules.get(frame.f_code.co_filename)
        if module is None:
            return None
        lines = self._lines[module]

        def line(frame: FrameType, event: str, argument: object) -> Any:
            lines.setdefault(self._test, set()).add(frame.f_lineno)
            return line

        return line(frame, event, argument)


def in_turn(jobs: int, work: Sequence[tuple[Mutant, Baseline]]) -> Iterator[tuple[Mutant, Outcome]]:
    """The outcomes as they come, of so many mutants at once."""
    with ThreadPoolExecutor(jobs) as threads:
        asked = {threads.submit(tried, mutant, baseline): mutant for mutant, baseline in work}
        for done in as_completed(asked):
            yield asked[done], done.result()
