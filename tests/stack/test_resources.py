"""What CloudFormation makes of the packaged template is what the store, the workers and the local service expect."""

import json
from dataclasses import fields
from typing import Any, get_args

import pytest
from chalice.app import SQSEventConfig

from app import app
from chalicelib import api
from chalicelib.settings.core import core_settings
from chalicelib.settings.every import SUBJECTS
from chalicelib.store import accounts, api_keys, client, keys, models, queues, websites
from host.jobs import timeout_seconds
from infra.function import Function
from infra.functions import FUNCTIONS
from infra.rewriting import NO_GROUP
from management import template as source
from tests.stack import created

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("embedded_aws")]

MODELS = (accounts.Workspace, accounts.Person, websites.Website, api_keys.ApiKey)
QUEUE_FUNCTIONS = {one.name: one for one in app.event_sources if isinstance(one, SQSEventConfig)}


def described(table: str) -> dict[str, Any]:
    return client.dynamodb().describe_table(TableName=keys.table_name(table))["Table"]  # type: ignore[return-value]


def attributes(queue: str) -> dict[str, str]:
    found = client.sqs().get_queue_attributes(QueueUrl=queues.url_of(queue), AttributeNames=["All"])
    return dict(found["Attributes"])


def key_names(schema: list[dict[str, str]]) -> list[str]:
    assert [part["KeyType"] for part in schema] == ["HASH", "RANGE"]
    return [part["AttributeName"] for part in schema]


def test_the_stack_has_exactly_the_tables_and_queues_of_the_store() -> None:
    tables = client.dynamodb().list_tables()["TableNames"]
    assert sorted(tables) == sorted(keys.table_name(name) for name in keys.TABLES)
    found = {url.rpartition("/")[2] for url in client.sqs().list_queues()["QueueUrls"]}
    names = [*get_args(queues.Queue), *(f"{name}-dead" for name in get_args(queues.Queue))]
    assert found == {core_settings().queue_prefix + name for name in names}


@pytest.mark.parametrize("name", keys.TABLES)
def test_a_table_has_the_keys_indexes_and_ttl_that_the_store_needs(name: str) -> None:
    table = described(name)
    types = {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]}
    assert key_names(table["KeySchema"]) == ["pk", "sk"]
    assert types["pk"] == types["sk"] == "S"
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    indexes = {one["IndexName"]: one for one in table.get("GlobalSecondaryIndexes", [])}
    expected = {index: one for index, one in keys.INDEXES.items() if one.table == name}
    assert set(indexes) == set(expected)
    for index, one in expected.items():
        assert key_names(indexes[index]["KeySchema"]) == [one.partition, one.sort]
        assert (types[one.partition], types[one.sort]) == ("S", "N")
    assert set(types) == {"pk", "sk"}.union(*({one.partition, one.sort} for one in expected.values()))
    kept = client.dynamodb().describe_time_to_live(TableName=keys.table_name(name))["TimeToLiveDescription"]
    assert kept == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}


@pytest.mark.parametrize("spec", source.tables(), ids=lambda spec: spec.name)
def test_a_deployed_table_equals_the_local_one(spec: source.TableSpec) -> None:
    table = client.dynamodb().describe_table(TableName=spec.name)["Table"]
    assert table["KeySchema"] == spec.create["KeySchema"]
    wanted = {one["IndexName"]: one for one in spec.create.get("GlobalSecondaryIndexes", [])}
    for index in table.get("GlobalSecondaryIndexes", []):
        one = wanted.pop(index["IndexName"])
        assert index["KeySchema"] == one["KeySchema"]
        assert index["Projection"] == one["Projection"]
    assert wanted == {}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_each_stored_model_has_the_same_keys_as_its_table_in_the_stack(model: type[models.Entity]) -> None:
    table = client.dynamodb().describe_table(TableName=model.Meta.table_name)["Table"]
    hash_key, range_key = model._hash_keyname, model._range_keyname
    assert key_names(table["KeySchema"]) == [hash_key, range_key]  # type: ignore[arg-type]


def test_every_model_has_a_test() -> None:
    assert {one.__name__ for one in models.Entity.__subclasses__()} == {one.__name__ for one in MODELS}


@pytest.mark.parametrize("spec", source.queues(), ids=lambda spec: spec.name)
def test_a_deployed_queue_has_the_settings_of_the_local_one(spec: source.QueueSpec) -> None:
    found = attributes(spec.name.removeprefix(core_settings().queue_prefix))
    for name, value in spec.attributes.items():
        assert found[name] == value
    if spec.dead_letter is None:
        assert "RedrivePolicy" not in found
        return
    policy = json.loads(found["RedrivePolicy"])
    dead = {one.logical_id: one.name for one in source.queues()}[spec.dead_letter]
    assert policy["deadLetterTargetArn"].endswith(f":{dead}")
    assert int(policy["maxReceiveCount"]) == spec.max_receive_count


@pytest.mark.parametrize("one", [one for one in FUNCTIONS if one.queue is not None], ids=lambda one: one.name)
def test_a_function_processes_messages_one_by_one_and_reports_failures(one: Function) -> None:
    function = created.functions()[one.logical_id]
    (source_of_it,) = (each for each in created.event_sources() if each.function_arn == function.function_arn)
    assert source_of_it.event_source_arn.endswith(f":{core_settings().queue_prefix}{one.queue}")
    assert source_of_it.function_response_types == ["ReportBatchItemFailures"]
    assert source_of_it.batch_size == 1
    assert source_of_it.enabled
    most = QUEUE_FUNCTIONS[one.name].maximum_concurrency
    assert source_of_it.scaling_config == (None if most is None else {"MaximumConcurrency": most})
    visible = int(attributes(one.queue or "")["VisibilityTimeout"])
    assert function.timeout < visible
    assert function.timeout == timeout_seconds(one.name)


@pytest.mark.parametrize("one", [one for one in FUNCTIONS if one.queue is not None], ids=lambda one: one.name)
def test_a_message_of_each_queue_can_be_received(one: Function, store: None) -> None:
    url = queues.url_of(one.queue or "")
    client.sqs().send_message(QueueUrl=url, MessageBody="{}")
    wanted = client.sqs().receive_message(QueueUrl=url, MessageSystemAttributeNames=["ApproximateReceiveCount"])
    (message,) = wanted["Messages"]
    assert message["Attributes"]["ApproximateReceiveCount"] == "1"


def test_every_function_has_only_known_settings() -> None:
    known = {setting.metadata["env"]: setting for subject in SUBJECTS for setting in fields(subject)}
    functions = created.functions()
    assert set(functions) == {one.logical_id for one in FUNCTIONS}
    for one in FUNCTIONS:
        variables = functions[one.logical_id].environment_vars
        assert set(variables) <= set(known)
        assert all(isinstance(value, str) for value in variables.values())
        assert variables["ENDPOINT_GROUPS"] == (one.group or NO_GROUP)
        assert variables["TABLE_PREFIX"] == core_settings().table_prefix
        assert variables["QUEUE_PREFIX"] == core_settings().queue_prefix
        hidden = {name for name in variables if not known[name].repr}
        assert hidden >= set(one.secrets)
    assert {one.group for one in FUNCTIONS if one.group is not None} == {*api.GROUPS, *api.ROOMS}
