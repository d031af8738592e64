"""The files and redirects of the simulated shop, as the Admin API returns them.

An image whose address contains ``/cdn/shop/files/tent.jpg`` shows the file ``files/tent.jpg``. Several images may show
the same file. As in Shopify, a search for files or redirects compares words, so it finds more than the exact name or
path.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from local.standins.cms import CmsSite
from local.standins.graphql import Wrong

MOST_ALT: Final = 512
STORE: Final = "https://cdn.shopify.com/s/files/1/0001/0002/"
TAKEN: Final = "Path has already been taken"
_SHOWN: Final = re.compile(r"/cdn/shop/((?:files|products)/[^/]+)")
_QUOTED: Final = re.compile(r'(filename|path):"((?:[^"\\]|\\.)*)"')
_WORD: Final = re.compile(r"[a-z0-9]+")


class File(NamedTuple):
    """A file: its id, and its path (folder and name)."""

    gid: str
    path: str


class Files:
    """The files of a shop. Only one thread at a time may call it.

    - ``processing``: how many of the next reads show a file as being processed.
    - ``slow``: how many reads after a write still show the previous text.
    - ``locked``: how many of the next writes fail because of a pending operation.
    """

    def __init__(self, site: CmsSite) -> None:
        self.site = site
        self.processing = self.slow = self.locked = 0
        self.alts: dict[str, str | None] = {}  # path -> alt text
        self._old: dict[str, tuple[int, str | None]] = {}

    def all(self) -> list[File]:
        paths = dict.fromkeys(path for item in self.site.entries() for _, path in self._images(item))
        return [File(f"gid://shopify/MediaImage/{9_000 + n}", path) for n, path in enumerate(paths)]

    def find(self, query: str) -> list[File]:
        """Find the files that match a query with one or more names.

        A file matches if its path has all words of at least one name.
        """
        wanted = [_words(name) for kind, name in _QUOTED.findall(query) if kind == "filename"]
        if not wanted:
            raise Wrong("The stand-in does not know this search for files")
        return [one for one in self.all() if any(words <= _words(one.path) for words in wanted)]

    def by_id(self, gid: str) -> File | None:
        return next((one for one in self.all() if one.gid == gid), None)

    def node(self, one: File) -> dict[str, Any]:
        """Return the file as the API shows it now. This counts as a read."""
        status = "PROCESSING" if self.processing > 0 else "READY"
        left, old = self._old.get(one.path, (0, None))
        shown = {
            "__typename": "MediaImage",
            "id": one.gid,
            "alt": old if left > 0 else self.alts.get(one.path),
            "fileStatus": status,
            "image": {"__typename": "Image", "url": f"{STORE}{one.path}?v=1"},
        }
        self.processing = max(0, self.processing - 1)
        if left > 0:
            self._old[one.path] = (left - 1, old)
        return shown

    def fault(self, one: File | None, alt: str | None) -> tuple[str, str] | None:
        """Return why a write fails: message and code of the error. Returns None if the write succeeds."""
        if one is None:
            return "File does not exist.", "FILE_DOES_NOT_EXIST"
        if self.locked > 0:
            self.locked -= 1
            return "File has a pending operation.", "FILE_LOCKED"
        if self.processing > 0:
            return "Non-ready files cannot be updated.", "NON_READY_STATE"
        if alt is not None and len(alt) > MOST_ALT:
            return "The alt value exceeds the maximum limit of 512 characters.", "ALT_VALUE_LIMIT_EXCEEDED"
        return None

    def store(self, path: str, alt: str | None, *, hide: bool) -> None:
        if self.slow:
            self._old[path] = (self.slow, self.alts.get(path))
        self.alts[path] = alt
        if not hide:
            self.show()

    def show(self) -> None:
        """Show visitors all stored alt texts, on all pages."""
        for item in self.site.entries():
            found = {key: alt for key, path in self._images(item) if (alt := self.alts.get(path)) is not None}
            self.site.show_alts(item, found)

    def _images(self, item: str) -> list[tuple[str, str]]:
        """Return the item's images that are files: each image's key, and the file's path."""
        found = []
        for key in self.site.images(item):
            match = _SHOWN.fullmatch(urlsplit(key.rpartition(" ")[0]).path)
            if match is not None:
                found.append((key, unquote(match[1])))
        return found


class Redirects:
    """The redirects of a shop. Only one thread at a time may call it.

    ``late``: whether new redirects already work for visitors, although the API does not list them yet.
    """

    def __init__(self, site: CmsSite, home: Callable[[], str]) -> None:
        self.site = site
        self.late = False
        self.held: dict[str, tuple[str, str]] = {}  # id -> path and target
        self._home = home
        self._unlisted: set[str] = set()
        self._next = 1

    def find(self, query: str) -> list[str]:
        """Find the ids of the redirects whose path has all words of the requested path."""
        wanted = [_words(path) for kind, path in _QUOTED.findall(query) if kind == "path"]
        if len(wanted) != 1:
            raise Wrong("The stand-in does not know this search for redirects")
        hidden = self._unlisted if self.late else ()
        return [gid for gid, (path, _) in self.held.items() if wanted[0] <= _words(path) and gid not in hidden]

    def of_path(self, path: str) -> str | None:
        return next((gid for gid, (held, _) in self.held.items() if held.lower() == path.lower()), None)

    def node(self, gid: str) -> dict[str, Any]:
        path, target = self.held[gid]
        return {"__typename": "UrlRedirect", "id": gid, "path": path, "target": target}

    def store(self, gid: str | None, path: str, target: str | None, *, hide: bool) -> str | None:
        """Store a redirect, or delete it. Returns its id.

        - ``gid``: the redirect's id; None for a new one.
        - ``target``: None deletes the redirect.
        - ``hide``: whether visitors should not see the change.
        """
        if target is None:
            if gid is not None:
                self.held.pop(gid, None)
        else:
            if gid is None:
                gid, self._next = f"gid://shopify/UrlRedirect/{self._next}", self._next + 1
                if self.late:
                    self._unlisted.add(gid)
            self.held[gid] = (path, target)
        if not hide:
            self.show()
        return gid

    def show(self) -> None:
        """Make all stored redirects work for visitors."""
        self.site.show_redirects({path: urljoin(self._home(), target) for path, target in self.held.values()})

    def targets(self) -> Mapping[str, str]:
        """Return the target of each stored redirect, by the redirect's path."""
        return dict(self.held.values())


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))
