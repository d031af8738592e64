"""API Gateway and Lambda, as far as this API sees them: requests go by the template to the functions that it names.

The template says which paths and methods there are, which function answers each, under which stage, which bodies
travel as base64, and what is answered where no function is asked or one fails. A function is ``app.py``, loaded with
that function's ``ENDPOINT_GROUPS``: a path that is routed to another function finds no view there. Events and answers
pass as JSON, written as the function's runtime writes them, and within its limits.

Not here: throttling, time limits, gzip, and rights (those of the functions are in their policies).
"""

import base64
import json
import os
import re
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

from chalicelib.settings.reading import forget_settings
from local.embedded import ACCOUNT, REGION
from tests.stack.packaged import ROOT, Json

DOMAIN: Final = f"api.execute-api.{REGION}.amazonaws.com"
LARGEST_REQUEST: Final = 10 * 1024 * 1024
LARGEST_PAYLOAD: Final = 6 * 1024 * 1024  # of an event, and of an answer with all that is round its body
# Python 3.12 and later write other characters as they are; older ones as six ASCII characters each.
WRITES_ASCII: Final = frozenset({"python3.9", "python3.10", "python3.11"})
# What an answer of a function may not be called: the gateway gives it another name.
REMAPPED: Final = {"www-authenticate": "x-amzn-Remapped-WWW-Authenticate"}

_FUNCTION = re.compile(r"functions/\$\{(\w+)\.Arn\}/invocations")


@dataclass(frozen=True)
class Answer:
    """The gateway's answer to the caller."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Function:
    """One Lambda function of the API."""

    def __init__(self, name: str, runtime: str, handler: str, environment: Mapping[str, str]) -> None:
        self.name = name
        self.ascii = runtime in WRITES_ASCII
        self.groups = environment.get("ENDPOINT_GROUPS")
        self._handler = handler
        self._loading = threading.Lock()

    @cached_property
    def _app(self) -> Any:
        """The app as this function imports it. It serves several requests at once here, as several copies do there."""
        module, _, name = self._handler.partition(".")
        spec = spec_from_file_location(f"function_{self.name}", ROOT / f"{module}.py")
        assert spec is not None and spec.loader is not None
        loaded = module_from_spec(spec)
        before = os.environ.get("ENDPOINT_GROUPS")
        try:
            os.environ.pop("ENDPOINT_GROUPS", None)
            if self.groups is not None:
                os.environ["ENDPOINT_GROUPS"] = self.groups
            forget_settings()
            spec.loader.exec_module(loaded)
        finally:
            os.environ.pop("ENDPOINT_GROUPS", None)
            if before is not None:
                os.environ["ENDPOINT_GROUPS"] = before
            forget_settings()
            sys.modules.pop(spec.name, None)
        return getattr(loaded, name)

    def invoke(self, event: Json) -> Json:
        """The function's answer to an event. Raises the error of a failed invocation."""
        with self._loading:
            app = self._app
        sent = json.dumps(event)
        if len(sent.encode()) > LARGEST_PAYLOAD:
            raise TooLarge
        answer = json.dumps(app(json.loads(sent), _Context(self.name)), ensure_ascii=self.ascii)
        if len(answer.encode()) > LARGEST_PAYLOAD:
            raise ValueError("the answer is larger than what a function may answer")
        received: Json = json.loads(answer)
        return received


class TooLarge(Exception):
    """The event is larger than what a function takes."""


class _Context:
    """Lambda's context of an invocation."""

    def __init__(self, name: str) -> None:
        self.function_name = name
        self.aws_request_id = str(uuid4())
        self.memory_limit_in_mb = 512

    def get_remaining_time_in_millis(self) -> int:
        return 29_000


