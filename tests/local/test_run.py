"""``make run`` as a person sees it: a process that is started, asked, interrupted and started again."""

import json
import os
import re
import shlex
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.demo.faults import FAULTS
from local.options import BadOption, Options

ROOT = Path(__file__).resolve().parent.parent.parent
# Ten times what a machine needs that has nothing else to do.
START_SECONDS = 300.0
AUDIT_SECONDS = 600.0
STOP_SECONDS = 120.0


class Process:
    """One ``python -m local.run`` in a folder of its own. ``printed``: what was read of its output."""

    printed = ""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self.run_file = folder / "run.json"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        environment |= {"PORT": "0", "LOCAL_DIR": str(folder), "COLUMNS": "120", **variables}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "local.run"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self) -> dict[str, Any]:
        """What run.json says, as soon as the service answers."""
        give_up = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up and self.process.poll() is None:
            if self.run_file.exists():
                content: dict[str, Any] = json.loads(self.run_file.read_text(encoding="utf-8"))
                return content
            time.sleep(0.05)
        raise AssertionError(self.process.communicate()[0])

    def wait(self, seconds: float = AUDIT_SECONDS) -> str:
        """All it printed, once it has ended by itself."""
        return self.process.communicate(timeout=seconds)[0]

    def stop(self, number: int = signal.SIGINT) -> str:
        self.process.send_signal(number)
        printed = self.wait(STOP_SECONDS)
        # What held it up stands in its log.
        assert self.process.returncode != 1, (self.folder / "service.log").read_text(encoding="utf-8")
        return printed

    def end(self) -> None:
        """Kills it, where it has not ended."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Process]]:
    processes: list[Process] = []
    yield processes
    for process in processes:
        process.end()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A run with kept state that has shown all there is to show, and serves."""
    folder = tmp_path_factory.mktemp("demo")
    process = Process(folder / "local", STATE=str(folder / "state"))
    try:
        process.run()
        process.printed = until_served(process)
        yield process
    finally:
        process.end()


def until_served(process: Process) -> str:
    assert process.process.stdout is not None
    printed = ""
    for line in process.process.stdout:
        printed += line
        if line.startswith("Serving"):
            return printed
    raise AssertionError(printed)


def until_kept(state: Path, words: str) -> None:
    """Waits until the kept rows have these words; what was written before them is kept as well."""
    give_up = time.monotonic() + START_SECONDS
    with closing(sqlite3.connect(f"file:{state / 'rows.sqlite'}?mode=ro", uri=True)) as rows:
        while not rows.execute("SELECT 1 FROM items WHERE instr(item, ?)", (words.encode(),)).fetchone():
            assert time.monotonic() < give_up
            time.sleep(0.05)


def curl(line: str) -> dict[str, Any]:
    """What the printed line answers, read as a shell and curl would read it."""
    program, silent, *arguments = shlex.split(line)
    assert (program, silent) == ("curl", "-s")
    method, headers = "GET", {}
    while len(arguments) > 1:
        option, value, *arguments = arguments
        if option == "-X":
            method = value
        else:
            assert option == "-H"
            name, _, headers_value = value.partition(": ")
            headers[name] = headers_value
    content: dict[str, Any] = httpx.request(method, arguments[0], headers=headers, trust_env=False).json()
    return content


