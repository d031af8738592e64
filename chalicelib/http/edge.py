"""Answers Chalice requests: makes all checks in order, and gives all errors the same format."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from chalice.app import Blueprint, Chalice, Request, Response

from chalicelib import clock, metrics, randomness
from chalicelib.http import answers, authentication, checks, endpoints, idempotency, logs
from chalicelib.http.answers import Answer
from chalicelib.http.endpoints import BASE_PATH, Call, Endpoint, Group
from chalicelib.http.errors import ApiError
from chalicelib.settings.core import APP_PATH, core_settings
from chalicelib.store import context
from chalicelib.version import VERSION

# Every path accepts every method, so that a wrong method is answered here, with the allowed ones.
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# Headers of every answer. Answers contain texts of other people's pages, which no browser may render as a page.
OF_ALL: Final = {"X-Content-Type-Options": "nosniff", "X-Service-Version": VERSION}
# Methods of a room: browsers read its pages and post its forms.
ROOM_METHODS: Final = ("GET", "HEAD", "POST")
_LOOPBACK: Final = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Room:
    """A part of the service outside the API, such as the app. It answers all requests to ``path`` and to paths below
    it.

    ``answer``: answers every request to these paths. ``refuse``: makes the answer for an error status without calling
    ``answer``. Neither function may raise.
    """

    name: str
    path: str
    answer: Callable[[Request], Response]
    refuse: Callable[[Request, int], Response]


def serve(app: Chalice, groups: Iterable[Group], rooms: Iterable[Room] = ()) -> None:
    """Register the endpoints of the groups, and the parts of the service outside the API (``rooms``), with the Chalice
    app. All requests pass the middleware of this module.
    """
    allowed: dict[str, str] = {}
    owners: dict[str, Room] = {}
    names: dict[str, str] = {}  # name of the group or room of each path
    for group in groups:
        app.register_blueprint(_blueprint(group), url_prefix=BASE_PATH)
        allowed |= {BASE_PATH + path: endpoints.allow(methods) for path, methods in group.paths().items()}
        names |= {BASE_PATH + path: group.name for path in group.paths()}
    for room in rooms:
        for path in (room.path, f"{room.path}/{{rest+}}"):  # the second pattern matches every path below
            app.route(path, methods=list(ROOM_METHODS), content_types=[], name=f"{room.name}_view")(
                _room_view(app, room)
            )
            owners[path] = room
            names[path] = room.name

    def outermost(request: Request, get_response: Callable[[Request], Response]) -> Response:
        started = clock.monotonic()
        response = _served(request, get_response, allowed, owners.get(request.path))
        milliseconds = (clock.monotonic() - started) * 1000
        status = f"{response.status_code // 100}xx"
        metrics.put(metrics.REQUESTS, names[request.path], status, Requests=1, RequestTime=milliseconds)
        return response

    app.register_middleware(outermost, "http")


def _blueprint(group: Group) -> Blueprint:
    routes = Blueprint(f"chalicelib.api.{group.name}")
    for path, methods in group.paths().items():
        # No content types: Chalice would reject a wrong one itself, before the key is checked.
        routes.route(path, methods=list(METHODS), content_types=[])(_view(routes, methods))
    return routes


def _view(routes: Blueprint, methods: Mapping[str, Endpoint]) -> Callable[..., Response]:
    def view(**path: str) -> Response:
        return _response(_dispatch(methods, routes.current_request, path))

    return view


def _room_view(app: Chalice, room: Room) -> Callable[[], Response]:
    def view() -> Response:
        request = app.current_request
        assert request is not None
        return room.answer(request)

    return view


def _response(answer: Answer) -> Response:
    return Response(answer.body, dict(answer.headers), answer.status)


def _served(
    request: Request, get_response: Callable[[Request], Response], allowed: Mapping[str, str], room: Room | None
) -> Response:
    started = clock.monotonic()
    request_id = _request_id(request)
    token = context.request_id.set(request_id)
    app = context.app_address.set(app_address(request))
    try:
        logs.begin(request_id, method=request.method, route=request.path)
        if room is not None:
            response = _of_room(room, request, get_response)
        elif _cut_by_gateways(request.context.get("path", "")):
            refused = answers.of_error(_no_path())
            response = _response(answers.without_body(refused) if request.method == "HEAD" else refused)
        else:
            response = get_response(request)
        if room is None and response.status_code == 405 and request.method not in METHODS:
            response = _response(answers.of_error(_not_allowed(request.method, allowed[request.path])))
        elif isinstance(response.body, dict):  # Chalice itself failed
            response = _response(answers.of_error(_internal()))
        response.headers["X-Request-Id"] = request_id
        response.headers.update(OF_ALL)
        logs.answered(response.status_code, (clock.monotonic() - started) * 1000)
        return response
    finally:
        context.request_id.reset(token)
        context.app_address.reset(app)


def _of_room(room: Room, request: Request, get_response: Callable[[Request], Response]) -> Response:
    response = get_response(request)
    if isinstance(response.body, dict):  # Chalice's own answer: the method is not allowed, or Chalice failed
        return room.refuse(request, 405 if response.status_code == 405 else 500)
    return response


def _cut_by_gateways(path: str) -> bool:
    """Whether a gateway may have matched only a part of the path. Some gateways drop a trailing slash, and everything
    after ";" or "#". Then an empty id would be answered with the list, and a wrong id with another object."""
    return path.endswith("/") or ";" in path or "#" in path


def _request_id(request: Request) -> str:
    """Return the gateway's request id if there is one, since the gateway's own errors contain this id too."""
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
    """Run the checks and the view. ``extra``: collects headers, which errors get too."""
    checks.check_switches(endpoint)
    call: Call[Any] = Call(clock.now(), base_url(request), {name: unquote(value) for name, value in path.items()})
    if endpoint.scope is not None:
        call.auth = authentication.authenticate(request.headers, call.now)
        extra.update(authentication.limit_headers(call.auth, call.now))
        logs.add(keyId=call.auth.key_id, workspaceId=call.auth.workspace_id)
    checks.prepare(endpoint, call, _query(request))
    if endpoint.method == "GET":
        call.known_tags = request.headers.get("if-none-match")
        answer = checks.answer_of(endpoint, call, endpoint.view(call))
        if endpoint.stored:
            return answers.conditional(answer, request.headers, public=endpoint.scope is None)
        answer.headers.setdefault("Cache-Control", "private, no-store")
        return answer
    return _write(endpoint, request, call)


def _write(endpoint: Endpoint, request: Request, call: Call[Any]) -> Answer:
    raw = request.raw_body or b""
    data = raw if isinstance(raw, bytes) else raw.encode()
    checks.read_body(endpoint, call, data, request.headers)

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
    """Return the API's root URL for the caller. It is ``BASE_URL`` or, if that is not set, comes from the request."""
    configured = core_settings().base_url
    return configured.rstrip("/") if configured else origin(request) + prefix(request) + BASE_PATH


