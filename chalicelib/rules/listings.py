"""Finds pages that mainly lead to other pages: lists of posts, indexes, hubs, and opening pages of chapters."""

import re
from typing import Final

from chalicelib.domain.page.facts import LINK_IN_CONTENT, LINK_LABELLED
from chalicelib.domain.page.text import REPEATED_PAGES
from chalicelib.rules.context import Address, Page, Site
from chalicelib.rules.index_files import without_index_file

LEAST_LINKS: Final = 3  # a page with fewer links is no listing
LINKED_SHARE: Final = 0.5
WORDS_PER_LINK: Final = 8  # prose has more words per link, however many links it has
LEAST_PICTURES: Final = 6  # fewer may be a manual's arrows to the next, previous and upper page
LEAST_OPENED: Final = 2  # pages that follow the opening page

# "ch05-00-structs", "appendix-00": the page before the first of a chapter.
_OPENING: Final = re.compile(r"([^\W\d_]+[-_]?(?:\d+[-_.]|(?=00)))0+(?:[-_.]\D.*)?")
_FOLLOWING: Final = re.compile(r"([^\W\d_]+[-_]?(?:\d+[-_.])?)0*[1-9]\d*(?:[-_.]\D.*)?")
_ENDING: Final = re.compile(r"\.[a-z]{3,5}$", re.IGNORECASE)


def is_listing(address: Address) -> bool:
    """Whether the page mainly leads to other pages: a list of posts, an index, a hub."""
    if address.kind.kind == "archive":
        return True
    if address.own_links < LEAST_LINKS:
        return False
    words = address.own_words
    return address.own_linked >= LINKED_SHARE * words or words <= WORDS_PER_LINK * address.own_links


def is_of_pictures(page: Page, site: Site) -> bool:
    """Whether the page is an index of pages whose links are pictures, or areas of an image map.

    Links to pages that many others link as well belong to a menu, and links to larger pictures make no index.
    """
    links = [
        link
        for link in page.facts.links
        if link.flags & LINK_IN_CONTENT and (not link.text or link.flags & LINK_LABELLED)
    ]
    if len(links) < LEAST_PICTURES or page.address.own_words > WORDS_PER_LINK * len(links):
        return False
    found = [address for link in links if (address := site.addresses.get(link.url)) is not None and address.readable]
    own = sum(site.inlinks(address.url) < REPEATED_PAGES for address in found)
    return own >= LEAST_PICTURES and page.address.own_words <= WORDS_PER_LINK * own


def opens_others(page: Page, site: Site) -> bool:
    """Whether the page is the opening page of a chapter.

    A page opens a chapter if its address has the number 0 and other pages have the following numbers: ``ch2-0.html``
    opens ``ch2-1.html`` and ``ch2-2.html``. It also opens a chapter if it links to pages whose addresses begin with its
    own address.
    """
    folder, _, name = page.url.rpartition("/")
    opening = _OPENING.fullmatch(name)
    if opening is not None:
        return len(site.once(_numbered).get(f"{folder}/{opening[1]}", ())) >= LEAST_OPENED
    stem = _ENDING.sub("", without_index_file(page.url)).rstrip("/")
    longer = (link.url for link in page.facts.links if link.url.startswith(stem) and len(link.url) > len(stem) + 1)
    return len({url for url in longer if url[len(stem)] in "-_/" and url in site.addresses}) >= LEAST_OPENED


def _numbered(site: Site) -> dict[str, set[str]]:
    """Return the numbered pages of each chapter, by the beginning of their addresses. Opening pages are left out."""
    found: dict[str, set[str]] = {}
    for address in site.indexable():
        folder, _, name = address.url.rpartition("/")
        following = _FOLLOWING.fullmatch(name)
        if following is not None:
            found.setdefault(f"{folder}/{following[1]}", set()).add(address.url)
    return found
