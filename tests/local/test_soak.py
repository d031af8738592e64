"""The local service under load, a short one: ``python -m bench soak`` is the long one."""

import subprocess
import sys
from pathlib import Path

from bench import soak
from bench.soak import Soak

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 1200  # it takes a fortieth of that where nothing else runs


def test_twenty_audits_at_once_and_eight_clients_leave_no_error_no_taken_place_and_memory_flat() -> None:
    command = [sys.executable, "-m", "bench.soak", "--websites", "20", "--pages", "8", "--requests", "60"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "audits: 40 done" in done.stdout


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
