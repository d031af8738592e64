"""The image holds all that the process and its command line read."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 120.0


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the container file copies, and nothing else of the project."""
    folder = tmp_path_factory.mktemp("image")
    lines = (ROOT / "host" / "Containerfile").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if copied := re.fullmatch(r"COPY (.+) (\S+)/", line):
            for name in copied[1].split():
                target = folder / copied[2]
                if (ROOT / name).is_dir():
                    shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    target.mkdir(exist_ok=True)
                    shutil.copy(ROOT / name, target)
    return folder


def run(image: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("CURSOR_SECRET", "PYTHONPATH")}
    return subprocess.run(
        [sys.executable, *arguments], cwd=image, env=environment, capture_output=True, text=True, timeout=SECONDS
    )


def test_the_container_starts_and_names_missing_settings(image: Path) -> None:
    done = run(image, "-m", "host", "--address", "0.0.0.0")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("CURSOR_SECRET must have 32 characters or more")


def test_the_image_contains_the_app_and_every_worker(image: Path) -> None:
    program = (
        "import importlib, pkgutil, app, host.service, manage, management.template, chalicelib.workers as w\n"
        "for one in pkgutil.walk_packages(w.__path__, w.__name__ + '.'): importlib.import_module(one.name)\n"
        "print(len(management.template.tables()), host.jobs.timeout_seconds('crawl'))"
    )
    done = run(image, "-c", program)
    assert done.stdout == "11 900\n", done.stderr
