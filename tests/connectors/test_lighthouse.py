"""Our own Lighthouse, as programs that stand in for Node.js and Chromium let it be seen: how it is started, what it may
know, how long it may take, and what is left of it. The real ones are in ``tests/real``."""

import contextlib
import json
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chalicelib.connectors import lighthouse, speed_tests
from chalicelib.connectors.errors import Declined, NotConnected, OutsideError, Unavailable
from chalicelib.connectors.lighthouse import Lighthouse
from chalicelib.settings.reading import forget_settings
from tests.connectors.test_supervisor import alive

REPORT = json.loads((Path(__file__).parent.parent / "rules" / "agt" / "lighthouse.json").read_text(encoding="utf-8"))[
    "bad-webmcp-mobile"
]
URL = "http://127.0.0.1:8080/"
SECRET = "nobody-else-may-know"
CHROMIUM = """#!{python}
import json, os, sys, time
folder = next(one.partition("=")[2] for one in sys.argv if one.startswith("--user-data-dir="))
os.makedirs(folder)
json.dump([os.getpid(), sys.argv, dict(os.environ)], open("{told}/chromium", "w"))
if "{does}" == "fail":
    sys.exit("Running as root without --no-sandbox is not supported.")
with open(folder + "/DevToolsActivePort", "w") as written:
    written.write("4711\\n/devtools/browser/x")
time.sleep(600)
"""
NODE = """#!{python}
import json, os, sys, time
json.dump([os.getpid(), sys.argv, dict(os.environ)], open("{told}/node", "w"))
written = next(one.partition("=")[2] for one in sys.argv if one.startswith("--output-path="))
if "{does}" == "hang":
    time.sleep(600)
if "{does}" == "silent":
    sys.exit("Unable to connect to Chrome")
open(written, "w").write(open("{told}/report").read())
sys.exit(1 if "{does}" == "exit" else 0)
"""


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("SPEED_PROVIDER", "lighthouse")
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("CURSOR_SECRET", SECRET)
    for name in ("EXTRA_HOSTS", "EXTRA_CA_FILE", "CHROME_FEATURES", "CHROME_SANDBOX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tempfile.tempdir", None)
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


Connect = Callable[..., Lighthouse]


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Connect:
    """Lighthouse with programs that stand in for Node.js and Chromium. ``does``: how they behave."""

    def with_programs(does: str = "", report: object = REPORT, chromium: str = "") -> Lighthouse:
        (tmp_path / "report").write_text(report if isinstance(report, str) else json.dumps(report))
        for name, text, way in (("chromium.py", CHROMIUM, chromium), ("node.py", NODE, does)):
            program = tmp_path / name
            program.write_text(text.format(python=sys.executable, told=tmp_path, does=way))
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        (tmp_path / "package" / "cli").mkdir(parents=True)
        (tmp_path / "package" / "cli" / "index.js").touch()
        monkeypatch.setenv("CHROME_PATH", str(tmp_path / "chromium.py"))
        monkeypatch.setenv("NODE_BINARY", str(tmp_path / "node.py"))
        monkeypatch.setenv("LIGHTHOUSE_PATH", str(tmp_path / "package"))
        forget_settings()
        found = speed_tests.connected()
        assert isinstance(found, Lighthouse) and found.provider == "lighthouse"
        return found

    return with_programs


def started(folder: Path, name: str) -> tuple[int, list[str], dict[str, str]]:
    process, command, environment = json.loads((folder / name).read_text(encoding="utf-8"))
    return process, command, environment


def nothing_left(folder: Path) -> bool:
    return not alive({started(folder, name)[0] for name in ("node", "chromium") if (folder / name).exists()}) and not [
        *folder.glob("browser-*")
    ]


def test_a_report_shows_which_experimental_browser_features_were_switched_on(connect: Connect, tmp_path: Path) -> None:
    report = connect().run(URL, "mobile")
    assert report.url == URL and report.agentic.flags == ("WebMCP",)
    assert report.agentic.checks["webmcp-schema-validity"].state == "fail"
    assert nothing_left(tmp_path)


