"""URLs: a normal form for comparing, the form in which browsers request them, and links resolved against their page.

Two addresses are the same page if ``normalise`` returns the same text for both. Addresses are requested as
``serialise`` returns them, because a server may answer differently to equivalent escapes, such as ``%7E`` and ``~``.
Links are read as browsers read them (surrounding white space, backslashes, numeric host forms), because visitors use
browsers.
"""

import re
from functools import lru_cache

from chalicelib.domain.crawl.hosts import ascii_host, registrable_domain, without_www

__all__ = [
    "MAX_URL_LENGTH",
    "LinkResolver",
    "domain_of",
    "encode_path",
    "encode_query",
    "host_key",
    "normalise",
    "origin",
    "path_and_query",
    "registrable_domain",
    "same_site",
    "serialise",
]

MAX_URL_LENGTH = 2048
_MAX_WRITTEN_LENGTH = 4 * MAX_URL_LENGTH  # longer texts are refused before any work is done on them
_MEMO_SIZE = 20_000  # links remembered for one origin
_MEMO_ORIGINS = 16
_MOST_SPELLED = 60_000  # of one page or file; more are requested in their normal form

# RFC 3986: the characters that may be unescaped in a path and in a query. "%" is judged by what follows it.
_PATH_CHARACTERS = r"A-Za-z0-9._~!$&'()*+,;=:@/\-"
_QUERY_CHARACTERS = _PATH_CHARACTERS + "?"
_NORMAL_PATH = re.compile(rf"/(?:[A-Za-z0-9_~!$&'()*+,;=:@-][{_PATH_CHARACTERS}]*)?(?:\?[{_QUERY_CHARACTERS}]+)?")
_NORMAL_URL = re.compile(
    r"https?://(?:[a-z0-9_-]{1,63}\.)*[a-z][a-z0-9_-]{0,62}"
    rf"/(?:[{_PATH_CHARACTERS}]*)(?:\?[{_QUERY_CHARACTERS}]+)?"
)
_NORMAL_PARTS = re.compile(rf"[{_PATH_CHARACTERS}]*"), re.compile(rf"[{_QUERY_CHARACTERS}]*")
_PATH_REST = re.compile(rf"%[0-9A-Fa-f]{{2}}|[^{_PATH_CHARACTERS}%]+")
_QUERY_REST = re.compile(rf"%[0-9A-Fa-f]{{2}}|[^{_QUERY_CHARACTERS}%]+")
# The characters that the URL standard escapes in a path and in a query; "%" and all others stay as written. A "'" in a
# query stays too: under RFC 3986 it makes another address than "%27". The sets name the other characters, because sets
# that reach beyond ASCII take milliseconds to compile.
_PATH_ESCAPED = re.compile(r"[^!$-;=@-\]_a-z|~]+")
_QUERY_ESCAPED = re.compile(r"[^!$-;=?-~]+")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")

_ABSOLUTE = re.compile(r"(https?):[/\\]{2,}([^/\\?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.IGNORECASE | re.DOTALL)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_AUTHORITY = re.compile(r"(\[[^\]]*\]|[^:\[\]]+)(?::([0-9]{0,5}))?")
_DROPPED_INSIDE = str.maketrans("", "", "\t\n\r")
_STRIPPED = "".join(map(chr, range(0x21)))

_HEX = "0123456789ABCDEFabcdef"
_UPPER_ESCAPES = {f"%{a}{b}": f"%{a}{b}".upper() for a in _HEX for b in _HEX}
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPES = {
    text: chr(int(text[1:], 16)) if chr(int(text[1:], 16)) in _UNRESERVED else upper
    for text, upper in _UPPER_ESCAPES.items()
}


def _percent_encoded(text: str) -> str:
    """Escape every character as its UTF-8 bytes; a lone surrogate becomes the replacement character.

    Bytes that were decoded with ``surrogateescape`` come out unchanged.
    """
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    return "".join([f"%{byte:02X}" for byte in data])


