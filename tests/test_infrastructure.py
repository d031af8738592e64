"""The template that is deployed fits the app, and the local service stands on the same one."""

import json
from dataclasses import fields
from typing import Any, get_args

import pytest
from chalice.app import ScheduledEventConfig, SQSEventConfig

from app import app
from chalicelib.settings.core import core_settings
from chalicelib.settings.every import SUBJECTS
from chalicelib.store import keys, queues
from host.jobs import CONFIG, timeout_seconds
from host.pump import queue_name
from host.schedules import next_after
from management import template

RESOURCES = template.load()["Resources"]
LONGEST_FUNCTION_SECONDS = 900
SQS_FUNCTIONS = {source.name: source for source in app.event_sources if isinstance(source, SQSEventConfig)}
CALLED = {function.name for function in app.pure_lambda_functions}
SCHEDULES = {source.name: source for source in app.event_sources if isinstance(source, ScheduledEventConfig)}


def logical_id(function: str) -> str:
    return "".join(part.capitalize() for part in function.split("_"))


def queue_of_placeholder(placeholder: str) -> template.QueueSpec:
    """The queue that the template puts in the place of a name of app.py: the logical id with ``Arn`` behind it."""
    return {f"{queue.logical_id}Arn": queue for queue in template.queues()}[placeholder]


def event_source(function: str) -> dict[str, Any]:
    name = logical_id(function)
    content: dict[str, Any] = RESOURCES[name]["Properties"]["Events"][f"{name}SqsEventSource"]["Properties"]
    return content


@pytest.mark.parametrize("function", SQS_FUNCTIONS)
def test_a_queue_function_reads_its_queue_and_reports_failed_messages(function: str) -> None:
    source = event_source(function)
    queue = queue_of_placeholder(SQS_FUNCTIONS[function].queue_arn or "")
    assert source["Queue"] == {"Fn::GetAtt": [queue.logical_id, "Arn"]}
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


@pytest.mark.parametrize("function", SQS_FUNCTIONS)
def test_a_process_without_lambda_reads_the_same_queue_as_the_lambda_function(function: str) -> None:
    placeholder = SQS_FUNCTIONS[function].queue_arn or ""
    assert queue_name(placeholder) == queue_of_placeholder(placeholder).name


def test_the_template_extends_only_functions_of_the_app() -> None:
    known = {logical_id(name) for name in (*SQS_FUNCTIONS, *SCHEDULES)} | {"APIHandler", "RestAPI"}
    merged_into = {name for name, resource in RESOURCES.items() if "Type" not in resource}
    assert merged_into <= known


def test_every_worker_and_schedule_has_its_limits() -> None:
    (stage,) = json.loads(CONFIG.read_text(encoding="utf-8"))["stages"].values()
    functions = stage["lambda_functions"]
    assert set(functions) == {*SQS_FUNCTIONS, *SCHEDULES, *CALLED}
    for name, limits in functions.items():
        assert {"lambda_timeout", "lambda_memory_size"} == set(limits), name


def test_the_template_declares_exactly_the_queues_of_the_store() -> None:
    prefix = core_settings().queue_prefix
    declared = {queue.name for queue in template.queues() if queue.dead_letter}
    assert declared == {prefix + name for name in get_args(queues.Queue)}


@pytest.mark.parametrize("function", SQS_FUNCTIONS)
def test_a_message_is_invisible_as_long_as_its_function_may_run(function: str) -> None:
    queue = queue_of_placeholder(SQS_FUNCTIONS[function].queue_arn or "")
    visibility = int(queue.attributes["VisibilityTimeout"])
    seconds = timeout_seconds(function)
    if seconds == LONGEST_FUNCTION_SECONDS:  # see the template: the sweeper resumes these crawls
        assert visibility > seconds
    else:
        assert visibility >= 6 * seconds


def test_every_queue_has_a_dead_letter_queue_with_the_longest_retention() -> None:
    queues = {queue.logical_id: queue for queue in template.queues()}
    targets = {queue.dead_letter for queue in queues.values() if queue.dead_letter}
    for logical, queue in queues.items():
        if logical in targets:
            assert queue.attributes["MessageRetentionPeriod"] == "1209600"
        else:
            assert queue.dead_letter in targets and queue.max_receive_count == 5


def test_the_template_declares_exactly_the_tables_and_indexes_of_the_store() -> None:
    tables = {table.name: table.create for table in template.tables()}
    assert set(tables) == {keys.table_name(name) for name in keys.TABLES}
    found = {
        index["IndexName"]: (table, *(part["AttributeName"] for part in index["KeySchema"]))
        for table, create in tables.items()
        for index in create.get("GlobalSecondaryIndexes", [])
    }
    assert found == {name: (keys.table_name(table), *attributes) for name, (table, *attributes) in keys.INDEXES.items()}


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_schedule_expression_works_locally(name: str) -> None:
    given = SCHEDULES[name].schedule_expression
    assert next_after(given if isinstance(given, str) else given.to_string(), 0) > 0


def test_template_variables_are_known_settings_and_secrets_are_not_echoed() -> None:
    settings = {setting.metadata["env"]: setting for subject in SUBJECTS for setting in fields(subject)}
    variables = template.load()["Globals"]["Function"]["Environment"]["Variables"]
    assert set(variables) <= set(settings)
    hidden = {name for name, parameter in template.load()["Parameters"].items() if parameter.get("NoEcho")}
    for name, value in variables.items():
        if not settings[name].repr:
            assert value["Ref"] in hidden, name


def test_gateway_errors_have_the_error_format_of_the_api() -> None:
    answers = RESOURCES["RestAPI"]["Properties"]["DefinitionBody"]["x-amazon-apigateway-gateway-responses"]
    assert {
        *("MISSING_AUTHENTICATION_TOKEN", "DEFAULT_4XX", "DEFAULT_5XX"),
        *("THROTTLED", "REQUEST_TOO_LARGE", "INTEGRATION_TIMEOUT"),
    } <= set(answers)
    for kind, answer in answers.items():
        error = json.loads(answer["responseTemplates"]["application/json"])["error"]
        assert set(error) - {"requestId"} == {"code", "message"}, kind
        assert answer["responseParameters"]["gatewayresponse.header.X-Request-Id"] == "context.requestId"
        assert answer["statusCode"].isdecimal()
    assert answers["MISSING_AUTHENTICATION_TOKEN"]["statusCode"] == "404"
    assert "gatewayresponse.header.Retry-After" in answers["THROTTLED"]["responseParameters"]
