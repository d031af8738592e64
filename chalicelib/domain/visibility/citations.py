"""The addresses that an answer cites, and which of them belong to the website."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec

from chalicelib.domain.crawl.hosts import ascii_host, registrable_domain, without_www
from chalicelib.domain.crawl.urls import normalise

MOST_CITED: Final = 20  # addresses of one answer
LONGEST_CITED: Final = 400  # characters of an address; of a longer one only the host is kept

# Parameters that assistants append to addresses to count clicks.
_ADDED: Final = frozenset({("utm_source", "openai"), ("utm_source", "chatgpt.com"), ("utm_source", "perplexity")})
# The engines' own hosts: their result pages, and the redirects that count clicks.
_ENGINES: Final = frozenset(
    "vertexaisearch.cloud.google.com gemini.google.com openai.com chatgpt.com chat.openai.com anthropic.com claude.ai"
    " perplexity.ai pplx.ai".split()
)
_RESULTS: Final = re.compile(r"(?:google\.[a-z.]{2,6}/(?:search|url|aclk)|bing\.com/(?:search|ck/))")


class Citation(msgspec.Struct, frozen=True, array_like=True):
    """A page that an answer cites. ``url``: None if only the page's host is known."""

    url: str | None
    host: str


class Cited(NamedTuple):
    """The sources of an answer.

    - ``us``: whether the website is among them.
    - ``urls``: the addresses of the sources, in the order of the answer.
    - ``hosts``: their hosts, without ``www.``.
    """

    us: bool
    urls: tuple[str, ...]
    hosts: tuple[str, ...]


def citation(url: str, title: str = "") -> Citation | None:
    """Return the cited page. Returns None if the address belongs to the assistant itself.

    Some assistants cite their own redirect instead of the page. Then only the page's host is known, from the
    redirect's title.
    """
    address = normalise(_without_additions(url))
    if address is not None and not _of_engine(address):
        host = without_www(urlsplit(address).hostname or "")
        return Citation(address if len(address) <= LONGEST_CITED else None, host) if host else None
    named = _host_in(title)
    return None if named is None or _of_engine(f"https://{named}/") else Citation(None, named)


def cited(citations: Iterable[Citation], our_host: str) -> Cited:
    """Return the sources of an answer, each page once. A page belongs to the website if its host has the website's
    registered domain."""
    ours = our_domain(our_host)
    kept = list(dict.fromkeys(citations))[:MOST_CITED]
    urls = dict.fromkeys(one.url for one in kept if one.url is not None)
    hosts = dict.fromkeys(one.host for one in kept)
    return Cited(any(is_ours(one.host, ours) for one in kept), tuple(urls), tuple(hosts))


def our_domain(host: str) -> str:
    """Return the registered domain of a website. ``host``: the host in the website's record. It may have a port."""
    return registrable_domain(host if host.endswith("]") else host.rpartition(":")[0] or host)


def is_ours(host: str, domain: str) -> bool:
    """Whether a host belongs to the registered domain."""
    return registrable_domain(host) == domain


def _of_engine(address: str) -> bool:
    parts = urlsplit(address)
    host = without_www(parts.hostname or "")
    return host in _ENGINES or _RESULTS.match(f"{host}{parts.path}") is not None


def _host_in(title: str) -> str | None:
    """Return the host that a title consists of; None if it is not a host. Search engines use the host as the title of
    their redirects."""
    title = title.strip().lower()
    if (
        "." not in title
        or not 3 < len(title) <= 253
        or any(character.isspace() or character in "/:" for character in title)
    ):
        return None
    host = ascii_host(title)
    return None if host is None or "." not in host else without_www(host)


def _without_additions(url: str) -> str:
    """Return the address without the parameters that assistants append."""
    if "utm_source=" not in url:
        return url
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    given = parse_qsl(parts.query, keep_blank_values=True)
    kept = [pair for pair in given if pair not in _ADDED]
    return url if len(kept) == len(given) else urlunsplit(parts._replace(query=urlencode(kept)))
