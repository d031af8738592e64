"""Every command of the documents' blocks is run as it is shown: bash expands it, and words such as SITE are replaced by
the ids of a seeded workspace. ``ELSEWHERE`` and ``BLOCKS`` name the tests that run the others; ``CANNOT`` says why some
are not run at all."""

import os
import re
import shutil
import subprocess
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

import manage
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.operations import accounts
from chalicelib.settings.reading import forget_settings
from host.server import ApiServer
from local.standins.assistants import Assistants
from management import endpoints as endpoint_commands
from tests.management.calls import World
from tests.pipeline.conftest import Pipeline, pipeline  # noqa: F401 (a fixture)
from tests.servers.wire import WireServer
from tests.test_docs import DOCUMENTS

ROOT: Final = Path(__file__).resolve().parents[2]
# Commands that are not run: how they begin, and why. Of make, the recipe is expanded all the same.
CANNOT: Final = {
    "docker": "needs Docker",
    "aws ecr": "asks AWS for a registry of images",
    "curl http://127.0.0.1:9000": "asks a container",
    "sh -c": "writes into /etc",
    "apt-get": "needs root",
    "make docs": "takes minutes",
    "make test": "takes minutes",
}
# Commands that another test runs.
ELSEWHERE: Final = {
    ".venv/bin/python manage.py clock": "tests/management/test_local_service.py"
    "::test_commands_move_the_clock_of_the_service",
    ".venv/bin/python manage.py standin": "tests/management/test_local_service.py"
    "::test_a_stand_in_fails_in_the_requested_way",
    ".venv/bin/python manage.py drafts draw": "tests/management/test_drafts.py"
    "::test_the_seed_selects_the_pages_of_the_review_and_users_do_not_see_its_drafts",
    ".venv/bin/python manage.py drafts read": "tests/management/test_drafts.py"
    "::test_marks_of_good_and_bad_drafts_are_stored_one_by_one_and_counted",
    ".venv/bin/python -m infra.functions": "tests/test_rights.py"
    "::test_unused_rights_and_calls_without_a_right_are_reported",
    ".venv/bin/python -m host": "tests/real/test_without_lambda.py"
    "::test_two_processes_share_all_work_and_do_nothing_twice",
    "python -m conformance": "tests/conformance/test_checks.py"
    "::test_the_cms_stand_in_passes_every_check_and_its_content_is_restored",
    "make run": "tests/local/test_run.py::test_make_run_audits_the_demo_website_and_prints_its_score",
    "make deploy": "tests/test_deploying.py::test_command_line_options_override_the_file",
    "openapi-python-client": "tests/real/test_generated_clients.py::test_a_python_client_reads_every_get_endpoint",
    "npx openapi-typescript": "tests/real/test_generated_clients.py::test_a_typescript_client_reads_every_get_endpoint",
    "npm install": "tests/real/test_lighthouse.py::test_good_and_bad_pages_get_the_expected_check_results",
}
_RESTORED: Final = (
    "tests/operations/test_backup_commands.py::test_restored_tables_have_the_old_rows_and_the_settings_of_the_template"
)
# Blocks that another test runs as a whole.
BLOCKS: Final = {
    "cp deploy.example.toml": "tests/test_deploying.py::test_the_first_steps_in_the_readme_work",
    "for table": "tests/operations/test_backup_commands.py::test_every_table_is_exported_into_the_bucket",
    "restore()": _RESTORED,
    "tables=": _RESTORED,
    "signature_of()": "tests/domain/webhooks/test_signature.py::test_the_shell_example_verifies_every_vector",
}
# Programs that blocks call. Whatever else they call fails, but for the small tools, which bash runs itself.
PROGRAMS: Final = (
    *(".venv/bin/python", "python", "make", "aws", "docker", "curl", "sh", "npm", "npx", "apt-get"),
    "openapi-python-client",
)
TOOLS: Final = ("cat", "chmod", "cp", "env", "mkdir", "openssl", "tr")
_BLOCK: Final = re.compile(r"^( *)```(sh|bash|)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_PROGRAM: Final = re.compile(
    rf"^(?:\$ )?(?:export \S|(?:{'|'.join(map(re.escape, (*PROGRAMS, *TOOLS)))})[ \n])", re.MULTILINE
)
_ASSIGNS: Final = re.compile(r"^[A-Z_]+=\S+ (?:[A-Z_]+=\S+ )*[.\w/-]+ ", re.MULTILINE)
# Write down each command instead of running it, with its variables: those of the environment, then its arguments.
RECORDER: Final = r"""
set -eu
record() {
  { env -0 | tr '\0' '\037'; printf '\036'; printf '%s\037' "$@"; } > "$RECORD/$EPOCHREALTIME-$BASHPID"
}
""" + "\n".join(f'{name}() {{ record {name} "$@"; }}' for name in PROGRAMS)
VARIABLES: Final = {"KEY": "KEY", "BASE_URL": "https://api.example.com/api/v1", "SITE": "SITE", "EXPORT": "EXPORT"}
SECONDS: Final = 120.0


