"""Pages read a second time, without the service: asked for over a plain connection, parsed by lxml."""

import codecs
import gzip
import html.parser
import http.client
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit
from urllib.robotparser import RobotFileParser

import lxml.etree
import lxml.html

MOST_REDIRECTS = 10
_HEAD_TAGS = frozenset(
    "html head base basefont bgsound link meta noframes noscript script style template title".split()
)
_WESTERN = frozenset("iso-8859-1 latin1 us-ascii ascii".split())  # browsers read all of these as Windows-1252
_DECLARED = re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML_DECLARED = re.compile(rb"""\s*<\?xml[^>]*encoding=["']([\w.:-]+)""")


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes  # unpacked

    @property
    def is_html(self) -> bool:
        return self.headers.get("content-type", "").lower().startswith(("text/html", "application/xhtml+xml"))


class Asker:
    """Asks one website, over one connection a thread, without following redirects."""

    def __init__(self, base: str) -> None:
        self.base = base
        self._host = urlsplit(base).netloc
        self._own = threading.local()
        self._known: dict[str, Reply] = {}

    def get(self, url: str, method: str = "GET") -> Reply:
        parts = urlsplit(url)
        target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
        for again in (True, False):
            connection = getattr(self._own, "connection", None)
            if connection is None:
                connection = self._own.connection = http.client.HTTPConnection(self._host, timeout=60)
            try:
                connection.request(method, target, headers={"Accept-Encoding": "gzip", "User-Agent": "tests"})
                answer = connection.getresponse()
                body = answer.read()
                break
            except (http.client.HTTPException, OSError):
                connection.close()
                self._own.connection = None
                if not again:
                    raise
        headers = {name.lower(): value for name, value in answer.getheaders()}
        if headers.get("content-encoding") == "gzip" and body:
            body = gzip.decompress(body)
        return Reply(answer.status, headers, body)

    def asked(self, url: str) -> Reply:
        """What a target answers; each is asked once."""
        if url not in self._known:
            self._known[url] = self.get(url, "HEAD")
        return self._known[url]

    def end_of(self, url: str) -> tuple[int, int]:
        """(status at the end of the redirects, how many there are) of a target on this website.

        Status 0: the redirects lead to another website, or never end.
        """
        for hops in range(MOST_REDIRECTS + 1):
            reply = self.asked(url)
            location = reply.headers.get("location")
            if not 300 <= reply.status < 400 or location is None:
                return reply.status, hops
            url = written(joined(url, location)) or ""
            if not url.startswith(self.base + "/"):
                return 0, hops + 1
        return 0, MOST_REDIRECTS


def written(url: str) -> str | None:
    """One written form for each web address: no fragment, no dots, escapes only where they must be."""
    try:
        parts = urlsplit(url.strip().replace("\t", "").replace("\n", "").replace("\r", ""))
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    kept: list[str] = []
    pieces = parts.path.replace("\\", "/").split("/")[1:]
    for piece in pieces:
        if piece == "..":
            kept = kept[:-1]
        elif piece != ".":
            kept.append(piece)
    if pieces and pieces[-1] in (".", ".."):
        kept.append("")
    path = quote(
        unquote("/" + "/".join(kept), errors="surrogateescape"), safe="/~!$&'()*+,;=:@", errors="surrogateescape"
    )
    host = (
        parts.hostname
        if port is None or port == {"http": 80, "https": 443}[parts.scheme]
        else f"{parts.hostname}:{port}"
    )
    return urlunsplit((parts.scheme, host, path, parts.query, ""))


def joined(base: str, href: str) -> str:
    """A link beside the address it stands on, as browsers join them; the standard library drops empty parts."""
    href = re.sub(r"[\t\n\r]", "", href.strip())
    try:
        link, around = urlsplit(href), urlsplit(base)
    except ValueError:
        return ""
    path = link.path.replace("\\", "/")
    if link.scheme or link.netloc or path.startswith("//") or not path:
        return urljoin(base, href)
    if not path.startswith("/"):
        path = around.path.rpartition("/")[0] + "/" + path
    return urlunsplit((around.scheme, around.netloc, path, link.query, ""))


class _Stop(Exception):
    """The head has ended."""


