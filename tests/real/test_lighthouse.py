"""Lighthouse and Chromium themselves, through the service's own connector: what they find is what is kept, they reach
nothing but the page, and nothing of them is left.

A run takes 10 to 50 seconds, so each page is tested once and looked at from several sides.
"""

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import trustme

from chalicelib import clock
from chalicelib.connectors import chromium, lighthouse, speed_tests
from chalicelib.connectors.errors import Declined
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.speed.report import SpeedReport
from chalicelib.net.proxy import Asked, Proxy
from chalicelib.operations import accounts, speed, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import jobs, shapes
from chalicelib.store import speed as stored_speed
from chalicelib.workers import agentic
from tests import aws
from tests.connectors.test_supervisor import alive, descendants
from tests.real import engines, parts
from tests.real.engines import Pages

pytestmark = pytest.mark.real

TEXT: Final = "<p>Alderfell makes tents for walkers, and mends them for as long as they are used.</p>" * 5
GOOD: Final = f"""<!doctype html><html lang=en><head><title>Tents</title>
<meta name=viewport content="width=device-width"><body><main><h1>Tents</h1>{TEXT}
<form toolname=find tooldescription="Find a tent by its name" action=/found>
<label>Name <input name=name required toolparamdescription="Name of the tent"></label>
<button>Find</button></form></main>"""
BAD: Final = f"""<!doctype html><html lang=en><head><title>Tents</title>
<meta name=viewport content="width=device-width"><body><main><h1>Tents</h1>{TEXT}
<form toolname=find action=/found><input name=name aria-checked=maybe>
<button></button></form><form action=/other><input name=other><button>Send</button></form>
<a href=/x><img src=/missing.png></a></main>"""
LLMS: Final = "# Alderfell\n\n> Tents.\n\n- [Tents](/tents): all of our tents, with sizes and weights\n"


