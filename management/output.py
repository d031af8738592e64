"""What commands print: one JSON object with ``--json``, else lines for people."""

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import typer

_json = False


def use_json(wanted: bool) -> None:
    """Print JSON from now on, or lines for people."""
    global _json
    _json = wanted


def show(answer: Mapping[str, Any]) -> None:
    """Print an answer: an object with ``id``, or a list ``{"items": [...]}``."""
    if _json:
        typer.echo(json.dumps(answer, ensure_ascii=False))
    elif "items" in answer:
        _table(answer["items"])
    else:
        width = max(map(len, answer), default=0)
        for name, value in answer.items():
            typer.echo(f"{name:<{width}}  {_text(value)}")


def _table(rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        typer.echo("none")
        return
    names = list(rows[0])
    cells = [names, *([_text(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    for line in cells:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, Mapping):
        return " ".join(f"{name}={_text(member)}" for name, member in value.items() if member not in (None, "", False))
    return str(value)


def timestamp(seconds: float | None) -> str | None:
    """Epoch seconds as the API writes them: ISO 8601 in UTC, whole seconds."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(math.floor(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
