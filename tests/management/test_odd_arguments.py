"""Whatever arguments manage.py is given, it ends with 0 or 2 and one plain line, and never with a traceback."""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import manage
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, websites
from management import endpoints
from tests.management.calls import World, calls, leaves
from tests.management.test_every_command import Ended, fault_of

ROOT = Path(__file__).resolve().parent.parent.parent
SEED = 20_261_125
CALLS = 200
PLAIN = ("wsp_none", "site_none", "acme.example", "key_none", "https://acme.example/", "1", "-1", "0", "free", "8d")
ODD = (
    *(
        "",
        " ",
        "\t",
        "\n",
        "\0",
        "\x1b]52;c;AAAA\x07",
        "\x1b[2J",
        "\u202egnp.exe",
        "\u200b",
        "\u9b31",
        "\r\nok",
        "\x9b2J",
    ),
    *("é", "日本.example", "😀" * 40, "x" * 3_000, "x" * 70_000, "\udc80\udcff", "a\u0301" * 50, "NaN", "1e999"),
    *("99999999999999999999999999", "-99999999999", "1.5", "0x10", "٣", "--", "-", "--json", "--help", "-x", "--file"),
    *("'; DROP TABLE", "../../etc/passwd", "/", "//", "%00", "{}", "[]", "null", "true", "*", "a b", "a,b", "SITE#x"),
    *(
        "http://",
        "https://[::1",
        "https://user:pw@host/",
        "javascript:alert(1)",
        "localhost:99999",
        "site_" + "x" * 200,
    ),
    *("wos_ws_" + "a" * 38, "wos_site_" + "b" * 38, "10000-01-01", "999999999d", "site_none\x07", "#", "WS#1"),
)


