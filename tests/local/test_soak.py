"""The local service under load, a short one: ``python -m bench soak`` is the long one."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from bench import soak
from bench.soak import Soak

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 1200  # it takes a sixtieth of that where nothing else runs


def test_twenty_audits_at_once_and_eight_clients_leave_no_error_no_taken_place_and_memory_flat() -> None:
    command = [sys.executable, "-m", "bench.soak", "--websites", "20", "--pages", "4", "--requests", "30"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as soak_process:
        try:
            printed, _ = soak_process.communicate(timeout=SECONDS)
        finally:
            with suppress(ProcessLookupError):  # the service that it started must not outlive it
                os.killpg(soak_process.pid, signal.SIGKILL)
    assert soak_process.returncode == 0, printed
    assert "audits: 40 done" in printed


def test_whatever_goes_wrong_under_load_is_named() -> None:
    bad = Soak()
    bad.audits.update(["done", "done", "failed"])
    bad.unexpected["GET pages: 500 b''"] = 2
    bad.taken_places = ["site_1"]
    bad.logged_errors = ["ERROR it broke"]
    bad.megabytes = [100.0, 116.0]
    named = "\n".join(bad.problems(4))
    for part in ("2 x GET pages: 500", "'failed': 1", "site_1", "it broke", "from 100 to 116 MB"):
        assert part in named
    good = Soak()
    good.audits.update(["done"] * 4)
    good.megabytes = [100.0, 100.0 * soak.MEMORY_GROWTH]
    assert good.problems(4) == []
