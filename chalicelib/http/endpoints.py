"""Declares endpoints. One declaration has an endpoint's route, scope, parameters, body, answer and error codes.

Requests are checked against the declaration, and the OpenAPI document is made from it::

    group = Group("pages", "Crawled pages and what was found on them.")

    @group.get("/sites/{siteId}/pages", scope="pages:read", parameters=ListParameters, answer=PageList,
               summary="List a website's pages")
    def list_pages(call: Call[ListParameters]) -> PageList:
        ...

The view is called after all declared checks; it returns an object of the type ``answer``, or raises ``ApiError``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from chalicelib.http.bodies import LARGEST_BODY_BYTES, member_codes
from chalicelib.http.errors import CODES
from chalicelib.http.parameters import NoParameters, Spelled, checks, declared
from chalicelib.http.parts import Part
from chalicelib.store.accounts import Workspace
from chalicelib.store.api_keys import Auth
from chalicelib.store.websites import Website

BASE_PATH: Final = "/api/v1"
Method = Literal["GET", "POST", "PUT"]
P = TypeVar("P")


class Form(NamedTuple):
    """A format of an answer in addition to the usual one. ``name``: the value of the parameter ``format`` that selects
    it."""

    name: str
    media_type: str


@dataclass(slots=True)
class Call(Generic[P]):
    """A request that has passed all checks. ``found``: the object that the path names; the endpoint's function ``find``
    has loaded it."""

    now: float
    base_url: str
    path: Mapping[str, str]
    auth: Auth = field(init=False)  # set if the endpoint has a scope
    website: Website = field(init=False)  # set for paths below /sites/{siteId}
    workspace: Workspace = field(init=False)  # set if the endpoint declares with_workspace
    found: Any = None
    parameters: P = field(init=False)
    spelled: Mapping[str, Spelled] = field(default_factory=dict)  # the caller's spelling, by the parameter's name
    body: Any = field(default=None, repr=False)  # it may hold a password
    known_tags: str | None = None  # If-None-Match of a read
    cursor_after: Callable[[int], str] | None = None  # the cursor after this many rows of the answer

    def url(self, path: str) -> str:
        """Return the full address of a path of this API."""
        return self.base_url + path


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An operation of the API. ``scope``: None means public, without a key."""

    group: str
    method: Method
    path: str
    view: Callable[[Call[Any]], Any]
    summary: str
    answer: type[Any] | None
    scope: str | None
    parameters: type[Any] = NoParameters
    body: type[Any] | None = None
    body_required: bool = False
    largest_body: int = LARGEST_BODY_BYTES
    find: Callable[[Call[Any]], Any] | None = None
    errors: tuple[str, ...] = ()
    status: int = 200
    media_type: str = "application/json"
    files: tuple[Form, ...] = ()  # further formats, sent directly or through a redirect (303)
    text: Form | None = None  # a further format, always sent directly
    retry_after: int | None = None
    stored: bool = False  # reads stored data: ETag and If-None-Match
    with_workspace: bool = False  # the view needs the workspace too: read together with the website
    parts: tuple[Part, ...] = ()  # lists to cut if a GET's answer would be too large

    @property
    def operation_id(self) -> str:
        return self.view.__name__

    @property
    def of_website(self) -> bool:
        return "{siteId}" in self.path

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the path parameters."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def formats(self) -> tuple[str, ...]:
        """The values of the parameter ``format``."""
        found = (
            parameter.schema.get("enum", ()) for parameter in declared(self.parameters) if parameter.name == "format"
        )
        return tuple(next(found, ()))

    @property
    def forms(self) -> tuple[Form, ...]:
        """All formats of the answer except the usual one."""
        return self.files if self.text is None else (*self.files, self.text)

    def codes(self) -> list[str]:
        """Return every error code of the operation, by status and then by name. Raises ``LookupError`` for a code that
        is not registered."""
        found = {"bad_parameter", "switched_off", "internal", *self.errors}
        found.update(parameter.code for parameter in declared(self.parameters))
        found.update(check.code for check in checks(self.parameters))
        if self.scope is not None:
            found |= {"unauthorized", "rate_limited", "owner_lost_access", "missing_scope"}
        if self.of_website:
            found |= {"not_found", "site_not_covered"}
        if self.body is not None:
            found |= {"bad_json", "bad_body", "unsupported_media_type", *member_codes(self.body)}
        if self.method != "GET":
            found.add("too_large")
        if self.method == "POST":
            found |= {"bad_idempotency_key", "idempotency_in_progress", "idempotency_mismatch"}
        unknown = sorted(found - CODES.keys())
        if unknown:
            raise LookupError(f"{self.operation_id} answers {unknown}, which CODES of chalicelib/http/errors.py lacks")
        return sorted(found, key=lambda code: (CODES[code].status, code))


