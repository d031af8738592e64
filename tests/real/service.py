"""The local service in a process of its own, auditing a website that a real part serves."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from local.report import Api, ApiRefusal

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 120.0
AUDIT_SECONDS = 600.0


class Audited:
    """A finished audit, and the service that made it. ``site`` is the website's path in the API."""

    def __init__(self, folder: Path, process: "subprocess.Popen[bytes]") -> None:
        self.log = folder / "service.log"
        run = self._told(folder / "run.json", process)
        self.base_url, self.key = run["baseUrl"], run["workspaceKey"]
        self.api = Api(self.base_url, self.key)
        self.site = f"/sites/{run['siteId']}"
        self.staging: str = run["cleanSiteUrl"]  # where a preview of any website can be made
        self.audit = self._ended()

    def get(self, path: str) -> dict[str, Any]:
        return self.api.call("GET", self.site + path)

    def errors(self) -> list[str]:
        """What the service logged as an error."""
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if '"level":"ERROR"' in line or " ERROR " in line or "Traceback" in line]

    @staticmethod
    def _told(file: Path, process: "subprocess.Popen[bytes]") -> dict[str, Any]:
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and process.poll() is None:
            if file.exists():
                told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
                return told
            time.sleep(0.2)
        raise AssertionError(f"the service does not start, see {file.parent}")

    def batch(self) -> str:
        """The batch of the change that the tour approves, once it is there."""
        until = time.monotonic() + AUDIT_SECONDS
        while time.monotonic() < until:
            if found := self.get("/changes")["batches"]:
                return str(found[0]["batchId"])
            time.sleep(0.5)
        raise AssertionError("nothing is approved")

    def again(self) -> None:
        """Another audit of the website, to its end. What runs meanwhile ends first."""
        until = time.monotonic() + AUDIT_SECONDS
        while time.monotonic() < until:
            try:
                self.api.call("POST", f"{self.site}/audits")
                break
            except ApiRefusal:
                time.sleep(0.5)
        self.audit = self._ended(after=self.audit["id"])

    def _ended(self, after: str = "") -> dict[str, Any]:
        until = time.monotonic() + AUDIT_SECONDS
        while time.monotonic() < until:
            found = self.get("/audits?limit=1")["audits"]
            if found and found[0]["id"] != after and found[0]["finishedAt"] is not None:
                return dict(found[0])
            time.sleep(0.5)
        raise AssertionError("the audit does not end")


@contextmanager
def audited(folder: Path, url: str, pages: int, **settings: str) -> Iterator[Audited]:
    """The website at ``url``, audited with that page budget; the service answers until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "local.run"],
        cwd=ROOT,
        env={**os.environ, "PORT": "0", "SITE": url, "PAGES": str(pages), "LOCAL_DIR": str(folder), **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield Audited(folder, process)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
