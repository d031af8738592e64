"""A run with a wrong path says which one."""

import subprocess
import sys
from pathlib import Path

from tests.plugins.paths import missing

ROOT = Path(__file__).resolve().parent.parent


def test_a_test_run_on_a_missing_path_fails_and_names_the_path() -> None:
    command = [sys.executable, "-m", "pytest", "-n", "2", "tests/test_paths.py", "tests/wrong"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert "there is no such file or folder: tests/wrong\n" in run.stdout + run.stderr


def test_a_test_id_in_an_existing_file_is_not_a_missing_path() -> None:
    assert missing(["tests", "tests/test_paths.py::test_name", "wrong.py::test_name"], ROOT) == ["wrong.py::test_name"]