View = Callable[[Call[Any]], Any]


@dataclass(frozen=True, slots=True)
class Group:
    """A group of endpoints, which one module of ``chalicelib.api`` declares. If the API is deployed in parts, each
    group has its own Lambda function."""

    name: str
    description: str
    endpoints: list[Endpoint] = field(default_factory=list)

    def get(
        self,
        path: str,
        *,
        summary: str,
        answer: type[Any] | None,
        scope: str | None,
        parameters: type[Any] = NoParameters,
        find: Callable[[Call[Any]], Any] | None = None,
        errors: Sequence[str] = (),
        media_type: str = "application/json",
        files: Sequence[Form] = (),
        text: Form | None = None,
        stored: bool = True,
        with_workspace: bool = False,
        parts: Sequence[Part] = (),
    ) -> Callable[[View], View]:
        """Declare a read (GET). HEAD and OPTIONS are answered too. ``parts``: the lists of the answer that may grow too
        large."""
        return self._declared(
            method="GET",
            path=path,
            summary=summary,
            answer=answer,
            scope=scope,
            parameters=parameters,
            find=find,
            errors=tuple(errors),
            media_type=media_type,
            files=tuple(files),
            text=text,
            stored=stored,
            with_workspace=with_workspace,
            parts=tuple(parts),
        )

    def post(
        self,
        path: str,
        *,
        summary: str,
        answer: type[Any],
        scope: str,
        body: type[Any] | None = None,
        body_required: bool = True,
        find: Callable[[Call[Any]], Any] | None = None,
        errors: Sequence[str] = (),
        status: int = 200,
        retry_after: int | None = None,
        with_workspace: bool = False,
    ) -> Callable[[View], View]:
        """Declare a write (POST). ``retry_after``: for answers with the status 202, how many seconds a client should
        wait before it requests the address ``poll``."""
        return self._declared(
            method="POST",
            path=path,
            summary=summary,
            answer=answer,
            scope=scope,
            body=body,
            body_required=body_required,
            find=find,
            errors=tuple(errors),
            status=status,
            retry_after=retry_after,
            with_workspace=with_workspace,
        )

    def put(
        self,
        path: str,
        *,
        summary: str,
        answer: type[Any],
        scope: str,
        body: type[Any],
        errors: Sequence[str] = (),
        status: int = 200,
        largest_body: int = LARGEST_BODY_BYTES,
    ) -> Callable[[View], View]:
        """Declare an idempotent write (PUT). A client may repeat it, so it needs no Idempotency-Key."""
        return self._declared(
            method="PUT",
            path=path,
            summary=summary,
            answer=answer,
            scope=scope,
            body=body,
            body_required=True,
            largest_body=largest_body,
            errors=tuple(errors),
            status=status,
        )

    def _declared(self, **members: Any) -> Callable[[View], View]:
        def declare(view: View) -> View:
            self.endpoints.append(Endpoint(group=self.name, view=view, **members))
            return view

        return declare

    def paths(self) -> dict[str, dict[str, Endpoint]]:
        """Return the group's paths, each with its endpoints by method."""
        found: dict[str, dict[str, Endpoint]] = {}
        for endpoint in self.endpoints:
            found.setdefault(endpoint.path, {})[endpoint.method] = endpoint
        return found


def allow(methods: Mapping[str, Endpoint]) -> str:
    """Return the ``Allow`` header of a path."""
    names = {"OPTIONS", *methods}
    if "GET" in names:
        names.add("HEAD")
    return ", ".join(sorted(names))
