"""Alarms, dashboard and runbooks: each alarm watches a thing that is there, and says what whoever it wakes can do."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from app import app
from chalicelib import metrics
from infra.engine import resources as engine
from infra.rewriting import show_workers
from manage import application
from management import template

ROOT = Path(__file__).resolve().parent.parent
RUNBOOKS = (ROOT / "docs" / "runbooks.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n?)*)", RUNBOOKS, re.MULTILINE))
GENERAL = {"Messages that were given up", "Metrics"}
RESOURCES: dict[str, dict[str, Any]] = template.load()["Resources"]
show_workers(RESOURCES["Dashboard"])
ALARMS = {
    name: found["Properties"]
    for name, found in {**RESOURCES, **engine.alarm()}.items()
    if found.get("Type") == "AWS::CloudWatch::Alarm"
}
OURS = {"Fn::Sub": metrics.NAMESPACE + "${TablePrefix}"}


def watched(alarm: dict[str, Any]) -> list[dict[str, Any]]:
    """The metrics that an alarm is about: Namespace, MetricName, Dimensions."""
    if "Metrics" not in alarm:
        return [alarm]
    return [one["MetricStat"]["Metric"] for one in alarm["Metrics"] if "MetricStat" in one]


def dimensions(metric: dict[str, Any]) -> dict[str, Any]:
    return {one["Name"]: one["Value"] for one in metric.get("Dimensions", [])}


def name_of(alarm: dict[str, Any]) -> str:
    """Its name behind the deployment's prefix."""
    return re.sub(r"^\$\{\w+\}", "", alarm["AlarmName"]["Fn::Sub"])


def widgets() -> list[dict[str, Any]]:
    body = RESOURCES["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    found: list[dict[str, Any]] = json.loads(body)["widgets"]
    return found


@pytest.mark.parametrize("alarm", ALARMS.values(), ids=name_of)
def test_every_alarm_has_a_runbook_with_its_meaning_and_the_remedy(alarm: dict[str, Any]) -> None:
    anchor = re.fullmatch(r".+; docs/runbooks\.md#([a-z-]+)", alarm["AlarmDescription"])
    assert anchor is not None
    name, section = name_of(alarm), SECTIONS[anchor[1]]
    assert name == anchor[1] or f"`{name}`" in section
    assert "\n- Look at: " in section and "\n- Do: " in section


def test_every_runbook_has_an_alarm() -> None:
    wanted = {alarm["AlarmDescription"].partition("#")[2] for alarm in ALARMS.values()}
    assert set(SECTIONS) == wanted | GENERAL
    named = set(re.findall(r"`(throttled-[a-z]+)`", RUNBOOKS))
    assert named == {name_of(alarm) for alarm in ALARMS.values() if name_of(alarm).startswith("throttled-")}


@pytest.mark.parametrize("alarm", ALARMS.values(), ids=name_of)
def test_alarms_are_sent_to_the_operators_topic_if_one_is_configured(alarm: dict[str, Any]) -> None:
    told = {"Fn::If": ["AlarmsAreTold", {"Ref": "AlarmTopic"}, {"Ref": "AWS::NoValue"}]}
    assert alarm["AlarmActions"] == alarm["OKActions"] == [told]
    assert template.load()["Conditions"]["AlarmsAreTold"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "AlarmTopic"}, ""]}]}
    assert template.load()["Parameters"]["AlarmTopic"]["Default"] == ""


@pytest.mark.parametrize("queue", [queue for queue in template.queues() if queue.dead_letter], ids=lambda one: one.name)
def test_every_queue_has_an_alarm_for_its_dead_letter_queue(queue: template.QueueSpec) -> None:
    of_queue = {"QueueName": {"Fn::GetAtt": [queue.dead_letter, "QueueName"]}}
    (alarm,) = [alarm for alarm in ALARMS.values() if dimensions(alarm) == of_queue]
    prefix = template.core_settings().queue_prefix
    assert name_of(alarm) == f"dead-letters-{queue.name.removeprefix(prefix)}"
    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/SQS", "ApproximateNumberOfMessagesVisible")
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 0)


def test_every_table_and_index_has_an_alarm_for_throttling() -> None:
    found = {
        (one["Dimensions"][0]["Value"]["Ref"], dimensions(one).get("GlobalSecondaryIndexName"), one["MetricName"])
        for alarm in ALARMS.values()
        for one in watched(alarm)
        if one["Namespace"] == "AWS/DynamoDB"
    }
    wanted = {
        (logical, index, metric)
        for logical, resource in RESOURCES.items()
        if resource.get("Type") == "AWS::DynamoDB::Table"
        for index in [None, *(one["IndexName"] for one in resource["Properties"].get("GlobalSecondaryIndexes", []))]
        for metric in ("ReadThrottleEvents", "WriteThrottleEvents")
    }
    assert found == wanted


