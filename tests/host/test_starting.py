"""What ``python -m host`` says of itself, and of a region that is missing or has one of its two names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chalicelib.settings.reading import forget_settings
from host.service import CannotStart, Host

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120.0  # ten times what a busy machine needs to begin a process


def started(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The process, once it has ended by itself, without the AWS variables of the tests."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    none = {name: str(folder / "none") for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE")}
    given = {**own, **none, "AWS_EC2_METADATA_DISABLED": "true", "CURSOR_SECRET": "x" * 64, **variables}
    asked = [sys.executable, "-m", "host", *arguments]
    return subprocess.run(asked, cwd=ROOT, env=given, capture_output=True, text=True, timeout=SECONDS, check=False)


def test_help_shows_the_defaults_and_the_health_check_address(tmp_path: Path) -> None:
    done = started(tmp_path, "--help")
    said = " ".join(done.stdout.split())
    assert done.returncode == 0
    assert "(default: 127.0.0.1)" in said and "(default: 8000)" in said and "GET /api/v1/plans" in said


def test_without_a_region_the_start_names_the_missing_variables(tmp_path: Path) -> None:
    done = started(tmp_path)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 1 and "AWS_REGION" in line and "AWS_ACCESS_KEY_ID" in line


@pytest.mark.parametrize("name", ["AWS_REGION", "AWS_DEFAULT_REGION"])
def test_the_region_can_be_set_by_either_of_two_variables(name: str, tmp_path: Path) -> None:
    keys = {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any"}
    address = "http://127.0.0.1:1"  # nothing listens there
    done = started(tmp_path, **keys, **{name: "eu-central-1", "AWS_ENDPOINT_URL": address})
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and last.startswith("AWS: ") and address in last


def test_a_missing_queue_stops_the_start_with_its_name(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURSOR_SECRET", "x" * 32)
    monkeypatch.setenv("QUEUE_PREFIX", "elsewhere-")
    forget_settings()
    try:
        with pytest.raises(CannotStart, match=r"^the queue elsewhere-crawl is missing; .*: manage.py store create"):
            Host("127.0.0.1", 0).start()
    finally:
        monkeypatch.undo()
        forget_settings()
