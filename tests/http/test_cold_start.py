"""What a function pays before its first request."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUDGET_LOOPS = 90  # of tests.reference: eight tenths of a second where one takes nine milliseconds
# Libraries that no request needs before its view runs.
HEAVY = (
    *("aiohttp", "selectolax", "numpy", "boto3", "pydantic", "moto", "aws_xray_sdk"),
    "chalicelib.workers.audit.crawl",
)
_SCRIPT = """
import sys, time
begun = time.process_time()
import app
seconds, modules = time.process_time() - begun, list(sys.modules)
from tests.reference import loop_seconds
print(seconds / loop_seconds())
print(*modules)
"""


@pytest.fixture(scope="module")
def cold_imports() -> list[tuple[float, set[str]]]:
    """Three imports of app.py, each in a process of its own, with compiled files as a deployed archive has them."""
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "AWS_DEFAULT_REGION": "eu-central-1"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        found = []
        for _ in range(4):
            done = subprocess.run(
                [sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True, cwd=ROOT, env=environment
            )
            loops, modules = done.stdout.strip().split("\n")[-2:]
            found.append((float(loops), set(modules.split())))
        return found[1:]  # the first one compiles


def test_importing_the_app_costs_little(cold_imports: list[tuple[float, set[str]]]) -> None:
    assert min(loops for loops, _ in cold_imports) <= BUDGET_LOOPS


def test_heavy_libraries_are_imported_only_where_they_are_used(cold_imports: list[tuple[float, set[str]]]) -> None:
    assert not set(HEAVY) & cold_imports[0][1]


def test_a_function_imports_only_the_groups_that_it_serves() -> None:
    script = (
        "import app, sys; print(' '.join(sorted(app.app.routes))); "
        "print('chalicelib.api.audits' in sys.modules, 'chalicelib.rules.registry' in sys.modules)"
    )
    environment = {**os.environ, "ENDPOINT_GROUPS": "public, sites"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT, env=environment
    )
    routes, modules = done.stdout.strip().split("\n")
    assert "/api/v1/plans" in routes.split()
    assert "/api/v1/portfolio" in routes.split()
    assert not any("issues" in route or "audits" in route for route in routes.split())
    assert modules == "False False"


def test_a_group_that_does_not_exist_is_refused_at_the_start() -> None:
    environment = {**os.environ, "ENDPOINT_GROUPS": "sites,sightings"}
    done = subprocess.run(
        [sys.executable, "-c", "import app"], capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert done.returncode != 0
    assert "sightings" in done.stderr
