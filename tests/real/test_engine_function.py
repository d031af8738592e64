"""The engine's function with real engines: the process of its image, over Lambda's own wire format, tests and renders a
page as an engine in the worker's own process does."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from chalicelib.connectors import rendering, speed_tests
from chalicelib.settings.reading import forget_settings
from tests.engine_image import assembled, connected, running
from tests.real import engines
from tests.servers.functions import FunctionService
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Site, html

pytestmark = pytest.mark.real

SCRIPT = "<p id=p>Before</p><script>p.textContent = 'After the script'; document.title = 'Changed'</script>"


@pytest.fixture
def function(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[FunctionService]:
    settings = engines.settings()
    image = assembled(tmp_path_factory.mktemp("image"))
    with ExitStack() as stack:
        # Not below pytest's folders: Chromium keeps a socket in there, whose address may be 107 characters long.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="engine-")))
        service = stack.enter_context(connected(monkeypatch))
        given = {name: settings[name] for name in ("NODE_BINARY", "LIGHTHOUSE_PATH", "CHROME_PATH")}
        stack.enter_context(running(image, service, folder, **given))
        monkeypatch.setenv("SPEED_PROVIDER", "lighthouse")
        forget_settings()
        yield service
        assert [*folder.glob("browser-*")] == [], "nothing is left of a browser"


def test_a_page_is_tested_and_rendered_in_the_engine_function(function: FunctionService) -> None:
    with WireServer(Site({"/": html("The home page of a small website", body=SCRIPT)})) as server:
        report = speed_tests.connected().run(server.url("/"), "mobile")
        (page,) = rendering.connected().render([server.url("/")], 120.0, lambda: None)
    assert report.lighthouse_version == engines.LIGHTHOUSE.partition("@")[2] and report.agentic.flags == ("WebMCP",)
    assert len(report.agentic.checks) >= 7 and report.agentic.checks["agent-accessibility-tree"].state == "pass"
    assert report.lab.lcp_ms and report.lab.blocking_ms is not None
    assert "After the script" in page.html and "<title>Changed</title>" in page.html and page.status == 200
    assert [asked["kind"] for asked in function.asked] == ["lighthouse", "render"]
