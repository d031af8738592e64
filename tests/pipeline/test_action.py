"""``plugins/ci/action.yml``: run as GitHub runs a composite action, and safe with whatever its inputs hold."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.pipeline.conftest import SCRIPT, SECONDS, Pipeline

ACTION = SCRIPT.parent / "action.yml"
_INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    return read


def test_inputs_reach_the_script_only_as_environment_variables(action: dict[str, Any]) -> None:
    script = SCRIPT.read_text(encoding="utf-8")
    (step,) = action["runs"]["steps"]
    assert step["shell"] and "${{" not in step["run"], "an input would be read as shell"
    assert sorted(_INPUT.findall(str(step["env"]))) == sorted(action["inputs"])
    for name in step["env"]:
        assert f"${{{name}:-" in script and (f"# {name}" in script or f", {name}" in script), name
    assert set(re.findall(r"\bWOS_[A-Z_]+\b", script)) == {*step["env"], "WOS_POLL_SECONDS"}
    for name, told in action["inputs"].items():
        assert told["description"] and told.get("required", False) != ("default" in told), name
    outputs = {told["value"] for told in action["outputs"].values()}
    assert outputs == {f"${{{{ steps.{step['id']}.outputs.{name} }}}}" for name in ("outcome", "audit")}


def test_the_action_returns_the_exit_code_of_the_script(
    action: dict[str, Any], pipeline: Pipeline, tmp_path: Path
) -> None:
    def step(**given: str) -> int:
        (only,) = action["runs"]["steps"]
        inputs = {name: told.get("default", "") for name, told in action["inputs"].items()} | given
        values = {name: _INPUT.sub(lambda found: inputs[found[1]], value) for name, value in only["env"].items()}
        environment = {"PATH": "/usr/bin:/bin", "GITHUB_ACTION_PATH": str(SCRIPT.parent), "WOS_POLL_SECONDS": "0"}
        environment |= {"GITHUB_OUTPUT": str(tmp_path / "output"), **values}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", only["run"]]
        return subprocess.run(command, env=environment, timeout=SECONDS, check=False, capture_output=True).returncode

    known = {"url": pipeline.url, "key": pipeline.key, "site": pipeline.website.id}
    assert step(**known) == 0
    assert step(**known, **{"min-score": "100"}) == 1
    assert step(**known, **{"no-new": "$(exit 7)"}) == 2
    assert re.findall("outcome=(.+)", (tmp_path / "output").read_text(encoding="utf-8")) == ["pass", "fail", "unclear"]
