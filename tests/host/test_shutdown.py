"""The end of a process of the service: it comes, whatever the process is at, and whatever would hold it up."""

import subprocess
import sys
from pathlib import Path

from host.shutdown import INTERRUPTED

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 120.0  # ten times what a busy machine needs to begin a process


def ended(program: str) -> subprocess.CompletedProcess[str]:
    """The process of that program, once it has ended by itself."""
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def test_a_signal_that_arrives_while_signals_are_checked_is_not_lost() -> None:
    done = ended("""
import os, signal
from host.shutdown import interrupts
stopping = interrupts()
with stopping._cond:  # what Event.wait holds for a moment, each time that it is asked
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1_000):
        pass
print(stopping.wait(60))
""")
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_a_signal_is_handled_even_if_the_main_thread_is_blocked() -> None:
    done = ended("""
import os, signal, threading
from host.shutdown import interrupts
stopping = interrupts()
threading.Thread(target=lambda: (stopping.wait(), print("heeded", flush=True), os._exit(0)), daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
os.kill(os.getpid(), signal.SIGINT)
threading.Event().wait()
""")
    assert (done.returncode, done.stdout) == (0, "heeded\n"), done.stderr


def test_a_second_signal_ends_the_process_at_once() -> None:
    done = ended("""
import os, signal, threading
from host.shutdown import interrupts
stopping = interrupts()
os.kill(os.getpid(), signal.SIGTERM)
stopping.wait()
os.kill(os.getpid(), signal.SIGINT)
threading.Event().wait()
""")
    assert done.returncode == INTERRUPTED, done.stderr


def test_a_job_that_does_not_stop_is_abandoned_and_its_stack_logged() -> None:
    done = ended("""
import threading
from host import shutdown
shutdown.STOP_SECONDS = 0.2

def stuck():
    threading.Event().wait()

with shutdown.ended_in_time():
    stuck()
""")
    assert done.returncode == 1
    assert "in stuck" in done.stderr


def test_the_time_limit_for_stopping_begins_with_the_signal() -> None:
    done = ended("""
import os, signal, threading
from host import shutdown
shutdown.STOP_SECONDS = 0.1

def busy():
    threading.Event().wait()

shutdown.interrupts()
os.kill(os.getpid(), signal.SIGTERM)
busy()
""")
    assert done.returncode == 1 and "in busy" in done.stderr


def test_a_process_that_stops_within_the_time_limit_is_not_killed() -> None:
    done = ended("""
import time
from host import shutdown
shutdown.STOP_SECONDS = 0.2
with shutdown.ended_in_time():
    pass
time.sleep(0.6)
print("there")
""")
    assert (done.returncode, done.stdout) == (0, "there\n"), done.stderr


def test_the_process_ends_after_an_error_even_if_threads_are_running() -> None:
    done = ended("""
import threading
from concurrent.futures import ThreadPoolExecutor
from local import run

def main():
    ThreadPoolExecutor(1).submit(threading.Event().wait)
    raise RuntimeError("it failed")

run.main = main
run.run()
""")
    assert done.returncode == 1
    assert "it failed" in done.stderr
