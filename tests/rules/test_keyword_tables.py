"""Every keyword task against its three tables: where there is something to do, where not, where it does not apply."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest

from chalicelib.rules.keywords import BY_ID
from chalicelib.rules.kw.checks import OF_ANALYTICS, OF_ANSWERS, OF_SEARCH
from chalicelib.rules.kw.expected import PRIOR, USUAL, Curve
from chalicelib.rules.kw.judging import judged
from chalicelib.rules.kw.model import AskedQuestion, Task
from chalicelib.rules.kw.suggesting import Own
from tests.rules.kw.builders import OTHER, PAGE, Case, figures, known, searches

CHECKS = {**OF_SEARCH, **OF_ANSWERS, **OF_ANALYTICS}
TABLES: dict[str, tuple[Mapping[str, Case], ...]] = {}
for _file in sorted((Path(__file__).parent / "kw").glob("kw_*.py")):
    TABLES |= import_module(f"tests.rules.kw.{_file.stem}").TABLES


def verdicts(task_id: str, one: Case) -> list[Task | None]:
    """What the task says of the case's page: nothing where it does not apply."""
    return [task for page, task in CHECKS[task_id](one.data) if page == one.page]


def cases(table: int) -> list[object]:
    return [
        pytest.param(task_id, one, id=f"{task_id} {name}")
        for task_id, tables in TABLES.items()
        for name, one in tables[table].items()
    ]


def test_every_keyword_task_has_a_check_and_three_tables_of_test_cases() -> None:
    assert set(TABLES) == set(CHECKS) == set(BY_ID)
    assert all(len(tables) == 3 and all(tables) for tables in TABLES.values())


@pytest.mark.parametrize(("task_id", "one"), cases(0))
def test_each_keyword_task_is_found_in_its_positive_cases(task_id: str, one: Case) -> None:
    (task,) = verdicts(task_id, one)
    assert task is not None
    assert one.says in task.message
    assert task.message.endswith(".") and len(task.message) > 30
    assert {name: task.details.get(name) for name in one.seen} == one.seen
    assert (task.gain is None) == (BY_ID[task_id].gain is None)
    if one.gain is not None:
        assert task.gain == pytest.approx(one.gain, rel=1e-3)
    assert task.evidence()["message"] == task.message


@pytest.mark.parametrize(("task_id", "one"), cases(1))
def test_each_keyword_task_is_not_found_in_its_negative_cases(task_id: str, one: Case) -> None:
    assert verdicts(task_id, one) == [None]


@pytest.mark.parametrize(("task_id", "one"), cases(2))
def test_each_keyword_task_does_not_apply_to_its_excluded_cases(task_id: str, one: Case) -> None:
    assert verdicts(task_id, one) == []


def test_click_rates_of_the_website_itself_replace_the_usual_rates() -> None:
    assert Curve([]).share(1.2) == USUAL[1]
    own = Curve([figures(PRIOR, PRIOR, 1.0)])
    assert own.share(1.0) == pytest.approx((1 + USUAL[1]) / 2)
    assert own.share(2.0) == USUAL[2]
    assert own.share(20.0) == pytest.approx(USUAL[10] / 2)


def test_clicks_or_links_determine_the_importance_of_a_task() -> None:
    pages = {PAGE: known(headings=[(1, "Tents")], inlinks=1), OTHER: known(OTHER, title="Maps", headings=[], inlinks=3)}
    asked = [AskedQuestion("Which tents?", 1, True, frozenset(), ())]
    linked = searches(known=pages, questions=asked)
    clicked = searches(known=pages, questions=asked, pages={PAGE: figures(9, 90), OTHER: figures(1, 90)})
    for data, importance in ((linked, 0.25), (clicked, 0.9)):
        (found,) = judged(OF_ANSWERS, data, "site_1", lambda _: Own(None, (), ""), {}, 0.0)
        assert found.outcome.importance == importance and found.clicks_to_win is None