def origin(request: Request) -> str:
    """Return scheme and host of the request. The host is the domain at which API Gateway received the request.

    The caller chooses the Host header, so the header does not prove where the service is. Without a gateway, the header
    is used only if it names this machine.
    """
    domain = request.context.get("domainName")
    if domain:
        return f"https://{domain}"
    host = request.headers.get("host", "")
    return f"http://{host if _LOOPBACK.fullmatch(host) else 'localhost'}"


def app_address(request: Request) -> str | None:
    """Return the app's address for the caller. It is the setting ``APP_URL`` or, if that is not set, an address at the
    host to which the request was sent. Returns None if the request came without a gateway and the host is not this
    machine."""
    configured = core_settings().app_url
    if configured:
        return configured.rstrip("/")
    host = request.headers.get("host", "")
    if host and not request.context.get("domainName") and not _LOOPBACK.fullmatch(host):
        return None
    return origin(request) + prefix(request) + APP_PATH


def prefix(request: Request) -> str:
    """Return the text that precedes the service's paths in URLs: the gateway's stage, or ""."""
    asked = request.context.get("path", "").split("/")
    own = request.path.strip("/").split("/")
    if own[-1] == "{rest+}":  # matches the whole rest of the path
        own[-1:] = [part for part in (request.uri_params or {}).get("rest", "").split("/") if part]
    asked = [part for part in asked if part]
    return "".join(f"/{part}" for part in asked[: len(asked) - len(own)]) if request.context.get("domainName") else ""


def unknown_path(request_id: str) -> tuple[int, dict[str, str], str]:
    """Return status, headers and body of the answer for a path without a route. The gateway is set up to give the same
    answer itself."""
    answer = answers.of_error(_no_path())
    return answer.status, {**answer.headers, **OF_ALL, "X-Request-Id": request_id}, answer.body
