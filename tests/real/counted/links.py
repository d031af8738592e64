"""Rules about links, and about what the addresses answer to which they lead."""

import ipaddress
from collections.abc import Callable
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from tests.real.counted.regions import shown_text
from tests.real.reading import Page, Website

REFUSED = frozenset({401, 403, 407, 429})
MOST_CLICKS = 4


def targets(website: Website, page: Page) -> set[str]:
    """The addresses of the website that the page links, itself left out."""
    return {url for url, _ in page.links if website.own(url)} - {page.url}


def _status(website: Website, url: str) -> int:
    """What an address answers at the end of its redirects; 0 where it is not asked."""
    if not website.allowed(url):
        return 0
    return 200 if url in website.pages else website.asker.end_of(url)[0]


def _hops(website: Website, url: str) -> int:
    return 0 if url in website.pages or not website.allowed(url) else website.asker.end_of(url)[1]


def is_broken(status: int) -> bool:
    return status >= 400 and status not in REFUSED


def with_broken_links(website: Website) -> set[str]:
    return website.indexable(lambda page: any(is_broken(_status(website, url)) for url in targets(website, page)))


def broken_addresses(website: Website) -> set[str]:
    """Addresses that some page links and that answer 4xx themselves, documents, archives and image files among them."""
    linked = {url for page in website.pages.values() for url in [*targets(website, page), *frames(website, page)]}
    found = set()
    for url in linked:
        if url not in website.pages and website.allowed(url):
            status = website.asker.asked(url).status
            if 400 <= status < 500 and status not in REFUSED:
                found.add(url)
    return found


def with_redirects(website: Website) -> set[str]:
    def redirects(page: Page) -> bool:
        return any(_hops(website, url) > 0 and not is_broken(_status(website, url)) for url in targets(website, page))

    return website.indexable(redirects)


def chains(website: Website) -> set[str]:
    linked = {url for page in website.pages.values() for url in targets(website, page)}
    return {url for url in linked if _hops(website, url) >= 2 and website.asker.end_of(url)[0] != 0}


def frames(website: Website, page: Page) -> set[str]:
    if not page.frameset:
        return set()
    found = {page.to(element.get("src")) for element in page.root.iter("frame", "iframe") if element.get("src")}
    return {url for url in found if url is not None and website.own(url)}


def depths(website: Website) -> dict[str, int]:
    """Clicks from the home page to each page that was read; a redirect is no click."""
    home = website.twins.get(website.home, website.home)
    depth = {home: 0}
    level = [home]
    if website.home in website.others:
        level = [website.others[website.home].headers.get("location", "")]
        depth[level[0]] = 0
    while level:
        following: list[str] = []
        for url in level:
            page = website.pages.get(url)
            if page is None:
                continue
            for target in _steps(website, page):
                if target not in depth:
                    depth[target] = depth[url] + 1
                    following.append(target)
        level = following
    return depth


def _steps(website: Website, page: Page) -> set[str]:
    followed = {
        url
        for url, element in page.links
        if website.own(url) and not {"nofollow", "ugc", "sponsored"} & set((element.get("rel") or "").lower().split())
    }
    found = set()
    for url in followed | frames(website, page) | _refreshed(website, page):
        current: str | None = url
        for _ in range(10):
            if current is None or current in found:
                break
            current = website.twins.get(current, current)
            found.add(current)
            reply = website.others.get(current)
            current = page.to(reply.headers["location"]) if reply is not None and "location" in reply.headers else None
    return found


def _refreshed(website: Website, page: Page) -> set[str]:
    for element in page.root.iter("meta"):
        if (element.get("http-equiv") or "").lower() == "refresh" and "=" in (element.get("content") or ""):
            url = page.to(element.get("content").partition("=")[2].strip("'\" "))
            return {url} if url is not None and website.own(url) else set()
    return set()


def too_deep(website: Website) -> set[str]:
    depth = depths(website)
    return website.indexable(lambda page: depth.get(page.url, 0) > MOST_CLICKS)


def leads_nowhere(website: Website, page: Page) -> bool:
    forwards = any((element.get("http-equiv") or "").lower() == "refresh" for element in page.root.iter("meta"))
    return not targets(website, page) and not page.frameset and not forwards


def leads_astray(website: Website, page: Page) -> bool:
    first: dict[str, HtmlElement] = {}
    for url, element in page.links:
        first.setdefault(url, element)
    return any(
        _is_private(url) and not _is_instruction(element) for url, element in first.items() if not website.own(url)
    )


def _is_private(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith((".localhost", ".local")) or host.startswith("staging."):
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network("127.0.0.0/8") or host.startswith("10.")
    except ValueError:
        return False


def _is_instruction(element: HtmlElement) -> bool:
    text = shown_text(element, alt=True).lower()
    return "localhost" in text or "127.0.0.1" in text or text.startswith(("http://", "https://"))


RULES: dict[str, Callable[[Website], set[str]]] = {
    "SEO-LNK-001": with_broken_links,
    "SEO-LNK-002": with_redirects,
    "SEO-LNK-005": too_deep,
    "SEO-LNK-006": lambda website: website.indexable(lambda page: leads_nowhere(website, page)),
    "SEO-LNK-012": lambda website: website.indexable(lambda page: leads_astray(website, page)),
    "SEO-TEC-004": broken_addresses,
    "SEO-TEC-022": chains,
}
