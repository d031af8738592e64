"""The part of GraphQL that a simulated service needs: one operation with variables, aliases, arguments and inline
fragments.

Requested members are looked up in dictionaries with a ``__typename``. As in a real GraphQL server, a request for a
missing member is an error. So a simulated service answers only with members that its author declared.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

_TOKEN: Final = re.compile(r'\.\.\.|[{}()\[\]:!,=]|\$?[A-Za-z_]\w*|-?\d+|"[^"\\\n]*"')
_SPACES: Final = re.compile(r"[\s,]*")


class Wrong(Exception):
    """Raised if the request is invalid. The text gives the reason."""


class Field(NamedTuple):
    """A requested member, and the name under which the answer has it."""

    alias: str
    name: str
    arguments: dict[str, Any]
    selections: "list[Field | Fragment]"


class Fragment(NamedTuple):
    """Members that are requested only for objects of one type."""

    type: str
    selections: "list[Field | Fragment]"


class Variable(NamedTuple):
    name: str


class Operation(NamedTuple):
    """An operation. ``kind``: query or mutation. ``variables``: the names of its declared variables."""

    kind: str
    variables: set[str]
    selections: list[Field | Fragment]


def parse(document: str) -> Operation:
    """Parse a document with one operation. Raises ``Wrong``."""
    reader = _Reader(document)
    kind = reader.next()
    if kind not in ("query", "mutation"):
        raise Wrong(f"syntax error, unexpected {kind!r}")
    if reader.peek() not in ("(", "{"):
        reader.next()
    variables = reader.variables() if reader.peek() == "(" else set()
    selections = reader.selections()
    if reader.peek():
        raise Wrong(f"syntax error, unexpected {reader.peek()!r}")
    return Operation(kind, variables, selections)


def answer(root: Mapping[str, Any], operation: Operation, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Execute an operation on the data in ``root``. If a member of the data is a function, it is called with the
    arguments in the request. Raises ``Wrong``.
    """
    unknown = set(variables) - operation.variables
    if unknown:
        raise Wrong(f"Variable {', '.join(sorted(unknown))} is not declared")
    return _object(root, operation.selections, variables)


def _object(
    found: Mapping[str, Any], selections: list[Field | Fragment], variables: Mapping[str, Any]
) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for one in selections:
        if isinstance(one, Fragment):
            if one.type == found["__typename"]:
                said |= _object(found, one.selections, variables)
            continue
        if one.name not in found:
            raise Wrong(f"Field '{one.name}' doesn't exist on type '{found['__typename']}'")
        value = found[one.name]
        if callable(value):
            value = value(**_filled(one.arguments, variables))
        elif one.arguments:
            raise Wrong(f"Field '{one.name}' doesn't accept arguments")
        said[one.alias] = _value(value, one, variables)
    return said


def _value(value: Any, field: Field, variables: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_value(one, field, variables) for one in value]
    if isinstance(value, Mapping):
        if not field.selections:
            raise Wrong(f"Field '{field.name}' must have selections")
        return _object(value, field.selections, variables)
    if field.selections and value is not None:
        raise Wrong(f"Selections can't be made on scalars (field '{field.name}')")
    return value


def _filled(arguments: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: variables.get(value.name) if isinstance(value, Variable) else value for name, value in arguments.items()
    }


class _Reader:
    """Reads the tokens of a document, one after the other."""

    def __init__(self, document: str) -> None:
        self._tokens: list[str] = []
        self._at = 0
        position = _SPACES.match(document).end()  # type: ignore[union-attr]  # it matches nothing too
        while position < len(document):
            token = _TOKEN.match(document, position)
            if token is None:
                raise Wrong(f"syntax error at {document[position : position + 20]!r}")
            self._tokens.append(token[0])
            position = _SPACES.match(document, token.end()).end()  # type: ignore[union-attr]

    def peek(self) -> str:
        """Return the next token; empty at the end."""
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def next(self, wanted: str | None = None) -> str:
        token = self.peek()
        if not token or (wanted is not None and token != wanted):
            raise Wrong(f"syntax error, unexpected {token or 'end of document'!r}")
        self._at += 1
        return token

    def variables(self) -> set[str]:
        """Read the names of the declared variables. Their types are not checked."""
        names = set()
        self.next("(")
        while (token := self.next()) != ")":
            if token.startswith("$"):
                names.add(token[1:])
        return names

    def selections(self) -> list[Field | Fragment]:
        found: list[Field | Fragment] = []
        self.next("{")
        while self.peek() != "}":
            if self.peek() == "...":
                self.next()
                self.next("on")
                found.append(Fragment(self.next(), self.selections()))
            else:
                found.append(self._field())
        self.next("}")
        return found

    def _field(self) -> Field:
        alias = name = self.next()
        if self.peek() == ":":
            self.next()
            name = self.next()
        arguments = {}
        if self.peek() == "(":
            self.next()
            while self.peek() != ")":
                key = self.next()
                self.next(":")
                arguments[key] = self._literal()
            self.next(")")
        selections = self.selections() if self.peek() == "{" else []
        return Field(alias, name, arguments, selections)

    def _literal(self) -> Any:
        token = self.next()
        if token.startswith("$"):
            return Variable(token[1:])
        if token.startswith('"'):
            return token[1:-1]
        constants = {"true": True, "false": False, "null": None}
        if token in constants:
            return constants[token]
        return int(token) if token.lstrip("-").isdigit() else token
