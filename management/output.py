"""The output of commands: one JSON object with ``--json``, otherwise lines for people.

Names, titles and errors come from websites, content management systems and customers. Only their printable text is
printed: control characters could move the cursor, fill the clipboard or hide a line.
"""

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
import typer

from chalicelib.domain.printable import printable

MOST_CHARACTERS: Final = 100_000  # the most characters printed of one value
MOST_OF_A_MESSAGE: Final = 1_000

_json = False


def use_json(wanted: bool) -> None:
    """Choose the output of this process: JSON if ``wanted``, otherwise lines for people."""
    global _json
    _json = wanted


def show(answer: Mapping[str, Any]) -> None:
    """Print an answer: an object with ``id``, or a list ``{"items": [...]}``.

    Lists of objects inside an object are printed as tables below it.
    """
    if _json:
        typer.echo(_escaped(json.dumps(answer, ensure_ascii=False)))
    elif "items" in answer:
        _table(answer["items"])
    else:
        tables = {name: value for name, value in answer.items() if _is_table(value)}
        lines = [(_text(name), _text(value)) for name, value in answer.items() if name not in tables]
        width = max((len(name) for name, _ in lines), default=0)
        for name, value in lines:
            typer.echo(f"{name:<{width}}  {value}")
        for name, rows in tables.items():
            typer.echo(f"\n{_text(name)}")
            _table(rows)


def uses_json() -> bool:
    return _json


def show_shape(answer: object) -> None:
    """Print an answer of the API as one JSON object."""
    typer.echo(_escaped(msgspec.json.encode(answer).decode()))


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(row, Mapping) for row in value)


def refuse(message: str) -> None:
    """Print why a command was refused, as one line on standard error."""
    typer.echo(printable(message, MOST_OF_A_MESSAGE) or "The command failed, and no reason is known.", err=True)


def _table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows in columns, with ``-`` for a value that a row lacks."""
    if not rows:
        typer.echo("none")
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [list(map(_text, names)), *([_text(row.get(name)) for name in names] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    for line in cells:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, Mapping):
        return " ".join(
            f"{_text(name)}={_text(member)}" for name, member in value.items() if member not in (None, "", False)
        )
    return printable(str(value), MOST_CHARACTERS)


def _escaped(text: str) -> str:
    """Return the JSON without characters that a terminal obeys: they are written as ``\\u…``, which means the same."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in text)


def timestamp(seconds: float | None) -> str | None:
    """Format epoch seconds as the API does: ISO 8601 in UTC, whole seconds. None stays None."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(math.floor(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
