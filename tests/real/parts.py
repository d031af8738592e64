"""Real parts for tests: Debian packages and npm packages, found here or installed.

What cannot be had is told in one line: the test is skipped with it, or fails with it under ``REAL_REQUIRED=1``.
"""

import fcntl
import os
import shutil
import subprocess
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

FOLDER = Path(__file__).resolve().parent.parent.parent / "build" / "real"
INSTALL_SECONDS = 600


def missing(reason: str) -> NoReturn:
    """Ends the test: skipped, or failed where real parts are required."""
    if os.environ.get("REAL_REQUIRED") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def debian(*packages: str) -> None:
    """The packages are installed when this returns. Only root can install them, so others are told what to ask for."""
    absent = [package for package in packages if not _installed(package)]
    if not absent:
        return
    names = " ".join(absent)
    if shutil.which("apt-get") is None:
        missing(f"{names}: not installed, and this is no Debian (no apt-get)")
    if os.geteuid() != 0:
        missing(f"{names}: not installed; as root: apt-get install {names}")
    with _alone("apt"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        wait = ("-o", f"DPkg::Lock::Timeout={INSTALL_SECONDS}")  # another program may be installing
        _run(names, ["apt-get", "update", *wait, "-q"], environment=quiet)
        _run(names, ["apt-get", "install", *wait, "-y", "-q", "--no-install-recommends", *absent], environment=quiet)


def npm(*packages: str, name: str = "npm") -> Path:
    """The folder ``node_modules`` with these packages (``name@version``), below ``build/real`` in a folder ``name``."""
    if shutil.which("npm") is None:
        missing(f"{' '.join(packages)}: npm is not installed")
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    wanted = " ".join(sorted(packages))
    done = folder / "installed"
    with _alone(name):
        if not done.exists() or done.read_text(encoding="utf-8") != wanted:
            # Scripts of packages are not run: what needs one is no part for a test.
            command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder)]
            _run(wanted, [*command, *packages])
            done.write_text(wanted, encoding="utf-8")
    return folder / "node_modules"


def _installed(package: str) -> bool:
    if shutil.which("dpkg-query") is None:
        return False
    asked = subprocess.run(
        ["dpkg-query", "-W", "-f", "${db:Status-Status}", package], capture_output=True, text=True, check=False
    )
    return asked.stdout == "installed"


def python(requirements: Path, name: str) -> Path:
    """The ``python`` of an environment with these requirements, below ``build/real`` in a folder ``name``."""
    folder = FOLDER / name
    done, wanted = folder / "installed", requirements.read_text(encoding="utf-8")
    with _alone(name):
        if not done.exists() or done.read_text(encoding="utf-8") != wanted:
            venv.create(folder, clear=True, with_pip=True)
            command = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--require-hashes"]
            _run(requirements.parent.name, [*command, "-r", str(requirements)])
            done.write_text(wanted, encoding="utf-8")
    return folder / "bin" / "python"


def _run(what: str, command: list[str], environment: dict[str, str] | None = None) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_SECONDS, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        missing(f"{what}: {command[0]} {command[1]} did not end within {INSTALL_SECONDS} s")
    if done.returncode:
        said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        missing(f"{what}: {command[0]} {command[1]} failed: {said[-1].strip() if said else done.returncode}")


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Test processes side by side install one after the other."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
