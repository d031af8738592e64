"""Writes tables as CSV (RFC 4180): a header line with the names of the columns, then a line for each row. Lines end
with CR LF, text is UTF-8.

Spreadsheets treat a cell as a formula if it begins with ``=``, ``+``, ``-``, ``@`` (also in full width), a tab, a
return or a line feed. Some ignore white space before this character. Cells contain texts of strangers, such as search
queries, which must not become formulas. So a text that begins like a formula gets an apostrophe in front, which
spreadsheets read as "this is text". A text that already has apostrophes before one of these characters gets one more.
So a reader who removes one apostrophe from such a text always gets the original text.

Every text is quoted: in many countries spreadsheets use ``;`` as the separator, and would otherwise start a new cell
after it.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final

# Characters that spreadsheets skip, then the first character of a formula; or white space that itself begins a formula.
_FORMULA: Final = re.compile("'*(?:[\\s\u200b-\u200f\u2060\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])")


def table(names: Sequence[str], rows: Iterable[Sequence[str | int | float | None]]) -> str:
    """Return the whole CSV file as text. None becomes an empty cell. Numbers, including negative ones, are written as
    in JSON, without quotes."""
    return header(names) + lines(rows)


def header(names: Sequence[str]) -> str:
    """Return the header line, with the names of the columns."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow(names)
    return text.getvalue()


def lines(rows: Iterable[Sequence[str | int | float | None]]) -> str:
    """Return the CSV lines of the rows, without the header line."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows([cell(value) if isinstance(value, str) else value for value in row] for row in rows)
    return text.getvalue()


def cell(value: str) -> str:
    """Return the text of a cell, without the quotes around it. A text that could be a formula gets an apostrophe in
    front."""
    return "'" + value if _FORMULA.match(value) else value
