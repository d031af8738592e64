"""Lighthouse on the app's own screens: accessibility and best practices are whole, and performance is good."""

import http.cookiejar
import json
import os
import re
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.browser.service import Service, served
from tests.real import engines

pytestmark = pytest.mark.real

SCREENS = {
    "portfolio": "",
    "overview": "/sites/{site}",
    "actions": "/sites/{site}/actions",
    "issues": "/sites/{site}/issues",
    "pages": "/sites/{site}/pages",
    "search": "/sites/{site}/search",
}
RUNS = 3
SECONDS = 180


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with served(tmp_path_factory.mktemp("local")) as found:
        yield found


@pytest.fixture(scope="module")
def cookie(service: Service) -> str:
    """The header of who has pressed the button of a sign-in link."""
    kept = http.cookiejar.CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(kept))
    link = service.link()
    shown = browser.open(link).read().decode()
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', shown))
    sent = urllib.request.Request(link.partition("?")[0], urllib.parse.urlencode(fields).encode())
    sent.add_header("Origin", service.origin)
    sent.add_header("Sec-Fetch-Site", "same-origin")
    browser.open(sent)
    return "; ".join(f"{one.name}={one.value}" for one in kept)


def scores(url: str, cookie: str, folder: Path) -> dict[str, float]:
    """Lighthouse's scores of a screen on a phone, from 0 to 100."""
    set_up = engines.settings()
    sandbox = " --no-sandbox" if os.geteuid() == 0 else ""
    command = [set_up["NODE_BINARY"], f"{set_up['LIGHTHOUSE_PATH']}/cli/index.js", url, "--quiet", "--output=json"]
    command += [f"--chrome-flags=--headless=new{sandbox}", f"--extra-headers={json.dumps({'Cookie': cookie})}"]
    command += ["--only-categories=accessibility,best-practices,performance", f"--output-path={folder / 'report.json'}"]
    ran = subprocess.run(
        command,
        env={**os.environ, "CHROME_PATH": "/usr/bin/chromium"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2_000:].replace(cookie, "…")
    report: dict[str, Any] = json.loads((folder / "report.json").read_text("utf-8"))
    assert report["finalDisplayedUrl"] == url, "the screen was shown, not the one to sign in"
    return {name: 100 * one["score"] for name, one in report["categories"].items()}


@pytest.mark.parametrize("screen", SCREENS)
def test_every_screen_reaches_its_lighthouse_scores(screen: str, service: Service, cookie: str, tmp_path: Path) -> None:
    url = service.app + SCREENS[screen].format(site=service.site_id)
    found = [scores(url, cookie, tmp_path) for _ in range(RUNS)]
    assert {(one["accessibility"], one["best-practices"]) for one in found} == {(100, 100)}
    assert median(one["performance"] for one in found) >= 95
