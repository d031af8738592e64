"""AWS in one process, for the local service, tests and benchmarks: moto's DynamoDB, SQS and SES, a small KMS and S3.

``start()`` makes every botocore client of this process get its answers from here, without a socket. ``Endpoint`` serves
the same tables and queues to other processes (``AWS_ENDPOINT_URL``). Both call ``dispatch`` under one lock, so that
calls never interleave.

``dispatch`` passes the JSON body to moto's handlers. It skips moto's own HTTP layers, which take more time than the
work itself. Calls of SES are recognized by their path; ``MAILBOX`` stores the mails. S3 is reached only through an
``Endpoint`` (``AWS_ENDPOINT_URL_S3``), because its signed addresses are for other processes.
"""

import base64
import contextlib
import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlsplit

import orjson
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.handlers import BUILTIN_HANDLERS, REGISTER_FIRST
from moto.core.common_models import BaseModel
from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult
from moto.dynamodb import responses as dynamodb_responses
from moto.dynamodb.models import DynamoDBBackend, dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.responses import DynamoHandler
from moto.sqs.models import SQSBackend, sqs_backends
from moto.sqs.responses import SQSResponse
from werkzeug.exceptions import HTTPException

from chalicelib.store import client
from chalicelib.store.wire import Parsers
from local import kms, moto_queues, moto_tables, objects, serving
from local.locking import CHANGED, LOCK
from local.standins.mail import LIST, Mailbox
from local.standins.mail import PATH as MAIL_PATH
from management import template

ACCOUNT = "123456789012"
REGION = "us-east-1"
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_DEFAULT_REGION": REGION,
    "AWS_EC2_METADATA_DISABLED": "true",
}
TABLES, QUEUES, KEYS = "DynamoDB_20120810", "AmazonSQS", "TrentService"
# botocore's name of each service in a request, and the standard variable for a custom endpoint.
ENDPOINT_OF = {
    TABLES: "AWS_ENDPOINT_URL_DYNAMODB",
    QUEUES: "AWS_ENDPOINT_URL_SQS",
    KEYS: "AWS_ENDPOINT_URL_KMS",
}
OBJECTS_ENDPOINT = "AWS_ENDPOINT_URL_S3"
ENDPOINT_VARIABLES = ("AWS_ENDPOINT_URL", *ENDPOINT_OF.values())

KEPT_TOKENS = 1_000  # the real DynamoDB keeps tokens for ten minutes
HOP_HEADERS = frozenset({"connection", "content-length", "host", "keep-alive", "transfer-encoding"})
FORWARD_SECONDS = 30
AWS_HOST = re.compile(r"\.(amazonaws\.com(\.cn)?|aws)$")

Answer = tuple[int, dict[str, str], bytes]

MAILBOX = Mailbox(ACCOUNT, REGION)

_parser = Parsers().create_parser("json")
_path_parser = Parsers().create_parser("rest-json")

_done_tokens: dict[str, None] = {}  # tokens of the latest transactions, oldest first
_active = False
_begun = False  # whether the embedded AWS ever was active in this process
_before: dict[str, str | None] = {}


class _Tables(DynamoHandler):
    def __init__(self, parameters: dict[str, Any]) -> None:
        super().__init__()
        self.body = self.params = parameters
        self.uri_match: dict[str, Any] = {}
        self.region = REGION
        self.current_account = ACCOUNT

    def transact_write_items(self) -> ActionResult:
        """Do a transaction. Like the real DynamoDB, ignore it if a transaction with the same token was done before."""
        token = self.body.get("ClientRequestToken")
        if token is not None and token in _done_tokens:
            return ActionResult({})
        answer = super().transact_write_items()
        if token is not None:
            _done_tokens[token] = None
            if len(_done_tokens) > KEPT_TOKENS:
                del _done_tokens[next(iter(_done_tokens))]
        return answer


class _Queues(SQSResponse):
    def __init__(self, parameters: dict[str, Any], url: str) -> None:
        super().__init__()
        self.body = self.params = parameters
        self.uri = url
        self.uri_match: dict[str, Any] = {}
        self.path = ""
        self.region = REGION
        self.current_account = ACCOUNT


def _new_model(cls: type, *args: object, **kwargs: object) -> object:
    return object.__new__(cls)


