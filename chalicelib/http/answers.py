"""What goes back to the caller: JSON text, conditional GET, caching, cross-origin headers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import msgspec

from chalicelib.http.errors import ApiError

JSON: Final = "application/json"
PUBLIC_SECONDS: Final = 300
EXPOSED_HEADERS: Final = "ETag, Retry-After, X-Request-Id"
_ETAG = re.compile(r'(?:W/)?("[^"]*")')


@dataclass(slots=True)
class Answer:
    """A status, a body and headers. ``body`` is text as it is sent."""

    status: int
    body: str
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Text:
    """An answer that is not JSON, such as Markdown."""

    body: str
    media_type: str


class Shape(msgspec.Struct, rename="camel", omit_defaults=False):
    """What answers derive from: camelCase members; ``UNSET`` members are left out, unknown values are null."""


def encode(body: object) -> str:
    return msgspec.json.encode(body).decode()


def of(result: object, status: int) -> Answer:
    """The answer for what a view returned."""
    if isinstance(result, Answer):
        return result
    if isinstance(result, Text):
        return Answer(status, result.body, {"Content-Type": f"{result.media_type}; charset=utf-8"})
    return Answer(status, encode(result), {"Content-Type": JSON})


def of_error(error: ApiError) -> Answer:
    headers = {"Content-Type": JSON, "Cache-Control": "no-store", **error.headers}
    return Answer(error.status, encode(error.body()), headers)


def conditional(answer: Answer, headers: Mapping[str, str], *, public: bool) -> Answer:
    """Add validator and caching headers to a read; 304 when the caller has this very answer already.

    The validator is strong and made of the body, so it is right whatever the answer was computed from. Keyed
    answers may be kept by the caller only, and are asked for again each time.
    """
    tag = f'"{sha256(answer.body.encode()).hexdigest()[:32]}"'
    answer.headers["ETag"] = tag
    answer.headers["Cache-Control"] = f"public, max-age={PUBLIC_SECONDS}" if public else "private, no-cache"
    answer.headers["Vary"] = "Accept-Encoding" if public else "Authorization, Accept-Encoding"
    wanted = headers.get("if-none-match")
    if wanted is None or not (wanted.strip() == "*" or tag in _ETAG.findall(wanted)):
        return answer
    kept = {name: value for name, value in answer.headers.items() if name != "Content-Type"}
    return Answer(304, "", kept)


def cross_origin(headers: dict[str, str]) -> None:
    """Let pages of any website read a public answer."""
    headers["Access-Control-Allow-Origin"] = "*"
    headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS


def options(allow: str, *, public: bool) -> Answer:
    """The answer to OPTIONS. Only public paths invite other websites' pages."""
    headers = {"Allow": allow}
    if public:
        cross_origin(headers)
        headers["Access-Control-Allow-Methods"] = allow
        headers["Access-Control-Allow-Headers"] = "If-None-Match"
        headers["Access-Control-Max-Age"] = "86400"
    return Answer(204, "", headers)


def without_body(answer: Answer) -> Answer:
    """The answer to HEAD: the headers of GET, and the length that its body would have."""
    if answer.status != 304:
        answer.headers["Content-Length"] = str(len(answer.body.encode()))
    return Answer(answer.status, "", answer.headers)


def as_dict(answer: Answer) -> dict[str, Any]:
    """The answer as it is stored for an Idempotency-Key."""
    return {"status": answer.status, "body": answer.body, "headers": answer.headers}
