"""Decodes content codings while a body arrives, and never produces more than a given number of bytes.

A few kilobytes can decompress to gigabytes. So every decoder has a limit on its output, and the reader stops at the
first byte above the limit.
"""

import contextlib
import zlib
from functools import lru_cache
from typing import Protocol

import brotli  # type: ignore[import-untyped]
import zstandard

_ZSTD_WINDOW = 8 * 1024 * 1024  # the largest window a web client has to support (RFC 8878, 3.1.1.1.2)
_CODINGS = frozenset({"gzip", "x-gzip", "deflate", "br", "zstd"})
_MOST_CODINGS = 3
_MOST_MEMBERS = 1_000  # gzip members in a row
_SLICE = 64 * 1024  # compressed bytes per call; the library copies what a call does not use


class DecodingError(Exception):
    """Raised if the body does not match its Content-Encoding."""


class _Decoder(Protocol):
    def decode(self, data: bytes, room: int) -> bytes:
        """Decompress ``data`` to at most about ``room`` bytes. If the output was cut off, the decoder must not be used
        again."""

    @property
    def ended(self) -> bool:
        """Whether the compressed data is complete, as far as the library can tell."""


class _Zlib:
    """Decodes gzip (including several members in a row) and deflate (with the zlib wrapper or, as many servers send it,
    without)."""

    def __init__(self, gzip: bool) -> None:
        self._gzip = gzip
        self._members = 1
        self._rest = b""
        self._inflate = zlib.decompressobj(31) if gzip else None

    def decode(self, data: bytes, room: int) -> bytes:
        if self._inflate is None:
            wrapped = data[0] & 0x0F == 8 and (len(data) < 2 or (data[0] << 8 | data[1]) % 31 == 0)
            self._inflate = zlib.decompressobj(15 if wrapped else -15)
        output: list[bytes] = []
        position = 0
        if self._rest:
            data, self._rest = self._rest + data, b""
        while position < len(data) and room > 0:
            if self._inflate.eof:
                if not self._gzip or not data.startswith(b"\x1f\x8b", position):
                    if position == len(data) - 1 and data.endswith(b"\x1f"):  # the first half of gzip's magic number
                        self._rest = b"\x1f"
                    break  # bytes after the end are ignored, as browsers do
                self._members += 1
                if self._members > _MOST_MEMBERS:
                    raise DecodingError("the body consists of too many gzip files")
                self._inflate = zlib.decompressobj(31)
            piece = data[position : position + _SLICE]
            unpacked = self._inflate.decompress(piece, room)
            position += len(piece) - len(self._inflate.unused_data) - len(self._inflate.unconsumed_tail)
            room -= len(unpacked)
            output.append(unpacked)
        return output[0] if len(output) == 1 else b"".join(output)

    @property
    def ended(self) -> bool:
        return self._inflate is not None and self._inflate.eof


class _Brotli:
    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()

    def decode(self, data: bytes, room: int) -> bytes:
        if self._decompressor.is_finished():
            return b""
        output: bytes = self._decompressor.process(data, output_buffer_limit=room)
        return output

    @property
    def ended(self) -> bool:
        return bool(self._decompressor.is_finished())


class _Full(Exception):
    pass


class _Zstd:
    """Decodes zstd. The library cannot limit the output of one call, so ``write``, which gets the output, stops the
    call at the limit."""

    def __init__(self) -> None:
        self._writer = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).stream_writer(
            self,  # type: ignore[arg-type]  # anything with write() will do
            closefd=False,
        )
        self._output: list[bytes] = []
        self._room = 0

    def write(self, data: bytes) -> int:
        self._output.append(bytes(data))
        self._room -= len(data)
        if self._room <= 0:
            raise _Full
        return len(data)

    def flush(self) -> None:
        pass

    def decode(self, data: bytes, room: int) -> bytes:
        self._output = []
        self._room = room
        with contextlib.suppress(_Full):
            self._writer.write(data)
        return b"".join(self._output)

    @property
    def ended(self) -> bool:
        return True


@lru_cache(maxsize=64)  # nearly all answers of a website have the same Content-Encoding
def _known(content_encoding: str) -> tuple[str, ...]:
    """Return the supported codings of a Content-Encoding header, the last one first."""
    codings = [coding.strip().lower() for coding in content_encoding.split(",")]
    known = [coding for coding in codings if coding in _CODINGS]
    if len(known) > _MOST_CODINGS:
        raise DecodingError("too many content codings")
    return tuple(reversed(known))


def _decoder(coding: str) -> _Decoder:
    if coding == "br":
        return _Brotli()
    if coding == "zstd":
        return _Zstd()
    return _Zlib(gzip=coding != "deflate")


class BodyReader:
    """Collects a body. Call ``add`` with each piece as it arrives until it returns False, then call ``body()``.

    ``content_encoding``: the value of the header. Unknown codings are not decoded.
    """

    __slots__ = ("_body", "_decoders", "_room", "transfer_bytes", "truncated")

    def __init__(self, content_encoding: str | None, max_bytes: int) -> None:
        self._body = bytearray()  # a body may arrive byte by byte: separate objects would cost many times as much
        self._room = max_bytes
        self._decoders: list[_Decoder] = []
        self.transfer_bytes = 0
        self.truncated = False
        if content_encoding:
            self._decoders = [_decoder(coding) for coding in _known(content_encoding)]

    def add(self, data: bytes) -> bool:
        """Add the next received piece. Returns False if no more data is needed. Raises ``DecodingError``."""
        self.transfer_bytes += len(data)
        for decoder in self._decoders:
            if not data:
                return True
            try:
                data = decoder.decode(data, self._room + 1)
            except (zlib.error, brotli.error, zstandard.ZstdError) as error:
                raise DecodingError(f"the body cannot be unpacked: {error}") from None
        if len(data) > self._room:
            data = data[: self._room]
            self.truncated = True
        self._room -= len(data)
        self._body += data
        return not self.truncated

    @property
    def ended(self) -> bool:
        """Whether a compressed body is complete. An empty body counts as incomplete."""
        return not self.transfer_bytes or all(decoder.ended for decoder in self._decoders)

    def body(self) -> bytes:
        """Return everything that was read so far, decoded."""
        return bytes(self._body)
