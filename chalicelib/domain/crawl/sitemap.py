"""Sitemap files: XML (URL sets and indexes), plain text, RSS and Atom, each also compressed with gzip.

Sitemaps are read in pieces with bounded memory, however large or hostile the file is. A file may have at most 50 MB
uncompressed and 50,000 entries. It must not define XML entities. A truncated file yields the entries read so far and an
error in words.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal
from xml.parsers import expat

from chalicelib.domain.crawl.urls import LinkResolver

MAX_ENTRIES: Final = 50_000  # the limit of sitemaps.org for one file
MAX_BYTES: Final = 50 * 1024 * 1024  # the limit of sitemaps.org, uncompressed
_MAX_ALTERNATES: Final = 200_000
_MAX_ALTERNATES_OF_ONE: Final = 500
_MAX_DEPTH: Final = 64  # levels of nested elements; sitemaps have four, feeds some more
_MAX_NAMES: Final = 10_000  # different names of elements and attributes: the parser keeps each
_MAX_MEMBERS: Final = 1_000  # gzip files one after the other
_PIECE: Final = 256 * 1024
_SLICE: Final = 64 * 1024  # of a packed file, unpacked at once
_LONGEST_TAG: Final = 1024 * 1024
_LONGEST_TEXT: Final = 8192
_LONGEST_DATE: Final = 100
_LONGEST_LANGUAGE: Final = 40

# The elements that contain addresses, and the kind of file that each belongs to. image:loc has another parent.
_LOC_PARENTS: Final = {"url": "urlset", "sitemap": "index"}
_ROOTS: Final = {"urlset": "urlset", "sitemapindex": "index", "rss": "urlset", "feed": "urlset", "RDF": "urlset"}
_FEED_ITEMS: Final = frozenset({"item", "entry"})
_DATES: Final = frozenset({"lastmod", "pubDate", "updated"})
_PARENTS: Final = frozenset(_LOC_PARENTS) | _FEED_ITEMS


@dataclass(slots=True)
class ParsedSitemap:
    """The content of a sitemap file.

    - ``kind``: index, urlset (also for feeds), text, or ``None`` if the file is not a sitemap.
    - ``entries``: the normalised address of each entry with its lastmod as written, in order, at most 50,000.
    - ``children``: the sitemaps that an index names.
    - ``total``: how many addresses or children were found.
    - ``invalid``: how many of them are not http(s) addresses.
    - ``alternates``: language versions, each as (address, language, address in that language).
    - ``spelled``: for addresses that the file does not write in normal form, how the file writes them.
    - ``error``: why the file could not be read completely, in words; ``None`` without an error.
    """

    kind: Literal["index", "urlset", "text"] | None = None
    entries: list[tuple[str, str | None]] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    alternates: list[tuple[str, str, str]] = field(default_factory=list)
    spelled: dict[str, str] = field(default_factory=dict)
    total: int = 0
    invalid: int = 0
    error: str | None = None


class _Refused(Exception):
    """Raised when the file contains something that is not allowed; the text names it."""


def _pieces(body: bytes) -> Iterator[bytes]:
    """Yield the uncompressed file, piece by piece. Raises ``_Refused`` past 50 MB, ``zlib.error`` if the file is
    broken."""
    if not body.startswith(b"\x1f\x8b"):
        for start in range(0, min(len(body), MAX_BYTES), _PIECE):
            yield body[start : min(start + _PIECE, MAX_BYTES)]
        if len(body) > MAX_BYTES:
            raise _Refused("the file is larger than 50 MB")
        return
    given = members = position = 0
    while body.startswith(b"\x1f\x8b", position):
        members += 1
        if members > _MAX_MEMBERS:
            raise _Refused(f"the gzip file consists of more than {_MAX_MEMBERS:,} parts")
        inflate = zlib.decompressobj(31)
        while not inflate.eof:
            # In slices, because each call copies the remainder.
            data = body[position : position + _SLICE]
            piece = inflate.decompress(data, _PIECE)
            position += len(data) - len(inflate.unconsumed_tail) - len(inflate.unused_data)
            if piece:
                given += len(piece)
                if given > MAX_BYTES:
                    raise _Refused("the file is larger than 50 MB unpacked")
                yield piece
            elif not data:
                raise _Refused("the gzip file breaks off")


class _XmlReader:
    """Handles the events of the XML parser and collects addresses, dates and alternates."""

    def __init__(self, result: ParsedSitemap, resolver: LinkResolver) -> None:
        self._result = result
        self._resolve = resolver.resolve
        self._depth = 0
        self._parent = ""  # the element of the current entry; "" outside of entries
        self._parent_depth = 0
        self._texts: list[str] | None = None  # of the element that is being read
        self._length = 0
        self._loc = ""
        self._date = ""
        self._alternates: list[tuple[str, str]] = []
        self._fed = 0
        self._names: dict[str, str] = {}
        self._parser = parser = expat.ParserCreate(intern=self._names)
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.EntityDeclHandler = self._refuse_entity
        parser.AttlistDeclHandler = parser.ElementDeclHandler = self._refuse_declaration
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text

    def feed(self, piece: bytes) -> None:
        self._parser.Parse(piece, False)
        self._fed += len(piece)
        if self._fed - self._parser.CurrentByteIndex > _LONGEST_TAG:
            raise _Refused("the file holds a tag, a comment or a declaration of more than 1 MB")
        if len(self._names) > _MAX_NAMES:
            raise _Refused(f"the file uses more than {_MAX_NAMES:,} different names of elements and attributes")

    def close(self) -> None:
        self._parser.Parse(b"", True)

    @staticmethod
    def _refuse_entity(*_: object) -> None:
        raise _Refused("the file declares entities of its own, which are not read")

    @staticmethod
    def _refuse_declaration(*_: object) -> None:
        raise _Refused("the file declares elements or attributes of its own, which are not read")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _Refused(f"its elements are nested more than {_MAX_DEPTH} levels deep")
        name = name.rpartition(":")[2]
        if self._depth == 1:
            kind = _ROOTS.get(name)
            if kind is None:
                what = "a web page" if name.lower() == "html" else f"XML with the root element {name[:50]}"
                raise _Refused(f"the file is {what}, not a sitemap")
            self._result.kind = "index" if kind == "index" else "urlset"
        elif not self._parent:
            if name in _PARENTS:
                self._parent, self._parent_depth = name, self._depth
                self._loc = self._date = ""
                self._alternates = []
        elif self._depth == self._parent_depth + 1:
            if name in ("loc", "lastmod", "pubDate", "updated"):
                self._texts, self._length = [], 0
            elif name == "link":
                self._link(attributes)

    def _link(self, attributes: dict[str, str]) -> None:
        if self._parent == "item":
            self._texts, self._length = [], 0
            return
        target = attributes.get("href", "")
        if self._parent == "entry":
            if attributes.get("rel", "alternate") == "alternate" and not self._loc:
                self._loc = target
        elif (
            attributes.get("rel") == "alternate"
            and "hreflang" in attributes
            and target
            and len(self._alternates) < _MAX_ALTERNATES_OF_ONE
        ):
            self._alternates.append((attributes["hreflang"].strip()[:_LONGEST_LANGUAGE], target))

    def _text(self, text: str) -> None:
        if self._texts is not None and self._length <= _LONGEST_TEXT:
            self._texts.append(text)
            self._length += len(text)

    def _end(self, name: str) -> None:
        depth = self._depth
        self._depth = depth - 1
        if not self._parent:
            return
        if depth == self._parent_depth:
            self._entry()
            self._parent = ""
        elif self._texts is not None and depth == self._parent_depth + 1:
            text = "".join(self._texts).strip()
            self._texts = None
            name = name.rpartition(":")[2]
            if name in _DATES:
                self._date = text[:_LONGEST_DATE]
            elif not self._loc:
                self._loc = text

    def _entry(self) -> None:
        result = self._result
        result.total += 1
        if len(result.entries) >= MAX_ENTRIES or len(result.children) >= MAX_ENTRIES:
            return
        url = self._resolve(self._loc) if self._loc else None
        if url is None:
            result.invalid += 1
            return
        if _LOC_PARENTS.get(self._parent) == "index":
            result.children.append(url)
            return
        result.entries.append((url, self._date or None))
        if self._alternates and len(result.alternates) < _MAX_ALTERNATES:
            for language, target in self._alternates:
                resolved = self._resolve(target)
                if resolved is not None:
                    result.alternates.append((url, language, resolved))


def _read_xml(pieces: Iterator[bytes], first: bytes, result: ParsedSitemap, resolver: LinkResolver) -> None:
    reader = _XmlReader(result, resolver)
    try:
        reader.feed(first)
        for piece in pieces:
            reader.feed(piece)
        reader.close()
    except expat.ExpatError as error:
        words = expat.ErrorString(error.code)
        result.error = f"the XML is broken in line {error.lineno}: {words}"
    except (ValueError, LookupError):
        result.error = "the XML is in an encoding that cannot be read"


def _read_text(pieces: Iterator[bytes], first: bytes, result: ParsedSitemap, resolver: LinkResolver) -> None:
    result.kind = "text"
    rest = b""
    for piece in _chained(first, pieces):
        # No more than the longest address is kept of a line, so that appending does not copy it again and again.
        lines = (rest + piece).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        rest = lines.pop()[:_LONGEST_TEXT]
        for line in lines:
            _text_line(line, result, resolver)
    _text_line(rest, result, resolver)


def _chained(first: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from pieces


def _text_line(line: bytes, result: ParsedSitemap, resolver: LinkResolver) -> None:
    text = line[:_LONGEST_TEXT].decode("utf-8", "replace").strip()
    if not text:
        return
    result.total += 1
    if len(result.entries) >= MAX_ENTRIES:
        return
    url = resolver.resolve(text) if text[:4].lower() == "http" else None
    if url is None:
        result.invalid += 1
    else:
        result.entries.append((url, None))


def parse(body: bytes, url: str, content_type: str | None = None) -> ParsedSitemap:
    """Parse the sitemap file found at ``url``. Never raises.

    - ``url``: a normalised address. Relative entries are resolved against it.
    - ``content_type``: the header's value. It is used only if the bytes do not show the type.
    """
    result = ParsedSitemap()
    try:
        _read(body, url, content_type, result)
    except _Refused as refusal:
        result.error = str(refusal)
    except zlib.error:
        result.error = "the gzip file is broken"
    if result.error is None:
        result.error = _verdict(result)
    return result


def _read(body: bytes, url: str, content_type: str | None, result: ParsedSitemap) -> None:
    resolver = LinkResolver(url)
    result.spelled = resolver.spelled
    pieces = _pieces(body)
    first = b""
    for piece in pieces:  # an XML declaration must come first; many files have a mark or empty lines before it
        first = (first + piece).removeprefix(b"\xef\xbb\xbf").lstrip()
        if first:
            break
    if not first:
        raise _Refused("the file is empty")
    start = first[:512].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        raise _Refused("the file is a web page, not a sitemap")
    if start.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        _read_xml(pieces, first, result, resolver)
    elif start.startswith(b"http") or (content_type or "").strip().lower().startswith("text/plain"):
        _read_text(pieces, first, result, resolver)
    else:
        raise _Refused("the file is neither XML nor a list of addresses")


def _verdict(result: ParsedSitemap) -> str | None:
    if result.total > MAX_ENTRIES:
        return f"the file lists {result.total:,} addresses; 50,000 are allowed in one file"
    if result.total and result.invalid == result.total:
        return "none of the entries is an http(s) address"
    if result.kind == "text" and not result.total:
        return "the file is empty"
    return None