class Gateway:
    """The gateway of a transformed template."""

    def __init__(self, template: Json, environments: Mapping[str, Mapping[str, str]]) -> None:
        """``environments``: the variables of each function by its logical id."""
        resources = template["Resources"]
        (body,) = (one["Properties"]["Body"] for one in resources.values() if _is(one, "ApiGateway::RestApi"))
        stages = [one["Properties"] for one in resources.values() if _is(one, "ApiGateway::Stage")]
        (self.stage,) = (stage["StageName"] for stage in stages)
        self.binary = frozenset(body.get("x-amazon-apigateway-binary-media-types", ()))
        self.responses: Json = body["x-amazon-apigateway-gateway-responses"]
        self.routes: dict[tuple[str, ...], tuple[str, Json]] = {
            tuple(path.strip("/").split("/")): (path, methods) for path, methods in body["paths"].items()
        }
        self.functions = {
            name: Function(
                name,
                resources[name]["Properties"]["Runtime"],
                resources[name]["Properties"]["Handler"],
                environments[name],
            )
            for name in {_function_of(one) for methods in body["paths"].values() for one in methods.values()}
        }

    def request(
        self, method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Answer:
        """Answers one request. ``target``: stage, path and query as they are sent."""
        request_id = str(uuid4())
        given, content = dict(headers or {}), body or b""
        path, query = urlsplit(target).path, urlsplit(target).query
        under_stage = path.partition(f"/{self.stage}")
        if under_stage[0] or (under_stage[2] and not under_stage[2].startswith("/")):
            return Answer(403, {"Content-Type": "application/json"}, b'{"message":"Forbidden"}')
        if len(content) > LARGEST_REQUEST:
            return self._own("REQUEST_TOO_LARGE", 413, request_id)
        found = self._match(under_stage[2])
        if found is None or method.lower() not in found[1]:
            return self._own("MISSING_AUTHENTICATION_TOKEN", 403, request_id)
        route, methods, captured = found
        integration = methods[method.lower()]
        event = self._event(method, route, captured, (path, under_stage[2], query), given, content, request_id)
        try:
            answer = self.functions[_function_of(integration)].invoke(event)
            return self._answer(method, answer, given)
        except TooLarge:
            return self._own("REQUEST_TOO_LARGE", 413, request_id)
        except Exception:
            return self._own("INTEGRATION_FAILURE", 502, request_id)

    def _match(self, path: str) -> tuple[str, Json, dict[str, str]] | None:
        """The path of the template that matches, its methods, and what stands for its parameters. A part that is
        spelled out goes before one that is a parameter, and both before one that stands for all that follows."""
        asked = path.strip("/").split("/")
        found = []
        for route, (written, methods) in self.routes.items():
            parts, before = asked, len(route) - 1
            if route[-1].endswith("+}"):
                parts = [*asked[:before], "/".join(asked[before:])]
            if len(route) != len(parts):
                continue
            free = [part.startswith("{") + part.endswith("+}") for part in route]
            pairs = list(zip(route, parts, free, strict=True))
            if all(part if is_free else part == name for name, part, is_free in pairs):
                captured = {name.strip("{+}"): part for name, part, is_free in pairs if is_free}
                found.append((free, written, methods, captured))
        if not found:
            return None
        _, written, methods, captured = min(found, key=lambda one: one[0])
        return written, methods, captured

    def _event(
        self,
        method: str,
        route: str,
        captured: dict[str, str],
        address: tuple[str, str, str],
        headers: Mapping[str, str],
        body: bytes,
        request_id: str,
    ) -> Json:
        """The event of a proxy integration."""
        whole, path, query = address
        headers = {"Host": DOMAIN, "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7", **headers}
        parameters: dict[str, list[str]] = {}
        for name, value in parse_qsl(query, keep_blank_values=True):
            parameters.setdefault(name, []).append(value)
        kind = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
        encoded = kind.partition(";")[0].strip().lower() in self.binary
        text = base64.b64encode(body).decode() if encoded else body.decode("utf-8", "replace")
        return {
            "resource": route,
            "path": path,
            "httpMethod": method,
            "headers": headers,
            "multiValueHeaders": {name: [value] for name, value in headers.items()},
            "queryStringParameters": {name: values[-1] for name, values in parameters.items()} or None,
            "multiValueQueryStringParameters": parameters or None,
            "pathParameters": captured or None,
            "stageVariables": None,
            "requestContext": {
                "accountId": ACCOUNT,
                "apiId": DOMAIN.partition(".")[0],
                "domainName": DOMAIN,
                "httpMethod": method,
                "identity": {"sourceIp": "203.0.113.7", "userAgent": headers.get("User-Agent")},
                "path": whole,
                "protocol": "HTTP/1.1",
                "requestId": request_id,
                "requestTimeEpoch": int(time.time() * 1000),
                "resourcePath": route,
                "stage": self.stage,
            },
            "body": text if body else None,
            "isBase64Encoded": bool(body) and encoded,
        }

    def _answer(self, method: str, answer: Json, asked: Mapping[str, str]) -> Answer:
        """What the caller gets of a function's answer. Raises for one that is none."""
        status, text = answer["statusCode"], answer.get("body") or ""
        if type(status) is not int or not isinstance(text, str):
            raise ValueError("the function's answer is none")
        headers = {name: str(value) for name, value in (answer.get("headers") or {}).items()}
        for name, values in (answer.get("multiValueHeaders") or {}).items():
            headers[name] = ", ".join(str(value) for value in values)
        headers = {REMAPPED.get(name.lower(), name): value for name, value in headers.items()}
        accepted = next((value for name, value in asked.items() if name.lower() == "accept"), "")
        decoded = answer.get("isBase64Encoded") and accepted.partition(",")[0].partition(";")[0].strip() in self.binary
        body = base64.b64decode(text, validate=True) if decoded else text.encode()
        return Answer(status, headers, b"" if method == "HEAD" else body)

    def _own(self, kind: str, usual: int, request_id: str) -> Answer:
        """The gateway's own answers, as worded in the template."""
        template = self.responses.get(kind) or self.responses["DEFAULT_4XX" if usual < 500 else "DEFAULT_5XX"]
        headers = {"Content-Type": "application/json"}
        for name, value in template.get("responseParameters", {}).items():
            said = request_id if value == "context.requestId" else value.strip("'")
            headers[name.removeprefix("gatewayresponse.header.")] = said
        text = template["responseTemplates"]["application/json"].replace("$context.requestId", request_id)
        return Answer(int(template.get("statusCode", usual)), headers, text.encode())


def _is(resource: Json, kind: str) -> bool:
    return bool(resource["Type"] == f"AWS::{kind}")


def _function_of(method: Json) -> str:
    """The logical id of the function that a method of the template calls."""
    match = _FUNCTION.search(method["x-amazon-apigateway-integration"]["uri"]["Fn::Sub"])
    assert match is not None
    return match[1]
