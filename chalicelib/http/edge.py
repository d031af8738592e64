"""From a Chalice request to an answer: the checks in their order, one exit, one error shape.

Order of the checks: method (405), switches (503), key (401), hourly limit (429), owner, scope and website (403),
things named by the path (404), parameters and body (400, 413, 415), Idempotency-Key, and only then the view.
"""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from chalice.app import Blueprint, Chalice, Request, Response

from chalicelib import clock, metrics, randomness
from chalicelib.http import answers, authentication, bodies, endpoints, idempotency, logs, parameters, parts
from chalicelib.http.answers import Answer
from chalicelib.http.endpoints import BASE_PATH, Call, Endpoint, Group
from chalicelib.http.errors import ApiError
from chalicelib.settings.core import core_settings
from chalicelib.store import context
from chalicelib.version import VERSION

# Every path takes every method that API Gateway knows, so that a wrong one is answered here and says what is right.
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# Headers of every answer. Answers contain texts of other people's pages: no browser is to take one for a page.
OF_ALL: Final = {"X-Content-Type-Options": "nosniff", "X-Service-Version": VERSION}
_LOOPBACK: Final = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?")
_log = logging.getLogger(__name__)


def serve(app: Chalice, groups: Iterable[Group]) -> None:
    """Let the app answer the groups' endpoints, with the edge's middleware round everything."""
    allowed: dict[str, str] = {}
    names: dict[str, str] = {}  # of the group that a path belongs to
    for group in groups:
        app.register_blueprint(_blueprint(group), url_prefix=BASE_PATH)
        allowed |= {BASE_PATH + path: endpoints.allow(methods) for path, methods in group.paths().items()}
        names |= {BASE_PATH + path: group.name for path in group.paths()}

    def outermost(request: Request, get_response: Callable[[Request], Response]) -> Response:
        started = clock.monotonic()
        response = _served(request, get_response, allowed)
        milliseconds = (clock.monotonic() - started) * 1000
        status = f"{response.status_code // 100}xx"
        metrics.put(metrics.REQUESTS, names[request.path], status, Requests=1, RequestTime=milliseconds)
        return response

    app.register_middleware(outermost, "http")


def _blueprint(group: Group) -> Blueprint:
    routes = Blueprint(f"chalicelib.api.{group.name}")
    for path, methods in group.paths().items():
        # No content types: Chalice would answer a wrong one itself, before the key has been looked at.
        routes.route(path, methods=list(METHODS), content_types=[])(_view(routes, methods))
    return routes


def _view(routes: Blueprint, methods: Mapping[str, Endpoint]) -> Callable[..., Response]:
    def view(**path: str) -> Response:
        return _response(_dispatch(methods, routes.current_request, path))

    return view


def _response(answer: Answer) -> Response:
    return Response(answer.body, dict(answer.headers), answer.status)


def _served(request: Request, get_response: Callable[[Request], Response], allowed: Mapping[str, str]) -> Response:
    started = clock.monotonic()
    request_id = _request_id(request)
    token = context.request_id.set(request_id)
    try:
        logs.begin(request_id, method=request.method, route=request.path)
        if _cut_by_gateways(request.context.get("path", "")):
            refused = answers.of_error(_no_path())
            response = _response(answers.without_body(refused) if request.method == "HEAD" else refused)
        else:
            response = get_response(request)
        if response.status_code == 405 and request.method not in METHODS:
            response = _response(answers.of_error(_not_allowed(request.method, allowed[request.path])))
        elif isinstance(response.body, dict):  # Chalice itself failed
            response = _response(answers.of_error(_internal()))
        response.headers["X-Request-Id"] = request_id
        response.headers.update(OF_ALL)
        logs.answered(response.status_code, (clock.monotonic() - started) * 1000)
        return response
    finally:
        context.request_id.reset(token)


def _cut_by_gateways(path: str) -> bool:
    """Whether a gateway may have matched less than the whole path. Some drop a last slash, and what follows ";" or "#".
    An empty id would be answered with the list, and a wrong one with another object."""
    return path.endswith("/") or ";" in path or "#" in path


def _request_id(request: Request) -> str:
    """The gateway's id where there is one: it is what the gateway's own errors carry, too."""
    known = request.context.get("requestId") or getattr(request.lambda_context, "aws_request_id", None)
    return str(known) if known else randomness.random_bytes(16).hex()


def _not_allowed(method: str, allowed: str) -> ApiError:
    return ApiError(
        "method_not_allowed", f"{method[:20]} is not allowed here; accepted: {allowed}.", headers={"Allow": allowed}
    )


