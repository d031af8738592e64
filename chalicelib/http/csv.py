"""Tables as CSV (RFC 4180): a line of names, then one for each row; lines end with CR LF, text is UTF-8.

Programs that open CSV files take a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a return for something
to work out. What strangers typed into a search box must not be that: such a text gets an apostrophe before it, which
these programs read as "this is text". So does one that begins with apostrophes and then one of these characters, so
that taking one away gives the text as it was.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final

_WORKED_OUT: Final = re.compile(r"'*[=+\-@\t\r]")


def table(names: Sequence[str], rows: Iterable[Sequence[str | int | float | None]]) -> str:
    """The whole file. None is an empty cell; numbers are written as in JSON."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows([cell(value) if isinstance(value, str) else value for value in row] for row in rows)
    return text.getvalue()


def cell(value: str) -> str:
    """A text as it stands in a file."""
    return "'" + value if _WORKED_OUT.match(value) else value
