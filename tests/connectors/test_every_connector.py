"""What holds for every connector that settings connect: a stand-in answers in its place, and ``run.json`` says so."""

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from chalicelib.settings.crawl import CrawlSettings
from chalicelib.settings.every import SUBJECTS
from chalicelib.settings.network import NetworkSettings
from local.service import CONNECTIONS

NAME = Path(__file__).name
ROOT = Path(__file__).resolve().parent.parent.parent
# Which addresses are trusted, and what our crawler is called: of all that is asked alike.
SHARED = {NetworkSettings.__module__, CrawlSettings.__module__}


# Programs that run on this machine or in a function of ours, and what chooses between them and a service: nobody stands
# in for them.
RUN_HERE = {"chromium", "engine_function", "lighthouse", "live_reader", "rendering", "speed_tests"}


def _subjects(connector: Path) -> Iterator[str]:
    """The modules of settings that a connector reads: a module, or a folder of them."""
    for module in [connector] if connector.is_file() else connector.glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("chalicelib.settings."):
                yield node.module


CONNECTED = {
    connector.stem: found
    for connector in (ROOT / "chalicelib" / "connectors").iterdir()
    if connector.suffix in ("", ".py")
    and connector.stem not in RUN_HERE
    and (found := set(_subjects(connector)) - SHARED)
}


@pytest.mark.parametrize("connector", CONNECTED)
def test_every_connector_has_a_stand_in_and_tests(connector: str) -> None:
    assert (ROOT / "local" / "standins" / f"{connector}.py").exists()
    tests = ROOT / "tests" / "connectors"
    if (ROOT / "chalicelib" / "connectors" / connector).is_dir():
        written = "".join(test.read_text(encoding="utf-8") for test in tests.glob("test_*.py") if test.name != NAME)
        assert f"chalicelib.connectors.{connector}" in written
    else:
        assert (tests / f"test_{connector}.py").exists()


def test_every_connector_setting_except_secrets_is_in_run_json() -> None:
    told = {
        setting.metadata["env"]
        for subject in SUBJECTS
        if any(subject.__module__ in modules for modules in CONNECTED.values())
        for setting in fields(subject)
        if setting.repr
    }
    assert told
    assert set(CONNECTIONS) == told