@dataclass(frozen=True)
class Block:
    """A block of commands of a document."""

    document: Path
    text: str

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}: {self.text.splitlines()[0][:40]}"


@dataclass(frozen=True)
class Command:
    """A command as bash expanded it. ``variables``: those that the block sets."""

    words: list[str]
    variables: dict[str, str]

    def begins_as(self, table: dict[str, str]) -> str | None:
        """What the table says of the command."""
        line = " ".join(self.words)
        return next((beginning for beginning in table if line.startswith(beginning)), None)


def all_blocks() -> tuple[list[Block], list[Block]]:
    """The blocks of commands, and the others that name no language."""
    commands, others = [], []
    for document in DOCUMENTS:
        for _, language, text in _BLOCK.findall(document.read_text(encoding="utf-8")):
            block = Block(document, textwrap.dedent(text))
            begins = any(block.text.startswith(one) for one in BLOCKS)
            runs = language or begins or _PROGRAM.match(block.text) or _ASSIGNS.match(block.text)
            (commands if runs else others).append(block)
    return commands, others


RUN, DATA = all_blocks()


def commands_of(block: Block, folder: Path) -> list[Command]:
    """The commands that bash runs, once it has expanded them in this folder."""
    lines = block.text.splitlines()
    if any(line.startswith("$ ") for line in lines):  # the others are what it prints
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    text = re.sub(r"=<[^>]+>", "=tests/test_names.py", "\n".join(lines)).replace("…", "x")
    tools, record = folder / "tools", folder / "record"
    tools.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found is not None
        (tools / name).symlink_to(found)
    record.mkdir()  # a file a command, since both sides of a pipe begin at once
    before = {"PATH": str(tools), "RECORD": str(record), **VARIABLES}
    asked = ["/bin/bash", "-c", f"{RECORDER}\n{text}"]
    done = subprocess.run(asked, cwd=folder, env=before, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stderr) == (0, ""), (block, done.stderr)
    found = []
    for one in sorted(record.iterdir()):
        variables, words = (part.split("\x1f")[:-1] for part in one.read_text(encoding="utf-8").split("\x1e"))
        given = dict(variable.split("=", 1) for variable in variables)
        own = {name: value for name, value in given.items() if before.get(name) != value}
        found.append(Command(words, {name: own[name] for name in own.keys() - {"_", "PWD", "SHLVL", "OLDPWD"}}))
    return found


