"""Finds pages that answer both at a folder's address and at the address of the folder's index file. Such a page is
judged only once.

Servers answer at both addresses by default, and search engines know that both are one page. So the second address is
not reported as a duplicate, and findings of the page are not reported twice.
"""

from collections.abc import Mapping

from chalicelib.rules.address import Address
from chalicelib.rules.index_files import without_index_file


def copies(addresses: Mapping[str, Address], home_url: str) -> dict[str, str]:
    """Return, for each page with two addresses, the second address and the address at which the page is judged.

    The page is judged at the folder's address. If it is the home page, and the home page's final address is that of the
    index file, it is judged there instead.
    """
    found: dict[str, str] = {}
    for url, file in addresses.items():
        folder_url = without_index_file(url)
        if not file.readable or folder_url == url:
            continue
        folder = addresses.get(folder_url)
        if folder is not None and _is_same_page(file, folder):
            copy, kept = (folder.url, url) if url == home_url else (url, folder.url)
            if copy != home_url:
                found[copy] = kept
    return {copy: kept for copy, kept in found.items() if kept not in found}


def _is_same_page(file: Address, folder: Address) -> bool:
    """Whether both addresses show the same page, and neither names a third address as canonical."""
    addresses = (None, file.url, folder.url)
    return (
        folder.readable
        and _said(file) == _said(folder)
        and file.canonical in addresses
        and folder.canonical in addresses
    )


def _said(address: Address) -> tuple[object, ...]:
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
