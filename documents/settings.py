"""The table of settings in docs/operating.md."""

from dataclasses import Field, fields, is_dataclass
from typing import Any

from chalicelib import settings
from documents.blocks import table


def parts() -> dict[str, str]:
    """The generated parts of the page."""
    return {"settings": table(("Setting", "Default", "What it says"), map(_row, declared()))}


def declared() -> list[Field[Any]]:
    """Every setting: the fields of all classes of ``chalicelib.settings``, in their order."""
    return [
        item
        for found in vars(settings).values()
        if isinstance(found, type) and is_dataclass(found) and found.__module__.startswith(settings.__name__)
        for item in fields(found)
    ]


def _row(item: Field[Any]) -> tuple[str, str, str]:
    default = f"`{item.default}`" if item.default else "(empty)"
    return f"`{item.metadata['env']}`", default, item.metadata["help"]
