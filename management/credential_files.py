"""Reads files of credentials for commands. As arguments, credentials would be visible in the list of processes."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

from chalicelib.operations.errors import Refused

MOST_BYTES: Final = 8_000


def text_of(file: Path) -> str:
    """Read the text of a file. Returns "" if the file is too large or is not UTF-8.

    Raises ``Refused`` with ``bad_credentials`` if the file cannot be read.
    """
    raw = _bytes_of(file)
    try:
        return raw.decode("utf-8") if len(raw) <= MOST_BYTES else ""
    except UnicodeDecodeError:
        return ""


def json_of(file: Path) -> Any:
    """Read the JSON of a file. Returns None if the file is too large or is not JSON.

    Raises ``Refused`` with ``bad_credentials`` if the file cannot be read, or if an object has a member twice. In this
    case, Python would silently use the last one.
    """

    def once(members: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(members)
        if len(found) < len(members):
            (name, _), *_ = Counter(name for name, _ in members).most_common(1)
            raise Refused("bad_credentials", f"{file} names {name[:100]!r} twice.")
        return found

    raw = _bytes_of(file)
    try:
        return json.loads(raw, object_pairs_hook=once) if len(raw) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        return None


def members(file: Path, *names: str) -> dict[str, Any]:
    """Read a JSON object from a file.

    Raises ``Refused`` with ``bad_credentials`` if the object lacks a member that is listed in ``names``, or if the file
    cannot be read, is too large or has no JSON object.
    """
    given = json_of(file)
    if not isinstance(given, dict) or not all(name in given for name in names):
        raise Refused(
            "bad_credentials",
            f"{file} must be JSON with {' and '.join(map(repr, names))}, and at most {MOST_BYTES:,} bytes.",
        )
    return given


def _bytes_of(file: Path) -> bytes:
    """Read a file, but at most one byte more than ``MOST_BYTES``. Refused: ``bad_credentials``."""
    try:
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise Refused("bad_credentials", f"{file} cannot be read: {error.strerror}.") from None
    except ValueError:  # a path with a null character
        raise Refused("bad_credentials", f"{file} cannot be read: it is not a path.") from None