def json_default(value: object) -> object:
    """Convert moto's own types for ``orjson``: values to their wire format, times to seconds."""
    if isinstance(value, DynamoType):
        return {value.type: value.value}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, datetime):
        return value.timestamp()
    if hasattr(value, "to_json"):
        return value.to_json()
    raise TypeError(f"{type(value).__name__} cannot be part of an answer")


@cache
def _method(operation: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", operation).lower()


def _handler(service: str, parameters: dict[str, Any], url: str) -> Any:
    if service == QUEUES:
        return _Queues(parameters, url)
    return kms.Keys(parameters) if service == KEYS else _Tables(parameters)


def dispatch(target: str, body: bytes, url: str) -> Answer:
    """Answer one request. Returns status, headers and body.

    ``target``: the header that names service and operation (``DynamoDB_20120810.GetItem``). ``url``: the address of the
    request; queue addresses begin with it.
    """
    service, _, operation = target.partition(".")
    headers = {"Content-Type": "application/x-amz-json-1.0", "x-amzn-RequestId": os.urandom(16).hex()}
    parameters = orjson.loads(body or b"{}")
    handler = _handler(service, parameters, url)
    run = getattr(handler, _method(operation), None)
    if run is None:
        return 400, headers, _error("UnknownOperationException", f"{operation} is not part of the embedded AWS")
    with LOCK:
        try:
            answer = run()
            content = answer.result
        except HTTPException as error:
            return error.code or 400, headers, str(error.get_body()).encode()
        except ServiceException as error:
            headers["x-amzn-query-error"] = f"{error.code};Sender"
            return 400, headers, _error(error.code.rsplit(".", 1)[-1], error.message)
        written = orjson.dumps(content or {}, default=json_default, option=orjson.OPT_PASSTHROUGH_DATETIME)
    return 200, headers, written


def _error(code: str, message: str) -> bytes:
    return orjson.dumps({"__type": f"com.amazonaws#{code}", "message": message})


@lru_cache(maxsize=256)
def _is_aws(url: str) -> bool:
    return AWS_HOST.search(urlsplit(url).hostname or "") is not None


def _is_mail(path: str) -> bool:
    return path == MAIL_PATH or path.startswith(LIST)


def _answer_in_process(model: Any, params: dict[str, Any], **_: object) -> tuple[AWSResponse, dict[str, Any]] | None:
    """Answer a call in place of AWS. botocore calls this before it signs and sends the call.

    Returns None to send the call, if it is for another endpoint.
    """
    if not _active or not _is_aws(params["url"]):
        return None
    target = params["headers"].get("X-Amz-Target", "")
    path = urlsplit(params["url"]).path
    by_path = _is_mail(path)
    if not by_path and target.partition(".")[0] not in ENDPOINT_OF:
        return None
    body = params["body"].encode() if isinstance(params["body"], str) else params["body"]
    parser = _path_parser if by_path else _parser
    answered = MAILBOX.answer_path(params["method"], path, body) if by_path else dispatch(target, body, params["url"])
    status, headers, content = answered
    response = AWSResponse(params["url"], status, headers, None)  # type: ignore[arg-type]
    answer = {"status_code": status, "headers": response.headers, "body": content, "context": {}}
    parsed: dict[str, Any] = parser.parse(answer, model.output_shape)
    if status >= 300:
        shape = model.service_model.shape_for_error_code(parsed["Error"]["Code"])
        if shape is not None:
            parsed.update(parser.parse(answer, shape))
    return response, parsed


def _refuse_the_real_aws(request: AWSPreparedRequest, **_: object) -> None:
    """Refuse requests to the real AWS, even after the embedded AWS has ended. botocore calls this before it sends a
    request.

    Jobs may still run then, and must not write to the user's own account.
    """
    if _begun and _is_aws(request.url):
        raise RuntimeError(f"the embedded AWS does not support {request.url}, and nothing is sent to the real AWS")


BUILTIN_HANDLERS.append(("before-call", _answer_in_process, REGISTER_FIRST))
BUILTIN_HANDLERS.append(("before-send", _refuse_the_real_aws, REGISTER_FIRST))


# ----------------------------------------------------------------------------------------- start and stop


def start(*, keep_endpoints: bool = False) -> None:
    """Begin to answer this process's clients. Every table and queue of the template exists and is empty.

    Endpoints in the environment are ignored. If ``keep_endpoints`` is true, they are used instead: calls of an AWS
    service with an endpoint go to that endpoint, and only the other services are embedded.
    """
    global _active, _begun
    if _active:
        return
    moto_tables.apply()
    moto_queues.apply()
    # moto's own tracking keeps a list of every item and message ever made: memory would grow with each write.
    model: Any = BaseModel
    model.__new__ = _new_model
    module: Any = dynamodb_responses
    module.DynamoResult = ActionResult  # moto's own would copy each answer; ``json_default`` writes moto's types
    _before.update({name: os.environ.get(name) for name in (*ENVIRONMENT, *ENDPOINT_VARIABLES)})
    if not keep_endpoints:
        for name in ENDPOINT_VARIABLES:
            os.environ.pop(name, None)
    for name, value in ENVIRONMENT.items():
        if keep_endpoints:
            os.environ.setdefault(name, value)
        else:
            os.environ[name] = value
    tables().tables.clear()
    queues().queues.clear()
    _active = _begun = True
    client.reset()
    template.create_all(client.dynamodb(), client.sqs())


def stop() -> None:
    """Stop answering, and delete all stored data."""
    global _active
    _active = False
    with LOCK:
        tables().tables.clear()
        queues().queues.clear()
        CHANGED.notify_all()
    objects.clear()
    MAILBOX.clear()
    for name, value in _before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    _before.clear()
    client.reset()


def clear() -> None:
    """Empty every table and queue, without deleting them."""
    with LOCK:
        for table in tables().tables.values():
            table.items.clear()
        for queue in queues().queues.values():
            queue._messages.clear()
            queue.pending_messages.clear()
            queue.deleted_messages.clear()
    objects.clear()
    MAILBOX.clear()


def tables() -> DynamoDBBackend:
    """Return moto's DynamoDB backend of this process."""
    backend: DynamoDBBackend = dynamodb_backends[ACCOUNT][REGION]
    return backend


def queues() -> SQSBackend:
    """Return moto's SQS backend of this process."""
    backend: SQSBackend = sqs_backends[ACCOUNT][REGION]
    return backend


def next_due(name: str) -> float | None:
    """Return the earliest time at which a message of any queue is due (seconds by the service's clock); None if there
    is no message."""
    with LOCK:
        return min((moto_queues.due_at(message) for message in queues().queues[name]._messages), default=None)


def wake() -> None:
    """Wake all long polls. This is called after the clock was moved, and at the end of the service."""
    with LOCK:
        CHANGED.notify_all()


@contextlib.contextmanager
def running(*, keep_endpoints: bool = False) -> Iterator[None]:
    """Run the embedded AWS during the block. It is empty at the block's beginning and emptied at its end.

    After the block, the embedded AWS is stopped, unless it ran before the block already. ``keep_endpoints``: see
    ``start``.
    """
    begun_here = not _active
    if begun_here:
        start(keep_endpoints=keep_endpoints)
    else:
        clear()
    try:
        yield
    finally:
        if begun_here:
            stop()
        else:
            clear()


# --------------------------------------------------------------------------------------------------- endpoint


class Endpoint(serving.Service):
    """Serves the embedded AWS on a free loopback port, for other processes of this machine."""

    name = "aws"
    methods = ("DELETE", "GET", "HEAD", "POST", "PUT")

    def __init__(self, forward: Mapping[str, str] | None = None) -> None:
        """``forward``: the AWS services whose calls are passed on: service (a key of ``ENDPOINT_OF``) -> address."""
        self._forward = dict(forward or {})
        super().__init__()

    def respond(self, request: serving.Request) -> serving.Answer:
        if _is_mail(request.path):
            found = MAILBOX.answer_path(request.method, request.path, request.body)
        elif request.method == "POST":
            target = request.headers.get("X-Amz-Target", "")
            elsewhere = self._forward.get(target.partition(".")[0])
            url = f"http://{request.headers.get('Host', 'localhost')}"
            found = _forwarded(elsewhere, request) if elsewhere else dispatch(target, request.body, url)
        else:
            found = objects.answer(request.method, request.path, request.lower_headers(), request.body)
        status, headers, content = found
        return serving.Answer(status, content, headers)


def _forwarded(url: str, asked: serving.Request) -> Answer:
    headers = {name: value for name, value in asked.headers.items() if name.lower() not in HOP_HEADERS}
    request = urllib.request.Request(url, data=asked.body, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=FORWARD_SECONDS) as answer:
            status, received, content = answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        status, received, content = error.code, error.headers, error.read()
    kept = {name: value for name, value in received.items() if name.lower() not in HOP_HEADERS}
    return status, kept, content
