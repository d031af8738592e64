"""Every rule against its three tables: where it fires, where it passes, where it does not apply."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from chalicelib.rules.registry import RULES
from tests.rules.builders import Case, outcome

FOLDER = Path(__file__).parent


class Tables(NamedTuple):
    """Name of the case -> case."""

    fails: Mapping[str, Case]
    passes: Mapping[str, Case]
    not_applicable: Mapping[str, Case]


def _load() -> dict[str, Tables]:
    found = {}
    for file in sorted(FOLDER.glob("*/seo_*.py")):
        module = import_module(f"tests.rules.{file.parent.name}.{file.stem}")
        for rule_id, tables in module.TABLES.items():
            found[rule_id] = Tables(*tables)
    return found


TABLES = _load()


def _cases(table: str) -> list[object]:
    return [
        pytest.param(rule_id, one, id=f"{rule_id} {name}")
        for rule_id, tables in TABLES.items()
        for name, one in getattr(tables, table).items()
    ]


def test_every_rule_has_three_tables_of_cases() -> None:
    assert set(TABLES) == {rule.id for rule in RULES}
    for rule_id, tables in TABLES.items():
        assert tables.fails and tables.passes and tables.not_applicable, rule_id


@pytest.mark.parametrize(("rule_id", "one"), _cases("fails"))
def test_a_rule_reports_its_failing_cases(rule_id: str, one: Case) -> None:
    found = outcome(rule_id, one)
    assert found.evidence is not None
    assert (found.applicable, found.affected) == (1, 1)
    message = found.evidence["message"]
    assert message.endswith((".", "…")) and len(message) > 30
    assert one.says in message
    assert {name: found.evidence.get(name) for name in one.seen} == one.seen


@pytest.mark.parametrize(("rule_id", "one"), _cases("passes"))
def test_a_rule_accepts_its_passing_cases(rule_id: str, one: Case) -> None:
    found = outcome(rule_id, one)
    assert (found.evidence, found.applicable, found.affected) == (None, 1, 0)


@pytest.mark.parametrize(("rule_id", "one"), _cases("not_applicable"))
def test_a_rule_does_not_apply_to_its_excluded_cases(rule_id: str, one: Case) -> None:
    found = outcome(rule_id, one)
    assert (found.evidence, found.applicable, found.affected) == (None, 0, 0)
