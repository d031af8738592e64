"""The local service as a process of its own, and its API."""

import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent
PYTHON: Final = ROOT / ".venv" / "bin" / "python"
PATIENCE: Final = 180.0  # seconds for what takes a few where nothing else runs
_PACE: Final = 0.3


class Service:
    """A service that serves, and has shown its tour of the demo website."""

    def __init__(self, folder: Path, link: str) -> None:
        told = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        self._folder = folder
        self.key: str = told["workspaceKey"]
        self._api: str = told["baseUrl"]
        self.workspace_id: str = told["workspaceId"]
        self.site_id: str = told["siteId"]
        self.app = link.partition("/sign-in")[0]
        self.origin = self.app.removesuffix("/app")
        self._person = re.findall(r"usr_\w+", (folder / "out.txt").read_text(encoding="utf-8"))[0]

    def link(self) -> str:
        """Another link that signs in."""
        made = self._managed("people", "link", self.workspace_id, self._person)
        return re.findall(r"http\S+/sign-in\?token=[\w-]+", made)[0]

    def report(self) -> str:
        """The path of a report of the website, below the root of the app."""
        made = self._managed("reports", "share", self.site_id)
        return re.findall(r"/app/(r/[\w-]+)", made)[0]

    def add_website(self, url: str) -> str:
        """Another website of the workspace: its id."""
        made = self._managed("websites", "add", self.workspace_id, url)
        return re.findall(r"site_\w+", made)[0]

    def remove_website(self, site_id: str) -> None:
        self._managed("websites", "remove", site_id)

    def _managed(self, *arguments: str) -> str:
        """What a command of manage.py prints."""
        command = [str(PYTHON), "manage.py", *arguments]
        environment = _environment(self._folder)
        made = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        return made.stdout

    def ask(self, method: str, path: str, key: str | None = None) -> tuple[int, Any]:
        """The status and the JSON of an API call with this key, or the service's own; None where it is no JSON."""
        request = urllib.request.Request(self._api + path, method=method)
        request.add_header("Authorization", f"Bearer {key or self.key}")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                status, body = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, body = error.code, error.read()
        try:
            return status, json.loads(body)
        except ValueError:
            return status, None

    def read(self, path: str) -> Any:
        status, found = self.ask("GET", path)
        assert status == 200, f"{path}: {status} {found}"
        return found

    @property
    def running(self) -> bool:
        """Whether an audit of the website is queued or running."""
        return self.is_running(self.site_id)

    def is_running(self, site_id: str) -> bool:
        """Whether an audit of this website is queued or running."""
        return bool(self.read(f"/sites/{site_id}/audits?limit=1")["active"])


def until(found: Callable[[], object], what: str) -> None:
    """Wait until something is so."""
    last = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < last, f"waited in vain: {what}"
        time.sleep(_PACE)


@contextmanager
def served(folder: Path) -> Iterator[Service]:
    """A service that keeps its things in this folder."""
    shown = folder / "out.txt"
    with shown.open("w") as file:
        process = subprocess.Popen(
            [str(PYTHON), "-m", "local.run"], cwd=ROOT, env=_environment(folder), stdout=file, stderr=subprocess.STDOUT
        )

    def ready() -> bool:
        assert process.poll() is None, shown.read_text(encoding="utf-8")
        return "Serving until Ctrl-C." in shown.read_text(encoding="utf-8")

    try:
        until(ready, "the service is ready")
        link = re.findall(r"http\S+/sign-in\?token=\S+", shown.read_text(encoding="utf-8"))[0]
        yield Service(folder, link)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _environment(folder: Path) -> dict[str, str]:
    left = {name: value for name, value in os.environ.items() if name not in ("SITE", "ONCE", "PAGES", "STATE")}
    return {**left, "LOCAL_DIR": str(folder), "PORT": "0"}
