"""An API over HTTP, a website, and a worker that works off the audits that are started: what a pipeline talks to."""

import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store.websites import Website
from chalicelib.workers.audit import crawl
from host.server import ApiServer
from local import embedded
from tests import aws
from tests.api.conftest import EVERY_SCOPE
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Runtime, Site, audit, html

SCRIPT = Path(__file__).resolve().parents[2] / "plugins" / "ci" / "gate.sh"
SECONDS = 120


@dataclass
class Pipeline:
    """A website that was audited once, and what the script needs to audit it again."""

    url: str
    key: str
    website: Website
    site: Site
    server: WireServer
    folder: Path

    def run(self, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run the script as a step of a pipeline does: with these variables and no others."""
        given = {"WOS_URL": self.url, "WOS_KEY": self.key, "WOS_SITE": self.website.id, "WOS_POLL_SECONDS": "0"}
        return run(SCRIPT, {**given, "WOS_FOLDER": str(self.folder), **variables})

    def change(self, path: str, page: Any) -> None:
        self.site.pages[path] = page

    def stop(self) -> None:
        """From now on every connection to the website is reset."""
        self.site.pages = _Down()


class _Down(dict[str, Any]):
    def get(self, path: str, default: Any = None) -> Any:
        return lambda connection: connection.reset()


def run(script: Path, variables: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": "/usr/bin:/bin", **variables}
    return subprocess.run(
        ["sh", str(script)], env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def _work(stopped: threading.Event) -> None:
    while not stopped.wait(0.05):
        for message in aws.take_all("crawl"):
            crawl.handle(message, Runtime())


@pytest.fixture
def pipeline(store: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Pipeline]:
    from app import app

    objects = embedded.Endpoint()
    monkeypatch.setenv(embedded.OBJECTS_ENDPOINT, objects.url)
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("APP_URL", "https://app.example.com")
    forget_settings()
    site = Site({"/": html("The home page of a small shop", "/a", "/b"), "/a": html("Boots for every path", "/")})
    site.pages["/b"] = html("Tents for every weather", "/")
    stopped = threading.Event()
    worker = threading.Thread(target=_work, args=(stopped,))
    api = ApiServer(app, 0)
    with WireServer(site) as server:
        workspace = accounts.create_workspace(OPERATOR, "Acme", "starter")
        person = accounts.add_person(OPERATOR, workspace.id, "owner@acme.example", "owner")
        website = websites.add(OPERATOR, workspace.id, server.url())
        key = accounts.create_workspace_key(OPERATOR, workspace.id, person.id, EVERY_SCOPE, None).secret
        audit(website)
        worker.start()
        yield Pipeline(f"http://127.0.0.1:{api.port}/api/v1", key, website, site, server, tmp_path)
        stopped.set()
        worker.join()
    api.stop()
    objects.stop()
    monkeypatch.undo()
    forget_settings()
