"""The engine's image without a container: what its file copies and installs, and its process over Lambda's Runtime API.

Only the operating system's packages are those of this machine.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path

import pytest

from chalicelib.connectors import function_calls
from chalicelib.settings.reading import forget_settings
from tests.servers.functions import NAME, FunctionService

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "infra" / "engine"
CONTAINERFILE = FOLDER / "Containerfile"


def instructions() -> list[tuple[str, str]]:
    """The image's file: each instruction with the rest of its line."""
    text = CONTAINERFILE.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def words(name: str) -> list[list[str]]:
    """The words of each instruction of that name."""
    return [shlex.split(rest) for instruction, rest in instructions() if instruction == name]


def pins(path: Path) -> dict[str, str]:
    """Packages and their versions."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line and " ;" not in line)


def assembled(root: Path) -> Path:
    """The project's files in the image, and its installed packages in ``packages``."""
    for *sources, target in words("COPY"):
        for source in sources:
            if source.startswith("--from="):
                break
            into = root / target / (Path(source).name if target.endswith("/") else "")
            into.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, into, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, into)
    packages = root / "packages"
    packages.mkdir()
    for name in pins(FOLDER / "requirements.txt"):
        for file in distribution(name).files or ():
            first = file.parts[0]
            if first not in ("..", "__pycache__") and not (packages / first).exists():
                (packages / first).symlink_to(Path(str(distribution(name).locate_file(first))))
    return root


def environment(image: Path, **more: str) -> dict[str, str]:
    """The environment of a process of the image."""
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(image / "packages"), **more}


@contextmanager
def connected(monkeypatch: pytest.MonkeyPatch) -> Iterator[FunctionService]:
    """Lambda, whose function the service calls from now on."""
    with FunctionService() as started:
        for name in ("AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "us-east-1")
        monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", started.url)
        monkeypatch.setenv("ENGINE_FUNCTION", NAME)
        forget_settings()
        function_calls.reset()
        yield started
    monkeypatch.undo()
    function_calls.reset()
    forget_settings()


@contextmanager
def running(image: Path, service: FunctionService, folder: Path, **variables: str) -> Iterator[None]:
    """The image's process, as Lambda starts it; it may write to ``folder``."""
    said = {name: json.loads(rest) for name, rest in instructions() if name in ("ENTRYPOINT", "CMD")}
    python, *arguments = said["ENTRYPOINT"]
    assert python == "python"
    of_lambda = {"AWS_LAMBDA_RUNTIME_API": service.runtime, "TMPDIR": str(folder), "HOME": "/nowhere"}
    process = subprocess.Popen(
        [sys.executable, "-S", *arguments, *said["CMD"]],
        cwd=image,
        env=environment(image, **of_lambda, ALLOW_ADDRESSES="127.0.0.0/8", CHROME_SANDBOX="off", **variables),
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()
