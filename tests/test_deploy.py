"""``make deploy`` as it is run, with the template that Chalice makes of this app, against a recorder of AWS calls."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from infra.package import REGION, STAGE

ROOT = Path(__file__).resolve().parent.parent
INLINE_BYTES = 51_200
BUCKET, APP_URL = "templates-of-ours", "https://app.company.example"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``make package`` builds, without the packages that the app needs: the template is the same."""
    project = tmp_path_factory.mktemp("project")
    for name in ("chalicelib", ".chalice"):
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__", "deployments"))
    shutil.copy(ROOT / "app.py", project)
    (project / "requirements.txt").touch()
    command = [
        *(str(Path(sys.executable).with_name("chalice")), "package", "--stage", STAGE),
        *("--pkg-format", "cloudformation", "--template-format", "yaml"),
        *("--merge-template", str(ROOT / "infra" / "template.yaml"), str(project / "out")),
    ]
    environment = {**os.environ, "AWS_DEFAULT_REGION": REGION}
    subprocess.run(command, cwd=project, env=environment, check=True, capture_output=True)
    return project / "out"


def deploy(
    package: Path, folder: Path, stack: str, bucket: str = BUCKET
) -> tuple["subprocess.CompletedProcess[str]", list[list[str]]]:
    """Run ``make deploy`` on what is packaged. Gives how it ended, and the arguments of each call of ``aws``."""
    out, tools, record = folder / "out", folder / "tools", folder / "record"
    shutil.copytree(package, out)
    tools.mkdir()
    aws = tools / "aws"
    aws.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT / "tests" / "recorded_aws.py"}" "$@"\n')
    aws.chmod(0o755)
    record.touch()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))},
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "AWS_RECORD": str(record),
        "AWS_STACK": stack,
    }
    command = ["make", "-o", "package", "deploy", f"OUT={out}", f"BUCKET={bucket}", f"APP_URL={APP_URL}", "STACK=seo"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    return done, [json.loads(line) for line in record.read_text().splitlines()]


def secrets_of(call: list[str]) -> list[str]:
    return [text.partition("=")[2] for text in call if text.startswith("CursorSecret=")]


@pytest.mark.parametrize("stack", ["none", "there"])
def test_a_stack_is_created_and_updated_from_the_bucket(package: Path, tmp_path: Path, stack: str) -> None:
    assert (package / "sam.yaml").stat().st_size > INLINE_BYTES, "CloudFormation does not take it with the call"
    done, calls = deploy(package, tmp_path, stack)
    assert done.returncode == 0, done.stderr
    assert [call[:2] for call in calls] == [
        ["cloudformation", "package"],
        ["cloudformation", "describe-stacks"],
        ["cloudformation", "deploy"],
    ]
    last = calls[-1]
    assert last[last.index("--s3-bucket") + 1] == BUCKET and last[last.index("--stack-name") + 1] == "seo"
    assert f"AppUrl={APP_URL}" in last and "--no-fail-on-empty-changeset" in last
    made = secrets_of(last)
    assert bool(made) == (stack == "none"), "made with the stack, and left as it is by later deployments"
    assert all(re.fullmatch("[0-9a-f]{64}", secret) for secret in made)
    assert all(secret not in done.stdout + done.stderr for secret in made)


def test_where_nobody_can_say_whether_there_is_a_stack_nothing_is_deployed(package: Path, tmp_path: Path) -> None:
    done, calls = deploy(package, tmp_path, "denied")
    assert done.returncode != 0 and "ExpiredToken" in done.stderr
    assert [call[1] for call in calls] == ["package", "describe-stacks"]


def test_without_a_bucket_it_is_said_what_is_missing(package: Path, tmp_path: Path) -> None:
    done, calls = deploy(package, tmp_path, "none", bucket="")
    assert done.returncode != 0 and "make deploy BUCKET=" in done.stderr and calls == []


def test_what_is_deployed_is_packaged_before() -> None:
    done = subprocess.run(["make", "-n", "deploy"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.index("-m infra.package") < done.stdout.index("aws cloudformation package")
