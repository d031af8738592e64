"""Packed bodies: every coding the crawler asks for, and none that unpacks without end."""

import gzip
import tracemalloc
import zlib

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard

from chalicelib.net.decoding import BodyReader
from chalicelib.net.fetch import Answer
from tests.net.test_fetch import answer_to

TEXT = "Grüße, 世界! ".encode() * 4000
BARE = zlib.compressobj(9, zlib.DEFLATED, -15)
PACKED = {
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT),
    "GZIP": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    "br": brotli.compress(TEXT),
    "zstd": zstandard.compress(TEXT),
    "gzip, br": brotli.compress(gzip.compress(TEXT)),
    "identity": TEXT,
    "unheard-of": TEXT,
}


def answer_with(body: bytes, encoding: str, **options: int) -> Answer:
    return answer_to(lambda c: c.answer(body, content_encoding=encoding), **options)


@pytest.mark.parametrize("encoding", PACKED)
def test_gzip_deflate_brotli_and_zstd_bodies_are_decompressed(encoding: str) -> None:
    answer = answer_with(PACKED[encoding], encoding)
    assert answer.body == TEXT
    assert (answer.error, answer.truncated) == (None, False)
    assert answer.transfer_bytes == len(PACKED[encoding])
    assert answer.content_encoding == encoding.lower()


def test_deflate_without_a_zlib_header_is_decompressed() -> None:
    assert answer_with(BARE.compress(TEXT) + BARE.flush(), "deflate").body == TEXT


def test_gzip_with_several_members_is_decompressed() -> None:
    assert answer_with(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip").body == b"one two"


def test_bytes_that_follow_the_compressed_data_are_ignored() -> None:
    assert answer_with(gzip.compress(b"one") + b"\0\0\0", "gzip").body == b"one"


@pytest.mark.parametrize("encoding", PACKED)
def test_compressed_bodies_can_arrive_byte_by_byte(encoding: str) -> None:
    reader = BodyReader(encoding, 10_000_000)
    packed = PACKED[encoding][:3000] if encoding in ("identity", "unheard-of") else PACKED[encoding]
    for byte in packed:
        assert reader.add(bytes([byte]))
    assert reader.body() == (TEXT if packed is PACKED[encoding] else TEXT[:3000])


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "identity", "gzip, br"])
def test_bodies_are_truncated_at_the_size_limit(encoding: str) -> None:
    answer = answer_with(PACKED[encoding], encoding, max_bytes=1000)
    assert (answer.status, answer.truncated, answer.error) == (200, True, None)
    assert answer.body == TEXT[:1000]


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "identity"])
def test_a_body_of_exactly_the_size_limit_is_not_truncated(encoding: str) -> None:
    answer = answer_with(PACKED[encoding], encoding, max_bytes=len(TEXT))
    assert (answer.truncated, answer.body) == (False, TEXT)


def bomb(encoding: str) -> bytes:
    """A small body that unpacks to 300 MB."""
    zeros = bytes(1_000_000)
    if encoding == "gzip":
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        return b"".join(packer.compress(zeros) for _ in range(300)) + packer.flush()
    if encoding == "br":
        brotli_packer = brotli.Compressor(quality=1)
        return b"".join(brotli_packer.process(zeros) for _ in range(300)) + bytes(brotli_packer.finish())
    zstd_packer = zstandard.ZstdCompressor(level=1).compressobj()
    return b"".join(zstd_packer.compress(zeros) for _ in range(300)) + zstd_packer.flush()


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
def test_a_decompression_bomb_is_truncated_without_using_much_memory(encoding: str) -> None:
    packed = bomb(encoding)
    reader = BodyReader(encoding, 1_000_000)
    tracemalloc.start()
    more = True
    for start in range(0, len(packed), 65536):
        more = reader.add(packed[start : start + 65536])
        if not more:
            break
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not more and reader.truncated
    assert reader.body() == bytes(1_000_000)
    assert peak < 8_000_000


def test_a_decompression_bomb_from_a_server_is_truncated() -> None:
    answer = answer_with(bomb("gzip"), "gzip", max_bytes=100_000)
    assert (answer.truncated, len(answer.body), answer.error) == (True, 100_000, None)


def test_an_endless_body_is_truncated() -> None:
    def endless(connection: object) -> None:
        send = connection.send  # type: ignore[attr-defined]
        send(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
        while True:
            send(b"x" * 65536)

    answer = answer_to(endless, max_bytes=300_000)
    assert (answer.status, answer.truncated, len(answer.body), answer.error) == (200, True, 300_000, None)


def test_a_gzip_body_without_its_last_bytes_is_still_read() -> None:
    answer = answer_with(gzip.compress(TEXT)[:-8], "gzip")
    assert answer.error is None and answer.body == TEXT