def files(folder: Path) -> list[str]:
    """Paths that are no usable file of credentials."""
    contents = {
        "empty": b"",
        "binary": bytes(range(256)) * 10,
        "deep": b"[" * 7_000,
        "large": b"x" * 9_000_000,
        "list": b"[1, 2]",
        "text": b'"text"',
        "numbers": b'{"property": 1e999, "credentials": 5, "url": [], "code": {}, "shop": null, "accessToken": 0}',
        "texts": b'{"property": "\\u0000", "credentials": "x", "url": "\\u001b", "code": "\\ud800", "shop": "", '
        b'"accessToken": "\\u202e"}',
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to(folder / "loop")
    names = [*contents, "folder", "loop", "none", "folder/none", "empty/none", "x" * 300, "nul\0"]
    return [*(str(folder / name) for name in names), "/dev/null", "/dev/zero"]


def drawn(chance: random.Random, world: World, paths: list[str]) -> list[str]:
    """The arguments of one call: those of a command that fits, with some of them replaced, doubled or left out."""
    known = calls(world)
    command = chance.choice(sorted(leaves()))
    arguments = list(chance.choice(known[command]))
    for position in range(len(arguments)):
        if chance.random() < 0.5 and not (arguments[position].startswith("--") and chance.random() < 0.7):
            arguments[position] = chance.choice([*ODD, *PLAIN, *paths])
    if chance.random() < 0.3:
        arguments.insert(chance.randint(0, len(arguments)), chance.choice([*ODD, *PLAIN]))
    if arguments and chance.random() < 0.2:
        arguments += arguments[-2:]
    if arguments and chance.random() < 0.2:
        arguments.pop(chance.randrange(len(arguments)))
    words = command.split()
    if chance.random() < 0.05:
        words[-1] = chance.choice(ODD)
    return [*words, *arguments, *(["--json"] if chance.random() < 0.5 else [])]


def unprintable(text: str) -> list[str]:
    return [one for one in text if not one.isprintable() and one not in "\n\u200c\u200d"]


@pytest.fixture
def world(store: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("LOCAL_DIR", str(tmp_path))
    monkeypatch.setattr(endpoints, "TRY_SECONDS", 0.0)
    (tmp_path / "given").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")  # a folder that a command makes by a relative path
    workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
    person = accounts.add_person(OPERATOR, workspace.id, "owner@acme.example", "owner")
    website = websites.add(OPERATOR, workspace.id, "https://acme.example")
    return World(tmp_path / "given", workspace.id, person.id, website.id)


def test_200_calls_with_odd_arguments_end_without_a_traceback(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "files").mkdir()
    paths, chance = files(tmp_path / "files"), random.Random(SEED)
    ends: dict[int, int] = {}
    for number in range(CALLS):
        asked = drawn(chance, world, paths)
        if asked[0] == "doctor" or asked[:2] == ["store", "create"]:
            continue  # they take no arguments, and ask for a bucket that is served elsewhere
        capsys.readouterr()
        try:
            status = manage.main(asked)
        except Exception as error:
            pytest.fail(f"call {number}, manage.py {asked}: {error!r}")
        printed = capsys.readouterr()
        ended: Ended = (status, printed.out, printed.err)
        helped = "Usage:" in printed.out
        assert helped or fault_of(ended, "--json" in asked) is None, (number, asked, ended)
        assert not unprintable(printed.out + printed.err), (number, asked)
        assert "AWS:" not in printed.err, (number, asked, ended)
        ends[status] = ends.get(status, 0) + 1
    assert ends[0] >= 10 and ends[2] >= 80


@pytest.fixture
def alone(tmp_path: Path) -> Callable[..., Ended]:
    """Runs manage.py in a process of its own, without a service."""

    def run(*arguments: str | bytes, **environment: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "LOCAL_DIR": str(tmp_path), "AWS_EC2_METADATA_DISABLED": "true"}
            | {"AWS_CONFIG_FILE": str(tmp_path / "none"), "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none")}
            | environment,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    return run


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ((b"people", b"list", b"\xff\xfe"), "not UTF-8"),
        (("people", "list", "\x1b]52;c;AAAA\x07"), "is not an id"),
        (("websites", "pause", "日本.example"), "make run"),
        (("no\x1bsuch",), "No such command"),
    ],
)
def test_odd_arguments_in_a_separate_process_end_without_a_traceback(
    alone: Callable[..., Ended], arguments: tuple[str | bytes, ...], line: str
) -> None:
    for environment in ({}, {"PYTHONIOENCODING": "ascii"}):
        ended = alone(*arguments, **environment)
        assert fault_of(ended, as_json=False) is None and ended[0] == 2, ended
        assert line in ended[2] and "Traceback" not in ended[2] and "\x1b" not in ended[2]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("[]", "is not the file of a local service"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"awsEndpointUrl": 5, "controlUrl": "x"}', "is not the file of a local service"),
        ('{"awsEndpointUrl": "x", "controlUrl": "x", "settings": []}', "is not the file of a local service"),
        ('{"awsEndpointUrl": "http://127.0.0.1:9", "controlUrl": "no address"}', "is not the local service"),
        ('{"awsEndpointUrl": "http://127.0.0.1:9", "controlUrl": "http://127.0.0.1:9"}', "has ended without removing"),
    ],
)
def test_an_invalid_run_file_is_reported_with_a_solution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], content: str, line: str
) -> None:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LOCAL_DIR", str(tmp_path))
        (tmp_path / "run.json").write_text(content, encoding="utf-8")
        before = dict(os.environ)
        try:
            ended = manage.main(["workspaces", "list"]), *capsys.readouterr()
        finally:
            os.environ.clear()
            os.environ.update(before)
    assert fault_of(ended, as_json=False) is None and ended[0] == 2
    assert line in ended[2] and ("make run" in ended[2] or "start the local service again" in ended[2])


def test_a_folder_named_like_the_run_file_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LOCAL_DIR", str(tmp_path))
    (tmp_path / "run.json").mkdir()
    assert manage.main(["workspaces", "list"]) == 2
    assert "cannot be read" in capsys.readouterr().err
