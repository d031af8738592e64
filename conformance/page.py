"""Reads the head and the images of a page like a visitor's browser."""

from collections import Counter
from collections.abc import Mapping
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin


class Head(HTMLParser):
    """Titles, descriptions, canonical addresses and robots directives of a page's head, including repeated ones."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.titles: list[str] = []
        self.descriptions: list[str] = []
        self.canonicals: list[str] = []
        self.robots: list[str] = []
        self._in_title = False
        self.feed(text.partition("</head>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name = given.get("name", "").lower()
        if tag == "title":
            self.titles.append("")
            self._in_title = True
        elif tag == "meta" and name == "description":
            self.descriptions.append(given.get("content", ""))
        elif tag == "meta" and name == "robots":
            self.robots += directives(given.get("content", ""))
        elif tag == "link" and given.get("rel", "").lower() == "canonical":
            self.canonicals.append(given.get("href", ""))

    def handle_endtag(self, tag: str) -> None:
        self._in_title = self._in_title and tag != "title"

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.titles[-1] += data

    def values(self, field: str) -> list[str]:
        """Return every value that the page shows for a field of the protocol."""
        if field == "noindex":
            return ["true"] if "noindex" in self.robots else []
        return {"title": self.titles, "meta_description": self.descriptions, "canonical": self.canonicals}[field]


class Pictures(HTMLParser):
    """The images of a page.

    ``alts``: the alt text of each image, in page order, by the image's key (see docs/connector.md). None if the image
    has no alt attribute.
    """

    def __init__(self, text: str, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self.alts: dict[str, str | None] = {}
        self._url = url
        self._seen: Counter[str] = Counter()
        self._hidden = 0  # the number of open noscript and template elements
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(reversed(attrs))  # if an attribute is repeated, the first one counts
        if tag in _HIDING:
            self._hidden += 1
        elif tag == "img" and not self._hidden and (source := _source(given)):
            address = urldefrag(urljoin(self._url, source)).url
            self._seen[address] += 1
            alt = (given["alt"] or "") if "alt" in given else None
            self.alts[f"{address} {self._seen[address]}"] = alt

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(0, self._hidden - (tag in _HIDING))


_HIDING = ("noscript", "template")
_LAZY = ("data-src", "data-lazy-src", "data-original")


def _source(given: Mapping[str, str | None]) -> str:
    """The address of an image, even if a script loads it later. Returns "" if it has none."""
    source = given.get("src") or ""
    if source and not _is_data(source):
        return source.strip()
    lazy = next((value for name in _LAZY if (value := given.get(name))), None)
    if lazy is not None:
        return lazy.strip()
    candidates = (given.get("srcset") or given.get("data-srcset") or "").split(None, 1)
    return "" if not candidates or _is_data(candidates[0]) else candidates[0].rstrip(",")


def _is_data(address: str) -> bool:
    return address[:5].lower() == "data:"


def directives(text: str) -> list[str]:
    """Return the directives of a robots meta tag or header, in lower case."""
    return [word.strip().lower() for word in text.split(",")]
