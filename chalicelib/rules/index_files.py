"""Pages that answer at two addresses, a folder's and that of its index file: they are one page, and are judged once.

Servers do so by themselves, and search engines know it: no cause for a finding, and none for two of each other one.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from chalicelib.rules.address import Address

_INDEX_FILE: Final = re.compile(r"(?:index|default)\.(?:x?html?|shtml|php\d?|aspx?|jsp|cfm)", re.IGNORECASE)


def without_index_file(url: str) -> str:
    """The folder's address where ``url`` is that of its index file; else ``url``."""
    path, _, name = url.rpartition("/")
    return path + "/" if _INDEX_FILE.fullmatch(name) is not None else url


def copies(addresses: Mapping[str, "Address"], home_url: str) -> dict[str, str]:
    """The addresses that show the same page as another one does, and that one, which is judged: the folder's, unless
    the home page is the index file.
    """
    found: dict[str, str] = {}
    for url, file in addresses.items():
        path, _, name = url.rpartition("/")
        if not file.readable or _INDEX_FILE.fullmatch(name) is None:
            continue
        folder = addresses.get(path + "/")
        if folder is not None and _is_same_page(file, folder):
            copy, kept = (folder.url, url) if url == home_url else (url, folder.url)
            if copy != home_url:
                found[copy] = kept
    return {copy: kept for copy, kept in found.items() if kept not in found}


def _is_same_page(file: "Address", folder: "Address") -> bool:
    """Whether both show and say the same; neither names a third address as its canonical one."""
    addresses = (None, file.url, folder.url)
    return (
        folder.readable
        and _said(file) == _said(folder)
        and file.canonical in addresses
        and folder.canonical in addresses
    )


def _said(address: "Address") -> tuple[object, ...]:
    return (
        address.text_hash,
        address.words,
        address.title,
        address.title_digest,
        address.description_key,
        address.shape,
        address.indexable,
        address.canonical_elsewhere,
    )
