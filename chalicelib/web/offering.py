"""Rows of a form that have a tick and a field with an offered value.

A value that a person typed without ticking its row is not written, and is not dropped without a word either: the form
is shown again and asks once. The hidden field ``offered-<row>`` holds the value that the row showed first. The form
leaves this field out for rows that it has asked about. ``app.js`` ticks rows while the person types, so it sends none.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from chalicelib.web.forms import Form

NOT_TICKED: Final = (
    "Nothing was approved: some rows that you changed are not ticked. Tick them, or approve again to leave them out."
)
_OFFERED: Final = "offered-"


def asked_about(form: Form, rows: Iterable[str]) -> frozenset[str]:
    """Return the rows that the form does not ask about again."""
    return frozenset(row for row in rows if _OFFERED + row not in form.fields)


def left_out(form: Form, values: Mapping[str, str], ticked: frozenset[str]) -> frozenset[str]:
    """Return the rows to ask about: their typed value is not the offered one, and they are not ticked."""
    waiting = values.keys() - ticked - asked_about(form, values)
    return frozenset(row for row in waiting if values[row] and values[row] != form.text(_OFFERED + row))
