"""Reads infra/template.yaml, the only declaration of tables, queues and the bucket, and creates them in any store.

It understands only the parts of CloudFormation that this file uses: ``!Ref`` to a parameter, ``!Sub`` with parameters,
``!GetAtt <Queue>.Arn``.
"""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from chalicelib import clock
from chalicelib.settings.core import core_settings
from chalicelib.store import health

ACTIVE_SECONDS = 60.0  # the longest wait for a new table
_FIRST_REGION = "us-east-1"  # S3 refuses a location constraint with this region
TEMPLATE = Path(__file__).resolve().parent.parent / "infra" / "template.yaml"


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short tags: ``!Ref X`` becomes ``{"Ref": "X"}``, the others ``{"Fn::…": …}``."""


def _tag(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    value: Any = None
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix == "Ref" else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _tag)


@lru_cache(maxsize=1)
def load() -> dict[str, Any]:
    """Return the template. Short tags such as ``!Ref`` become dictionaries. Do not change the result: it is cached."""
    content: dict[str, Any] = yaml.load(TEMPLATE.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - a safe one
    return content


@dataclass(frozen=True, slots=True)
class TableSpec:
    """The parameters of ``CreateTable``, and the name of the attribute with an item's expiry time."""

    name: str
    create: dict[str, Any]
    ttl_attribute: str | None


@dataclass(frozen=True, slots=True)
class QueueSpec:
    """A queue: its logical id in the template, its name, its attributes as texts, and the logical id of its dead-letter
    queue."""

    logical_id: str
    name: str
    attributes: dict[str, str]
    dead_letter: str | None
    max_receive_count: int


def _parameters() -> dict[str, str]:
    values = {name: str(spec.get("Default", "")) for name, spec in load()["Parameters"].items()}
    settings = core_settings()
    return values | {"TablePrefix": settings.table_prefix, "QueuePrefix": settings.queue_prefix}


def _resolve(value: Any, parameters: dict[str, str]) -> Any:
    if isinstance(value, dict):
        if set(value) == {"Ref"}:
            return parameters[value["Ref"]]
        if set(value) == {"Fn::Sub"}:
            return re.sub(r"\$\{(\w+)\}", lambda match: parameters[match[1]], value["Fn::Sub"])
        return {key: _resolve(item, parameters) for key, item in value.items()}
    if isinstance(value, list):
        return [_resolve(item, parameters) for item in value]
    return value


def tables() -> list[TableSpec]:
    """Return every table of the template, with the name prefix of this process's settings."""
    parameters = _parameters()
    found = []
    for resource in load()["Resources"].values():
        if resource.get("Type") != "AWS::DynamoDB::Table":
            continue
        properties = _resolve(resource["Properties"], parameters)
        ttl = properties.get("TimeToLiveSpecification", {})
        create = {
            key: properties[key]
            for key in ("TableName", "BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")
            if key in properties
        }
        found.append(TableSpec(properties["TableName"], create, ttl.get("AttributeName") if ttl else None))
    return found


def queues() -> list[QueueSpec]:
    """Return every queue of the template, dead-letter queues first, with the name prefix of this process's settings."""
    parameters = _parameters()
    found = []
    for logical_id, resource in load()["Resources"].items():
        if resource.get("Type") != "AWS::SQS::Queue":
            continue
        properties = _resolve(resource["Properties"], parameters)
        redrive = properties.get("RedrivePolicy", {})
        attributes = {
            key: str(properties[key])
            for key in ("VisibilityTimeout", "MessageRetentionPeriod", "DelaySeconds")
            if key in properties
        }
        target = redrive["deadLetterTargetArn"]["Fn::GetAtt"][0] if redrive else None
        found.append(
            QueueSpec(logical_id, properties["QueueName"], attributes, target, int(redrive.get("maxReceiveCount", 0)))
        )
    return sorted(found, key=lambda queue: queue.dead_letter is not None)


def create_all(dynamodb: Any, sqs: Any) -> list[str]:
    """Create the missing tables and queues with these two botocore clients. Returns the names of those created."""
    return create_tables(dynamodb) + create_queues(sqs)


def create_tables(dynamodb: Any) -> list[str]:
    """Create the missing tables, wait until they are active, and then switch on the expiry of their items (time to
    live).

    Returns their names.
    """
    existing: set[str] = set()
    start: dict[str, str] = {}
    while True:
        answer = dynamodb.list_tables(**start)
        existing.update(answer["TableNames"])
        if not answer.get("LastEvaluatedTableName"):
            break
        start = {"ExclusiveStartTableName": answer["LastEvaluatedTableName"]}
    missing = [table for table in tables() if table.name not in existing]
    creating = []
    for table in missing:
        status = dynamodb.create_table(**table.create)["TableDescription"]["TableStatus"]
        if status != "ACTIVE":
            creating.append(table.name)
    for name in creating:
        _wait_until_active(dynamodb, name)
    for table in missing:
        if table.ttl_attribute:
            dynamodb.update_time_to_live(
                TableName=table.name,
                TimeToLiveSpecification={"Enabled": True, "AttributeName": table.ttl_attribute},
            )
    return [table.name for table in missing]


def _wait_until_active(dynamodb: Any, name: str) -> None:
    give_up = clock.monotonic() + ACTIVE_SECONDS
    while dynamodb.describe_table(TableName=name)["Table"]["TableStatus"] != "ACTIVE":
        if clock.monotonic() > give_up:
            raise TimeoutError(f"table {name} is not active after {ACTIVE_SECONDS:.0f} seconds")
        clock.sleep(0.2)


def create_queues(sqs: Any) -> list[str]:
    """Create the missing queues, each with its dead-letter queue. Returns their names."""
    created: list[str] = []
    existing: set[str] = set()
    start: dict[str, str] = {}
    while True:
        answer = sqs.list_queues(QueueNamePrefix=core_settings().queue_prefix, MaxResults=1000, **start)
        existing.update(url.rsplit("/", 1)[-1] for url in answer.get("QueueUrls", ()))
        if not answer.get("NextToken"):
            break
        start = {"NextToken": answer["NextToken"]}
    names = {queue.logical_id: queue.name for queue in queues()}
    for queue in queues():
        if queue.name in existing:
            continue
        attributes = dict(queue.attributes)
        if queue.dead_letter:
            url = sqs.get_queue_url(QueueName=names[queue.dead_letter])["QueueUrl"]
            arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
            attributes["RedrivePolicy"] = json.dumps(
                {"deadLetterTargetArn": arn, "maxReceiveCount": queue.max_receive_count}
            )
        sqs.create_queue(QueueName=queue.name, Attributes=attributes)
        created.append(queue.name)
    return created


def create_bucket(s3: Any) -> list[str]:
    """Create the bucket of large answers with the template's lifecycle, if it is missing.

    Returns the bucket's name if it was created. An existing bucket keeps its lifecycle, because it may contain objects
    that must not expire within a day.
    """
    if not health.bucket_is_missing():
        return []
    name, region = core_settings().exports_bucket, s3.meta.region_name
    elsewhere = {"CreateBucketConfiguration": {"LocationConstraint": region}} if region != _FIRST_REGION else {}
    s3.create_bucket(Bucket=name, **elsewhere)
    rules = load()["Resources"]["ExportsBucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
    s3.put_bucket_lifecycle_configuration(
        Bucket=name,
        LifecycleConfiguration={
            "Rules": [
                {
                    "ID": rule["Id"],
                    "Status": rule["Status"],
                    "Filter": {"Prefix": ""},
                    "Expiration": {"Days": rule["ExpirationInDays"]},
                }
                for rule in rules
            ]
        },
    )
    return [name]
