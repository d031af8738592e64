"""Parses an HTTP/1.1 answer strictly: its head, the framing of its body, and chunks. This module does no I/O.

Numbers must consist of digits: Python's ``int`` would also accept ``-1``, ``+3``, ``1_0`` and ``0x10``. Every line and
every section has a length limit.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

HEAD_BYTES: Final = 32 * 1024  # limit on a head with the interim answers before it; also on trailers
MOST_HEADERS: Final = 256
LINE_BYTES: Final = 4 * 1024  # limit on the line before a chunk
EXTENSION_BYTES: Final = 64 * 1024  # limit on all chunk extensions of a body
NO_BODY: Final = frozenset({101, 204, 205, 304})
_STATUS_LINE: Final = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: [^\r\n]*)?")
_END_OF_HEAD: Final = re.compile(rb"\r?\n\r?\n")
_LENGTH: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(;[^\r\n]*)?")
_START: Final = b"HTTP/1."


class Malformed(Exception):
    """Raised if the answer is not HTTP/1.1, or if it is longer than allowed. The text says which of the two."""


class Head(NamedTuple):
    """The status and headers of an answer. Header names are in lower case. Each header has all of its values in the
    order in which they were sent."""

    status: int
    fields: dict[str, list[str]]

    def header(self, name: str) -> str:
        """Return the first value of a header; "" without one."""
        return self.fields.get(name, [""])[0]


Framing = Literal["none", "chunked", "close"] | int


class Heads:
    """Reads the final head from the received bytes. Interim answers (1xx) are skipped."""

    def __init__(self) -> None:
        self.rest = b""  # received after the head
        self._skipped = 0

    def add(self, data: bytes) -> Head | None:
        """Add received bytes. Returns the head once it is complete. Raises ``Malformed``."""
        self.rest += data
        while True:
            end = _END_OF_HEAD.search(self.rest)
            if (len(self.rest) if end is None else end.end()) + self._skipped > HEAD_BYTES:
                raise Malformed(f"the answer's headers are longer than {HEAD_BYTES // 1024} KB")
            if end is None:
                if not _START.startswith(self.rest[: len(_START)]):
                    raise Malformed("the answer is not HTTP/1.1")
                return None
            head = parsed_head(self.rest[: end.start()])
            self.rest = self.rest[end.end() :]
            if head.status >= 200 or head.status == 101:
                return head
            self._skipped += end.end()

    def ended(self) -> Malformed:
        """Return the error to raise when the connection ends before the head is complete."""
        middle = self.rest or self._skipped
        return Malformed(
            f"the connection was closed {'in the middle of the headers' if middle else 'without an answer'}"
        )


def parsed_head(data: bytes) -> Head:
    """Parse a head without the empty line at its end. A line that is not a header is skipped. Raises ``Malformed``."""
    first, *lines = data.split(b"\n")
    match = _STATUS_LINE.fullmatch(first.rstrip(b"\r"))
    if match is None:
        raise Malformed("the answer is not HTTP/1.1")
    if len(lines) > MOST_HEADERS:
        raise Malformed(f"the answer has more than {MOST_HEADERS} headers")
    fields: dict[str, list[str]] = {}
    for line in lines:
        name, colon, value = line.decode("latin-1").partition(":")
        if colon:
            fields.setdefault(name.strip().lower(), []).append(value.strip())
    return Head(int(match[1]), fields)


def framing(head: Head, method: str) -> Framing:
    """Return how the end of the body is found: a length, ``chunked``, ``close`` of the connection, or ``none`` (no
    body).

    Raises ``Malformed`` if the headers contradict each other or cannot be read, since the end of the body is then
    unknown.
    """
    if method == "HEAD" or head.status in NO_BODY:
        return "none"
    codings = _listed(head, "transfer-encoding")
    lengths = _listed(head, "content-length")
    if codings:
        if [coding.lower() for coding in codings] != ["chunked"]:
            raise Malformed("the answer has an unknown Transfer-Encoding")
        if lengths:
            raise Malformed("the answer has both a Content-Length and a Transfer-Encoding")
        return "chunked"
    if "content-length" not in head.fields:
        return "close"
    if len(set(lengths)) != 1 or not _LENGTH.fullmatch(lengths[0]):
        raise Malformed("the answer's Content-Length is not one number")
    return int(lengths[0])


def _listed(head: Head, name: str) -> list[str]:
    """Return the members of a header that is a comma-separated list, from all its lines."""
    values = head.fields.get(name, [])
    return [member.strip() for value in values for member in value.split(",")] if any(values) else []


class Chunks:
    """Decodes a chunked body while it arrives. ``done``: whether the last chunk and the trailers were read."""

    def __init__(self) -> None:
        self.done = False
        self._pending = bytearray()  # incomplete line, chunk end or trailers
        self._left = 0  # bytes left of the current chunk
        self._state: Literal["size", "data", "end", "trailers"] = "size"
        self._extensions = 0
        self._trailers = 0

    def add(self, data: bytes) -> Iterator[bytes]:
        """Decode received bytes, and yield their content. Raises ``Malformed``."""
        self._pending += data
        while self._pending and not self.done:
            if self._state == "data":
                piece = bytes(self._pending[: self._left])
                del self._pending[: len(piece)]
                self._left -= len(piece)
                if not self._left:
                    self._state = "end"
                yield piece
            elif not self._line():
                return

    def _line(self) -> bool:
        """Read the next line. Returns False if it has not fully arrived."""
        end = self._pending.find(b"\n")
        if (len(self._pending) if end < 0 else end) > LINE_BYTES:
            raise Malformed("a line of the chunked answer is too long")
        if end < 0:
            return False
        if not self._pending.startswith(b"\r", max(0, end - 1)):
            raise Malformed("a line of the chunked answer does not end as HTTP requires")
        line = bytes(self._pending[: end - 1])
        del self._pending[: end + 1]
        if self._state == "size":
            self._size(line)
        elif self._state == "end":
            if line:
                raise Malformed("a chunk of the answer is longer than it says")
            self._state = "size"
        else:
            self._trailers += len(line) + 2
            if self._trailers > HEAD_BYTES:
                raise Malformed(f"the answer's trailers are longer than {HEAD_BYTES // 1024} KB")
            self.done = not line
        return True

    def _size(self, line: bytes) -> None:
        match = _CHUNK_SIZE.fullmatch(line)
        if match is None:
            raise Malformed("a chunk of the answer has no valid size")
        self._extensions += len(match[2] or b"")
        if self._extensions > EXTENSION_BYTES:
            raise Malformed("the answer's chunk extensions are too long")
        self._left = int(match[1], 16)
        self._state = "data" if self._left else "trailers"
