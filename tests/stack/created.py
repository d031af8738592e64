"""The stack in moto: everything that the template declares but the gateway, which ``gateway.py`` is in its place.

Alarms, the dashboard and the budget are declared too, and moto leaves them out.
"""

import io
import json
import zipfile
from functools import lru_cache
from typing import Any, Final

from moto.backends import get_backend
from moto.cloudformation.models import Stack

from chalicelib.settings.core import core_settings
from chalicelib.store import client
from local import embedded
from local.embedded import ACCOUNT, REGION
from tests.plugins.stack import template
from tests.stack.gateway import Gateway
from tests.stack.packaged import ARCHIVE, BUCKET, Json

NAME: Final = "website-optimization"
CURSOR_SECRET: Final = "a secret of the tests, which signs cursors"
# Of what moto creates for the stack, beside the tables and queues, which ``embedded`` empties itself.
SERVICES: Final = ("cloudformation", "events", "iam", "kms", "lambda", "logs", "s3")

_stack: Stack | None = None


def create() -> Stack:
    """Creates the stack of the packaged template, under the prefixes of this process's settings."""
    global _stack
    for service in SERVICES:
        for regions in list(get_backend(service).values()):
            for backend in list(regions.values()):
                backend.reset()
    _store_archive()
    settings = core_settings()
    parameters = {
        "TablePrefix": settings.table_prefix,
        "QueuePrefix": settings.queue_prefix,
        "CursorSecret": CURSOR_SECRET,
    }
    declared = {**template(), "Resources": _without_gateway(template()["Resources"]), "Outputs": {}}
    _stack = _backend("cloudformation").create_stack(NAME, json.dumps(declared), parameters)
    if _stack.status != "CREATE_COMPLETE":
        raise RuntimeError(f"the stack is {_stack.status}")
    _let_items_expire(declared["Resources"])
    _leave_messages_to_the_tests()
    return _stack


def stack() -> Stack:
    """The stack that was created last."""
    assert _stack is not None, "no stack was created: TARGET=stack"
    return _stack


def functions() -> dict[str, Any]:
    """moto's Lambda functions of the stack by their logical id."""
    known = {function.function_name: function for function in _backend("lambda").list_functions()}
    resources = {name: one for name, one in stack().resource_map.items() if getattr(one, "function_name", None)}
    return {
        name: known[one.function_name]
        for name, one in resources.items()
        if one.cloudformation_type() == "AWS::Lambda::Function"
    }


@lru_cache(maxsize=1)
def gateway() -> Gateway:
    """The gateway in front of the stack's functions, with the environment that each was created with."""
    return Gateway(template(), {name: function.environment_vars for name, function in functions().items()})


def event_sources() -> list[Any]:
    """moto's event source mappings: which queue's messages a function takes, and how."""
    return list(_backend("lambda")._event_source_mappings.values())


def _backend(service: str, region: str = REGION) -> Any:
    return get_backend(service)[ACCOUNT][region]  # type: ignore[call-overload]


def _without_gateway(resources: Json) -> Json:
    return {
        name: one
        for name, one in resources.items()
        if not one["Type"].startswith("AWS::ApiGateway::") and one["Type"] != "AWS::Lambda::Permission"
    }


def _store_archive() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("app.py", "")
    objects = _backend("s3", "aws")
    objects.create_bucket(BUCKET, REGION)
    objects.put_object(BUCKET, ARCHIVE, content.getvalue())


def _let_items_expire(resources: Json) -> None:
    """moto's CloudFormation reads no time to live."""
    prefix = core_settings().table_prefix
    for one in resources.values():
        given = one.get("Properties", {}).get("TimeToLiveSpecification")
        if one["Type"] == "AWS::DynamoDB::Table" and given is not None:
            name = one["Properties"]["TableName"]["Fn::Sub"].replace("${TablePrefix}", prefix)
            client.dynamodb().update_time_to_live(TableName=name, TimeToLiveSpecification=given)


def _leave_messages_to_the_tests() -> None:
    """moto's Lambda would take each message as it is sent, look for Docker to run the function in, and hide it."""
    for queue in embedded.queues().queues.values():
        queue.lambda_event_source_mappings.clear()
