"""What a function pays before its first request."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chalicelib import api

ROOT = Path(__file__).resolve().parents[2]
# Of importing the app beside what nobody who uses Chalice on AWS does without.
REFERENCE = "chalice, botocore.session"
MOST_OF_REFERENCE = 2.6
TRIES = 12
# Libraries that no request needs before its view runs.
HEAVY = (
    *("aiohttp", "asyncio", "selectolax", "numpy", "boto3", "pydantic", "moto", "aws_xray_sdk"),
    *("chalicelib.connectors", "chalicelib.net", "chalicelib.rules.registry", "chalicelib.workers"),
)
MOST_MODULES = 50  # of a group's function beside those of every function

_SCRIPT = """
import sys, time
begun = time.process_time()
import {modules}
print(time.process_time() - begun)
print(*sys.modules)
"""


@pytest.fixture(scope="module")
def imported() -> Iterator[Callable[[str], tuple[float, set[str]]]]:
    """Imports modules in a process of its own, with compiled files as a deployed archive has them: processor seconds,
    and all modules that are loaded then."""
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "AWS_DEFAULT_REGION": "eu-central-1"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def once(modules: str) -> tuple[float, set[str]]:
            command = [sys.executable, "-c", _SCRIPT.format(modules=modules)]
            done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
            seconds, loaded = done.stdout.strip().split("\n")[-2:]
            return float(seconds), set(loaded.split())

        once("app")  # compiles
        yield once


def test_importing_the_app_is_fast(imported: Callable[[str], tuple[float, set[str]]]) -> None:
    # What else the machine does makes an import dearer, never cheaper: one of so many shows what it costs.
    app, reference = float("inf"), float("inf")
    for _ in range(TRIES):
        app, reference = min(app, imported("app")[0]), min(reference, imported(REFERENCE)[0])
        if app <= MOST_OF_REFERENCE * reference:
            return
    raise AssertionError(f"importing the app takes {app:.2f} s, {REFERENCE} {reference:.2f} s")


def test_importing_the_app_imports_no_heavy_libraries(
    imported: Callable[[str], tuple[float, set[str]]],
) -> None:
    assert not set(HEAVY) & imported("app")[1]


def test_the_reader_function_imports_its_html_parser_on_first_use(
    imported: Callable[[str], tuple[float, set[str]]],
) -> None:
    loaded = imported("app, chalicelib.workers.reader")[1]
    assert "aiohttp" in loaded and not {"numpy", "selectolax", "chalicelib.workers.audit"} & loaded


_GROUPS_SCRIPT = """
import os, sys
import app
from chalicelib import api
every = set(sys.modules)
for group in api.GROUPS:
    if os.fork() == 0:
        api.load(group)
        print(group, *(set(sys.modules) - every), flush=True)
        os._exit(0)
    os.wait()
"""


@pytest.fixture(scope="module")
def modules_of_groups() -> dict[str, set[str]]:
    """What each group imports beside what every function does."""
    environment = {**os.environ, "ENDPOINT_GROUPS": "none", "AWS_DEFAULT_REGION": "eu-central-1"}
    done = subprocess.run(
        [sys.executable, "-c", _GROUPS_SCRIPT], capture_output=True, text=True, check=True, cwd=ROOT, env=environment
    )
    return {words[0]: set(words[1:]) for words in map(str.split, done.stdout.splitlines())}


@pytest.mark.parametrize("group", api.GROUPS)
def test_a_group_imports_few_modules_and_no_heavy_libraries(modules_of_groups: dict[str, set[str]], group: str) -> None:
    found = modules_of_groups[group]
    assert f"chalicelib.api.{group}" in found and len(found) <= MOST_MODULES
    assert not set(HEAVY) & found


def test_a_function_imports_only_the_endpoint_groups_that_it_serves() -> None:
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


def test_a_function_that_serves_no_endpoints_imports_no_group() -> None:
    script = "import app, sys; print(len(app.app.routes), [name for name in sys.modules if 'chalicelib.api.' in name])"
    environment = {**os.environ, "ENDPOINT_GROUPS": "none"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT, env=environment
    )
    assert done.stdout == "0 []\n"


@pytest.mark.parametrize(
    ("setting", "value"), [("ENDPOINT_GROUPS", "sites,sightings"), ("SWITCHED_OFF", "api, sightings")]
)
def test_an_unknown_group_stops_the_start_with_one_line(setting: str, value: str) -> None:
    environment = {**os.environ, setting: value}
    done = subprocess.run(
        [sys.executable, "-c", "import app"], capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert done.returncode != 0
    assert done.stderr.startswith(f"{setting} names the unknown group 'sightings'; the groups are public, ")
    assert done.stderr.count("\n") == 1


def test_garbage_collection_seldom_runs_while_a_large_answer_is_built() -> None:
    made = """
import gc
import app
before = gc.get_stats()[0]["collections"]
kept = [{"a": [number]} for number in range(8_000)]
print(gc.get_stats()[0]["collections"] - before)
"""
    environment = {**os.environ, "AWS_DEFAULT_REGION": "eu-central-1"}
    command = [sys.executable, "-c", made]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    assert int(done.stdout.split()[-1]) <= 2, "it went through the young objects again and again"