def _with_all(match: re.Match[str]) -> str:
    found = match[0]
    return _ESCAPES.get(found) or _percent_encoded(found)


def _with_upper(match: re.Match[str]) -> str:
    found = match[0]
    return _UPPER_ESCAPES.get(found) or _percent_encoded(found)


def _encode(text: str, normal: re.Pattern[str], rest: re.Pattern[str]) -> str:
    if normal.fullmatch(text):
        return text
    # A "%" that begins no escape stays as it is, as browsers send it. Then escapes beside it are not decoded. Otherwise
    # the text could form a new escape, and change again when it is normalised twice.
    stray = "%" in text and _STRAY_PERCENT.search(text) is not None
    return rest.sub(_with_upper if stray else _with_all, text)


def encode_path(path: str) -> str:
    """Return a path with normal percent-encoding: unreserved characters plain, all others escaped, hex in upper
    case."""
    return _encode(path, _NORMAL_PARTS[0], _PATH_REST)


def encode_query(query: str) -> str:
    """Return a query with normal percent-encoding; ``+``, ``&`` and the order are unchanged."""
    return _encode(query, _NORMAL_PARTS[1], _QUERY_REST)


def _without_dot_segments(path: str) -> str:
    kept: list[str] = []
    dots = ""
    for part in path.split("/")[1:]:
        dots = part.replace("%2e", ".").replace("%2E", ".") if len(part) <= 6 else part
        if dots == "..":
            if kept:
                kept.pop()
        elif dots != ".":
            kept.append(part)
    if dots in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _straightened(path: str) -> str:
    """Return the path without backslashes and dot segments."""
    if "\\" in path:
        path = path.replace("\\", "/")
    return _without_dot_segments(path) if "/." in path or "/%2" in path else path


def _escaped(match: re.Match[str]) -> str:
    return _percent_encoded(match[0])


def _spell(site_origin: str, path: str, query: str | None) -> str | None:
    """Return the address as browsers write it (URL standard), without an empty query."""
    path = _PATH_ESCAPED.sub(_escaped, _straightened(path)) or "/"
    url = f"{site_origin}{path}?{_QUERY_ESCAPED.sub(_escaped, query)}" if query else site_origin + path
    return url if len(url) <= MAX_URL_LENGTH else None


def _assemble(site_origin: str, path: str, query: str | None) -> str | None:
    # Dot segments go first: removing them may remove a part of the path, which changes how the rest is encoded.
    path = _straightened(path)
    path = encode_path(path) if path else "/"
    url = f"{site_origin}{path}?{encode_query(query)}" if query else site_origin + path
    return url if len(url) <= MAX_URL_LENGTH else None


@lru_cache(maxsize=1024)
def _origin_of(scheme: str, authority: str) -> str | None:
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        return None
    host = ascii_host(match[1])
    if host is None:
        return None
    if match[2]:
        port = int(match[2])
        if not 0 < port < 65536:
            return None
        if port != (443 if scheme == "https" else 80):
            return f"{scheme}://{host}:{port}"
    return f"{scheme}://{host}"


def normalise(url: str) -> str | None:
    """Return the normal form of an absolute http(s) address; ``None`` if the text is not one.

    Scheme and host are in lower case, the host in ASCII. There is no default port, dot segment, fragment or empty
    query. Percent-encoding is normal, and an empty path is ``/``. ``None`` is also returned if the address has another
    scheme, user info or no host, or if the result is longer than 2,048 characters. ``normalise(normalise(x)) ==
    normalise(x)``.
    """
    if len(url) <= 253 and "/." not in url and _NORMAL_URL.fullmatch(url):
        return url
    parts = _parts(url)
    return None if parts is None else _assemble(*parts)


