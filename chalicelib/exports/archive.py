"""Writes the lists of a website into a zip file, each as CSV and as JSON Lines.

Only one answer of the API is in memory at a time. The two files of a list are written from the same answers. The CSV
file is first written to a compressed temporary file, and is then added to the zip file.
"""

import gzip
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Final

from chalicelib import clock
from chalicelib.api import files
from chalicelib.api.shapes.values import instant
from chalicelib.domain.exports import Exported
from chalicelib.exports.lists import LISTS, ListOf, Walk
from chalicelib.http import answers, csv
from chalicelib.http.errors import ApiError
from chalicelib.http.inside import Asker
from chalicelib.store.api_keys import Auth
from chalicelib.store.websites import Website

MEDIA_TYPE: Final = "application/zip"
TRIES: Final = 4
_CHANGED: Final = "bad_cursor"  # an import has replaced the data of a cursor, so the export starts again
# Reasons to leave a list out of an export that are not the service's fault.
_LEFT_OUT: Final = frozenset(
    {
        *("search_not_connected", "analytics_not_connected", "analytics_no_access", "analytics_quota"),
        *("analytics_unavailable", "switched_off"),
    }
)
_COPY_BYTES: Final = 1 << 20


class Changing(Exception):
    """Raised when a list could not be exported, because imports kept replacing its data."""


@contextmanager
def written(auth: Auth, website: Website, keep: Callable[[], None]) -> Iterator[tuple[IO[bytes], list[Exported]]]:
    """Write the zip file. Returns a context manager that yields the file, positioned at its start, and the list of its
    contents. The file is deleted after the ``with`` block.

    ``keep``: called before each request to the API, to renew the lease of the export's job. Exceptions in it end the
    export. Raises ``Changing``.
    """
    for _ in range(TRIES):
        with tempfile.TemporaryFile() as file:
            try:
                lists = _write(file, auth, website, keep)
            except ApiError as error:
                if error.code != _CHANGED:
                    raise
                continue
            file.seek(0)
            yield file, lists
            return
    raise Changing(website.id)


def _write(file: IO[bytes], auth: Auth, website: Website, keep: Callable[[], None]) -> list[Exported]:
    now = clock.now()
    walk = Walk(Asker(auth), website.id, clock.utc(now).date(), keep)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        lists = [_write_list(archive, one, walk) for one in LISTS]
        archive.writestr("README.md", readme(website.host, now, lists))
    return lists


def _write_list(archive: zipfile.ZipFile, one: ListOf, walk: Walk) -> Exported:
    """Add a list to the zip file. It is left out if its first answer is a refusal."""
    rows = one.rows(walk)
    try:
        part = next(rows, ())
    except ApiError as error:
        if error.code not in _LEFT_OUT:
            raise
        return Exported(one.name, None, error.message)
    count, columns = 0, one.columns
    with tempfile.TemporaryFile() as beside:
        with archive.open(f"{one.name}.jsonl", "w", force_zip64=True) as lines, gzip.open(beside, "wb", 1) as table:
            table.write(csv.header([*one.leading, *(name for name, _ in columns)]).encode())
            while True:
                count += len(part)
                for row in part:
                    lines.write(_line(row.item, row.leading).encode())
                table.write(
                    csv.lines(
                        [
                            *(row.leading[name] for name in one.leading),
                            *(files.cell_of(row.item, attributes) for _, attributes in columns),
                        ]
                        for row in part
                    ).encode()
                )
                following = next(rows, None)
                if following is None:
                    break
                part = following
        beside.seek(0)
        with archive.open(f"{one.name}.csv", "w", force_zip64=True) as place, gzip.open(beside, "rb") as table:
            shutil.copyfileobj(table, place, _COPY_BYTES)
    return Exported(one.name, count)


def _line(item: object, leading: object) -> str:
    """Return a line of JSON: the leading members, then those of the item."""
    text = answers.encode(item)
    if leading:
        text = f"{answers.encode(leading)[:-1]},{text[1:]}"
    return text + "\n"


def readme(host: str, now: float, lists: list[Exported]) -> str:
    """Return the README of the zip file, with the columns of each list."""
    told = {one.name: one for one in lists}
    parts = [
        f"# {host}",
        f"Exported at {instant(now)} from the Website Optimization Service. Each list is included as `<name>.csv` "
        "(RFC 4180, UTF-8) and as `<name>.jsonl` (a JSON object on each line), with the same members as in the API. "
        "In CSV, a member of an object is a column `object.member`, a list is JSON text, and an unknown value is an "
        "empty cell. A text that spreadsheets would run as a formula has an apostrophe in front.",
    ]
    for one in LISTS:
        found = told[one.name]
        parts.append(f"## {one.name}\n{one.about}")
        if found.rows is None:
            parts.append(f"Not in this export: {found.note}")
            continue
        columns = ", ".join([*one.leading, *(name for name, _ in one.columns)])
        parts.append(f"{found.rows} {'row' if found.rows == 1 else 'rows'}. Columns: {columns}.")
    return "\n\n".join(parts) + "\n"