def command(line: str) -> dict[str, Any]:
    """What the printed command answers with ``--json``, run in the project's folder as a person runs it."""
    words = shlex.split(line)
    start = words.index(".venv/bin/python")
    variables, (script, *arguments) = words[:start], words[start + 1 :]
    assert script == "manage.py"
    environment = {**os.environ, **dict(variable.split("=", 1) for variable in variables)}
    done = subprocess.run(
        [sys.executable, script, "--json", *arguments],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=START_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    content: dict[str, Any] = json.loads(done.stdout)
    return content


def test_commands_ignore_the_exported_variables_of_a_deployment(demo: Process) -> None:
    exported = "STACK_ID=of-another TABLE_PREFIX=a- QUEUE_PREFIX=a- SECRETS_KEY=alias/a EXPORTS_BUCKET=a ALARM_TOPIC=a"
    found = command(f"LOCAL_DIR={demo.folder} {exported} .venv/bin/python manage.py doctor")
    assert [one["found"] for one in found["items"] if one["state"] != "ok"] == []
    (stack,) = (one["found"] for one in found["items"] if one["id"] == "stack")
    assert "of-another" not in stack


def get(run: dict[str, Any], path: str, key: str = "workspaceKey") -> httpx.Response:
    headers = {"Authorization": f"Bearer {run[key]}"}
    return httpx.get(run["baseUrl"] + path, headers=headers, trust_env=False)


def test_make_run_audits_the_demo_website_and_prints_its_score(demo: Process) -> None:
    run, printed = demo.run(), demo.printed
    assert set(run) >= {
        *("baseUrl", "workspaceId", "workspaceKey", "siteId", "siteKey", "siteUrl", "demoSiteUrl"),
        *("webhookReceiverUrl", "awsEndpointUrl", "controlUrl", "appUrl", "pid"),
    }
    assert stat.S_IMODE(demo.run_file.stat().st_mode) == 0o600
    assert run["pid"] == demo.process.pid
    assert re.search(r"Score \d+\.\d", printed)
    gains = [float(gain) for gain in re.findall(r"^\+(\d+\.\d)", printed, re.MULTILINE)]
    assert len(gains) == 10 and gains == sorted(gains, reverse=True) and gains[0] > 0
    assert '"level"' not in printed

    starts = get(run, f"/sites/{run['siteId']}/audits").json()["apiStarts"]
    assert (starts["usedToday"], starts["left"]) == (0, 3)
    calls = re.findall(r"^  (curl .+)$", printed, re.MULTILINE)
    assert len(calls) >= 4
    for call in calls:
        assert "error" not in curl(call), call
    assert get(run, f"/sites/{run['siteId']}", "siteKey").json()["url"] == run["siteUrl"]
    readiness_is_answered(run)
    speed_is_answered(run)
    assert re.search(r"AI visibility \(stand-ins\): \d+ answers to 5 questions, \d+ name Alderfell", printed)
    (week,) = get(run, f"/sites/{run['siteId']}/ai-visibility").json()["weeks"]
    assert week["answers"] + week["refused"] == week["asked"] == 20 and 0 < week["named"] < 20
    assert any(answer["citedUs"] for prompt in week["prompts"] for answer in prompt["answers"])

    assert "  live\n" in printed and "as promised" in printed
    (undo,) = re.findall(r"^To undo it: (.+)$", printed, re.MULTILINE)
    written = get(run, f"/sites/{run['siteId']}").json()["score"]["site"]
    undone = command(undo)
    assert undone["kind"] == "undo"
    where = undo.partition(" changes ")[0]
    command(f"{where} clock advance 1s")  # what is under way ends first
    batches = {one["id"]: one for one in command(f"{where} changes list {run['siteId']}")["items"]}
    assert batches[undone["id"]]["status"] == "done"
    assert {change["status"] for change in batches[undone["undoes"]]["changes"]} == {"reverted"}
    assert get(run, f"/sites/{run['siteId']}").json()["score"]["site"] < written
    a_rule_is_written_and_read_back(run)


def speed_is_answered(run: dict[str, Any]) -> None:
    """The pages with faults that tests find were tested three times, and the audit went by that."""
    site, home = f"/sites/{run['siteId']}", run["siteUrl"].rstrip("/")
    rules = ("SEO-AGT-001", "SEO-AGT-002", "SEO-IMG-007", "SEO-PRF-001", "SEO-PRF-002")
    faulty = {rule_id: {home + path for path in FAULTS[rule_id]} for rule_id in rules}
    moving = faulty["SEO-AGT-002"]
    agentic = get(run, f"{site}/agentic").json()
    assert agentic["total"] >= 3 and agentic["budget"]["usedToday"] >= 9
    failing = {
        one["url"] for one in agentic["results"] if one["strategy"] == "mobile" and one["passed"] < one["applicable"]
    }
    assert moving | faulty["SEO-AGT-001"] == failing and agentic["summary"]["mobile"]["pages"] >= 3
    performance = get(run, f"{site}/performance").json()
    assert performance["site"]["phone"]["available"] and performance["site"]["desktop"]["available"]
    pages = {page["url"]: page for page in performance["pages"]}
    assert all(pages[url]["lab"]["runs"] >= 3 and pages[url]["lab"]["cls"] > 0.1 for url in moving)
    issues = {one["ruleId"]: one["id"] for one in get(run, f"{site}/issues").json()["issues"]}
    for rule_id, urls in faulty.items():
        listed = get(run, f"{site}/issues/{issues[rule_id]}").json()["pages"]
        # Of the home page its visitors tell too, where their data came before the audit.
        assert {page["url"] for page in listed} - {f"{home}/"} == urls, rule_id


def readiness_is_answered(run: dict[str, Any]) -> None:
    """The faults that the demo website declares stand in what is told of its readiness for assistants."""
    geo = f"/sites/{run['siteId']}/geo"
    learned, live, robots = (get(run, geo + path).json() for path in ("", "/llms-txt", "/ai-crawlers"))
    for found in (learned, robots):
        denied = {one["bot"] for one in found["crawlers"] if not one["allowed"]}
        assert {"OAI-SearchBot", "PerplexityBot", "ChatGPT-User", "GPTBot", "CCBot"} <= denied
        assert {one["source"] for one in found["crawlers"]} == {"robots_txt"}
    assert learned["llmsTxt"]["status"] == 404 and learned["entity"]["aboutPage"]
    assert (live["live"]["kind"], live["live"]["cached"]) == ("missing", None)
    assert live["draft"]["text"].startswith("# Alderfell\n") and len(live["draft"]["pages"]) > 50


def a_rule_is_written_and_read_back(run: dict[str, Any]) -> None:
    """A crawler that the demo website's own lines turn away is allowed, and not any more."""
    path = f"/sites/{run['siteId']}/geo/ai-crawlers"
    for rules, allowed in (({"GPTBot": "allow"}, True), ({}, False)):
        answer = httpx.post(
            run["baseUrl"] + path,
            headers={"Authorization": f"Bearer {run['workspaceKey']}"},
            json={"rules": rules},
            trust_env=False,
        )
        assert answer.status_code == 200, answer.text
        give_up = time.monotonic() + AUDIT_SECONDS
        while (found := get(run, path).json())["lastChange"]["status"] in ("approved", "applying"):
            assert time.monotonic() < give_up
            time.sleep(0.1)
        assert (found["lastChange"]["batchId"], found["lastChange"]["status"]) == (answer.json()["batchId"], "applied")
        (bot,) = [one for one in found["crawlers"] if one["bot"] == "GPTBot"]
        assert (bot["allowed"], bot["rule"], bot["matches"]) == (allowed, rules.get("GPTBot"), allowed or None)
        assert found["rules"] == rules and found["canPublish"] is True
    assert found["lastChange"]["previous"] == {"GPTBot": "allow"}


def test_the_once_option_ends_the_process_after_the_audit(started: list[Process], tmp_path: Path) -> None:
    good = Process(tmp_path / "good", ONCE="1", PAGES="20")
    started.append(good)
    printed = good.wait()
    assert good.process.returncode == 0, printed
    assert "20 pages read" in printed and "page_budget" in printed
    line = r"^search data: (\d+) days and ([\d,]+) queries, answered \d+\.\d s after the audit's end$"
    ((days, queries),) = re.findall(line, printed, re.MULTILINE)
    assert int(days) > 480 and int(queries.replace(",", "")) > 100
    assert not good.run_file.exists()

    with socket.create_server(("127.0.0.1", 0)) as unheard:
        port = unheard.getsockname()[1]
    bad = Process(tmp_path / "bad", ONCE="1", SITE=f"http://127.0.0.1:{port}")
    started.append(bad)
    printed = bad.wait()
    assert bad.process.returncode == 1
    assert "the audit is failed" in printed and "does not answer" in printed
    assert "Traceback" not in printed


def test_a_restart_with_state_keeps_the_workspace_and_can_be_interrupted(demo: Process, started: list[Process]) -> None:
    run, state = demo.run(), demo.folder.parent / "state"
    before = get(run, f"/sites/{run['siteId']}").json()
    until_kept(state, before["lastAudit"]["id"])
    demo.process.kill()
    demo.process.wait()

    second = Process(demo.folder, STATE=str(state), PAGES="5")
    started.append(second)
    give_up = time.monotonic() + START_SECONDS
    again = second.run()
    while again["pid"] != second.process.pid and time.monotonic() < give_up:  # the killed one left its file behind
        time.sleep(0.1)
        again = second.run()
    same = ("workspaceId", "workspaceKey", "siteId", "siteKey", "siteUrl")
    assert {name: again[name] for name in same} == {name: run[name] for name in same}
    audits = get(again, f"/sites/{run['siteId']}/audits").json()["audits"]
    assert before["lastAudit"]["id"] in [audit["id"] for audit in audits]
    assert again["cmsAddress"] != run["cmsAddress"]
    assert get(again, f"/sites/{run['siteId']}").json()["cms"]["writable"]
    until_served(second)
    second.stop()
    assert second.process.returncode == 0
    assert not second.run_file.exists()
    for path in state.glob("*"):
        if path.name != "lock":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_an_invalid_setting_is_explained_in_one_line(started: list[Process], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = Process(tmp_path / "a", PORT=str(port))
        started.append(process)
        printed = process.wait()
    assert process.process.returncode == 1
    assert printed.count("\n") == 1
    assert f"port {port} is taken" in printed and f"PORT={port + 1}" in printed


def test_a_second_service_in_the_same_folder_is_refused(started: list[Process], tmp_path: Path) -> None:
    first = Process(tmp_path, ONCE="")
    started.append(first)
    run = first.run()
    second = Process(tmp_path)
    started.append(second)
    assert f"process {run['pid']}) is already running" in second.wait()
    assert second.process.returncode == 1
    assert first.run() == run
    assert get(run, "/sites").status_code == 200
    first.stop(signal.SIGTERM)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, Options()),
        ({"PORT": "", "SITE": "", "ONCE": "", "PAGES": "", "LOCAL_DIR": "", "STATE": ""}, Options()),
        ({"PORT": "9000", "ONCE": "1", "PAGES": "7"}, Options(port=9000, once=True, pages=7)),
        ({"ONCE": "0"}, Options()),
        ({"SITE": "example.org"}, Options(site="https://example.org")),
        ({"SITE": "http://example.org/a", "STATE": "kept"}, Options(site="http://example.org/a", state=Path("kept"))),
    ],
)
def test_make_run_reads_its_variables(variables: dict[str, str], expected: Options) -> None:
    assert Options.read(variables) == expected


@pytest.mark.parametrize(("name", "value"), [("PORT", "x"), ("PORT", "70000"), ("PAGES", "0"), ("PAGES", "-1")])
def test_the_error_names_an_invalid_variable(name: str, value: str) -> None:
    with pytest.raises(BadOption, match=f"{name} is '{value}'"):
        Options.read({name: value})
