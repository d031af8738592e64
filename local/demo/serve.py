"""Serves a variant of the demo website on loopback. Its faults can be fixed while it is served."""

import ssl
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from local.demo.fault import SITE, Fault
from local.demo.model import Page, Website
from local.demo.protocol import Answer, HttpServer, Request
from local.demo.render import Addresses, Representation, error, render, render_page, representation
from local.demo.variants import Variant
from local.demo.website import build
from local.demo.written import image_keys, overwritten, with_alts, written_files

if TYPE_CHECKING:
    import trustme

PARTNER_HOST: Final = "partner.website.test"  # another website: everything there is 404
PROFILES_HOST: Final = "profiles.website.test"  # the host of the organization's profile
PROFILE_PAGE: Final = b"<!doctype html><html lang=en><title>Alderfell on Profiles</title><h1>Alderfell</h1></html>\n"
_GONE: Final = (b"HTTP/1.1 404 ", b"HTTP/1.1 410 ")


class Server:
    """A website that is being served.

    - ``url``: its home page.
    - ``pages``: the paths of its HTML pages that answer 200.
    - ``requests``: one (method, target, user agent) for each request, oldest first.

    All methods may be called while clients read the website.
    """

    def __init__(self, variant: Variant, *, tls: "trustme.CA | None", host: str, port: int = 0) -> None:
        self.variant = variant
        self.host = host
        self.requests: list[tuple[str, str, str]] = []
        self._faults: list[Fault] = list(variant.faults)
        self._replaced: dict[str, Representation | None] = {}
        self._written: dict[str, Mapping[str, str]] = {}
        self._written_files: Mapping[str, str] = {}
        self._alts: dict[str, Mapping[str, str]] = {}
        self._redirects: Mapping[str, str] = {}
        self._site: Website | None = None  # the website that the answers were made from
        self._lock = threading.Lock()
        self._answers: dict[str, Representation] | None = None  # None: to be rendered again after a change
        self._refused: list[str] = []
        self._missing = error(404)
        self._profile = Representation(_html(PROFILE_PAGE))
        context = None
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            days = variant.certificate_days
            ends = None if days is None else datetime.now(UTC) + timedelta(days=days)
            tls.issue_cert(host, PARTNER_HOST, PROFILES_HOST, not_after=ends).configure_cert(context)
        self._scheme = "http" if tls is None else "https"
        self._http = HttpServer(self._handle, port=port, tls=context)
        self.port = self._http.port
        self._base = f"{self._scheme}://{host}:{self.port}"
        others = [f"{self._scheme}://{name}:{self.port}" for name in (PROFILES_HOST, PARTNER_HOST)]
        self._addresses = Addresses(self._base, *others)
        self.url = f"{self._base}/"

    @property
    def pages(self) -> tuple[str, ...]:
        return tuple(path for path, found in self.answers().items() if found.html)

    def fix(self, rule_id: str, path: str = SITE) -> None:
        """Fix all causes of the rule's finding at ``path`` (SITE: about the whole website).

        Raises LookupError if the finding has no cause.
        """
        causes = [fault for fault in self._faults if fault.touches(rule_id, path)]
        if not causes:
            raise LookupError(f"{rule_id} is not declared at {path}, or is already fixed")
        self._faults = [fault for fault in self._faults if fault not in causes]
        self._answers = None

    def restore(self, rule_id: str, path: str = SITE) -> None:
        """Bring back the declared causes of the rule's finding at ``path`` after they were fixed.

        Raises LookupError if the variant declares no cause.
        """
        causes = [fault for fault in self.variant.faults if fault.touches(rule_id, path)]
        if not causes:
            raise LookupError(f"{rule_id} is not declared at {path}")
        self._faults = [fault for fault in self.variant.faults if fault in self._faults or fault in causes]
        self._answers = None

    def replace(self, path: str, status: int | None) -> None:
        """Make ``path`` answer with an error of that status. None restores the original answer."""
        self._replaced[path] = None if status is None else error(status)
        self._answers = None

    def write(self, path: str, values: Mapping[str, str]) -> None:
        """Make the page show these values: ``title``, ``meta_description``, ``canonical`` and ``noindex`` (true,
        false).

        A missing field gets its original value. Raises LookupError if the path is not a page.
        """
        self._show(path, values=values)

    def write_alts(self, path: str, alts: Mapping[str, str]) -> None:
        """Set alt texts of the page's images. ``alts``: each alt text by its image's key (see ``images``).

        All other images get their original alt text.
        """
        self._show(path, alts=alts)

    def images(self, path: str) -> list[str]:
        """Return the keys of the page's images, in order. A key consists of the image's address and its number among
        images with the same address."""
        self.answers()
        with self._lock:
            return [] if self._site is None else image_keys(self._site.pages[path], self._base)

    def write_redirects(self, targets: Mapping[str, str]) -> None:
        """Redirect these paths (with query string). A redirect works only while the website itself would answer 404 or
        410 at its path."""
        self._redirects = dict(targets)

    def _show(self, path: str, values: Mapping[str, str] | None = None, alts: Mapping[str, str] | None = None) -> None:
        with self._lock:
            page = None if self._site is None or self._answers is None else self._site.pages[path]
            self._written[path] = dict(self._written.get(path, {}) if values is None else values)
            self._alts[path] = dict(self._alts.get(path, {}) if alts is None else alts)
            if self._site is not None and self._answers is not None and page is not None:
                self._answers[path] = render_page(self._site, self._with_written(path, page), self._addresses)

    def _with_written(self, path: str, page: Page) -> Page:
        return with_alts(overwritten(page, self._written[path]), self._base, self._alts[path])

    def write_files(self, values: Mapping[str, str]) -> None:
        """Serve ``llmsTxt`` as /llms.txt, append ``robotsBlock`` to /robots.txt, and serve ``indexNowKey`` at its
        address.

        Without a value, the original file is served.
        """
        self._written_files = dict(values)
        self._answers = None

    def stop(self) -> None:
        self._http.stop()

    def answers(self) -> dict[str, Representation]:
        """Return every answer by its path with query string. The first call after a change renders them again."""
        with self._lock:
            if self._answers is None:
                self._answers = self._render()
            return self._answers

    def _render(self) -> dict[str, Representation]:
        site = build()
        for fault in self._faults:
            fault.inject(site)
        answers = render(site, self._addresses)
        for path in self._written:
            if path in site.pages:
                answers[path] = render_page(site, self._with_written(path, site.pages[path]), self._addresses)
        for path, text in written_files(site, self._base, self._written_files).items():
            answers[path] = representation(200, {"Content-Type": "text/plain; charset=utf-8"}, text.encode())
        answers.update({path: found for path, found in self._replaced.items() if found is not None})
        self._refused = site.refused_agents
        self._site = site
        return answers

    def _handle(self, request: Request) -> Answer:
        agent = request.headers.get("user-agent", "")
        self.requests.append((request.method, request.target, agent))
        name = request.headers.get("host", "").partition(":")[0]
        if name == PARTNER_HOST:
            return self._missing.plain
        if name == PROFILES_HOST:
            return self._profile.plain if request.target == "/alderfell" else self._missing.plain
        found = self._find(request.target)
        if request.target in self._redirects and found.plain.head.startswith(_GONE):
            found = Representation(_moved(self._redirects[request.target], "Cache-Control: max-age=3600\r\n"))
        if any(word in agent for word in self._refused) and request.target != "/robots.txt":
            return error(403).plain
        if found.squeezed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return found.squeezed
        return found.plain

    def _find(self, target: str) -> Representation:
        """Find the answer for a path with query string. Ignores unknown parameters and the parameters after them."""
        answers = self.answers()
        path, mark, query = target.partition("?")
        known = target
        while known not in answers and known != path:
            known = known.rpartition("&" if "&" in known else "?")[0]
        if known in answers:
            return answers[known]
        if not path.endswith("/") and f"{path}/" in answers:
            return Representation(_moved(f"{path}/{mark}{query}"))
        return self._missing


def _html(body: bytes) -> Answer:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
    return Answer(head.encode(), body)


def _moved(location: str, more: str = "") -> Answer:
    head = f"HTTP/1.1 301 Moved Permanently\r\nLocation: {location}\r\n{more}Content-Length: 0\r\n\r\n"
    return Answer(head.encode("latin-1"))


def start(variant: Variant, *, tls: "trustme.CA | None", host: str, port: int = 0) -> Server:
    """Serve ``variant`` on 127.0.0.1 under the name ``host``. If a certificate authority is given, the website is
    served over TLS."""
    return Server(variant, tls=tls, host=host, port=port)