class Outcome(NamedTuple):
    """One test: what was kept of it, Lighthouse's own report, and what the browser asked for."""

    kept: SpeedReport
    raw: Mapping[str, Any]
    asked: list[Asked]


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def installed(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The engines, installed and set; the folder in which they work."""
    folder = tmp_path_factory.mktemp("engines")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (engines.settings() | engines.environment(authority, folder)).items():
            patch.setenv(name, value)
        patch.setattr("tempfile.tempdir", None)
        forget_settings()
        yield folder
    forget_settings()


def ran(url: str, features: str = "WebMCP", strategy: str = "mobile") -> Outcome:
    raw: list[Any] = []
    proxies: list[Proxy] = []

    def keeping_raw(body: bytes, wire: type[Any], decoded: Any = lighthouse.decoded) -> Any:
        raw.append(decoded(body, wire))
        return raw[-1]

    def keeping_proxy(*given: Any, **named: Any) -> Proxy:
        proxies.append(Proxy(*given, **named))
        return proxies[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHROME_FEATURES", features)
        patch.setattr(lighthouse, "decoded", keeping_raw)
        patch.setattr(chromium, "Proxy", keeping_proxy)
        forget_settings()
        run = partial(speed_tests.connected().run, url)
        kept = run("desktop" if strategy == "desktop" else "mobile")
    forget_settings()
    return Outcome(kept, raw[0], list(proxies[0].asked))


@pytest.fixture(scope="module")
def good(installed: Path, authority: trustme.CA) -> Iterator[Outcome]:
    with Pages(authority, {"/": GOOD, "/llms.txt": LLMS, "/robots.txt": "User-agent: *\nAllow: /\n"}) as pages:
        yield ran(f"{pages.url}/", strategy="desktop")


@pytest.fixture(scope="module")
def bad(installed: Path, authority: trustme.CA) -> Iterator[dict[str, Outcome]]:
    with Pages(authority, {"/": BAD, "/llms.txt": "Tents.", "/.well-known/ai-catalog.json": "{}"}) as pages:
        yield {features: ran(f"{pages.url}/", features) for features in ("WebMCP", "")}


MODES: Final = {"notApplicable": "na", "manual": "na", "informative": "info", "error": "error"}


def by_hand(raw: Mapping[str, Any]) -> dict[str, tuple[str, float | None, str]]:
    """State, score and title of each check of a raw report."""
    found = {}
    for reference in raw["categories"]["agentic-browsing"]["auditRefs"]:
        audit = raw["audits"][reference["id"]]
        state = MODES.get(audit["scoreDisplayMode"]) or ("pass" if audit["score"] >= 0.9 else "fail")
        found[reference["id"]] = (state, audit["score"], audit["title"].replace("`", ""))
    return found


@pytest.mark.parametrize("which", ["good", "bad", "bad without WebMCP"])
def test_a_report_is_stored_check_by_check(which: str, good: Outcome, bad: dict[str, Outcome]) -> None:
    kept, raw, _ = {"good": good, "bad": bad["WebMCP"], "bad without WebMCP": bad[""]}[which]
    checks = {name: (check.state, check.score, check.title) for name, check in kept.agentic.checks.items()}
    assert checks == by_hand(raw) and len(checks) >= 7
    assert kept.lighthouse_version == raw["lighthouseVersion"] == engines.LIGHTHOUSE.partition("@")[2]
    assert kept.lab.lcp_ms == raw["audits"]["largest-contentful-paint"]["numericValue"]
    assert kept.lab.cls == raw["audits"]["cumulative-layout-shift"]["numericValue"]
    assert kept.lab.blocking_ms == raw["audits"]["total-blocking-time"]["numericValue"]
    assert kept.strategy == raw["configSettings"]["formFactor"]


def test_the_report_of_a_requested_run_is_stored_check_by_check(
    installed: Path, authority: trustme.CA, store: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw: list[Any] = []

    def keeping_raw(body: bytes, wire: type[Any], decoded: Any = lighthouse.decoded) -> Any:
        raw.append(decoded(body, wire))
        return raw[-1]

    monkeypatch.setattr(lighthouse, "decoded", keeping_raw)
    with Pages(authority, {"/": BAD, "/llms.txt": "Tents."}) as pages:
        workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
        website = websites.add(OPERATOR, workspace.id, f"{pages.url}/")
        job = speed.queue_run(website, f"{pages.url}/", "desktop", per_day=5, now=clock.now()).job
        for message in aws.messages("agentic"):
            agentic.handle(message, None)
    ended = jobs.get(website.id, job.id)
    assert ended is not None and ended.ended and ended.error is None and ended.result is not None
    (stored,) = stored_speed.load(website.id).results
    assert stored == shapes.SPEED_RESULT.unpack(ended.result)
    assert stored.key == (f"{pages.url}/", "desktop")
    found = {name: (check.state, check.score, check.title) for name, check in stored.agentic.checks.items()}
    assert found == by_hand(raw[0])
    assert stored_speed.load_state(website.id).waiting == ()


def test_no_markdown_is_in_the_stored_items_and_details(bad: dict[str, Outcome]) -> None:
    for check in bad["WebMCP"].kept.agentic.checks.values():
        assert len(check.items) <= 5
        told = [check.title, check.detail, *(item.text for item in check.items)]
        assert not [text for text in told if "`" in text or re.search(r"\]\(", text)]
        assert bool(check.detail) == (check.state in ("fail", "error"))


def test_good_and_bad_pages_get_the_expected_check_results(good: Outcome, bad: dict[str, Outcome]) -> None:
    states = {name: check.state for name, check in good.kept.agentic.checks.items()}
    assert states["agent-accessibility-tree"] == states["llms-txt"] == states["webmcp-schema-validity"] == "pass"
    assert states["webmcp-form-coverage"] == "pass" and states["webmcp-registered-tools"] == "info"
    assert states["ard-schema"] == "na"
    states = {name: check.state for name, check in bad["WebMCP"].kept.agentic.checks.items()}
    assert states["agent-accessibility-tree"] == states["llms-txt"] == states["ard-schema"] == "fail"
    assert states["webmcp-schema-validity"] == "fail"
    tree = bad["WebMCP"].kept.agentic.checks["agent-accessibility-tree"]
    assert {item.snippet for item in tree.items} >= {"<button>"}


def test_webmcp_checks_do_not_apply_to_a_page_without_webmcp(bad: dict[str, Outcome]) -> None:
    with_it, without = bad["WebMCP"].kept.agentic, bad[""].kept.agentic
    assert (with_it.flags, without.flags) == (("WebMCP",), ())
    forms = with_it.checks["webmcp-form-coverage"]
    assert forms.state == "info" and [item.snippet for item in forms.items] == ['<form action="/other">']
    assert {without.checks[name].state for name in without.checks if name.startswith("webmcp-")} == {"na"}


def test_the_browser_requests_only_the_page(good: Outcome, bad: dict[str, Outcome]) -> None:
    for one in (good, *bad.values()):
        assert {asked.host for asked in one.asked if asked.refused is None} == {engines.HOST}
        # Some versions of Chromium ask the search engine by themselves. Pages ask it too, so it is not refused by name.
        assert {asked.host for asked in one.asked if asked.refused} <= {*chromium.CALLS_HOME, "www.google.com"}


class Listener:
    """A server on a loopback address that counts who connects."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.came = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                self._socket.accept()[0].close()
            except OSError:
                return
            self.came += 1

    def stop(self) -> None:
        self._socket.close()


REACHING: Final = """<!doctype html><html lang=en><title>Reaching out</title><h1>Reaching out</h1><p>Some text.
<img src="http://169.254.169.254/latest/meta-data/a.png"><img src="http://127.0.0.1:{port}/a.png">
<script src="https://127.0.0.1:{port}/a.js"></script><link rel=stylesheet href="http://localhost:{port}/a.css">
<iframe src="http://[::ffff:127.0.0.1]:{port}/"></iframe><link rel=preconnect href="http://127.0.0.1:{port}">
<script>
for (const where of ["http://169.254.169.254/latest/meta-data/", "http://127.0.0.1:{port}/json/version"])
  fetch(where, {{mode: "no-cors"}}).catch(() => 0);
new WebSocket("ws://127.0.0.1:{port}/");
navigator.sendBeacon("http://127.0.0.1:{port}/beacon", "x");
const peer = new RTCPeerConnection({{iceServers: [{{urls: "turn:127.0.0.1:{port}?transport=tcp", username: "a",
  credential: "b"}}]}});
peer.createDataChannel("x"); peer.createOffer().then(offer => peer.setLocalDescription(offer));
</script>"""


def test_a_page_cannot_reach_the_cloud_metadata_or_loopback(installed: Path, authority: trustme.CA) -> None:
    listener = Listener()
    try:
        with Pages(authority, {"/": REACHING.format(port=listener.port)}) as pages:
            one = ran(f"{pages.url}/")
        assert listener.came == 0
    finally:
        listener.stop()
    refused = {(asked.host, asked.port) for asked in one.asked if asked.refused is not None}
    assert ("169.254.169.254", 80) in refused and ("127.0.0.1", listener.port) in refused
    assert {asked.host for asked in one.asked if asked.refused is None} == {engines.HOST}


def test_a_missing_page_is_declined_with_its_status(installed: Path, authority: trustme.CA) -> None:
    with Pages(authority, {}) as pages, pytest.raises(Declined, match=r"answered with an error .*404"):
        ran(f"{pages.url}/gone")


def test_a_worker_killed_during_a_run_leaves_nothing_behind(installed: Path, authority: trustme.CA) -> None:
    endless = "<!doctype html><title>Endless</title><h1>Endless</h1><script>for (;;) {}</script>"
    with Pages(authority, {"/": endless}) as pages:
        worker = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import sys; from chalicelib.connectors import speed_tests; "
                "speed_tests.connected().run(sys.argv[1], 'mobile')",
                f"{pages.url}/",
            ],
            cwd=parts.FOLDER.parent.parent,
            env=dict(os.environ),
        )
        until = time.monotonic() + 90.0
        while "/" not in pages.requests and time.monotonic() < until:
            time.sleep(0.1)
        found = descendants(worker.pid)
        assert len(found) >= 5, "Chromium has several processes, and Lighthouse has one"
        worker.kill()
        worker.wait()
        until = time.monotonic() + 30.0
        while alive(found) and time.monotonic() < until:
            time.sleep(0.1)
        assert alive(found) == set()