class _Head(html.parser.HTMLParser):
    """The elements of ``<head>``, which the first thing that may not stand there ends, as browsers have it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.titles: list[str] = []
        self._open: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._open in ("noscript", "template"):
            return
        if tag not in _HEAD_TAGS:
            raise _Stop
        if tag in ("title", "noscript", "template", "script", "style", "noframes"):
            self._open = tag
        if tag == "title":
            self.titles.append("")
        first: dict[str, str | None] = {}
        for name, value in attrs:
            first.setdefault(name, value)
        self.found.append((tag, first))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._open:
            self._open = None
        elif tag in ("head", "html", "body", "br") and self._open is None:
            raise _Stop

    def handle_data(self, data: str) -> None:
        if self._open == "title":
            self.titles[-1] += data
        elif self._open is None and data.strip():
            raise _Stop


@dataclass
class Page:
    """One HTML page. ``url`` is its written form."""

    url: str
    reply: Reply
    robots_allow: bool = True
    memo: dict[str, str] = field(default_factory=dict)  # texts that several rules ask for

    @cached_property
    def text(self) -> str:
        return decoded(self.reply)

    @cached_property
    def root(self) -> lxml.html.HtmlElement:
        parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_pis=True)
        source = self.text.encode("utf-8", "replace")
        if self.reply.headers.get("content-type", "").startswith("application/xhtml+xml"):
            xml = lxml.etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, recover=True)
            root = lxml.etree.fromstring(re.sub(rb"^\s*<\?xml[^>]*\?>", b"", source), xml)
            for element in root.iter("{*}*"):
                element.tag = lxml.etree.QName(element).localname
            source = lxml.etree.tostring(root, method="html", encoding="utf-8")
        return lxml.html.document_fromstring(source or b"<html></html>", parser=parser)

    @cached_property
    def head(self) -> _Head:
        parser = _Head()
        try:
            parser.feed(self.text)
            parser.close()
        except _Stop:
            pass
        return parser

    @cached_property
    def address(self) -> str:
        """What relative links start from."""
        base = next((attrs["href"] for tag, attrs in self.head.found if tag == "base" and attrs.get("href")), None)
        return joined(self.url, base) if base else self.url

    def to(self, href: str) -> str | None:
        """The web address that a link leads to; None for anything else."""
        return written(joined(self.address, href))

    def metas(self, name: str) -> list[str]:
        """Contents of ``<meta name>`` anywhere, as search engines read robots and descriptions."""
        found = []
        for element in self.root.iter("meta"):
            named = (element.get("name") or element.get("property") or "").strip().lower()
            if named == name and element.get("content") is not None and element.get("itemprop") is None:
                found.append(element.get("content"))
        return found

    @cached_property
    def title(self) -> str | None:
        titles = self.head.titles
        return " ".join(titles[0].split()) if titles else None

    @cached_property
    def robots(self) -> set[str]:
        """Directives for every crawler or Google's, in the page and in its header."""
        said = [*self.metas("robots"), *self.metas("googlebot"), self.reply.headers.get("x-robots-tag", "")]
        return {word.strip().lower() for content in said for word in content.split(",")}

    @cached_property
    def canonicals(self) -> list[str]:
        """As written, in ``<head>``."""
        links = [attrs for tag, attrs in self.head.found if tag == "link"]
        return [
            (link.get("href") or "").strip()
            for link in links
            if "canonical" in (link.get("rel") or "").lower().split() and link.get("href") is not None
        ]

    @cached_property
    def own_canonical(self) -> bool:
        """Whether the page names no other address of its website; one on another domain does not count."""
        named = [self.to(href) for href in self.canonicals if href]
        host = urlsplit(self.url).hostname
        own = [url for url in named if url is not None and urlsplit(url).hostname == host]
        return not own or own[0] == self.url

    @cached_property
    def forwards(self) -> bool:
        """Whether a refresh leads to another address at once; browsers with scripts ignore one in ``<noscript>``."""
        for element in self.root.iter("meta"):
            scripted = next(element.iterancestors("noscript"), None) is not None
            if (element.get("http-equiv") or "").strip().lower() == "refresh" and not scripted:
                seconds, _, rest = re.sub(r"\s", "", element.get("content") or "").partition(";")
                target = re.sub(r"^url=", "", rest, flags=re.IGNORECASE).strip("'\"")
                return seconds.split(".")[0].strip("0") == "" and bool(target) and self.to(target) != self.url
        return False

    @cached_property
    def indexable(self) -> bool:
        return self.robots_allow and self.robots.isdisjoint(("noindex", "none")) and not self.forwards

    @cached_property
    def frameset(self) -> bool:
        return self.root.find(".//frameset") is not None

    @cached_property
    def links(self) -> list[tuple[str, lxml.html.HtmlElement]]:
        """(address, element) of every link to a web address."""
        found = []
        for element in self.root.iter("a", "area"):
            href = element.get("href")
            url = self.to(href) if href is not None else None
            if url is not None:
                found.append((url, element))
        return found