def test_alarms_use_the_metric_names_that_the_service_writes() -> None:
    lines = {name: line for line in metrics.LINES for name in line.metrics}
    ours = [one for alarm in ALARMS.values() for one in watched(alarm) if one["Namespace"] == OURS]
    assert {one["MetricName"] for one in ours} == {"SchedulesDone", "OldestEvents", "Audits", "Imports"}
    for one in ours:
        assert tuple(dimensions(one)) == lines[one["MetricName"]].dimensions
    schedules = {source.name for source in app.event_sources}
    assert {dimensions(one)["Schedule"] for one in ours if one["MetricName"] == "SchedulesDone"} <= schedules


def test_the_engine_has_an_alarm_for_failed_calls() -> None:
    ((name, resource),) = engine.alarm().items()
    assert resource["Condition"] == engine.CONDITION and name not in RESOURCES
    alarm = resource["Properties"]
    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/Lambda", "Errors")
    assert dimensions(alarm) == {"FunctionName": {"Ref": engine.FUNCTION}}


@pytest.mark.parametrize("alarm", ALARMS.values(), ids=name_of)
def test_an_alarm_with_an_expression_uses_all_its_metrics(alarm: dict[str, Any]) -> None:
    if "Metrics" not in alarm:
        return
    shown = [one for one in alarm["Metrics"] if one.get("ReturnData", True)]
    assert len(shown) == 1 and len(alarm["Metrics"]) <= 10
    asked = {one["Id"] for one in alarm["Metrics"] if "MetricStat" in one}
    assert set(re.findall(r"FILL\((\w+), 0\)", shown[0]["Expression"])) == asked


def test_the_dashboard_shows_every_queue_worker_table_and_metric() -> None:
    text = RESOURCES["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    for logical, resource in RESOURCES.items():
        if resource.get("Type") == "AWS::SQS::Queue":
            assert f"${{{logical}.QueueName}}" in text, logical
        elif resource.get("Type") == "AWS::DynamoDB::Table":
            assert text.count(f'"${{{logical}}}"') == 2, logical
    for source in (*app.event_sources, *app.pure_lambda_functions):
        logical = "".join(part.capitalize() for part in source.name.split("_"))
        assert text.count(f'"${{{logical}}}"') == 3, logical
    for line in metrics.LINES:
        for name in line.metrics:
            group = ",".join(line.dimensions)
            searched = f'\\"{metrics.NAMESPACE}${{TablePrefix}}\\",{group}}} MetricName=\\"{name}\\"'
            plain = f'["{metrics.NAMESPACE}${{TablePrefix}}", "{name}"]'
            assert (searched if line.dimensions else plain) in text, name


def test_the_widgets_of_the_dashboard_do_not_overlap() -> None:
    cells = [
        (x, y)
        for one in widgets()
        for x in range(one["x"], one["x"] + one["width"])
        for y in range(one["y"], one["y"] + one["height"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24


def test_every_command_in_a_runbook_exists() -> None:
    commands = get_command(application).commands  # type: ignore[attr-defined]
    named = re.findall(r"manage\.py ([a-z]+)(?: ([a-z-]+))?", RUNBOOKS)
    assert ("audits", "start") in named
    for group, command in named:
        found = commands[group]
        assert not command or command in found.commands, (group, command)


def test_a_budget_alarm_needs_an_amount_and_an_address() -> None:
    budget = RESOURCES["Budget"]
    assert budget["Type"] == "AWS::Budgets::Budget" and budget["Condition"] == "HasBudget"
    assert template.load()["Conditions"]["HasBudget"] == {
        "Fn::And": [
            {"Fn::Not": [{"Fn::Equals": [{"Ref": "BudgetAmount"}, "0"]}]},
            {"Fn::Not": [{"Fn::Equals": [{"Ref": "BudgetAddress"}, ""]}]},
        ]
    }
    parameters = template.load()["Parameters"]
    assert (parameters["BudgetAmount"]["Default"], parameters["BudgetAddress"]["Default"]) == (0, "")
    limits = budget["Properties"]["Budget"]
    assert limits["BudgetLimit"] == {"Amount": {"Ref": "BudgetAmount"}, "Unit": "USD"}
    assert (limits["BudgetType"], limits["TimeUnit"]) == ("COST", "MONTHLY")
    told = budget["Properties"]["NotificationsWithSubscribers"]
    assert [(one["Notification"]["NotificationType"], one["Notification"]["Threshold"]) for one in told] == [
        ("ACTUAL", 80),
        ("ACTUAL", 100),
        ("FORECASTED", 100),
    ]
    for one in told:
        assert one["Subscribers"] == [{"SubscriptionType": "EMAIL", "Address": {"Ref": "BudgetAddress"}}]
