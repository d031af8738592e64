"""Makes the table of settings in docs/operating.md."""

from dataclasses import Field, fields
from typing import Any

from chalicelib.settings.every import SUBJECTS
from documents.blocks import table


def parts() -> dict[str, str]:
    """Return the generated parts of the page: name -> Markdown."""
    return {"settings": table(("Setting", "Default", "Meaning"), map(_row, declared()))}


def declared() -> list[Field[Any]]:
    """Return all settings of all subjects, in their order."""
    return [item for subject in SUBJECTS for item in fields(subject)]


def _row(item: Field[Any]) -> tuple[str, str, str]:
    default = f"`{item.default}`" if item.default else "(empty)"
    return f"`{item.metadata['env']}`", default, item.metadata["help"]