class Runner:
    """Runs commands beside a seeded workspace, an API, and a website that a pipeline audits, which are made when first
    needed. ``fresh``: the commands begin with an empty store instead."""

    def __init__(
        self,
        request: pytest.FixtureRequest,
        capsys: pytest.CaptureFixture[str],
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        fresh: bool,
    ) -> None:
        self._request = request
        self._printed = capsys.readouterr
        self._folder = folder
        self._patch = monkeypatch
        self._fresh = fresh
        self._api: ApiServer | None = None
        self._key = ""
        self._answer = ""
        self.undone: list[Callable[[], object]] = []

    def run(self, command: Command) -> None:
        match command.words:
            case [".venv/bin/python", "manage.py", *arguments]:
                self._manage(arguments, command.variables)
            case ["docker", "compose", "--env-file", "/etc/wos/env", "-f", "host/compose.yaml", *words]:
                assert (ROOT / "host" / "compose.yaml").exists()
                self._manage(words[words.index("manage.py") + 1 :], {})
            case ["curl", *arguments]:
                self._curl(arguments)
            case ["sh", "plugins/ci/gate.sh"]:
                self._gate(command.variables)
            case _:
                raise AssertionError(f"nothing here runs {' '.join(command.words)}")

    def _world(self) -> World:
        found: World = self._request.getfixturevalue("full")
        return found

    def _named(self, word: str) -> str:
        """A word with the ids of the workspace in place of the names of things."""
        if not re.fullmatch(r"SITE|ISSUE|WORKSPACE|ENDPOINT|PERSON", word):
            return word
        named = getattr(self._world(), word.lower())
        assert isinstance(named, str)
        return named

    def _manage(self, arguments: list[str], variables: dict[str, str]) -> None:
        if self._fresh:
            self._request.getfixturevalue("served")
        else:
            self._world()
        given = [self._named(word) for word in arguments]
        if "ASSISTANT" in variables:
            standin = Assistants()
            self.undone.append(standin.stop)
            variables = {**variables, **standin.settings({})}
        for name, value in variables.items():
            if not name.startswith("AWS_"):  # the store is that of the tests
                self._patch.setenv(name, value)
        forget_settings()
        self._printed()
        status = manage.main(given)
        printed = self._printed()
        assert (status, printed.err) == (0, ""), (given, printed)
        assert printed.out, given

    def _curl(self, arguments: list[str]) -> None:
        world = self._world()
        if self._api is None:
            from app import app

            self._api = ApiServer(app, 0)
            self.undone.append(self._api.stop)
            self._key = accounts.create_workspace_key(OPERATOR, world.workspace, world.person, list(SCOPES)).secret
        ids = re.findall(r"\bexp_\w+|\bjob_\w+", self._answer)
        given = {"EXPORT": ids[0] if ids else "", "SITE": world.site, "KEY": self._key}
        words = [word.replace("https://api.example.com", self._api.url) for word in arguments]
        words = [re.sub(r"\b(EXPORT|SITE|KEY)\b", lambda found: given[found[0]], word) for word in words]
        done = subprocess.run(
            ["curl", "--silent", "--show-error", "--fail-with-body", *words],
            cwd=self._folder,
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), (arguments, done)
        self._answer = done.stdout
        if "-o" in words:
            assert (self._folder / words[words.index("-o") + 1]).stat().st_size > 0

    def _gate(self, variables: dict[str, str]) -> None:
        found: Pipeline = self._request.getfixturevalue("pipeline")
        own = {"WOS_URL", "WOS_KEY", "WOS_SITE"}
        asked = {name: value for name, value in variables.items() if name not in own}
        assert all(name.startswith("WOS_") for name in asked)
        with WireServer(found.site) as server:
            if "WOS_PREVIEW" in asked:
                asked["WOS_PREVIEW"] = server.url()
            done = found.run(**asked)
        assert (done.returncode, done.stdout.splitlines()[0], done.stderr) == (0, "pass", ""), done


@pytest.fixture
def runner(
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[bool], Runner]]:
    made: list[Runner] = []
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("LOCAL_DIR", str(tmp_path))
    monkeypatch.setattr(endpoint_commands, "TRY_SECONDS", 0.0)

    def make(fresh: bool) -> Runner:
        made.append(Runner(request, capsys, tmp_path / "work", monkeypatch, fresh))
        return made[-1]

    yield make
    for one in made:
        for undo in one.undone:
            undo()
    monkeypatch.undo()
    forget_settings()


def expand(command: Command) -> None:
    """Have make say what it would run. The tests that the command names are there."""
    done = subprocess.run(["make", "-n", *command.words[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout, (command, done.stderr)
    for word in command.words:
        name, _, value = word.partition("=")
        assert name != "TESTS" or all((ROOT / path).exists() for path in value.split()), word


@pytest.mark.parametrize("block", [block for block in RUN if not block.text.startswith(tuple(BLOCKS))], ids=str)
def test_every_command_in_a_documented_block_runs(
    block: Block, tmp_path: Path, runner: Callable[[bool], Runner]
) -> None:
    folder = tmp_path / "expanded"
    folder.mkdir()
    commands = commands_of(block, folder)
    assert commands, block
    runs = runner(" init " in block.text or " store create" in block.text)
    for command in commands:
        if command.words[0] == "make":
            expand(command)
        in_container = command.words[0] == "docker" and "manage.py" in command.words
        if in_container or not (command.begins_as(CANNOT) or command.begins_as(ELSEWHERE)):
            runs.run(command)


def test_blocks_that_are_not_run_contain_no_commands() -> None:
    assert {str(block): _PROGRAM.findall(block.text) for block in DATA if _PROGRAM.search(block.text)} == {}
    assert len(RUN) > 30 and len(DATA) > 5


def test_the_list_of_commands_that_are_not_run_has_no_unused_entry(tmp_path: Path) -> None:
    used = {one for one in BLOCKS if any(block.text.startswith(one) for block in RUN)}
    for number, block in enumerate(RUN):
        if block.text.startswith(tuple(BLOCKS)):
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        for command in commands_of(block, folder):
            used |= {one for table in (CANNOT, ELSEWHERE) if (one := command.begins_as(table)) is not None}
    assert used == {*BLOCKS, *CANNOT, *ELSEWHERE}


@pytest.mark.parametrize("named", sorted({*ELSEWHERE.values(), *BLOCKS.values()}))
def test_each_test_that_runs_a_documented_command_instead_exists(named: str) -> None:
    path, _, name = named.partition("::")
    assert f"\ndef {name}(" in (ROOT / path).read_text(encoding="utf-8")
