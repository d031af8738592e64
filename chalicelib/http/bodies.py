"""JSON request bodies: decoded by hand (a missing content type is no hurdle), checked against a msgspec Struct.

A wrong member is refused with its own code (``bad_page_budget``), a missing or unknown one with ``bad_body``.
"""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from chalicelib import typed
from chalicelib.http.errors import CODES, ApiError, quote
from chalicelib.http.parameters import bad

LARGEST_BODY_BYTES = 1_000_000
_PATH = re.compile(r"^(?P<what>.*) - at `\$(?P<path>.*)`$", re.DOTALL)
_MEMBER = re.compile(r"field `(?P<name>[^`]*)`")

B = TypeVar("B")


class Body(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """What request bodies derive from: camelCase members, no unknown ones."""


def check_size(raw: bytes, largest: int = LARGEST_BODY_BYTES) -> None:
    """Refuse a body that is larger than is read."""
    if len(raw) > largest:
        raise ApiError("too_large", f"The body has {len(raw)} bytes; at most {largest} are read.")


def read(model: type[B], raw: bytes, headers: Mapping[str, str], *, required: bool) -> B:
    """The body as ``model``; without a body its defaults, unless one is required. Raises ``ApiError``."""
    if not raw:
        if required:
            raise ApiError("bad_body", "A JSON body is required.")
        return model()
    _check_type(headers)
    try:
        decoded = _with_integers(msgspec.json.decode(raw))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ApiError("bad_json", f"The body is not JSON: {error}.") from None
    except RecursionError:
        raise ApiError("bad_json", "The body is nested too deeply to be read.") from None
    try:
        return typed.convert(decoded, model)
    except msgspec.ValidationError as error:
        raise _refused(str(error)) from None


def _check_type(headers: Mapping[str, str]) -> None:
    sent = headers.get("content-type")
    if sent is not None and sent.split(";")[0].strip().lower() not in ("application/json", ""):
        raise ApiError("unsupported_media_type", f"The body is sent as {sent[:100]!r}; send application/json.")
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise ApiError("unsupported_media_type", "The body is sent compressed; send it as it is.")


def _with_integers(value: Any) -> Any:
    """JSON knows one kind of number: 5.0 is the integer 5."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_with_integers(item) for item in value]
    if isinstance(value, dict):
        return {name: _with_integers(item) for name, item in value.items()}
    return value


def _refused(explanation: str) -> ApiError:
    found = _PATH.match(explanation)
    what, path = (found["what"], found["path"]) if found else (explanation, "")
    member = _MEMBER.search(what)
    if member is not None:  # a missing or an unknown member
        name = member["name"]
        what = what.replace(f"`{name}`", quote(name))
        return ApiError("bad_body", f"The body is wrong: {what}.", param=f"{path}.{name}".lstrip(".")[:100])
    names = re.findall(r"\.([A-Za-z_][A-Za-z0-9_]*)", path)
    if not names:
        return ApiError("bad_body", f"The body is wrong: {what}.")
    code = bad(names[-1])
    where = path.lstrip(".")
    return ApiError(code if code in CODES else "bad_body", f"`{where}` is wrong: {what}.", param=where)


def member_codes(model: type[Any]) -> set[str]:
    """The codes that a wrong member of the body is refused with."""
    found: set[str] = set()
    waiting: list[Any] = [msgspec.inspect.type_info(model)]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, msgspec.inspect.StructType):
            for member in kind.fields:
                found.add(bad(member.encode_name))
                waiting.append(member.type)
        elif isinstance(kind, msgspec.inspect.Metadata):  # a description, or more of a schema
            waiting.append(kind.type)
        elif isinstance(kind, msgspec.inspect.ListType):
            waiting.append(kind.item_type)
        elif isinstance(kind, msgspec.inspect.UnionType):
            waiting.extend(kind.types)
    return found & CODES.keys()
