"""Rendering, as a program that speaks Chromium's pipe lets it be seen: what it is asked, and what it may do to us. The
real one is in ``tests/real``."""

import json
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import rendering
from chalicelib.connectors.devtools import BrowserGone, CommandFailed, DevTools
from chalicelib.connectors.errors import Declined, NotConnected, Unavailable
from chalicelib.settings.reading import forget_settings
from tests.connectors.test_supervisor import alive

SITE = "http://127.0.0.1:8080"
# Answers commands as Chromium does; what it does with a page is said by the page's path.
CHROMIUM = """#!{python}
import json, os, sys, time
with open("{told}/started", "a") as started:
    started.write(f"{{os.getpid()}}\\n")
with open("{told}/command", "w") as command:
    json.dump(sys.argv, command)
if "{does}" == "fail":
    sys.exit("No usable sandbox!")
read, page, documents = b"", "", 0
def answer(**said):
    os.write(4, json.dumps(said).encode() + bytes([0]))
while piece := os.read(3, 65536):
    read += piece
    while bytes([0]) in read:
        raw, _, read = read.partition(bytes([0]))
        asked = json.loads(raw)
        method, params, result = asked["method"], asked["params"], {{}}
        answer(method="Target.targetInfoChanged", params={{"unasked": True}})
        if method == "Target.createTarget":
            result = {{"targetId": "T"}}
        elif method == "Target.attachToTarget":
            result = {{"sessionId": "S"}}
        elif method == "Page.navigate":
            page, documents = params["url"], 0
            if page.endswith("/dead"):
                sys.exit()
            result = {{"frameId": "F"}} | ({{"errorText": "net::ERR_FAILED"}} if page.endswith("/refused") else {{}})
        elif method == "Page.createIsolatedWorld":
            result = {{"executionContextId": 7}}
        elif method == "Runtime.evaluate":
            documents += 1
            if page.endswith("/hang"):
                continue
            if page.endswith("/script-redirect") and documents == 1:
                answer(id=asked["id"], error={{"message": "Execution context was destroyed."}})
                continue
            if page.endswith("/odd"):
                result = {{"result": {{"value": [1]}}}}
            else:
                value = {{"url": page, "status": 200, "html": "<p>" + page, "quiet": True}}
                result = {{"result": {{"value": value}}}}
        answer(id=asked["id"], result=result)
"""


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("EXTRA_HOSTS", "EXTRA_CA_FILE", "CHROME_FEATURES", "CHROME_SANDBOX", "CHROME_PATH"):
        monkeypatch.delenv(name, raising=False)
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


Render = Callable[..., list[str]]


@pytest.fixture
def render(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Render:
    """The paths that could be rendered, of those asked for."""

    def rendered(*paths: str, does: str = "", seconds: float = 60.0) -> list[str]:
        program = tmp_path / "chromium.py"
        program.write_text(CHROMIUM.format(python=sys.executable, told=tmp_path, does=does))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("CHROME_PATH", str(program))
        forget_settings()
        assert rendering.is_connected()
        sources = rendering.connected().render([SITE + path for path in paths], seconds, lambda: None)
        return [source.html.removeprefix(f"<p>{SITE}") for source in sources]

    return rendered


def browsers(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "started").read_text(encoding="utf-8").split()]


def nothing_left(folder: Path) -> bool:
    return not alive(set(browsers(folder))) and not [*folder.glob("browser-*")]


def test_all_pages_of_a_website_are_rendered_in_one_browser(render: Render, tmp_path: Path) -> None:
    assert render("/a", "/b", "/c") == ["/a", "/b", "/c"]
    assert len(browsers(tmp_path)) == 1 and nothing_left(tmp_path)
    command = json.loads((tmp_path / "command").read_text(encoding="utf-8"))
    assert "--remote-debugging-pipe" in command and "--proxy-bypass-list=<-loopback>" in command
    assert not [switch for switch in command if switch.startswith("--remote-debugging-port")]


