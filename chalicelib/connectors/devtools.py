"""Sends commands to a browser over a pipe (DevTools protocol). Messages are JSON, each ended by a zero byte."""

import os
import select
from typing import IO, Any, Final

import msgspec

from chalicelib import clock, typed

MOST_BYTES: Final = 32 * 1024 * 1024  # limit on one message
_CHUNK: Final = 256 * 1024


class CommandFailed(Exception):
    """Raised if the browser refuses a command. The text is the browser's message."""


class BrowserGone(Exception):
    """Raised if the browser does not answer in time, or has ended."""


class _Message(msgspec.Struct):
    id: int | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class DevTools:
    """A conversation with the browser, one command at a time. Unsolicited messages of the browser are ignored."""

    def __init__(self, to_browser: IO[bytes], from_browser: IO[bytes]) -> None:
        self._to, self._from = to_browser.fileno(), from_browser.fileno()
        os.set_blocking(self._from, False)
        self._sent = 0
        self._read = bytearray()

    def call(self, method: str, until: float, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Send a command and return the answer. ``until``: time limit (``clock.monotonic``). Raises ``CommandFailed``
        and ``BrowserGone``."""
        self._sent += 1
        message: dict[str, Any] = {"id": self._sent, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        try:
            os.write(self._to, msgspec.json.encode(message) + b"\0")
        except OSError:
            raise BrowserGone("the browser has ended") from None
        while True:
            answer = self._next(until)
            if answer.id != self._sent:
                continue
            if answer.error is not None:
                raise CommandFailed(str(answer.error.get("message", "")))
            return answer.result or {}

    def _next(self, until: float) -> _Message:
        searched = 0
        while (end := self._read.find(b"\0", searched)) < 0:
            searched = len(self._read)
            left = until - clock.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                raise BrowserGone("the browser does not answer in time")
            piece = os.read(self._from, _CHUNK)
            if not piece or len(self._read) > MOST_BYTES:
                raise BrowserGone("the browser has ended")
            self._read += piece
        message, self._read = bytes(self._read[:end]), self._read[end + 1 :]
        try:
            return typed.from_json(message, _Message)
        except (ValueError, RecursionError):
            raise BrowserGone("the browser's answer cannot be read") from None
