"""The declaration of a tool, and the check of its arguments."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from chalicelib import api
from chalicelib.domain.printable import printable
from chalicelib.http.inside import NOTHING, Asker
from chalicelib.http.members import LONGEST_SHOWN, either, shown
from chalicelib.http.parameters import declared
from chalicelib.mcp.shortening import Found

Json = dict[str, Any]

SITE: Final[Json] = {"type": "string", "maxLength": 64, "description": "Id from list_sites."}
ISSUE: Final[Json] = {"type": "string", "maxLength": 64}
CURSOR: Final[Json] = {"type": "string", "maxLength": 4_200, "description": "nextCursor of the previous answer."}
_OFFSET_DIGITS: Final = 9


class Refusal(Exception):
    """A tool's refusal. The agent reads ``code`` and ``message``."""

    def __init__(self, code: str, message: str, **extras: object) -> None:
        super().__init__(message)
        self.code, self.message, self.extras = code, message, extras


@dataclass(frozen=True, slots=True)
class Asked:
    """A call of a tool, with the checked arguments."""

    asker: Asker
    arguments: Mapping[str, Any]
    now: float

    def ask(
        self,
        operation: str,
        path: Mapping[str, str] = NOTHING,
        sent: Mapping[str, object] = NOTHING,
        body: object = None,
    ) -> Json:
        """Call an endpoint of the API.

        ``sent``: the parameters; those that are None are left out. Raises ``ApiError``.
        """
        query = {name: _text(value) for name, value in sent.items() if value is not None}
        answer = self.asker.answer(api.operations()[operation], path, query, body)
        found: Json = msgspec.json.decode(answer.body)
        return found

    def may(self, scope: str) -> bool:
        """Whether the key has this scope."""
        return scope in self.asker.auth.scopes

    @property
    def site(self) -> dict[str, str]:
        """The path parameters of endpoints about the website that the agent named."""
        return {"siteId": self.arguments["siteId"]}

    def given(self, *names: str) -> dict[str, Any]:
        """Return those of the named arguments that the caller sent."""
        return {name: self.arguments[name] for name in names if self.arguments.get(name) is not None}

    def offset(self) -> int:
        """Return the number of rows to skip, as the cursor says. Raises ``Refusal`` if the cursor is invalid."""
        cursor = self.arguments.get("cursor") or "0"
        if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= _OFFSET_DIGITS):
            raise bad_cursor()
        return int(cursor)


def bad_cursor() -> Refusal:
    return Refusal("bad_cursor", "`cursor` must be the `nextCursor` of the previous answer, with the same arguments.")


def _text(value: object) -> str:
    """Return a parameter's value as a query string writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, list) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool. ``scopes``: the scopes that a key must have to use the tool.

    - ``quotes``: whether its answers contain texts from websites.
    - ``writes``: whether it starts or changes something.
    - ``destructive``: whether it changes the website itself.
    """

    name: str
    about: str
    scopes: tuple[str, ...]
    run: Callable[[Asked], Found]
    properties: Mapping[str, Json] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    quotes: bool = True
    writes: bool = False
    destructive: bool = False

    def listed(self) -> Json:
        """Return the tool as ``tools/list`` shows it."""
        schema: Json = {"type": "object", "properties": self.properties, "additionalProperties": False}
        if self.required:
            schema["required"] = list(self.required)
        hints: Json = {"readOnlyHint": not self.writes}
        if self.writes:
            hints["destructiveHint"] = self.destructive
        return {"name": self.name, "description": self.about, "inputSchema": schema, "annotations": hints}

    def check(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Check the arguments, and return them with whole numbers as integers. Raises ``Refusal``."""
        for name in arguments:
            if name not in self.properties:
                accepted = ", ".join(f"`{one}`" for one in self.properties) or "none"
                message = f"There is no argument {shown(name)}. Accepted: {accepted}."
                raise Refusal("bad_arguments", message, param=printable(name, LONGEST_SHOWN))
        for name in self.required:
            if arguments.get(name) is None:
                raise Refusal("bad_arguments", f"`{name}` is required.", param=name)
        sent = {name: value for name, value in arguments.items() if value is not None}
        return {name: _checked(name, self.properties[name], value) for name, value in sent.items()}


def _checked(name: str, schema: Json, value: Any) -> Any:
    """Return the value if it fits its schema. The endpoint checks further conditions."""
    if schema["type"] == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    wrong = _wrong(schema, value)
    if wrong is not None:
        raise Refusal("bad_arguments", f"`{name}` must be {wrong}, not {shown(value)}.", param=name)
    if schema["type"] == "array":
        return [_checked(f"{name}[{number}]", schema["items"], one) for number, one in enumerate(value)]
    if schema["type"] == "object":
        for unknown in value.keys() - schema["properties"].keys():
            raise Refusal("bad_arguments", f"There is no member {shown(unknown)} in `{name}`.", param=name)
        for member in schema["required"]:
            if member not in value:
                raise Refusal("bad_arguments", f"`{name}.{member}` is required.", param=name)
        return {one: _checked(f"{name}.{one}", schema["properties"][one], sent) for one, sent in value.items()}
    return value


def _wrong(schema: Json, value: Any) -> str | None:
    """Return the requirement that the value does not meet. Returns None if it meets all."""
    match schema["type"]:
        case "string":
            longest = schema.get("maxLength")
            if not isinstance(value, str) or (longest is not None and len(value) > longest):
                return "text" if longest is None else f"text of at most {longest:,} characters"
            if "enum" in schema and value not in schema["enum"]:
                return either(f"`{one}`" for one in schema["enum"])
        case "integer":
            least, most = schema.get("minimum"), schema.get("maximum")
            if isinstance(value, bool) or not isinstance(value, int):
                return "a whole number"
            if (least is not None and value < least) or (most is not None and value > most):
                return (
                    f"a whole number of {least} or more" if most is None else f"a whole number from {least} to {most}"
                )
        case "boolean":
            if not isinstance(value, bool):
                return "`true` or `false`"
        case "array":
            least, most = schema.get("minItems", 0), schema.get("maxItems")
            if not isinstance(value, list) or len(value) < least or (most is not None and len(value) > most):
                return "a list" if most is None else f"a list of {least} to {most} entries"
        case "object":
            if not isinstance(value, dict):
                return "an object"
    return None


def taken(model: type[Any], *names: str, most: int | None = None) -> dict[str, Json]:
    """Return the schemas of an endpoint's parameters, for a tool that takes the same parameters.

    ``most``: the highest value of integer parameters, for a tool that returns fewer rows than the endpoint.
    """
    known = {parameter.name: parameter for parameter in declared(model)}
    found: dict[str, Json] = {}
    for name in names:
        schema = {key: value for key, value in known[name].schema.items() if key != "default"}
        if most is not None and schema["type"] == "integer":
            schema["maximum"] = most
        found[name] = schema
    return found
