"""Rows of a form that have a tick and a field with an offered value.

A value that a person typed without ticking its row is not written. It is not dropped silently either: the form is shown
again and asks once whether to write it. The hidden field ``offered-<row>`` holds a hash of the value that the row
showed first. The form leaves this field out for rows about which it has already asked. If the browser runs the script
``app.js``, the script ticks a row as soon as the person types in it, and sends no hidden fields. So no question is
asked.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from chalicelib.domain.ids import digest
from chalicelib.web.forms import Form

NOT_TICKED: Final = (
    "Nothing was approved: some rows that you changed are not ticked. Tick them, or approve again to leave them out."
)
_OFFERED: Final = "offered-"
_LENGTH: Final = 12  # hexadecimal digits of a hash


def hashed(value: str | None) -> str:
    """Return the hash of an offered value for the form's hidden field."""
    return digest(_line(value or "")).hex()[:_LENGTH]


def asked_about(form: Form, rows: Iterable[str]) -> frozenset[str]:
    """Return the rows for which the form has already asked whether to write a value that is not ticked."""
    return frozenset(row for row in rows if _OFFERED + row not in form.fields)


def left_out(form: Form, values: Mapping[str, str], ticked: frozenset[str]) -> frozenset[str]:
    """Return the rows for which to ask whether to write the typed value: the row is not ticked, and the typed value
    differs from the offered value."""
    waiting = values.keys() - ticked - asked_about(form, values)
    return frozenset(row for row in waiting if values[row] and hashed(values[row]) != form.text(_OFFERED + row))


def _line(text: str) -> str:
    """Remove line breaks and outer white space, as one-line fields and forms do."""
    return text.replace("\r", "").replace("\n", "").strip()
