"""Calls an endpoint from this process, without a key. Checks, parameters, errors and shapes are as for HTTP requests.

The caller passes an ``Auth`` for the person who makes the call (see ``of_person``), and the endpoint, from
``api.operations()``, since this package imports no endpoints.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from chalicelib import clock, typed
from chalicelib.domain.accounts.rights import READ_SCOPES, SCOPES, Actor, may
from chalicelib.http import answers, authentication, checks
from chalicelib.http.answers import JSON, Answer, Tagged
from chalicelib.http.endpoints import BASE_PATH, Call, Endpoint
from chalicelib.store.accounts import Workspace
from chalicelib.store.api_keys import HOUR_SECONDS, PERSON, Auth
from chalicelib.store.websites import Website

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def of_person(actor: Actor, site_ids: Sequence[str] | None, *, limit: int, remaining: int, now: float) -> Auth:
    """Make the ``Auth`` of a person of a workspace. Roles that may write have every scope, other roles only the scopes
    that change nothing. ``site_ids``: None means all websites of the workspace. ``limit`` and ``remaining``: the hourly
    limit, and the requests that remain in this clock hour."""
    workspace_id, person_id = str(actor.workspace_id), str(actor.person_id)
    works = may(actor, "work", workspace_id)
    return Auth(
        key_id=person_id,
        kind=PERSON,
        workspace_id=workspace_id,
        site_ids=None if site_ids is None else tuple(site_ids),
        scopes=tuple(SCOPES) if works else READ_SCOPES,
        person_id=person_id,
        role=str(actor.role),
        owner_state="ok",
        limit=limit,
        remaining=remaining,
        reset_at=(int(now // HOUR_SECONDS) + 1) * HOUR_SECONDS,
    )


@dataclass(slots=True)
class Asker:
    """Calls endpoints with one Auth within one request. A website's record is loaded once, and again only after a
    write.

    ``base_url``: the beginning of URLs in answers, such as ``poll``. Thread-safe.
    """

    auth: Auth
    base_url: str = BASE_PATH
    _websites: dict[str, tuple[Website, Workspace | None]] = field(default_factory=dict)

    def website(self, site_id: str) -> Website:
        """Return the website. If it was not loaded before, one round trip loads it and its workspace. Raises the
        ``ApiError`` that an HTTP request would get."""
        if site_id not in self._websites:
            self._websites[site_id] = authentication.website_and_workspace_of(self.auth, site_id)
        return self._websites[site_id][0]

    def take(self, website: Website | None, workspace: Workspace | None) -> None:
        """Hand over a website that the caller has already read from the person's workspace, so that later calls do not
        load it again. Raises the ``ApiError`` that an HTTP request would get."""
        found = authentication.covered(self.auth, website)
        self._websites[found.id] = found, workspace

    def workspace(self, site_id: str) -> Workspace:
        """Return the workspace of the website. After a call of ``website`` this needs no round trip. Raises the
        ``ApiError`` that an HTTP request would get."""
        self.website(site_id)
        found = self._websites[site_id][1]
        if found is None:
            raise LookupError("the website was read without its workspace")
        return found

    def ask(
        self,
        endpoint: Endpoint,
        path: Mapping[str, str] = NOTHING,
        sent: Mapping[str, str] = NOTHING,
        body: object = None,
    ) -> Any:
        """Call the endpoint and return its result: of the type ``endpoint.answer``, a ``Text``, or an ``Answer`` that
        is not JSON (a file, or a redirect to it). ``sent``: query parameters. Raises the ``ApiError`` that an HTTP
        request would get."""
        result = self._view(endpoint, self._call(endpoint, path, sent, body))
        if isinstance(result, Tagged):
            return result.result
        if isinstance(result, Answer) and result.headers.get("Content-Type") == JSON:
            return typed.from_json(result.body, endpoint.answer or Any)
        return result

    def answer(
        self,
        endpoint: Endpoint,
        path: Mapping[str, str] = NOTHING,
        sent: Mapping[str, str] = NOTHING,
        body: object = None,
    ) -> Answer:
        """Call the endpoint and return its answer as text. Its lists are cut if it is too large. Raises the
        ``ApiError`` that an HTTP request would get."""
        call = self._call(endpoint, path, sent, body)
        return checks.answer_of(endpoint, call, self._view(endpoint, call))

    def _call(
        self, endpoint: Endpoint, path: Mapping[str, str], sent: Mapping[str, str], body: object = None
    ) -> Call[Any]:
        checks.check_switches(endpoint)
        call: Call[Any] = Call(clock.now(), self.base_url, path)
        call.auth = self.auth
        known = self._websites.get(path.get("siteId", ""))
        if known is not None:
            call.website = known[0]
            if known[1] is not None:
                call.workspace = known[1]
        checks.prepare(endpoint, call, {name: [value] for name, value in sent.items()})
        if endpoint.of_website:
            self._websites[call.website.id] = call.website, getattr(call, "workspace", None)
        if endpoint.method != "GET":
            checks.read_body(endpoint, call, b"" if body is None else answers.encode(body).encode(), NOTHING)
        return call

    def _view(self, endpoint: Endpoint, call: Call[Any]) -> Any:
        try:
            return endpoint.view(call)
        finally:
            if endpoint.method != "GET":
                self._websites.clear()


def ask(
    endpoint: Endpoint,
    auth: Auth,
    path: Mapping[str, str] = NOTHING,
    sent: Mapping[str, str] = NOTHING,
    body: object = None,
    *,
    base_url: str = BASE_PATH,
) -> Any:
    """Call one endpoint and return its result. Parameters and errors are those of ``Asker.ask``."""
    return Asker(auth, base_url).ask(endpoint, path, sent, body)
