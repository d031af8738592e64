"""Reads JSON request bodies, whatever their content type, and checks them against a msgspec Struct.

A body with a wrong member is refused with the member's own error code, such as ``bad_page_budget``. A body with a
missing or unknown member is refused with ``bad_body``.
"""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from chalicelib import typed
from chalicelib.domain.printable import printable
from chalicelib.http import members
from chalicelib.http.errors import CODES, ApiError
from chalicelib.http.parameters import bad

LARGEST_BODY_BYTES = 1_000_000

B = TypeVar("B")


class Body(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """Base of all request bodies. Members have camelCase names, and unknown members are refused."""


def check_size(raw: bytes, largest: int = LARGEST_BODY_BYTES) -> None:
    """Raise an error if a body is larger than ``largest`` bytes."""
    if len(raw) > largest:
        raise ApiError("too_large", f"The body has {len(raw)} bytes; at most {largest} are read.")


def read(model: type[B], raw: bytes, headers: Mapping[str, str], *, required: bool) -> B:
    """Decode and check the body. If there is no body and none is required, returns an object with the model's defaults.
    Raises ``ApiError``."""
    if not raw:
        if required:
            raise ApiError("bad_body", f"A JSON body is required: {members.accepted(model)}.", param=None)
        return model()
    check_type(headers)
    try:
        decoded = _with_integers(msgspec.json.decode(raw))
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise ApiError("bad_json", _no_json(raw, members.has_secrets(model))) from None
    except RecursionError:
        raise ApiError("bad_json", "The body is nested too deeply to be read.") from None
    try:
        return typed.convert(decoded, model)
    except msgspec.ValidationError:
        raise _refused(model, decoded) from None


def check_type(headers: Mapping[str, str]) -> None:
    sent = headers.get("content-type")
    if sent is not None and sent.split(";")[0].strip().lower() not in ("application/json", ""):
        raise ApiError(
            "unsupported_media_type",
            f"`Content-Type` must be `application/json`, not `{printable(sent, members.LONGEST_SHOWN)}`.",
        )
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise ApiError("unsupported_media_type", "`Content-Encoding` must be `identity`: send the body uncompressed.")


def _with_integers(value: Any) -> Any:
    """Replace floats such as 5.0 by integers, since JSON has only one kind of number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_with_integers(item) for item in value]
    if isinstance(value, dict):
        return {name: _with_integers(item) for name, item in value.items()}
    return value


def _no_json(raw: bytes, is_secret: bool) -> str:
    """Return why a body is not JSON, as far as it can be determined. ``is_secret``: the message repeats nothing of the
    body."""
    try:
        json.loads(raw.decode(), parse_int=str)  # a number may have more digits than Python reads
    except UnicodeDecodeError as error:
        return f"The body is not JSON: byte {error.start + 1} is not UTF-8."
    except json.JSONDecodeError as error:
        rest = error.doc[error.pos :]
        if not rest.strip():
            return "The body is not JSON: it ends too early."
        begins = "" if is_secret else f": `{printable(rest, members.LONGEST_SHOWN)}`"
        return f"The body is not JSON from character {error.pos + 1} on{begins}."
    except RecursionError:
        return "The body is nested too deeply to be read."
    return "The body is not valid JSON: a number is invalid or out of range, or a text has a lone surrogate."


def _refused(model: type[Any], sent: object) -> ApiError:
    found = members.fault(model, sent)
    if found is None:
        return ApiError("bad_body", f"The body must be {members.accepted(model)}.", param=None)
    code = "bad_body" if found.member is None else _member_code(found.member)
    return ApiError(code, found.message, param=found.path)


def _member_code(name: str) -> str:
    """Return the error code for a wrong member: the member's own, or that of the whole body."""
    code = bad(name)
    return code if code in CODES and CODES[code].of_members else "bad_body"


def member_codes(model: type[Any]) -> set[str]:
    """Return the error codes for wrong members of the body."""
    found: set[str] = set()
    waiting: list[Any] = [msgspec.inspect.type_info(model)]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, msgspec.inspect.StructType):
            for member in kind.fields:
                found.add(_member_code(member.encode_name))
                waiting.append(member.type)
        elif isinstance(kind, msgspec.inspect.Metadata):  # the type has a description or constraints
            waiting.append(kind.type)
        elif isinstance(kind, msgspec.inspect.ListType):
            waiting.append(kind.item_type)
        elif isinstance(kind, msgspec.inspect.UnionType):
            waiting.extend(kind.types)
    return found - {"bad_body"}
