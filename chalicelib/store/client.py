"""The shared botocore clients: one for DynamoDB, one for SQS and one for KMS in a process, whoever asks.

botocore clients are thread-safe once made; making them is not, and costs 70 ms and 10 MB each, so they are made
once, under a lock. Endpoints, region and credentials come from the standard AWS variables.
"""

import threading
from typing import TYPE_CHECKING, Any

import botocore.session
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_sqs.client import SQSClient

# API Gateway gives up after 29 s: three tries of a call that hangs must end before that.
CONNECT_TIMEOUT_SECONDS = 1
READ_TIMEOUT_SECONDS = 5
TRIES = 3
POOL_CONNECTIONS = 32

_lock = threading.Lock()
_dynamodb: "DynamoDBClient | None" = None
_sqs: "SQSClient | None" = None
_kms: Any = None


def _new(service: str) -> Any:
    config = Config(
        connect_timeout=CONNECT_TIMEOUT_SECONDS,
        read_timeout=READ_TIMEOUT_SECONDS,
        retries={"total_max_attempts": TRIES, "mode": "standard"},
        max_pool_connections=POOL_CONNECTIONS,
        parameter_validation=False,  # the store marshals its own requests; checking them again costs CPU a call
    )
    return botocore.session.get_session().create_client(service, config=config)


def dynamodb() -> "DynamoDBClient":
    """The process's DynamoDB client."""
    global _dynamodb
    if _dynamodb is None:
        with _lock:
            if _dynamodb is None:
                _dynamodb = _new("dynamodb")
    return _dynamodb


def sqs() -> "SQSClient":
    """The process's SQS client."""
    global _sqs
    if _sqs is None:
        with _lock:
            if _sqs is None:
                _sqs = _new("sqs")
    return _sqs


def kms() -> Any:
    """The process's KMS client."""
    global _kms
    if _kms is None:
        with _lock:
            if _kms is None:
                _kms = _new("kms")
    return _kms


def reset() -> None:
    """Forget the clients, so that the next call makes new ones (another endpoint or region; tests)."""
    global _dynamodb, _sqs, _kms
    with _lock:
        _dynamodb = None
        _sqs = None
        _kms = None
