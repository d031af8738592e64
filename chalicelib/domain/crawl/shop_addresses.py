"""The meaning of addresses of a Shopify shop: which file an image's address names, and which paths Shopify answers
itself.

Pages name a file by an address on their own host (``/cdn/shop/files/fox.jpg?v=1&width=600``) or on Shopify's. Older
themes add a size to the file's name (``fox_600x.jpg``).
"""

import re
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from chalicelib.domain.crawl.urls import normalise, same_site

NOT_A_FILE: Final = "The picture is not one of the shop's files, so its text cannot be written from here."
_ELSEWHERE: Final = {
    "collections": "The picture belongs to a collection: write its text in the collection, in the shop's admin.",
    "articles": "The picture belongs to a blog post: write its text in the post, in the shop's admin.",
    "t": "The picture is part of the theme, and its text is in the theme's code.",
}
FIXED: Final = "Shopify does not redirect this address: {} is one of its own paths."

_FOLDERS: Final = ("files", "products")
_OWN_HOST: Final = re.compile(r"/cdn/shop/([a-z]+)/(.+)")
_SHOPIFY: Final = "cdn.shopify.com"
_ON_SHOPIFY: Final = re.compile(r"(/s/files/(?:[0-9]+/)+)([a-z]+)/(.+)")
_SIZE: Final = re.compile(
    r"_(?:[0-9]{1,5}x[0-9]{0,5}|x[0-9]{1,5}|pico|icon|thumb|small|compact|medium|large|grande|original|master)"
    r"(?:_crop_(?:top|center|bottom|left|right))?(?:@[23]x)?(?:\.progressive)?(?=\.[A-Za-z0-9]{1,5}$)"
)
# Paths that Shopify answers itself: only the path; the path and all paths below it; only the paths below it.
_ALONE: Final = ("/products", "/collections", "/collections/all")
_WHOLE: Final = ("/apps", "/application", "/cart", "/carts", "/orders", "/shop", "/services")
_BELOW: Final = ("/a/", "/community/", "/tools/")


class Named(NamedTuple):
    """A file of a shop, found from the address in a page.

    - ``folder``: the folder of the file.
    - ``names``: the file's name, and the name without a size if that differs.
    - ``store``: the part of an address at Shopify that identifies the shop; None if the address is on the shop's own
      host.
    """

    folder: str
    names: tuple[str, ...]
    store: str | None = None

    @property
    def query(self) -> str:
        """The search query (Shopify's API) that finds files with these names."""
        quoted = (name.replace("\\", "\\\\").replace('"', '\\"') for name in self.names)
        return " OR ".join(f'filename:"{name}"' for name in quoted)

    def is_of(self, url: str) -> bool:
        """Whether ``url``, an address at Shopify, may be an address of this file."""
        known = normalise(url)
        found = None if known is None else _at_shopify(known)
        if found is None:
            return False
        same = found.folder == self.folder and found.names[0] in self.names
        return same and self.store in (None, found.store)


def named(address: str, host: str) -> Named | str:
    """Return the file behind the address of an image. If its alt text cannot be written, return the reason in words.

    ``host``: the website's host, as ``urls.host_key`` names it.
    """
    url = normalise(address)
    found = None if url is None else _at_shopify(url)
    if found is None and url is not None and same_site(url, host):
        match = _OWN_HOST.fullmatch(urlsplit(url).path)
        found = None if match is None else _named(match[1], match[2], None)
    if found is None or not found.names[0].isprintable():
        return NOT_A_FILE
    if found.folder not in _FOLDERS:
        return _ELSEWHERE.get(found.folder, NOT_A_FILE)
    return found


def same_file(address: str, host: str) -> tuple[str, ...]:
    """Return a key for an image's address. Two addresses get the same key if it is certain that they are addresses of
    the same file."""
    found = named(address, host)
    return (address,) if isinstance(found, str) else (found.folder, found.names[-1])


def fixed(path: str) -> str | None:
    """Return the part of a path that makes a redirect impossible, such as ``/cart``, because Shopify answers it itself.
    Returns None if the path can be redirected."""
    bare = path.partition("?")[0].rstrip("/").lower()
    if bare in _ALONE:
        return bare
    whole = next((one for one in _WHOLE if bare == one or bare.startswith(f"{one}/")), None)
    return whole or next((one for one in _BELOW if bare.startswith(one)), None)


def _at_shopify(url: str) -> Named | None:
    parts = urlsplit(url)
    match = _ON_SHOPIFY.fullmatch(parts.path) if parts.hostname == _SHOPIFY else None
    return None if match is None else _named(match[2], match[3], match[1])


def _named(folder: str, path: str, store: str | None) -> Named:
    name = unquote(path)
    return Named(folder, tuple(dict.fromkeys((name, _SIZE.sub("", name)))), store)
