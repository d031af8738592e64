"""Answers whose framing lies: what a server can send to be read without limit, or to break a parser."""

from typing import Final

CHUNKED: Final = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

# None of these is a chunk size; Python's int(text, 16) takes the first seven.
SIZES: Final = [b"-1", b"-5", b"1_0", b"+3", b"0x10", b" 5", b"\xa05", b"", b"-", b";x", b"5 5", b"g", b"f" * 17]

LIES: Final[dict[str, bytes]] = {
    **{f"chunk size {size!r}": CHUNKED + size + b"\r\n" + b"z" * 64 + b"\r\n0\r\n\r\n" for size in SIZES},
    "huge chunk size": CHUNKED + b"f" * 16 + b"\r\n" + b"z" * 64,
    "chunk line without end": CHUNKED + b"5;" + b"x" * 100_000,
    "chunk extensions without end": CHUNKED + (b"1;" + b"x" * 4_000 + b"\r\nz\r\n") * 40 + b"0\r\n\r\n",
    "chunk longer than it says": CHUNKED + b"2\r\nabcd\r\n0\r\n\r\n",
    "chunk without its end": CHUNKED + b"2\nab\n0\n\n",
    "trailers without end": CHUNKED + b"0\r\n" + b"X: y\r\n" * 10_000,
    "trailer line without end": CHUNKED + b"0\r\nX: " + b"y" * 100_000,
    "no last chunk": CHUNKED + b"2\r\nab\r\n",
    **{
        f"Content-Length {length!r}": b"HTTP/1.1 200 OK\r\nContent-Length: " + length + b"\r\n\r\n{}"
        for length in [b"-1", b"+2", b"2_0", b"0x2", b"2;", b"two", b"2, 3", b"\xb2", b"9" * 5_000, b"", b","]
    },
    "Content-Lengths that differ": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
    "Content-Length and chunks": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + CHUNKED[17:] + b"2\r\n{}\r\n0\r\n\r\n",
    "unknown coding": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "chunked twice": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "two codings": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "status of letters": b"HTTP/1.1 2x0 OK\r\nContent-Length: 2\r\n\r\n{}",
    "status of other digits": "HTTP/1.1 ٢٠٠ OK\r\nContent-Length: 2\r\n\r\n{}".encode(),
    "status too long": b"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}",
    "HTTP/2": b"HTTP/2 200\r\n\r\n{}",
    "interim answers without end": b"HTTP/1.1 103 Early Hints\r\n\r\n" * 10_000,
    "headers without end": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000,
    "NUL bytes": b"\0" * 1_000,
}
