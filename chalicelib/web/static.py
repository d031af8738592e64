"""Style sheet, script and icons: read once, and served from memory under names that change with their content."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from chalicelib.web.replies import FOR_EVER, NOT_KEPT, File

FOLDER: Final = Path(__file__).parent / "static"
SEGMENT: Final = "static"  # path segment of the files' addresses
MEDIA_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}
_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Asset:
    """One file. ``address``: its name with a hash of its content. Browsers request it by this name."""

    address: str
    body: str
    media_type: str


@cache
def assets() -> dict[str, Asset]:
    """Return all files by their names without the hash."""
    found = {}
    for path in sorted(FOLDER.iterdir()):
        body = path.read_text(encoding="utf-8")
        digest = sha256(body.encode()).hexdigest()[:_DIGITS]
        found[path.name] = Asset(f"{path.stem}.{digest}{path.suffix}", body, MEDIA_TYPES[path.suffix])
    return found


def file(address: str) -> File | None:
    """Return the file at an address. Returns None if there is no such file.

    During a deployment, pages of two versions are in use. So if the address belongs to another version, the current
    file is returned, and the answer must not be cached.
    """
    stem, _, rest = address.partition(".")
    digest, dot, kind = rest.partition(".")
    asset = assets().get(f"{stem}.{kind}")
    if asset is None or not dot or len(digest) != _DIGITS:
        return None
    return File(asset.body, asset.media_type, cache=FOR_EVER if asset.address == address else NOT_KEPT)
