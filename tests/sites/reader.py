"""A plain reader of the demo website that shares nothing with the service: what is really in the served bytes."""

import gzip
import http.client
import json
import re
import socket
import ssl
import time
from collections import deque
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urljoin, urlsplit

import trustme
from selectolax.lexbor import LexborHTMLParser, LexborNode

from local.demo.serve import Server


@dataclass(slots=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float  # until the answer began

    @property
    def text(self) -> str:
        return self.body.decode()


class _Loopback(http.client.HTTPConnection):
    def __init__(self, server: Server, context: ssl.SSLContext | None) -> None:
        super().__init__(server.host, server.port, timeout=30)
        self._context = context

    def connect(self) -> None:
        plain = socket.create_connection(("127.0.0.1", self.port))
        self.sock = plain if self._context is None else self._context.wrap_socket(plain, server_hostname=self.host)


class Reader:
    """Asks one server over one connection, without following redirects. Bodies come back unpacked."""

    def __init__(self, server: Server, ca: trustme.CA | None) -> None:
        context = None
        if ca is not None:
            context = ssl.create_default_context()
            ca.configure_trust(context)
        self._connection = _Loopback(server, context)

    def get(self, target: str, method: str = "GET", **headers: str) -> Reply:
        sent = {"Accept-Encoding": "gzip", **{name.replace("_", "-"): value for name, value in headers.items()}}
        self._connection.request(method, target, headers=sent)
        began = time.monotonic()
        answer = self._connection.getresponse()
        seconds = time.monotonic() - began
        body = answer.read()
        got = {name.lower(): value for name, value in answer.getheaders()}
        if got.get("content-encoding") == "gzip" and body:
            body = gzip.decompress(body)
        return Reply(answer.status, got, body, seconds)


@dataclass
class Document:
    """One HTML page that was read."""

    path: str
    reply: Reply
    depth: int | None  # clicks from the home page; None: known from the sitemap only
    tree: LexborHTMLParser = field(init=False)

    def __post_init__(self) -> None:
        self.tree = LexborHTMLParser(self.reply.text)

    def texts(self, selector: str) -> list[str]:
        return [" ".join(node.text().split()) for node in self.tree.css(selector)]

    def attributes(self, selector: str, name: str) -> list[str]:
        return [node.attributes.get(name) or "" for node in self.tree.css(selector)]

    @cached_property
    def title(self) -> str | None:
        return next(iter(self.texts("head > title")), None)

    @cached_property
    def description(self) -> str | None:
        return next(iter(self.attributes("meta[name=description]", "content")), None)

    @cached_property
    def robots(self) -> str:
        metas = self.attributes("head > meta[name=robots]", "content")
        return ", ".join([*metas, self.reply.headers.get("x-robots-tag", "")])

    @cached_property
    def canonicals(self) -> list[str]:
        return self.attributes("link[rel=canonical]", "href")

    @cached_property
    def alternates(self) -> list[tuple[str, str]]:
        nodes = self.tree.css("link[rel=alternate][hreflang]")
        return [(node.attributes["hreflang"] or "", _path(node.attributes["href"] or "")) for node in nodes]

    @cached_property
    def links(self) -> list[LexborNode]:
        return self.tree.css("a[href]")

    @cached_property
    def images(self) -> list[LexborNode]:
        return self.tree.css("img")

    @cached_property
    def main(self) -> str:
        return " ".join(node.text(separator=" ") for node in self.tree.css("main"))

    @cached_property
    def words(self) -> list[str]:
        return re.findall(r"\w+", self.main.lower())

    @cached_property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        return frozenset(zip(self.words, self.words[1:], self.words[2:], strict=False))

    @cached_property
    def blocks(self) -> list[dict[str, Any] | None]:
        """JSON-LD blocks; None for one that does not parse."""
        found: list[dict[str, Any] | None] = []
        for text in self.texts('script[type="application/ld+json"]'):
            try:
                found.append(json.loads(text))
            except ValueError:
                found.append(None)
        return found

    def block(self, type_: str) -> dict[str, Any] | None:
        return next((block for block in self.blocks if block and block["@type"] == type_), None)

    @property
    def indexable(self) -> bool:
        own = not self.canonicals or _path(self.canonicals[0]).partition("#")[0] == self.path
        return "noindex" not in self.robots and own


def _path(address: str) -> str:
    parts = urlsplit(address)
    query = f"?{parts.query}" if parts.query else ""
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    return f"{parts.path}{query}{fragment}"


class Crawl:
    """Everything a website serves: the pages, what else its addresses answered, its files."""

    def __init__(self, server: Server, ca: trustme.CA | None) -> None:
        self.base = server.url.rstrip("/")
        self.reader = Reader(server, ca)
        self.documents: dict[str, Document] = {}
        self.others: dict[str, Reply] = {}  # addresses that answered with anything but a page
        self.inlinks: dict[str, set[str]] = {}
        self.robots = self.reader.get("/robots.txt").text
        self.sitemap: dict[str, str] = {}  # path -> lastmod
        self.sitemap_files: dict[str, Reply] = {}
        self._read_sitemap("/sitemap.xml")
        self._read_pages()
        self.home = self.documents["/"]

    def disallowed(self, path: str) -> bool:
        return path.startswith("/internal/")

    def own_links(self, document: Document) -> list[tuple[str, LexborNode]]:
        """(path, node) of each link to this website."""
        found = []
        for node in document.links:
            target = urljoin(self.base + document.path, node.attributes["href"] or "")
            if target.startswith(self.base):
                found.append((_path(target).partition("#")[0], node))
        return found

    def _read_sitemap(self, path: str) -> None:
        reply = self.sitemap_files[path] = self.reader.get(path)
        if reply.status != 200:
            return
        text = gzip.decompress(reply.body).decode() if path.endswith(".gz") else reply.text
        if "<sitemapindex" in text:
            for child in re.findall(r"<loc>(.*?)</loc>", text):
                self._read_sitemap(_path(child))
        for loc, lastmod in re.findall(r"<loc>(.*?)</loc><lastmod>(.*?)</lastmod>", text):
            self.sitemap[_path(loc.replace("&amp;", "&"))] = lastmod

    def _read_pages(self) -> None:
        seen: dict[str, int | None] = {"/": 0}
        waiting = deque(["/"])
        from_sitemap = deque(self.sitemap)
        while waiting or from_sitemap:
            path = waiting.popleft() if waiting else from_sitemap.popleft()
            depth = seen.setdefault(path, None)
            if path in self.documents or path in self.others or self.disallowed(path):
                continue
            reply = self.reader.get(path)
            if reply.status != 200 or not reply.headers["content-type"].startswith("text/html"):
                self.others[path] = reply
                continue
            document = self.documents[path] = Document(path, reply, depth)
            for target, _ in self.own_links(document):
                self.inlinks.setdefault(target, set()).add(path)
                if target not in seen:
                    seen[target] = None if depth is None else depth + 1
                    waiting.append(target)
