"""Answers POST /mcp: checks the caller's key and its limit, and calls the tools that the key may use.

Order of the checks: method (405), switched-off endpoint groups (503), origin (403), key (401), hourly limit (429), the
key's owner (403), size (413), media type (415), and then the protocol. Every POST counts as one request of the key's
hour, with any number of tool calls.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from chalice.app import Request, Response

from chalicelib import clock
from chalicelib.http import answers, authentication, bodies, edge, logs
from chalicelib.http.answers import JSON, Answer
from chalicelib.http.edge import Room
from chalicelib.http.errors import ApiError
from chalicelib.http.inside import Asker
from chalicelib.mcp import protocol, shortening
from chalicelib.mcp.protocol import Outcome
from chalicelib.mcp.tool import Asked, Refusal, Tool
from chalicelib.settings.core import core_settings
from chalicelib.store import context
from chalicelib.store.api_keys import Auth

NAME: Final = "mcp"
PATH: Final = "/mcp"
_log = logging.getLogger(__name__)
_REFUSED: Final = {
    404: ApiError("not_found", "There is no such path."),
    405: ApiError("method_not_allowed", "Only POST is allowed here: there is no stream.", headers={"Allow": "POST"}),
}


class KeysTools:
    """The tools that one key may use, called for one request."""

    def __init__(self, auth: Auth, base_url: str, now: float) -> None:
        self._asker = Asker(auth, base_url)
        self._auth = auth
        self._now = now

    def listed(self) -> Sequence[Mapping[str, Any]]:
        """List the tools for which the key has all scopes."""
        from chalicelib.mcp import tools

        return [tool.listed() for tool in tools.TOOLS if not self._missing(tool)]

    def _missing(self, tool: Tool) -> list[str]:
        return [scope for scope in tool.scopes if scope not in self._auth.scopes]

    def call(self, name: str, arguments: Mapping[str, Any]) -> Outcome | None:
        """Call a tool. The result may be a refusal, such as for a wrong argument. Returns None if no tool has this
        name."""
        from chalicelib.mcp import tools

        tool = tools.BY_NAME.get(name)
        if tool is None:
            return None
        logs.add(tool=name)
        try:
            for scope in self._missing(tool):
                raise Refusal("missing_scope", f"This key does not have the scope {scope}.", scope=scope)
            found = tool.run(Asked(self._asker, tool.check(arguments), self._now))
        except (ApiError, Refusal) as refused:
            return Outcome(shortening.refusal(refused.code, refused.message, refused.extras), refused=True)
        except Exception:
            _log.exception("the tool %s failed", name)
            about = {"requestId": context.request_id.get()}
            return Outcome(shortening.refusal("internal", "The tool failed.", about), refused=True)
        return Outcome(shortening.text(found, quotes=tool.quotes))


def answer(request: Request) -> Response:
    """Answer a POST to ``/mcp``. Other methods get 405, and paths below it 404."""
    if request.path != PATH:
        return refuse(request, 404)
    if request.method != "POST":
        return refuse(request, 405)
    extra: dict[str, str] = {}
    try:
        found = _answered(request, extra)
    except ApiError as error:
        found = answers.of_error(error)
    return Response(found.body, {**extra, **found.headers}, found.status)


def refuse(request: Request, status: int) -> Response:
    """Make the error answer for this HTTP status. This calls no other system, so that the error answer cannot fail
    itself."""
    found = answers.of_error(
        _REFUSED.get(status)
        or ApiError("internal", "The service failed to answer.", requestId=context.request_id.get())
    )
    if request.method == "HEAD":
        found = answers.without_body(found)
    return Response(found.body, dict(found.headers), found.status)


def _answered(request: Request, extra: dict[str, str]) -> Answer:
    off = core_settings().switched_off_groups
    if "api" in off or NAME in off:
        raise ApiError("switched_off", "The API or this part of it is switched off at present.")
    base_url = edge.base_url(request)
    _check_origin(request.headers.get("origin"), base_url)
    now = clock.now()
    auth = authentication.authenticate(request.headers, now)
    extra.update(authentication.limit_headers(auth, now))
    logs.add(keyId=auth.key_id, workspaceId=auth.workspace_id)
    authentication.check_owner(auth)
    raw = request.raw_body or b""
    data = raw if isinstance(raw, bytes) else raw.encode()
    bodies.check_size(data)
    bodies.check_type(request.headers)
    headers = {name.lower(): value for name, value in request.headers.items()}
    reply = protocol.answer(headers, data, KeysTools(auth, base_url, now))
    given = {"Cache-Control": "no-store"}
    if reply.body is None:
        return Answer(reply.status, "", given)
    return Answer(reply.status, answers.encode(reply.body), given | {"Content-Type": JSON})


def _check_origin(origin: str | None, base_url: str) -> None:
    """Allow a browser's request only if it comes from this service's own pages.

    Otherwise any website could use the visitor's browser to call a server on the visitor's machine. Raises 403
    ``foreign_origin``.
    """
    if origin is not None and origin not in {_origin(base_url), _origin(core_settings().app_url)}:
        raise ApiError("foreign_origin", "Pages of other websites may not call this address.")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


ROOM: Final = Room(NAME, PATH, answer, refuse)