def serialise(url: str) -> str | None:
    """Return an absolute http(s) address as browsers request it, without its fragment; ``None`` if ``normalise``
    returns ``None``.

    Unlike in ``normalise``, escapes stay as written, and only the characters that the URL standard escapes are escaped.
    If the result is longer than 2,048 characters, the normal form is returned.
    """
    if len(url) <= 253 and "/." not in url and _NORMAL_URL.fullmatch(url):
        return url
    parts = _parts(url)
    if parts is None:
        return None
    normal = _assemble(*parts)
    return None if normal is None else _spell(*parts) or normal


def _parts(url: str) -> tuple[str, str, str | None] | None:
    """Split an absolute http(s) address into origin, path and query. Path and query are as written."""
    if len(url) > _MAX_WRITTEN_LENGTH:
        return None
    url = url.strip(_STRIPPED)
    if "\n" in url or "\t" in url or "\r" in url:
        url = url.translate(_DROPPED_INSIDE)
    match = _ABSOLUTE.fullmatch(url)
    if match is None:
        return None
    scheme, authority, path, query = match.groups()
    site_origin = _origin_of(scheme.lower(), authority)
    return None if site_origin is None else (site_origin, path, query)


def origin(url: str) -> str:
    """Return ``https://host[:port]`` of a normalised address."""
    end = url.find("/", 8)
    return url if end < 0 else url[:end]


def domain_of(url: str) -> str:
    """Return the registrable domain of a normalised address, without the port."""
    authority = origin(url).partition("://")[2]
    return registrable_domain(authority if authority.endswith("]") else authority.rpartition(":")[0] or authority)


def path_and_query(url: str) -> str:
    """Return path and query of a normalised address. The result always begins with ``/``."""
    start = url.find("/", 8)
    return "/" if start < 0 else url[start:]


@lru_cache(maxsize=4096)
def _key_of(authority: str, default_ports: tuple[str, ...]) -> str:
    host, colon, port = authority.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit()):
        host, port = authority, ""
    key = without_www(ascii_host(host) or host.lower())
    return key if not port or port in default_ports else f"{key}:{port}"


def host_key(url_or_host: str) -> str:
    """Return the key of a website: its host without a leading ``www.``, with the port unless it is the scheme's
    default.

    Accepts a normalised address or a bare ``host[:port]``. In a bare host, both 80 and 443 count as default.
    """
    start = url_or_host.find("://")
    if start < 0:
        return _key_of(url_or_host, ("80", "443"))
    end = url_or_host.find("/", start + 3)
    authority = url_or_host[start + 3 :] if end < 0 else url_or_host[start + 3 : end]
    return _key_of(authority, ("443",) if url_or_host.startswith("https") else ("80",))


def same_site(url: str, key: str) -> bool:
    """Whether a normalised address is on the website with this ``host_key``. Other subdomains are other websites."""
    return host_key(url) == key


_Memo = dict[str, str | None]  # by the link as written: the address
_Spelled = dict[str, tuple[str, str]]  # likewise, the address and its written form, if they differ
_shared_memos: dict[str, tuple[_Memo, _Spelled]] = {}
_UNSEEN = ""


def _memos_of(site_origin: str) -> tuple[_Memo, _Spelled]:
    """Return the cache of resolved links of an origin, shared by the pages of a website. Its size is limited."""
    memos = _shared_memos.get(site_origin)
    if memos is None:
        if len(_shared_memos) >= _MEMO_ORIGINS:
            _shared_memos.clear()
        memos = _shared_memos[site_origin] = {}, {}
    return memos


