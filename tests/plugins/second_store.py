"""Runs tests of the fixture ``store`` against a second implementation of DynamoDB: ``-p tests.plugins.second_store``.

The tables are those of a Dynoxide (npm) started by this process; queues, keys and objects stay embedded. Reads and
writes go through a socket and another implementation, which finds requests that the embedded store wrongly accepts.
"""

import functools
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.store import client
from local import embedded
from management import template
from tests.plugins import strict_aws
from tests.real import dynoxide

BATCH = 25


@pytest.fixture(scope="session", autouse=True)
def _second_store() -> Iterator[None]:
    running, clear = embedded.running, embedded.clear
    with dynoxide.running() as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL_DYNAMODB", url)
        patch.setenv("NO_PROXY", "127.0.0.1")
        patch.setattr(embedded, "running", functools.partial(running, keep_endpoints=True))
        patch.setattr(embedded, "clear", functools.partial(_clear, clear))
        yield


def _clear(clear_embedded: Any) -> None:
    clear_embedded()
    with strict_aws.scans_allowed():
        _clear_tables()


def _clear_tables() -> None:
    dynamodb: Any = client.dynamodb()
    for table in template.tables():
        while rows := dynamodb.scan(
            TableName=table.name, ProjectionExpression="pk, sk", ConsistentRead=True, Limit=BATCH
        )["Items"]:
            dynamodb.batch_write_item(RequestItems={table.name: [{"DeleteRequest": {"Key": row}} for row in rows]})
