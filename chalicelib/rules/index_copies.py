"""Finds pages that answer at two addresses by accident. Such a page is judged only once.

- The addresses of a folder and of its index file: servers answer at both by default, and search engines know that both
  are one page.
- An address with a stray query, which begins with a second question mark: the link ``href="???.html"`` leads to
  ``page.html???.html``, which is the same page again.

So the second address is not reported as a duplicate, and findings of the page are not reported twice.
"""

from collections.abc import Mapping

from chalicelib.rules.address import Address
from chalicelib.rules.index_files import without_index_file


def copies(addresses: Mapping[str, Address], home_url: str) -> dict[str, str]:
    """Return, for each page with two addresses, the second address and the address at which the page is judged.

    The page is judged at the folder's address, or at the address without the stray query. If it is the home page, and
    the home page's final address is that of the index file, it is judged there instead.
    """
    found: dict[str, str] = {}
    for url, file in addresses.items():
        plain = _without_stray_query(url) or url
        folder_url = plain if plain != url and plain in addresses else without_index_file(plain)
        if not file.readable or folder_url == url:
            continue
        folder = addresses.get(folder_url)
        if folder is not None and _is_same_page(file, folder):
            copy, kept = (folder.url, url) if url == home_url else (url, folder.url)
            if copy != home_url:
                found[copy] = kept
    return {copy: found.get(kept, kept) for copy, kept in found.items()}


def _without_stray_query(url: str) -> str | None:
    path, _, query = url.partition("?")
    return path if query.startswith("?") else None


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
