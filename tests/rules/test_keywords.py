"""The registry of keyword tasks."""

import re

import pytest

from chalicelib.domain.audit.issues import is_keyword_task
from chalicelib.rules import keywords, registry
from chalicelib.rules.keywords import TASKS, KeywordTask

WRITABLE = {"title", "meta_description", "canonical"}
every_task = pytest.mark.parametrize("task", TASKS, ids=[task.id for task in TASKS])


def test_the_twelve_keyword_tasks_are_not_audit_rules() -> None:
    assert [task.id for task in TASKS] == [f"KW-{number:03}" for number in range(1, 13)]
    assert not set(keywords.BY_ID) & set(registry.BY_ID)


@every_task
def test_a_keyword_task_has_an_explanation_of_whole_sentences(task: KeywordTask) -> None:
    for text in (task.what, task.why, task.fix, task.not_when):
        assert len(text) > 30 and text.endswith("."), text
        assert not re.search(r"  ", text)
    assert 5 < len(task.title) < 70


@every_task
def test_a_keyword_task_proposes_only_writable_fields(task: KeywordTask) -> None:
    assert set(task.writable_fields) <= WRITABLE
    assert task.writable_field == (task.writable_fields[0] if task.writable_fields else None)


def test_the_two_tasks_about_clicks_propose_a_title_first() -> None:
    assert keywords.BY_ID["KW-001"].writable_field == keywords.BY_ID["KW-008"].writable_field == "title"


def test_the_id_of_a_task_differs_from_a_rule_id() -> None:
    assert is_keyword_task("KW-004")
    assert not is_keyword_task("SEO-ONP-004")
