"""A website whose audit ends when a test lets it: until then each page links to another one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

SLOW: Final = 0.5  # seconds for an answer: 500 pages last minutes


class Endless:
    """``url``: its home page. It ends with ``end``."""

    def __init__(self, url: str, ended: threading.Event) -> None:
        self.url = url
        self._ended = ended

    def end(self) -> None:
        self._ended.set()


@contextmanager
def endless() -> Iterator[Endless]:
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            ended.wait(SLOW)
            name = self.path.strip("/") or "0"
            link = "" if ended.is_set() else f'<a href="/{int(name) + 1}">Next</a>' if name.isdecimal() else ""
            body = f"<!doctype html><title>Page {name}</title><h1>Page {name}</h1>{link}".encode()
            self.send_response(200 if name.isdecimal() else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Endless(f"http://127.0.0.1:{server.server_port}/", ended)
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
