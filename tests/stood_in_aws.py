"""Stands in for the services of AWS that a deployment asks, over a socket: CloudFormation, S3, Secrets Manager, the
parameter store and SNS. It refuses what the real ones refuse, and writes down what it is asked.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

import yaml

ADDRESS = "https://abc123.execute-api.us-east-1.amazonaws.com/live"
STACK_ID = "arn:aws:cloudformation:us-east-1:123456789012:stack/website-optimization/1a2b3c"
HIDDEN = "****"
SERVICES = ("CLOUDFORMATION", "S3", "SECRETS_MANAGER", "SNS", "SSM")
NO_CHANGE = "The submitted information didn't contain changes. Submit different information to create a change set."

Json = dict[str, Any]


class Refused(Exception):
    """An error of AWS: its code and its words."""


@lru_cache(maxsize=4)
def parameters_of(template: str) -> Json:
    """Its parameters."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: Json = yaml.load(template, Loader=loader)["Parameters"]
    return found


@dataclass
class Aws:
    """What the account holds. ``calls``: the service's operations in their order. ``status``: of a stack that is there.
    ``waits``: how many times more the stack is asked before what is under way has ended. ``fails``: why the next change
    fails. ``denied``: the credentials have run out. ``address``: where the stack's gateway is."""

    url: str = ""
    calls: list[str] = field(default_factory=list)
    objects: dict[str, bytes] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)  # of Secrets Manager
    entries: dict[str, str] = field(default_factory=dict)  # of the parameter store
    topics: dict[str, int] = field(default_factory=dict)  # the confirmed subscriptions of each
    buckets: set[str] = field(default_factory=lambda: {"templates-of-ours"})
    status: str | None = None
    ends_as: str = ""
    given: dict[str, str] = field(default_factory=dict)
    template: str = ""
    waits: int = 0
    fails: str = ""
    denied: bool = False
    address: str = ADDRESS
    events: list[tuple[str, str, str]] = field(default_factory=list)  # the newest first
    _sets: dict[str, tuple[str, dict[str, str], str | None]] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """Has botocore ask here."""
        return {
            **{f"AWS_ENDPOINT_URL_{service}": self.url for service in SERVICES},
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_DEFAULT_REGION": "us-east-1",
        }

    # -- CloudFormation --------------------------------------------------------------------------------------

    def describe_stacks(self, asked: dict[str, str]) -> str:
        name = asked["StackName"]
        if self.status is None:
            raise Refused("ValidationError", f"Stack with id {name} does not exist")
        if self.status.endswith("_IN_PROGRESS") and self.status != "REVIEW_IN_PROGRESS":
            if self.waits:
                self.waits -= 1
            else:
                self.status = self.ends_as
        known = parameters_of(self.template) if self.template else {}
        shown = {
            key: HIDDEN if one.get("NoEcho") else self.given.get(key, str(one.get("Default", "")))
            for key, one in known.items()
        }
        outputs = {}
        if self.template and self.status.endswith("_COMPLETE"):
            own = self.given.get("DomainName")
            outputs = {
                "Address": f"https://{own}" if own else self.address,
                "ExportsBucketName": "wos-exports-123456789012-us-east-1",
                **({"NameLeadsTo": "d-1.execute-api.us-east-1.amazonaws.com"} if own else {}),
            }
        return (
            f"<Stacks><member><StackId>{STACK_ID}</StackId><StackName>{name}</StackName><StackStatus>{self.status}</StackStatus>"
            f"<CreationTime>2026-11-01T00:00:00Z</CreationTime>{_pairs('Parameter', shown)}{_pairs('Output', outputs)}"
            "</member></Stacks>"
        )

    def create_change_set(self, asked: dict[str, str]) -> str:
        creates = asked["ChangeSetType"] == "CREATE"
        if creates != (self.status in (None, "REVIEW_IN_PROGRESS")):
            raise Refused("ValidationError", f"The stack is {self.status}: no {asked['ChangeSetType']}")
        if self.status is not None and (self.status.endswith("_IN_PROGRESS") and not creates):
            raise Refused("ValidationError", f"Stack is in {self.status} state and can not be updated.")
        if "CAPABILITY_IAM" not in asked.values():
            raise Refused("InsufficientCapabilitiesException", "Requires capabilities : [CAPABILITY_IAM]")
        content = self.objects.get(asked["TemplateURL"].removeprefix(self.url))
        if content is None:
            raise Refused("ValidationError", "S3 error: Access Denied")
        template = content.decode()
        if "CodeUri: ./" in template:
            raise Refused("ValidationError", "'CodeUri' is not a valid S3 Uri")
        values = self._values(asked, parameters_of(template), creates)
        why = NO_CHANGE if not creates and (template, values) == (self.template, self.given) else None
        self._sets[asked["ChangeSetName"]] = (template, values, why)
        if self.status is None:
            self.status = "REVIEW_IN_PROGRESS"
        return f"<Id>{asked['ChangeSetName']}</Id><StackId>{STACK_ID}</StackId>"

    def _values(self, asked: dict[str, str], known: Json, creates: bool) -> dict[str, str]:
        given, values = {}, {}
        for number in range(1, len(asked)):
            key = asked.get(f"Parameters.member.{number}.ParameterKey")
            if key is not None:
                given[key] = asked.get(f"Parameters.member.{number}.ParameterValue")
        if set(given) - set(known):
            raise Refused("ValidationError", f"Parameters: {sorted(set(given) - set(known))} do not exist")
        for key, one in known.items():
            value = given.get(key, one.get("Default"))
            if key in given and given[key] is None:
                if creates or key not in self.given:
                    raise Refused("ValidationError", f"{key} has no previous value")
                value = self.given[key]
            if value is None:
                raise Refused("ValidationError", f"Parameters: [{key}] must have values")
            values[key] = str(value)
            if len(values[key]) < one.get("MinLength", 0) or values[key] not in one.get("AllowedValues", [values[key]]):
                raise Refused("ValidationError", f"Parameter {key} failed to satisfy constraint")
        return values

    def describe_change_set(self, asked: dict[str, str]) -> str:
        _, _, why = self._sets[asked["ChangeSetName"]]
        if why is not None:
            return f"<Status>FAILED</Status><StatusReason>{escape(why)}</StatusReason>"
        return "<Status>CREATE_COMPLETE</Status>"

    def delete_change_set(self, asked: dict[str, str]) -> str:
        del self._sets[asked["ChangeSetName"]]
        return ""

    def execute_change_set(self, asked: dict[str, str]) -> str:
        template, values, _ = self._sets.pop(asked["ChangeSetName"])
        act = "CREATE" if self.status == "REVIEW_IN_PROGRESS" else "UPDATE"
        self.events.insert(0, (asked["StackName"], f"{act}_IN_PROGRESS", "User Initiated"))
        if self.fails:
            self.events.insert(0, ("SitesTable", f"{act}_FAILED", self.fails))
            self.ends_as = "ROLLBACK_COMPLETE" if act == "CREATE" else "UPDATE_ROLLBACK_COMPLETE"
        else:
            self.template, self.given, self.ends_as = template, values, f"{act}_COMPLETE"
        self.status = f"{act}_IN_PROGRESS"
        return ""

    def describe_stack_events(self, asked: dict[str, str]) -> str:
        members = "".join(
            f"<member><StackId>{STACK_ID}</StackId><EventId>{number}</EventId><StackName>{asked['StackName']}</StackName>"
            f"<Timestamp>2026-11-01T00:00:00Z</Timestamp><LogicalResourceId>{name}</LogicalResourceId>"
            f"<ResourceStatus>{status}</ResourceStatus><ResourceStatusReason>{escape(why)}</ResourceStatusReason></member>"
            for number, (name, status, why) in enumerate(self.events)
        )
        return f"<StackEvents>{members}</StackEvents>"

    # -- SNS, Secrets Manager, the parameter store ------------------------------------------------------------

    def get_topic_attributes(self, asked: dict[str, str]) -> str:
        confirmed = self.topics.get(asked["TopicArn"])
        if confirmed is None:
            raise Refused("NotFound", "Topic does not exist")
        entries = {"SubscriptionsConfirmed": confirmed, "SubscriptionsPending": 1}
        inner = "".join(f"<entry><key>{key}</key><value>{value}</value></entry>" for key, value in entries.items())
        return f"<Attributes>{inner}</Attributes>"

    def get_secret_value(self, asked: Json) -> Json:
        if asked["SecretId"] not in self.secrets:
            raise Refused("ResourceNotFoundException", "Secrets Manager can't find the specified secret.")
        return {"Name": asked["SecretId"], "SecretString": self.secrets[asked["SecretId"]]}

    def get_parameter(self, asked: Json) -> Json:
        if asked["Name"] not in self.entries:
            raise Refused("ParameterNotFound", "")
        value = self.entries[asked["Name"]] if asked.get("WithDecryption") else "encrypted"
        return {"Parameter": {"Name": asked["Name"], "Type": "SecureString", "Value": value}}


