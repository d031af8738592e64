"""A name server on a real socket, and the look-up of a client that asks it: answers, errors, or silence."""

import itertools
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from types import TracebackType
from typing import Self

A, CNAME, AAAA = 1, 5, 28
SERVFAIL, NXDOMAIN = 2, 3

Records = Sequence[tuple[int, str]]  # (type, value); an address's family decides between A and AAAA
Zone = Callable[[str], Records | int | None]  # records, a failure code, or None for silence


class NameServer:
    """Answers from ``zone(name)``, which is asked once for each question. ``questions`` holds the names asked."""

    def __init__(self, zone: Zone) -> None:
        self._zone = zone
        self.questions: list[str] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                question, client = self._socket.recvfrom(512)
            except OSError:
                return
            name, _ = _name(question, 12)
            self.questions.append(name)
            found = self._zone(name)
            if found is None:
                continue
            code, records = (found, ()) if isinstance(found, int) else (0, found)
            head = question[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(records), 0, 0)
            answer = head + question[12:] + b"".join(_record(kind, value) for kind, value in records)
            try:
                self._socket.sendto(answer, client)
            except OSError:
                return


def lookup_at(port: int, timeout: float = 5.0) -> Callable[[str, int], list[str]]:
    """A look-up, as the network guard takes it, that asks the name server on this port."""
    identifiers = itertools.count(1)

    def look_up(host: str, _: int) -> list[str]:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(timeout)
            question = struct.pack("!HHHHHH", next(identifiers), 0x0100, 1, 0, 0, 0) + _written(host)
            client.sendto(question + struct.pack("!HH", A, 1), ("127.0.0.1", port))
            try:
                answer = client.recv(4096)
            except TimeoutError:
                raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution") from None
        return _addresses(answer)

    return look_up


def _written(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def _name(message: bytes, at: int) -> tuple[str, int]:
    labels = []
    while message[at]:
        if message[at] & 0xC0:
            return ".".join(labels), at + 2
        labels.append(message[at + 1 : at + 1 + message[at]].decode())
        at += 1 + message[at]
    return ".".join(labels), at + 1


def _record(kind: int, value: str) -> bytes:
    data = _written(value) if kind == CNAME else ip_address(value).packed
    return b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 0, len(data)) + data


def _addresses(answer: bytes) -> list[str]:
    code = answer[3] & 0x0F
    if code == NXDOMAIN:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    if code:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
    (count,) = struct.unpack("!H", answer[6:8])
    _, at = _name(answer, 12)
    at += 4
    found = []
    for _ in range(count):
        _, at = _name(answer, at)
        kind, _, _, size = struct.unpack("!HHIH", answer[at : at + 10])
        data = answer[at + 10 : at + 10 + size]
        if kind in (A, AAAA):
            found.append(str(ip_address(data)))
        at += 10 + size
    return found