def decoded(reply: Reply) -> str:
    """The text of a page: the header's charset, a mark of byte order, the page's own word, UTF-8, or Windows-1252."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if reply.body.startswith(mark):
            return reply.body[len(mark) :].decode(name, "replace")
    named = re.search(r"charset=\"?([\w.:-]+)", reply.headers.get("content-type", ""), re.IGNORECASE)
    declared = _DECLARED.search(reply.body[:4096]) or _XML_DECLARED.match(reply.body[:200])
    name = named[1] if named else declared[1].decode() if declared else "utf-8"
    if name.lower() in _WESTERN:
        name = "windows-1252"
    try:
        return reply.body.decode(name)
    except LookupError:
        return reply.body.decode("windows-1252", "replace")
    except UnicodeDecodeError:
        guessed = not named and not declared
        return reply.body.decode("windows-1252" if guessed else name, "replace")


@dataclass
class Website:
    """The pages of a website that an audit read, read again; ``others`` answered with anything but a page.

    ``twins``: index files that say the same as their folder, with the folder's address, which stands for both
    (the home page stands for its folder), and addresses with a stray query that begins with a question mark.
    """

    home: str
    asker: Asker
    pages: dict[str, Page]
    others: dict[str, Reply]
    robots: RobotFileParser | None
    twins: dict[str, str] = field(default_factory=dict)

    @property
    def base(self) -> str:
        return self.asker.base

    def own(self, url: str) -> bool:
        return url.startswith(self.base + "/")

    def allowed(self, url: str) -> bool:
        return self.robots is None or self.robots.can_fetch("Googlebot", url)

    def indexable(self, wanted: Callable[[Page], object] = lambda _: True) -> set[str]:
        """Addresses of the indexable pages that are ``wanted``."""
        return {url for url, page in self.pages.items() if page.indexable and wanted(page)}

    def readable(self, wanted: Callable[[Page], object]) -> set[str]:
        """Addresses of the pages that anyone sees and that are ``wanted``."""
        return {url for url, page in self.pages.items() if not page.forwards and wanted(page)}


def read_again(home: str, addresses: Iterable[str]) -> Website:
    """Every one of the addresses, asked once more."""
    parts = urlsplit(home)
    asker = Asker(f"{parts.scheme}://{parts.netloc}")
    robots = asker.get(asker.base + "/robots.txt")
    rules = None
    if robots.status == 200:
        rules = RobotFileParser()
        rules.parse(robots.body.decode("utf-8", "replace").splitlines())
    website = Website(home, asker, {}, {}, rules)
    for url in addresses:
        reply = asker.get(url)
        if reply.status == 200 and reply.is_html:
            website.pages[url] = Page(url, reply, website.allowed(url))
        else:
            website.others[url] = reply
    for url in list(website.pages):
        path, _, query = url.partition("?")
        if (
            query.startswith("?")
            and path in website.pages
            and website.pages[path].reply.body == website.pages[url].reply.body
        ):
            website.twins[url] = path
            del website.pages[url]
    for url in list(website.pages):
        folder, name = url.rpartition("/")[0] + "/", url.rpartition("/")[2]
        same = folder in website.pages and website.pages[folder].reply.body == website.pages[url].reply.body
        if same and re.fullmatch(r"index\.x?html?", name):
            copy, kept = (folder, url) if url == home else (url, folder)
            website.twins[copy] = kept
            del website.pages[copy]
    return website
