"""Writes lists as CSV files (``http/csv.py``): the answer to a request with ``format=csv``.

A column has the name of the member in the JSON answer; for members of an inner object it is ``object.member``. A
missing or null value is an empty cell. A list, or an object without fixed members, is written as JSON text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, UnsetType

from chalicelib import clock
from chalicelib.http import answers
from chalicelib.http.answers import Answer, Shape
from chalicelib.http.endpoints import Form
from chalicelib.http.errors import ApiError
from chalicelib.http.parameters import choice

CSV: Final = Form("csv", "text/csv")
MEDIA_TYPE: Final = f"{CSV.media_type}; charset=utf-8"
LARGEST_FILE: Final = 40_000_000  # characters, as many as a function's memory allows
TOO_LARGE: Final = "too_many_rows"

Cell = str | int | float | None
Path = tuple[str, ...]


def file_format() -> Any:
    """Declare the parameter ``format`` of a list that is also available as a file."""
    return choice(
        "JSON, or a file of all rows from the cursor on.",
        ("json", "csv"),
        default="json",
    )


def of_shapes(kind: str, host: str, shape: type[Shape], rows: Iterable[Shape]) -> Answer:
    """Make an answer with the rows as a CSV file, one column for each member of the shape. Raises ``ApiError``
    ``too_many_rows``."""
    columns = columns_of(shape)
    name = f"{kind}-{host}-{clock.utc(clock.now()).date()}.csv"
    return of_cells(kind, name, [".".join(names) for names, _ in columns], _bounded(columns, rows))


def table_of(shape: type[Shape], rows: Iterable[Shape]) -> str:
    """Return the text of the CSV file that ``of_shapes`` makes, but without a size limit."""
    from chalicelib.http import csv

    columns = columns_of(shape)
    cells = ([cell_of(row, attributes) for _, attributes in columns] for row in rows)
    return csv.table([".".join(names) for names, _ in columns], cells)


def of_cells(
    kind: str, file_name: str, names: Sequence[str], rows: Iterable[Sequence[Cell]], tag: str | None = None
) -> Answer:
    """Make an answer with the rows as a CSV file. A file that is too large for an answer is stored in the bucket, and
    the answer is a redirect (303) to the file. ``kind``: the folder in the bucket. ``tag``: the file's ETag, if the
    caller has it already."""
    # Only requests for files load the code that writes them.
    from chalicelib.http import csv

    return of_text(kind, file_name, csv.table(names, rows), MEDIA_TYPE, tag)


def of_text(kind: str, file_name: str, body: str, media_type: str, tag: str | None = None) -> Answer:
    """Make an answer with a file of any format. ``kind`` and ``tag`` mean the same as in ``of_cells``."""
    from chalicelib.store import objects

    name = re.sub(r"[^A-Za-z0-9._-]", "-", file_name)
    if answers.fits(body):
        headers = {"Content-Type": media_type, "Content-Disposition": f'attachment; filename="{name}"'}
        return Answer(200, body, headers if tag is None else headers | {"ETag": tag})
    stored = (tag or answers.tag_of(body)).strip('"')
    ending = name.rpartition(".")[2]
    address = objects.share(f"{kind}/{stored}.{ending}", body.encode(), media_type, name)
    return Answer(303, "", {"Location": address})


def _bounded(columns: Sequence[tuple[Path, Path]], rows: Iterable[Shape]) -> Iterator[list[Cell]]:
    size = 0
    for row in rows:
        cells = [cell_of(row, attributes) for _, attributes in columns]
        size += sum(len(cell) if isinstance(cell, str) else 8 for cell in cells)
        if size > LARGEST_FILE:
            raise ApiError(
                TOO_LARGE,
                f"The file would have more than {LARGEST_FILE:,} characters. Use the filters to request a part of it.",
            )
        yield cells


def cell_of(row: Any, attributes: Path) -> Cell:
    """Return the content of one cell of a row. ``attributes``: the path of attribute names from the row to the
    value."""
    value = row
    for attribute in attributes:
        value = getattr(value, attribute)
        if value is None or value is UNSET:
            return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str | int | float) else msgspec.json.encode(value).decode()


@cache
def columns_of(shape: type[Shape]) -> tuple[tuple[Path, Path], ...]:
    """Return the columns of a shape. Each column has two paths to its value: the names of members in the JSON answer,
    and the names of attributes in Python."""
    found: list[tuple[Path, Path]] = []
    for member in msgspec.structs.fields(shape):
        inner = _shape_of(member.type)
        below = (((), ()),) if inner is None else columns_of(inner)
        found += [((member.encode_name, *names), (member.name, *attributes)) for names, attributes in below]
    return tuple(found)


def _shape_of(declared: Any) -> type[Shape] | None:
    """Return the shape of a member that has a value; None if it is not a shape."""
    if get_origin(declared) is Annotated:
        return _shape_of(get_args(declared)[0])
    if get_origin(declared) in (Union, UnionType):
        (*inner,) = (one for one in get_args(declared) if one not in (type(None), UnsetType))
        return _shape_of(inner[0]) if len(inner) == 1 else None
    return declared if isinstance(declared, type) and issubclass(declared, Shape) else None
