"""The shared botocore clients of a process: one each for DynamoDB, SQS, KMS, S3 and SNS.

botocore clients are thread-safe, but creating one is not, and takes tens of milliseconds and megabytes. So each client
is created once, under a lock. Endpoints, region and credentials come from the standard AWS variables.
"""

import os
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import botocore
import botocore.session
from botocore.config import Config
from botocore.loaders import Loader, create_loader

from chalicelib.store.wire import Parsers

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_sqs.client import SQSClient

# API Gateway times out after 29 s: three tries of a hanging call must end before that.
CONNECT_TIMEOUT_SECONDS = 1
READ_TIMEOUT_SECONDS = 5
TRIES = 3
POOL_CONNECTIONS = 32
OBJECT_READ_TIMEOUT_SECONDS = 12  # tens of megabytes are sent before the answer arrives
OBJECT_TRIES = 2
# Without this, botocore would assemble its user agent for each call.
USER_AGENT = f"Botocore/{botocore.__version__}"

_lock = threading.Lock()
_clients: dict[str, Any] = {}  # the clients, by service


def _new(service: str, *, read_timeout: int = READ_TIMEOUT_SECONDS, tries: int = TRIES, **options: Any) -> Any:
    config = Config(
        connect_timeout=CONNECT_TIMEOUT_SECONDS,
        read_timeout=read_timeout,
        retries={"total_max_attempts": tries, "mode": "standard"},
        max_pool_connections=POOL_CONNECTIONS,
        user_agent=USER_AGENT,
        parameter_validation=False,  # the store marshals the values itself; validation would only cost CPU time
        **options,
    )
    session = botocore.session.get_session()
    session.register_component("data_loader", _loader(session.get_config_variable("data_path")))
    session.register_component("response_parser_factory", Parsers())
    return session.create_client(service, config=config)


@lru_cache(maxsize=1)
def _loader(data_path: str | None) -> Loader:
    """Return the loader of botocore's service models and regions, shared by all clients. So each file is read once;
    separate sessions would each read and keep their own copy."""
    return _Loader(create_loader(data_path).search_paths, include_default_search_paths=False)


class _Loader(Loader):
    """Removes the paths to table names from DynamoDB's service model. With them, botocore looks for the ARNs of tables
    of other accounts in each call, which is a quarter of a transaction's CPU. This service uses no such tables."""

    def load_service_model(self, service_name: str, type_name: str, api_version: str | None = None) -> Any:
        model = super().load_service_model(service_name, type_name, api_version)
        if (service_name, type_name) == ("dynamodb", "service-2"):
            for operation in model["operations"].values():
                operation.pop("operationContextParams", None)
        return model


def _once(service: str, make: Callable[[], Any]) -> Any:
    """Return the process's client of a service, created on first use."""
    found = _clients.get(service)
    if found is None:
        with _lock:
            found = _clients.get(service)
            if found is None:
                found = _clients[service] = make()
    return found


def dynamodb() -> "DynamoDBClient":
    """Return the process's DynamoDB client."""
    return _once("dynamodb", lambda: _new("dynamodb"))  # type: ignore[no-any-return]


def sqs() -> "SQSClient":
    """Return the process's SQS client."""
    return _once("sqs", lambda: _new("sqs"))  # type: ignore[no-any-return]


def kms() -> Any:
    """Return the process's KMS client."""
    return _once("kms", lambda: _new("kms"))


def s3() -> Any:
    """Return the process's S3 client."""
    return _once("s3", _new_s3)


def _new_s3() -> Any:
    return _new(
        "s3",
        read_timeout=OBJECT_READ_TIMEOUT_SECONDS,
        tries=OBJECT_TRIES,
        signature_version="s3v4",  # by default, URLs would be signed with the older version in some regions
        request_checksum_calculation="when_required",
    )


def sns() -> Any:
    """Return the process's SNS client."""
    return _once("sns", lambda: _new("sns"))


def named_by(message: str) -> list[str]:
    """Return the environment variables (such as AWS_ENDPOINT_URL_DYNAMODB) that set an endpoint address which occurs in
    this message."""
    set_here = ((name, value) for name, value in os.environ.items() if name.startswith("AWS_ENDPOINT_URL") and value)
    return sorted(name for name, value in set_here if value.rstrip("/") in message)


def reset() -> None:
    """Drop the clients. The next call creates new ones, for example for another endpoint or region."""
    with _lock:
        _clients.clear()
