"""Tests of the supervisor: the program and all its children end with it, however it ends."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chalicelib.connectors import supervisor

SECONDS = 60.0
# Leaves a grandchild behind in a session of its own, which no signal to a group reaches.
BREEDING = """
import os, subprocess, sys
subprocess.Popen(["sleep", "600"], start_new_session=True)
subprocess.Popen(["sh", "-c", "sleep 600 & sleep 600"], start_new_session=True)
open(sys.argv[1] + "/pids", "w").close()
{then}
"""


def kept(*command: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-I", "-S", supervisor.__file__, "-", "-", *command],
        stdin=subprocess.PIPE,
        start_new_session=True,
    )


def descendants(of: int) -> set[int]:
    """Every process that descends from this one."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    found = {of}
    while more := {process for process, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {of}


def alive(processes: set[int]) -> set[int]:
    def state(process: int) -> str:
        try:
            return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except OSError:
            return "X"

    return {process for process in processes if state(process) not in "XZ"}


def bred(folder: Path, then: str) -> tuple["subprocess.Popen[bytes]", set[int]]:
    """A kept program with descendants, once they are there."""
    process = kept(sys.executable, "-c", BREEDING.format(then=then), str(folder))
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        found = descendants(process.pid)
        if (folder / "pids").exists() and len(found) >= 5:
            return process, found
        time.sleep(0.02)
    raise AssertionError("the program did not start")


def test_all_processes_are_killed_when_the_program_ends(tmp_path: Path) -> None:
    process, found = bred(tmp_path, "sys.stdin.close(); import time; time.sleep(1); sys.exit(7)")
    assert process.wait(SECONDS) == 7
    assert alive(found) == set()


def test_all_processes_are_killed_when_standard_input_closes(tmp_path: Path) -> None:
    process, found = bred(tmp_path, "import time; time.sleep(600)")
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(SECONDS) == 137
    assert alive(found) == set()


def test_all_processes_are_killed_when_the_starting_process_is_killed(tmp_path: Path) -> None:
    starter = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time; from tests.connectors.test_supervisor import bred; from pathlib import Path\n"
            "process, found = bred(Path(sys.argv[1]), 'import time; time.sleep(600)')\n"
            "print(process.pid, *found, flush=True); time.sleep(600)",
            str(tmp_path),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert starter.stdout is not None
    found = set(map(int, starter.stdout.readline().split()))
    assert len(alive(found)) >= 6
    starter.kill()
    starter.wait()
    starter.stdout.close()
    until = time.monotonic() + SECONDS
    while alive(found) and time.monotonic() < until:
        time.sleep(0.02)
    assert alive(found) == set()


def test_the_program_inherits_only_two_open_files_and_an_empty_standard_input(tmp_path: Path) -> None:
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    script = "import os, sys; os.write(4, os.read(3, 9) + b' ' + sys.stdin.buffer.read() + b'.')"
    process = subprocess.Popen(
        [
            sys.executable,
            "-I",
            "-S",
            supervisor.__file__,
            str(theirs_in),
            str(theirs_out),
            sys.executable,
            "-c",
            script,
        ],
        stdin=subprocess.PIPE,
        pass_fds=(theirs_in, theirs_out),
    )
    os.close(theirs_in)
    os.close(theirs_out)
    os.write(ours_out, b"over here")
    assert os.read(ours_in, 99) == b"over here ."
    assert process.wait(SECONDS) == 0
    os.close(ours_out)
    assert os.read(ours_in, 99) == b"", "nobody else holds the other end"
    os.close(ours_in)
    assert process.stdin is not None
    process.stdin.close()


@pytest.mark.parametrize(("command", "status"), [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137)])
def test_the_supervisor_exits_with_the_status_of_the_program(command: str, status: int) -> None:
    process = kept("/bin/sh", "-c", command)
    assert process.wait(SECONDS) == status
    assert process.stdin is not None
    process.stdin.close()


def test_a_missing_program_is_an_error() -> None:
    process = subprocess.run(
        [sys.executable, "-I", "-S", supervisor.__file__, "-", "-", "/nowhere/at-all"],
        stdin=subprocess.PIPE,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert process.returncode != 0 and b"FileNotFoundError" in process.stderr
