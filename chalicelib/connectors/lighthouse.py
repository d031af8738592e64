"""Runs the service's own Lighthouse: the npm package as a subprocess, with a new Chromium for each test.

A process runs one test at a time, since concurrent tests would disturb each other. After a test's time limit,
Lighthouse and Chromium are ended with all their processes.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from chalicelib import clock
from chalicelib.connectors.answers import decoded
from chalicelib.connectors.chromium import Browser, Engine, Kept, executable
from chalicelib.connectors.errors import Declined, NotConnected, Unavailable
from chalicelib.domain.agentic import Strategy
from chalicelib.domain.speed.report import PageFailed, SpeedReport, read_speed_report
from chalicelib.net.guard import AddressRefused
from chalicelib.settings.speed import speed_settings

SECONDS: Final = 120.0  # time limit of one test, from the browser's start to the report's end
WAIT_SECONDS: Final = 120.0  # time limit for waiting for the previous test
MOST_BYTES: Final = 32 * 1024 * 1024  # limit on a report
_CLI: Final = Path("cli", "index.js")

_one_at_a_time = threading.Lock()


def read_engine_report(report: Mapping[str, Any], url: str, features: tuple[str, ...]) -> SpeedReport:
    """Extract the parts to store from the report of the service's own engine. Raises ``Declined`` if the page cannot be
    tested, and ``Unavailable`` if the test failed."""
    try:
        return read_speed_report(report, url, features)
    except PageFailed as failed:
        raise (Declined if failed.of_the_page else Unavailable)(failed.message) from None
    except ValueError:
        raise Unavailable("Lighthouse wrote a report without results.") from None


@dataclass(frozen=True, slots=True)
class Lighthouse:
    """The npm package in a folder, run by ``node``."""

    _engine: Engine
    _node: str
    _cli: Path
    provider: str = "lighthouse"

    @classmethod
    def connected(cls) -> "Lighthouse":
        """Make the engine from the settings NODE_BINARY, LIGHTHOUSE_PATH and CHROME_PATH. Raises ``NotConnected``."""
        settings = speed_settings()
        if not settings.lighthouse_path.strip():
            raise NotConnected("SPEED_PROVIDER is lighthouse, but LIGHTHOUSE_PATH is not set.")
        cli = Path(settings.lighthouse_path.strip()).absolute() / _CLI
        if not cli.is_file():
            raise NotConnected("LIGHTHOUSE_PATH is not the folder of the npm package lighthouse.")
        return cls(Engine.connected(), executable("NODE_BINARY", settings.node_binary), cli)

    def run(self, url: str, strategy: Strategy, *, seconds: float = SECONDS) -> SpeedReport:
        """Test one page, after the previous test of this process has ended. Implements ``SpeedTester.run``."""
        return read_engine_report(self.report(url, strategy, seconds=seconds), url, self.features)

    @property
    def features(self) -> tuple[str, ...]:
        """The features that are switched on in the browser; they change the results of tests."""
        return self._engine.features

    def report(self, url: str, strategy: Strategy, *, seconds: float = SECONDS) -> dict[str, Any]:
        """Test one page, and return Lighthouse's own report. Failures that the report contains raise no error; other
        failures raise the errors of ``SpeedTester.run``."""
        if not _one_at_a_time.acquire(timeout=WAIT_SECONDS):
            raise Unavailable("Lighthouse is busy with other pages; try again later.")
        try:
            return self._report(url, strategy, clock.monotonic() + seconds)
        finally:
            _one_at_a_time.release()

    def _report(self, url: str, strategy: Strategy, until: float) -> dict[str, Any]:
        try:
            browser = Browser(self._engine, url, port=True)
        except AddressRefused as reason:
            raise Declined(f"The page cannot be tested: {reason}.") from None
        with browser:
            written = browser.folder / "report.json"
            test = Kept(self._command(url, strategy, browser.debugging_port(), written), browser.folder, "lighthouse")
            try:
                status = test.wait(until)
            finally:
                test.stop()
            if status is None:
                raise Unavailable("The page was not tested within two minutes.")
            if not written.is_file() or written.stat().st_size > MOST_BYTES:
                raise Unavailable(f"Lighthouse wrote no report{test.last_words()}.")
            try:
                return decoded(written.read_bytes(), dict[str, Any])
            except ValueError:
                raise Unavailable("Lighthouse's report cannot be read.") from None

    def _command(self, url: str, strategy: Strategy, port: int, written: Path) -> list[str]:
        command = [
            self._node,
            str(self._cli),
            url,
            "--hostname=127.0.0.1",
            f"--port={port}",
            "--only-categories=performance,agentic-browsing",
            "--output=json",
            f"--output-path={written}",
            "--disable-full-page-screenshot",
            "--no-enable-error-reporting",
            "--locale=en-US",
            "--quiet",
        ]
        return command if strategy == "mobile" else [*command, "--preset=desktop"]