def _dispatch(methods: Mapping[str, Endpoint], request: Request, path: Mapping[str, str]) -> Answer:
    allowed = endpoints.allow(methods)
    public = all(endpoint.scope is None for endpoint in methods.values())
    if request.method == "OPTIONS":
        return answers.options(allowed, public=public)
    endpoint = methods.get("GET" if request.method == "HEAD" else request.method)
    extra: dict[str, str] = {}
    try:
        if endpoint is None:
            raise _not_allowed(request.method, allowed)
        answer = _answer(endpoint, request, path, extra)
    except ApiError as error:
        answer = answers.of_error(error)
    except Exception:
        _log.exception("a view failed")
        answer = answers.of_error(_internal())
    answer.headers = extra | answer.headers
    if public:
        answers.cross_origin(answer.headers)
    return answers.without_body(answer) if request.method == "HEAD" else answer


def _no_path() -> ApiError:
    return ApiError("not_found", "There is no such path.")


def _internal() -> ApiError:
    return ApiError("internal", "The service failed to answer.", requestId=context.request_id.get())


def _answer(endpoint: Endpoint, request: Request, path: Mapping[str, str], extra: dict[str, str]) -> Answer:
    """Run the checks and the view. ``extra`` collects headers that belong to errors as well."""
    off = core_settings().switched_off_groups
    if "api" in off or endpoint.group in off:
        raise ApiError("switched_off", "The API or this part of it is switched off at present.")
    ids = {name: unquote(value) for name, value in path.items()}
    call: Call[Any] = Call(clock.now(), base_url(request), ids)
    if endpoint.scope is not None:
        call.auth = authentication.authenticate(request.headers, call.now)
        extra.update(authentication.limit_headers(call.auth, call.now))
        logs.add(keyId=call.auth.key_id, workspaceId=call.auth.workspace_id)
        authentication.check_scope(call.auth, endpoint.scope)
    if endpoint.of_website:
        if endpoint.with_workspace:
            call.website, call.workspace = authentication.website_and_workspace_of(call.auth, ids["siteId"])
        else:
            call.website = authentication.website_of(call.auth, ids["siteId"])
        logs.add(siteId=call.website.id)
    if endpoint.find is not None:
        call.found = endpoint.find(call)
    query = _query(request)
    call.parameters = parameters.read(endpoint.parameters, query)
    call.spelled = parameters.spellings(endpoint.parameters, query)
    if endpoint.method == "GET":
        call.known_tags = request.headers.get("if-none-match")
        answer = answers.of(
            endpoint.view(call), endpoint.status, lambda result: parts.encoded(result, endpoint.parts, call)
        )
        if not answers.fits(answer.body):  # the gateway would drop it without a word in the error shape
            raise RuntimeError(f"the answer of {endpoint.operation_id} has {len(answer.body)} characters")
        if endpoint.stored:
            return answers.conditional(answer, request.headers, public=endpoint.scope is None)
        answer.headers.setdefault("Cache-Control", "private, no-store")
        return answer
    return _write(endpoint, request, call)


def _write(endpoint: Endpoint, request: Request, call: Call[Any]) -> Answer:
    raw = request.raw_body or b""
    data = raw if isinstance(raw, bytes) else raw.encode()
    bodies.check_size(data, endpoint.largest_body)
    if endpoint.body is not None:
        call.body = bodies.read(endpoint.body, data, request.headers, required=endpoint.body_required)

    def run() -> Answer:
        result = endpoint.view(call)
        answer = answers.of(result, endpoint.status)
        answer.headers["Cache-Control"] = "no-store"
        poll = getattr(result, "poll", None)
        if poll is not None:
            answer.headers["Location"] = poll
        if endpoint.retry_after is not None:
            answer.headers["Retry-After"] = str(endpoint.retry_after)
        return answer

    key = request.headers.get("idempotency-key")
    if key is None or endpoint.method != "POST":
        return run()
    path = "/" + request.context.get("path", request.path).strip("/")
    return idempotency.once((call.auth.key_id, endpoint.method, path, key), data, call.now, run)


def _query(request: Request) -> dict[str, list[str]]:
    sent = request.query_params
    return {} if sent is None else {name: sent.getlist(name) for name in sent}


def base_url(request: Request) -> str:
    """The API's root as the caller knows it: the setting, else the domain by which API Gateway took the request.

    The Host header is what a caller says, and says nothing about where the API is: without a gateway it counts only
    where it names this very machine.
    """
    configured = core_settings().base_url
    if configured:
        return configured.rstrip("/")
    domain = request.context.get("domainName")
    if not domain:
        host = request.headers.get("host", "")
        return f"http://{host if _LOOPBACK.fullmatch(host) else 'localhost'}{BASE_PATH}"
    before, found, _ = request.context.get("path", "").partition(BASE_PATH)
    return f"https://{domain}{before if found else ''}{BASE_PATH}"


def unknown_path(request_id: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and body for a path that no route matches: what the gateway answers in the service's stead."""
    answer = answers.of_error(_no_path())
    return answer.status, {**answer.headers, **OF_ALL, "X-Request-Id": request_id}, answer.body
