"""Addresses of index files, such as ``index.html``. A folder answers at its own address and at that of its index
file."""

import re
from typing import Final

_INDEX_FILE: Final = re.compile(r"(?:index|default)\.(?:x?html?|shtml|php\d?|aspx?|jsp|cfm)", re.IGNORECASE)


def without_index_file(url: str) -> str:
    """Return the folder's address if ``url`` is the address of its index file. Otherwise return ``url``."""
    path, _, name = url.rpartition("/")
    return path + "/" if _INDEX_FILE.fullmatch(name) is not None else url