def test_pages_that_cannot_be_loaded_are_left_out(render: Render, tmp_path: Path) -> None:
    assert render("/refused", "/odd", "/b") == ["/b"]
    assert len(browsers(tmp_path)) == 1


def test_a_redirect_by_script_is_followed(render: Render) -> None:
    assert render("/script-redirect") == ["/script-redirect"]


def test_a_page_that_hangs_or_crashes_does_not_affect_the_next_pages(
    render: Render, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendering, "PAGE_SECONDS", 2.0)
    assert render("/a", "/hang", "/b", "/dead", "/c") == ["/a", "/b", "/c"]
    assert len(browsers(tmp_path)) == 3 and nothing_left(tmp_path)


def test_rendering_stops_after_three_failed_browsers(render: Render, tmp_path: Path) -> None:
    assert render("/dead", "/dead", "/dead", "/a") == []
    assert len(browsers(tmp_path)) == rendering.MOST_BROWSERS and nothing_left(tmp_path)


def test_after_the_time_limit_no_page_is_started(render: Render, tmp_path: Path) -> None:
    assert render("/a", seconds=0.0) == []
    assert not (tmp_path / "started").exists()


def test_a_browser_that_does_not_start_is_reported_with_its_reason(render: Render, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="did not start: No usable sandbox!"):
        render("/a", does="fail")
    assert nothing_left(tmp_path)


def test_an_invalid_address_is_declined(render: Render, monkeypatch: pytest.MonkeyPatch) -> None:
    render("/a")
    with pytest.raises(Declined, match="port 22"):
        list(rendering.connected().render(["http://127.0.0.1:22/"], 60.0, lambda: None))


def test_rendering_is_not_connected_without_a_browser() -> None:
    assert not rendering.is_connected()
    with pytest.raises(NotConnected, match="CHROME_PATH is not set"):
        rendering.connected()


@pytest.fixture
def talk() -> Iterator[Callable[[bytes], tuple[DevTools, int]]]:
    """A conversation with a browser that has said these bytes; and what we said."""
    opened: list[Any] = []

    def with_answers(said: bytes) -> tuple[DevTools, int]:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        ends = [os.fdopen(ours_out, "wb", 0), os.fdopen(ours_in, "rb", 0)]
        opened.extend([*ends, os.fdopen(theirs_in, "rb", 0), os.fdopen(theirs_out, "wb", 0)])
        threading.Thread(target=os.write, args=(theirs_out, said), daemon=True).start()
        return DevTools(*ends), theirs_in

    yield with_answers
    for end in opened:
        end.close()


def soon() -> float:
    return clock.monotonic() + 5.0


def test_an_answer_is_matched_to_its_command_by_id(talk: Callable[[bytes], tuple[DevTools, int]]) -> None:
    tools, heard = talk(
        b'{"method":"a"}\0{"id":9,"result":{}}\0{"id":1,"result":{"x":1}}\0{"id":2,"error":{"message":"no"}}\0'
    )
    assert tools.call("First", soon(), "S", a=1) == {"x": 1}
    assert os.read(heard, 999) == b'{"id":1,"method":"First","params":{"a":1},"sessionId":"S"}\0'
    with pytest.raises(CommandFailed, match="no"):
        tools.call("Second", soon())


@pytest.mark.parametrize("said", [b"nonsense\0", b"[1]\0", b"[" * 50_000 + b"\0"])
def test_an_unreadable_message_closes_the_connection_to_the_browser(
    said: bytes, talk: Callable[[bytes], tuple[DevTools, int]]
) -> None:
    with pytest.raises(BrowserGone, match="cannot be read"):
        talk(said)[0].call("A", soon())


def test_a_browser_that_does_not_answer_is_given_up(talk: Callable[[bytes], tuple[DevTools, int]]) -> None:
    with pytest.raises(BrowserGone, match="in time"):
        talk(b'{"id":1')[0].call("A", clock.monotonic() + 0.2)
