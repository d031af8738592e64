"""Makes answers: JSON text, conditional GET, caching, cross-origin headers."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import msgspec

from chalicelib.http.errors import ApiError

JSON: Final = "application/json"
PUBLIC_SECONDS: Final = 300
EXPOSED_HEADERS: Final = "ETag, Retry-After, X-Request-Id"
OF_THE_BODY: Final = ("Content-Type", "Content-Disposition")
LARGEST_BYTES: Final = 5_000_000  # limit on a body
LARGEST_CARRIED: Final = 6_000_000  # limit on a body encoded for the gateway, which accepts 6 MiB with the headers
_ETAG = re.compile(r'(?:W/)?("[^"]*")')


@dataclass(slots=True)
class Answer:
    """A status, a body and headers. ``body``: the text that is sent."""

    status: int
    body: str
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Text:
    """An answer that is not JSON, such as Markdown."""

    body: str
    media_type: str


@dataclass(frozen=True, slots=True)
class Tagged:
    """An answer with its own ETag. ``tag``: identifies the data from which the answer was computed."""

    result: object
    tag: str


class Shape(msgspec.Struct, rename="camel", omit_defaults=False, gc=False):
    """Base of all answers. Members have camelCase names. Members that are ``UNSET`` are left out, and unknown values
    are null. Answers have no cyclic references, so the garbage collector need not track them."""


def encode(body: object) -> str:
    return msgspec.json.encode(body).decode()


def of(result: object, status: int, encoder: Callable[[object], str] = encode) -> Answer:
    """Make the answer from a view's result. ``encoder``: turns a shape into JSON text."""
    if isinstance(result, Tagged):
        return Answer(status, encoder(result.result), {"Content-Type": JSON, "ETag": result.tag})
    if isinstance(result, Answer):
        return result
    if isinstance(result, Text):
        return Answer(status, result.body, {"Content-Type": f"{result.media_type}; charset=utf-8"})
    return Answer(status, encoder(result), {"Content-Type": JSON})


def of_error(error: ApiError) -> Answer:
    headers = {"Content-Type": JSON, "Cache-Control": "no-store", **error.headers}
    return Answer(error.status, encode(error.body()), headers)


def conditional(answer: Answer, headers: Mapping[str, str], *, public: bool) -> Answer:
    """Add ETag and caching headers to the answer to a read. Returns a 304 when the caller already has this answer.

    The ETag is strong. It is made from the body, so it is the same whether the answer was computed or came from a
    cache. A ``Tagged`` answer has its own ETag. Only the caller may cache answers to requests with a key, and must
    revalidate them each time. A redirect (303) has a new address every time and must not be cached.
    """
    answer.headers["Vary"] = "Accept-Encoding" if public else "Authorization, Accept-Encoding"
    if answer.status == 303:
        answer.headers["Cache-Control"] = "private, no-store"
        return answer
    tag = answer.headers.setdefault("ETag", tag_of(answer.body))
    answer.headers["Cache-Control"] = f"public, max-age={PUBLIC_SECONDS}" if public else "private, no-cache"
    if not names(headers.get("if-none-match"), tag):
        return answer
    kept = {name: value for name, value in answer.headers.items() if name not in OF_THE_BODY}
    return Answer(304, "", kept)


def tag_of(text: str) -> str:
    """Return the ETag of a body with this text."""
    return f'"{sha256(text.encode()).hexdigest()[:32]}"'


def names(known_tags: str | None, tag: str) -> bool:
    """Whether the value of an If-None-Match header (``known_tags``) contains the ETag ``tag``."""
    return known_tags is not None and (known_tags.strip() == "*" or tag in _ETAG.findall(known_tags))


def fits(body: str) -> bool:
    """Whether a body is small enough for an answer. A Lambda function's answer is itself encoded as JSON text, in which
    quotation marks and characters beyond ASCII take more bytes."""
    most = 6 if body.isascii() else 12  # bytes that a character can take, such as \u0000 and \ud83d\ude00
    if most * len(body) <= LARGEST_BYTES:
        return True
    return len(body.encode()) <= LARGEST_BYTES and len(json.dumps(body)) <= LARGEST_CARRIED


def cross_origin(headers: dict[str, str]) -> None:
    """Add the headers that let pages of any website read a public answer."""
    headers["Access-Control-Allow-Origin"] = "*"
    headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS


def options(allow: str, *, public: bool) -> Answer:
    """Make the answer to OPTIONS. It allows requests from other websites' pages only for public paths."""
    headers = {"Allow": allow}
    if public:
        cross_origin(headers)
        headers["Access-Control-Allow-Methods"] = allow
        headers["Access-Control-Allow-Headers"] = "If-None-Match"
        headers["Access-Control-Max-Age"] = "86400"
    return Answer(204, "", headers)


def without_body(answer: Answer) -> Answer:
    """Make the answer to HEAD: the headers of the answer to GET, including the length of its body."""
    if answer.status != 304:
        answer.headers["Content-Length"] = str(len(answer.body.encode()))
    return Answer(answer.status, "", answer.headers)


def as_dict(answer: Answer) -> dict[str, Any]:
    """Return the answer as a dictionary, to be stored for an Idempotency-Key."""
    return {"status": answer.status, "body": answer.body, "headers": answer.headers}