def test_chromium_reaches_the_network_only_through_the_proxy(connect: Connect, tmp_path: Path) -> None:
    connect().run(URL, "mobile")
    _, command, _ = started(tmp_path, "chromium")
    proxy = [switch for switch in command if switch.startswith("--proxy-server=http://127.0.0.1:")]
    assert len(proxy) == 1
    assert {
        "--proxy-bypass-list=<-loopback>",
        "--disable-quic",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--enable-features=WebMCP",
    } <= set(command)
    assert "--no-sandbox" not in command, "only where the operator says so"


def test_node_and_chromium_do_not_inherit_secrets(connect: Connect, tmp_path: Path) -> None:
    connect().run(URL, "mobile")
    for name in ("node", "chromium"):
        _, command, environment = started(tmp_path, name)
        assert set(environment) <= {"PATH", "HOME", "TMPDIR", "LC_CTYPE", "PWD"}
        assert SECRET not in f"{command}{environment}"


def test_a_desktop_test_uses_the_desktop_preset_of_lighthouse(connect: Connect, tmp_path: Path) -> None:
    tester = connect()
    tester.run(URL, "desktop")
    _, command, _ = started(tmp_path, "node")
    assert "--preset=desktop" in command and URL in command and "--port=4711" in command
    tester.run(URL, "mobile")
    assert "--preset=desktop" not in started(tmp_path, "node")[1]


def test_the_sandbox_can_be_switched_off_by_a_setting(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CHROME_SANDBOX", "off")
    monkeypatch.setenv("CHROME_FEATURES", "")
    assert connect().run(URL, "mobile").agentic.flags == ()
    command = started(tmp_path, "chromium")[1]
    assert "--no-sandbox" in command and not [one for one in command if one.startswith("--enable-features")]


@pytest.mark.parametrize(
    ("does", "report", "error", "words"),
    [
        ("hang", REPORT, Unavailable, "within two minutes"),
        ("silent", REPORT, Unavailable, "wrote no report: Unable to connect to Chrome"),
        ("", "{", Unavailable, "cannot be read"),
        ("", {}, Unavailable, "without results"),
        ("exit", {"runtimeError": {"code": "NO_FCP", "message": "x"}}, Declined, "painted nothing"),
        ("exit", {"runtimeError": {"code": "PROTOCOL_TIMEOUT", "message": "x"}}, Unavailable, "broke off"),
    ],
)
def test_each_failure_is_explained_and_leaves_no_process_or_file(
    does: str, report: object, error: type[OutsideError], words: str, connect: Connect, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words) as caught:
        connect(does, report).run(URL, "mobile", seconds=3.0 if does == "hang" else 120.0)
    assert type(caught.value) is error
    assert nothing_left(tmp_path)


def test_a_browser_that_does_not_start_is_reported_with_its_reason(connect: Connect, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="did not start: Running as root without --no-sandbox"):
        connect(chromium="fail").run(URL, "mobile")
    assert nothing_left(tmp_path)


def test_an_invalid_address_is_declined(connect: Connect) -> None:
    with pytest.raises(Declined, match="port 22"):
        connect().run("http://127.0.0.1:22/", "mobile")


def test_tests_run_one_at_a_time(connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tester = connect("hang")
    monkeypatch.setattr(lighthouse, "WAIT_SECONDS", 0.05)

    def hang() -> None:
        with contextlib.suppress(Unavailable):
            tester.run(URL, "mobile", seconds=3.0)

    first = threading.Thread(target=hang)
    first.start()
    while not (tmp_path / "node").exists():
        time.sleep(0.02)
    with pytest.raises(Unavailable, match="busy"):
        tester.run(URL, "mobile")
    first.join(60.0)
    assert nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("LIGHTHOUSE_PATH", "", "LIGHTHOUSE_PATH is not set"),
        ("LIGHTHOUSE_PATH", "/nowhere", "not the folder"),
        ("CHROME_PATH", "", "CHROME_PATH is not set"),
        ("CHROME_PATH", "/nowhere/chromium", "there is no program"),
        ("NODE_BINARY", "no-such-program-anywhere", "NODE_BINARY"),
        ("CHROME_FEATURES", "WebMCP --no-sandbox", "names of features"),
    ],
)
def test_missing_programs_are_reported(
    name: str, value: str, words: str, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()
    monkeypatch.setenv(name, value)
    forget_settings()
    with pytest.raises(NotConnected, match=words):
        speed_tests.connected()
