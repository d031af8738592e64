"""The command ``export``, which writes all data of websites to files in a folder."""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations.errors import Refused
from chalicelib.randomness import random_bytes
from chalicelib.settings.reading import forget_settings
from management.arguments import Site
from management.output import show

_ABOUT: Final = "workspace.json"
_CURSORS: Final = "CURSOR_SECRET"


def export(
    site: Site,
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="the folder for the file; it is created if missing, and an earlier file is replaced"
        ),
    ],
) -> None:
    """Write all data of a website into a folder as a zip file. It has the same content as the file of POST
    /sites/{siteId}/exports."""
    from chalicelib.operations import websites

    website = websites.existing(OPERATOR, site, "read")
    show({"folder": str(folder), "items": write(folder, website.workspace_id, [site])})


def write(folder: Path, workspace_id: str, site_ids: Iterable[str]) -> list[dict[str, Any]]:
    """Write the zip file of each website. Returns what each file contains.

    Raises ``Refused`` with ``bad_folder`` if a file cannot be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _own_cursors():
            return [_write_website(folder, workspace_id, site_id) for site_id in site_ids]
    except OSError as error:
        raise _bad_folder(folder, error) from error


@contextmanager
def new_folder(folder: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Make the folder of one export. Yields a function that writes the folder's workspace.json. Call this function
    last.

    Raises ``Refused`` with ``bad_folder`` if the folder cannot be written or is not empty, or if another export is
    writing to it.
    """
    part = (folder / _ABOUT).with_suffix(".part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise Refused("bad_folder", f"{folder} is not empty. Name a new folder, or empty this one.")
        with open(
            part, "x", encoding="utf-8", opener=_own_file
        ) as file:  # if two exports run at once, the second fails here

            def write_about(told: dict[str, Any]) -> None:
                file.write(json.dumps(told, indent=1) + "\n")
                file.close()
                part.replace(folder / _ABOUT)

            yield write_about
    except OSError as error:
        raise _bad_folder(folder, error) from error


def _own_file(path: str, flags: int) -> int:
    """Return open a file that only its owner may read: an export contains the e-mail addresses of people."""
    return os.open(path, flags, 0o600)


def _bad_folder(folder: Path, error: OSError) -> Refused:
    return Refused("bad_folder", f"{folder} cannot be written: {error.strerror or error}.")


@contextmanager
def _own_cursors() -> Iterator[None]:
    """Sign cursors with a new secret during the block.

    Only this process reads these cursors, and it need not know the deployment's secret.
    """
    before = os.environ.get(_CURSORS)
    os.environ[_CURSORS] = random_bytes(32).hex()
    forget_settings()
    try:
        yield
    finally:
        if before is None:
            del os.environ[_CURSORS]
        else:
            os.environ[_CURSORS] = before
        forget_settings()


def _write_website(folder: Path, workspace_id: str, site_id: str) -> dict[str, Any]:
    """Write the zip file of a website. If the write is interrupted, no file with the final name is left."""
    from chalicelib.exports import archive
    from chalicelib.exports.worker import CHANGING, GONE, reader_of
    from chalicelib.store import websites

    website = websites.get(workspace_id, site_id)
    if website is None:
        return {"id": site_id, "file": None, "error": GONE}
    place = folder / f"{site_id}.zip"
    part = place.with_suffix(".part")
    try:
        with (
            archive.written(reader_of(website), website, lambda: None) as (file, lists),
            open(part, "wb", opener=_own_file) as copy,
        ):
            shutil.copyfileobj(file, copy)
    except archive.Changing:
        return {"id": site_id, "file": None, "error": CHANGING}
    part.replace(place)
    return {
        "id": site_id,
        "host": website.host,
        "file": place.name,
        "rows": {one.name: one.rows for one in lists},
        "error": None,
    }