def _pairs(kind: str, values: dict[str, str]) -> str:
    members = "".join(
        f"<member><{kind}Key>{key}</{kind}Key><{kind}Value>{escape(value)}</{kind}Value></member>"
        for key, value in values.items()
    )
    return f"<{kind}s>{members}</{kind}s>"


def _method(operation: str) -> str:
    return "".join(f"_{one.lower()}" if one.isupper() else one for one in operation).removeprefix("_")


class _Handler(BaseHTTPRequestHandler):
    aws: ClassVar[Aws]
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _answer(self, status: int, body: str = "", kind: str = "text/xml") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def do_HEAD(self) -> None:
        self._answer(200 if urlsplit(self.path).path in self.aws.objects else 404)

    def do_PUT(self) -> None:
        path, body = urlsplit(self.path).path, self._body()
        self.aws.calls.append("PutObject")
        if path.split("/")[1] not in self.aws.buckets:
            self._answer(404, "<Error><Code>NoSuchBucket</Code><Message>The bucket does not exist</Message></Error>")
            return
        self.aws.objects[path] = body
        self._answer(200)

    def do_POST(self) -> None:
        body, target = self._body().decode(), self.headers.get("X-Amz-Target")
        asked: Any = json.loads(body) if target else {key: values[0] for key, values in parse_qs(body).items()}
        operation = target.rpartition(".")[2] if target else asked["Action"]
        self.aws.calls.append(operation)
        try:
            if self.aws.denied:
                raise Refused("ExpiredToken", "The security token included in the request is expired")
            answer = getattr(self.aws, _method(operation))(asked)
        except Refused as refused:
            code, words = refused.args
            if target:
                self._answer(400, json.dumps({"__type": code, "message": words}), "application/x-amz-json-1.1")
            else:
                error = f"<Error><Type>Sender</Type><Code>{code}</Code><Message>{escape(words)}</Message></Error>"
                self._answer(400, f"<ErrorResponse>{error}</ErrorResponse>")
            return
        if target:
            self._answer(200, json.dumps(answer), "application/x-amz-json-1.1")
        else:
            inner = f"<{operation}Result>{answer}</{operation}Result>"
            self._answer(200, f"<{operation}Response>{inner}</{operation}Response>")


@contextmanager
def standing_in() -> Iterator[Aws]:
    """An account without a stack, at an address of this machine."""
    aws = Aws()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"aws": aws}))
    aws.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield aws
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
