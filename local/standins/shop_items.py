"""The data of the stand-in of a shop: items with metafields, and the websites that show the items.

Like Shopify, it stores an item's own title, description and noindex as metafields.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final
from urllib.parse import urlsplit

from local.demo.serve import Server
from local.standins.cms import CmsSite, Entry

Place = tuple[str, str]  # the namespace and key of a metafield

APP: Final = "app--1"  # the stored form of the namespace $app
VALUES: Final[dict[Place, str]] = {
    ("global", "title_tag"): "title",
    ("global", "description_tag"): "meta_description",
    ("seo", "hidden"): "noindex",
}
_TYPES: Final = {"/collections/": "Collection", "/pages/": "Page"}  # folder -> type; other folders: Product


class DemoShop:
    """The website of the simulated shop: the shop pages of the demo website."""

    def __init__(self, server: Server) -> None:
        self.url = server.url
        self._server = server

    @cached_property
    def _paths(self) -> dict[str, str]:
        """Item -> path. Computed when first needed, because it makes the website's pages."""
        paths = [path for path in self._server.pages if path.startswith("/shop/") and "?" not in path]
        return {f"item:{path}": path for path in paths}

    def entries(self) -> Mapping[str, Entry]:
        base = self.url.rstrip("/")
        return {item: Entry(base + path, "product", path) for item, path in self._paths.items()}

    def show(self, item: str, values: Mapping[str, str]) -> None:
        self._server.write(self._paths[item], values)

    def show_files(self, values: Mapping[str, str]) -> None:
        """Do nothing: the API writes no files."""

    def images(self, item: str) -> Sequence[str]:
        return self._server.images(self._paths[item])

    def show_alts(self, item: str, alts: Mapping[str, str]) -> None:
        self._server.write_alts(self._paths[item], alts)

    def show_redirects(self, targets: Mapping[str, str]) -> None:
        self._server.write_redirects(targets)


class ListShop:
    """A shop's website that serves nothing. It only records the values to show: ``shown`` and ``alts``, by item, and
    ``redirects``.

    It has ``count`` products, and as many collections and pages. Each product shows ``tent.jpg`` twice, in two sizes,
    and another file that no other product shows.
    """

    def __init__(self, count: int, url: str = "https://shop.example/") -> None:
        self.url = url
        self._entries = {
            f"{folder}:{number}": Entry(f"{url}{folder}/{number}", folder, f"{folder.title()} {number}")
            for folder in ("products", "collections", "pages")
            for number in range(1, count + 1)
        }
        self.shown: dict[str, dict[str, str]] = {}
        self.alts: dict[str, dict[str, str]] = {}
        self.redirects: dict[str, str] = {}

    def entries(self) -> Mapping[str, Entry]:
        return self._entries

    def show(self, item: str, values: Mapping[str, str]) -> None:
        self.shown[item] = dict(values)

    def show_files(self, values: Mapping[str, str]) -> None:
        """Do nothing: the API writes no files."""

    def images(self, item: str) -> Sequence[str]:
        folder, _, number = item.partition(":")
        if folder != "products":
            return ()
        files = f"{self.url}cdn/shop/files/"
        return [f"{files}tent.jpg?v=1 1", f"{files}tent.jpg?v=1&width=600 1", f"{files}tent-{number}.jpg?v=1 1"]

    def show_alts(self, item: str, alts: Mapping[str, str]) -> None:
        self.alts[item] = dict(alts)

    def show_redirects(self, targets: Mapping[str, str]) -> None:
        self.redirects = dict(targets)


class Items:
    """The items of a site with their metafields. Only one thread at a time may call it."""

    def __init__(self, site: CmsSite) -> None:
        self.site = site
        self._held: dict[str, dict[Place, str]] = {}

    def names(self) -> dict[str, str]:
        """Return the name that the website has for each item, by the item's id in the API."""
        entries = self.site.entries().items()
        return {f"gid://shopify/{type_of(entry.url)}/{n}": item for n, (item, entry) in enumerate(entries, 1)}

    def metafields(self, item: str) -> dict[Place, str]:
        return self._held.setdefault(item, {})

    def own(self, item: str) -> dict[str, str]:
        """Return the stored values of an item, by field. Shopify stores noindex as a number; here it is ``true`` or
        ``false``."""
        held = self.metafields(item)
        own = {field: held[place] for place, field in VALUES.items() if place in held}
        if "noindex" in own:
            own["noindex"] = "true" if own["noindex"] == "1" else "false"
        return own

    def store(self, item: str, written: Mapping[Place, str | None], *, hide: bool) -> None:
        """Write metafields and show them to visitors. The value None removes a metafield. ``hide``: whether to hide the
        new values from visitors."""
        held = self.metafields(item)
        for place, value in written.items():
            if value is None:
                held.pop(place, None)
            else:
                held[place] = value
        if not hide and any(place in VALUES for place in written):
            self.site.show(item, self.own(item))

    def show_all(self) -> None:
        """Show visitors every stored value."""
        for item in self._held:
            self.site.show(item, self.own(item))

    def notes(self) -> list[tuple[str, Place]]:
        """Return each metafield that an app has stored with an item, as (item, place of the metafield)."""
        return [(item, place) for item, held in self._held.items() for place in held if place[0].startswith(APP)]

    def forget(self, found: list[tuple[str, Place]]) -> None:
        for item, place in found:
            del self._held[item][place]


def type_of(url: str) -> str:
    """Return the type that the API gives the item at an address."""
    path = urlsplit(url).path
    return next((kind for folder, kind in _TYPES.items() if path.startswith(folder)), "Product")


def space(namespace: str) -> str:
    """Return the full name of a metafield's namespace. ``$app`` is short for the app's own namespace."""
    return f"{APP}--{namespace[5:]}" if namespace.startswith("$app:") else namespace.replace("$app", APP)


def digest(value: str) -> str:
    """Compute the digest of a value, which a conditional write compares."""
    return hashlib.sha256(value.encode()).hexdigest()