class LinkResolver:
    """Resolves the links of one page. ``base_url``: the page's address, or its ``<base href>``.

    ``spelled``: for each resolved address that the page does not write in normal form, how the page writes it. Raises
    ``ValueError`` if ``normalise`` does not accept the base.
    """

    __slots__ = (
        "_directory",
        "_memo",
        "_odd",
        "_origin",
        "_own",
        "_own_odd",
        "_path",
        "_query",
        "_room",
        "_scheme",
        "_written",
        "_written_directory",
        "base",
        "spelled",
    )

    def __init__(self, base_url: str) -> None:
        base = normalise(base_url)
        if base is None:
            raise ValueError(f"not an http(s) address: {base_url[:200]!r}")
        self.base = base
        self._origin = origin(base)
        path, _, self._query = base[len(self._origin) :].partition("?")
        self._scheme = base[: base.index(":")]
        self._path = path
        self._directory = path[: path.rindex("/") + 1]
        self._written = (base if base_url == base else serialise(base_url) or base)[len(self._origin) :]
        written = self._written.partition("?")[0]
        self._written_directory = written[: written.rindex("/") + 1]
        self._memo, self._odd = _memos_of(self._origin)
        self._own: _Memo = {}
        self._own_odd: _Spelled = {}
        self._room = MAX_URL_LENGTH - len(self._origin)
        self.spelled: dict[str, str] = {}

    def resolve(self, href: str) -> str | None:
        """Return the normalised address that a link leads to; ``None`` if it leads to no page (``mailto:``,
        unparsable)."""
        found = self._memo.get(href, _UNSEEN)
        if found != _UNSEEN:
            return found
        if _NORMAL_PATH.fullmatch(href) and "/." not in href and len(href) <= self._room:
            return self._remember(href, self._origin + href)
        found = self._own.get(href, _UNSEEN)
        if found != _UNSEEN:
            return found
        odd = self._odd.get(href) or self._own_odd.get(href)
        if odd is None:
            return self._resolve(href)
        self._note(*odd)
        return odd[0]

    def written(self, href: str) -> str | None:
        """Return the address that a link leads to, in the spelling in which the page writes it. Returns ``None`` in the
        same cases as ``resolve``."""
        url = self.resolve(href)
        return None if url is None else self.spelled.get(url, url)

    def _note(self, url: str, written: str) -> None:
        if len(self.spelled) < _MOST_SPELLED:
            self.spelled.setdefault(url, written)

    def _remember(self, href: str, url: str | None, written: str | None = None) -> str | None:
        return self._keep(href, url, written, self._memo, self._odd)

    def _keep(self, href: str, url: str | None, written: str | None, memo: _Memo, odd: _Spelled) -> str | None:
        if url is not None and written is not None and written != url:
            if len(odd) >= _MEMO_SIZE:
                odd.clear()
            odd[href] = url, written
            self._note(url, written)
            return url
        if len(memo) >= _MEMO_SIZE:
            memo.clear()
        memo[href] = url
        return url

    def _resolve(self, href: str) -> str | None:
        if len(href) > _MAX_WRITTEN_LENGTH:
            return None
        text = href.strip(_STRIPPED)
        if "\n" in text or "\t" in text or "\r" in text:
            text = text.translate(_DROPPED_INSIDE)
        scheme = _SCHEME.match(text)
        if scheme is not None:
            name = scheme[1].lower()
            if name != "http" and name != "https":
                return self._remember(href, None)
            if text[scheme.end() : scheme.end() + 2].replace("\\", "/") == "//" or name != self._scheme:
                return self._remember(href, normalise(text), serialise(text))
            text = text[scheme.end() :]  # "https:page" with the base's own scheme is relative, as in browsers
        path, mark, query = text.partition("#")[0].partition("?")
        if "\\" in path:
            path = path.replace("\\", "/")
        if path.startswith("//"):
            text = f"{self._scheme}:{text}"
            return self._remember(href, normalise(text), serialise(text))
        if path.startswith("/"):
            return self._remember(href, _assemble(self._origin, path, query), _spell(self._origin, path, query))
        if path:
            url = _assemble(self._origin, self._directory + path, query)
            written = _spell(self._origin, self._written_directory + path, query)
        elif mark:
            url = _assemble(self._origin, self._path, query)
            written = _spell(self._origin, self._written.partition("?")[0], query)
        else:
            url = _assemble(self._origin, self._path, self._query)
            written = self._origin + self._written
        return self._keep(href, url, written, self._own, self._own_odd)
