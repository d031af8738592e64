"""Declares query parameters, reads them strictly, and describes them in the OpenAPI document.

An endpoint's parameters are a frozen dataclass whose fields are made by the functions below::

    @dataclass(frozen=True, slots=True)
    class ListParameters:
        q: str | None = text("Part of the address or of the title.")
        page: int = integer("Which page of the list.", default=1, minimum=1)

A wrong value is refused with ``bad_<parameter>``, an unknown or repeated parameter with ``bad_parameter``. So a typing
mistake never silently returns something else. Conditions between parameters are declared in the same class::

        CHECKS = (Check("bad_period", lambda sent: sent.first <= sent.last, "{to} must not lie before {from}.", "to"),)
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from datetime import date
from typing import Any, Final, NamedTuple, TypeVar

from chalicelib.domain.printable import printable
from chalicelib.http.errors import ApiError
from chalicelib.http.members import LONGEST_SHOWN, either, shown

T = TypeVar("T")

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,99}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SNAKE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
LONGEST_TEXT = 2_048
LARGEST_INTEGER = 2**53 - 1  # the largest integer that every JSON reader represents exactly


@dataclass(frozen=True, slots=True)
class Parameter:
    """One query parameter. ``read``: a function that converts the text. It raises ``ValueError`` with a description of
    valid texts.
    """

    name: str
    help: str
    required: bool
    schema: Mapping[str, Any]
    read: Callable[[str], Any]
    code: str  # the error code of a wrong value
    also: str | None = None  # a second spelling that is accepted too
    exploded: bool = True


@dataclass(frozen=True, slots=True)
class Check:
    """A condition that several parameters must fulfil together. The class that declares the parameters lists its
    conditions in ``CHECKS``. If one fails, the request is refused; the first that fails counts.

    In ``message``, ``{name}`` stands for a parameter; it is replaced by that parameter as the caller wrote it.
    """

    code: str
    holds: Callable[[Any], bool]
    message: str
    param: str | None = None  # the wrong parameter, if it is a single one


NO_CHECKS: Final[tuple[Check, ...]] = ()


def bad(name: str) -> str:
    """Return the error code for a wrong parameter or member, such as ``bad_page_budget`` for ``pageBudget``."""
    return "bad_" + _SNAKE.sub("_", name).lower()


def _declare(
    help_text: str,
    schema: dict[str, Any],
    read: Callable[[str], Any],
    default: Any,
    *,
    name: str | None = None,
    also: str | None = None,
    exploded: bool = True,
    code: str | None = None,
) -> Any:
    metadata = {
        "help": help_text,
        "schema": schema,
        "read": read,
        "name": name,
        "also": also,
        "exploded": exploded,
        "code": code,
    }
    if default is MISSING:
        return field(metadata=metadata)
    if isinstance(default, int | str):
        schema["default"] = default
    return field(default=default, metadata=metadata)


def integer(
    help_text: str,
    *,
    default: Any = MISSING,
    minimum: int | None = None,
    maximum: int | None = None,
    also: str | None = None,
    name: str | None = None,
) -> Any:
    """Declare a whole number. Only one spelling is accepted: digits without leading zeros, with a ``-`` for negative
    numbers."""
    least = -LARGEST_INTEGER if minimum is None else minimum
    most = LARGEST_INTEGER if maximum is None else maximum
    schema: dict[str, Any] = {"type": "integer", "minimum": least, "maximum": most}
    accepted = "a whole number"
    if minimum is not None and maximum is not None:
        accepted += f" from {minimum} to {maximum}"
    elif minimum is not None:
        accepted += f" of {minimum} or more"

    def read(raw: str) -> int:
        if not _INTEGER.fullmatch(raw):
            raise ValueError(accepted)
        value = int(raw)
        if value > most and maximum is None:
            raise ValueError(f"a whole number from {least} to {most}")
        if not least <= value <= most:
            raise ValueError(accepted)
        return value

    return _declare(help_text, schema, read, default, name=name, also=also)


def text(help_text: str, *, default: Any = None, maximum: int = LONGEST_TEXT, minimum: int = 0) -> Any:
    """Declare a free text of ``minimum`` to ``maximum`` characters. ``default=MISSING`` makes the parameter
    required.
    """
    accepted = f"text of {minimum} to {maximum:,} characters"

    def read(raw: str) -> str:
        if not minimum <= len(raw) <= maximum:
            raise ValueError(accepted)
        return raw

    schema: dict[str, Any] = {"type": "string", "maxLength": maximum}
    if minimum:
        schema["minLength"] = minimum
    return _declare(help_text, schema, read, default)


def choice(help_text: str, options: Sequence[str], *, default: Any = None) -> Any:
    """Declare a parameter that has one of a few fixed values."""

    def read(raw: str) -> str:
        if raw not in options:
            raise ValueError(either(f"`{option}`" for option in options))
        return raw

    return _declare(help_text, {"type": "string", "enum": list(options)}, read, default)


def parsed(help_text: str, schema: dict[str, Any], read: Callable[[str], Any], *, default: Any = None) -> Any:
    """Declare a text that must have a certain format. ``read``: a function that converts the text. It raises
    ``ValueError`` with a description of valid texts."""
    return _declare(help_text, schema, read, default)


def flag(help_text: str) -> Any:
    """Declare a parameter that is ``true`` or ``false``. Its value is None when the parameter is not sent."""

    def read(raw: str) -> bool:
        if raw not in ("true", "false"):
            raise ValueError("`true` or `false`")
        return raw == "true"

    return _declare(help_text, {"type": "boolean"}, read, None)


def tokens(help_text: str, options: Sequence[str]) -> Any:
    """Declare a comma-separated list of fixed values, read as a tuple. Its value is None when the parameter is not
    sent.
    """

    def read(raw: str) -> tuple[str, ...]:
        parts = tuple(raw.split(","))
        if not all(part in options for part in parts):
            raise ValueError("a comma-separated list of " + ", ".join(f"`{option}`" for option in options))
        return parts

    schema: dict[str, Any] = {"type": "array", "minItems": 1, "items": {"type": "string", "enum": list(options)}}
    return _declare(help_text, schema, read, None, exploded=False)


def day(
    help_text: str, *, default: Any = None, name: str | None = None, code: str | None = None, also: str | None = None
) -> Any:
    """Declare a calendar date, ``YYYY-MM-DD``. ``code``: the error code of a wrong value, instead of the usual one."""

    def read(raw: str) -> date:
        if not _DATE.fullmatch(raw):
            raise ValueError("a date YYYY-MM-DD")
        try:
            return date.fromisoformat(raw)
        except ValueError:
            raise ValueError("a date of the calendar, YYYY-MM-DD") from None

    return _declare(help_text, {"type": "string", "format": "date"}, read, default, name=name, also=also, code=code)


@dataclass(frozen=True, slots=True)
class NoParameters:
    """The parameters of an endpoint that has none."""


def declared(model: type[Any]) -> list[Parameter]:
    """Return the parameters that a class declares, in the order of declaration."""
    return [
        Parameter(
            name=item.metadata["name"] or item.name,
            help=item.metadata["help"],
            required=item.default is MISSING,
            schema=item.metadata["schema"],
            read=item.metadata["read"],
            code=item.metadata["code"] or bad(item.metadata["name"] or item.name),
            also=item.metadata["also"],
            exploded=item.metadata["exploded"],
        )
        for item in fields(model)
    ]


class Spelled(NamedTuple):
    """A parameter as the caller wrote it. ``shown``: its name and, if it was sent, its value."""

    name: str
    shown: str


def spellings(model: type[Any], sent: Mapping[str, Sequence[str]]) -> dict[str, Spelled]:
    """Return each parameter's name in the caller's spelling (camelCase or snake_case). A parameter that was not sent
    gets the style of those that were sent."""
    known = declared(model)
    by_second = any(parameter.also in sent for parameter in known)
    found: dict[str, Spelled] = {}
    for parameter in known:
        both = (parameter.also, parameter.name) if by_second else (parameter.name, parameter.also)
        names = [name for name in both if name is not None]
        name = next((name for name in names if name in sent), names[0])
        value = f"={printable(sent[name][0], LONGEST_SHOWN)}" if name in sent else ""
        found[parameter.name] = Spelled(name, f"`{name}{value}`")
    return found


def read(model: type[T], sent: Mapping[str, Sequence[str]]) -> T:
    """Read the parameters of a request. Raises ``ApiError``."""
    known = declared(model)
    names = {parameter.name for parameter in known} | {parameter.also for parameter in known if parameter.also}
    for name, values in sent.items():
        if name not in names:
            accepted = ", ".join(f"`{one}`" for one in sorted(names)) or "none"
            raise _refused(name, f"There is no query parameter {shown(name)} here. Accepted: {accepted}.")
        if len(values) != 1:
            raise _refused(name, f"The query parameter `{name}` was sent {len(values)} times; send it once.")
    values_by_field: dict[str, Any] = {}
    for item, parameter in zip(fields(model), known, strict=True):  # type: ignore[arg-type]
        spelled = [name for name in (parameter.name, parameter.also) if name is not None and name in sent]
        values = [_value(parameter, name, sent[name][0]) for name in spelled]
        if values and any(value != values[0] for value in values):
            both = " and ".join(f"`{name}={printable(sent[name][0], LONGEST_SHOWN)}`" for name in spelled)
            raise _refused(spelled[1], f"{both} are two spellings of one parameter; send one of them.")
        if values:
            values_by_field[item.name] = values[0]
        elif parameter.required:
            raise ApiError(parameter.code, f"The query parameter `{parameter.name}` is required.", param=parameter.name)
    found = model(**values_by_field)
    for check in checks(model):
        if not check.holds(found):
            said = spellings(model, sent)
            extras: dict[str, Any] = {} if check.param is None else {"param": said[check.param].name}
            message = check.message.format_map({name: one.shown for name, one in said.items()})
            raise ApiError(check.code, message, **extras)
    return found


def checks(model: type[Any]) -> tuple[Check, ...]:
    """Return the conditions between parameters that a class declares."""
    declared_checks: tuple[Check, ...] = getattr(model, "CHECKS", NO_CHECKS)
    return declared_checks


def _refused(name: str, message: str) -> ApiError:
    return ApiError("bad_parameter", message, param=name[:100])


def _value(parameter: Parameter, spelled: str, raw: str) -> Any:
    try:
        return parameter.read(raw)
    except ValueError as error:
        raise ApiError(parameter.code, f"`{spelled}` must be {error}, not {shown(raw)}.", param=spelled) from None
