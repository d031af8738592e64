"""Links of a page: where they lead, what they say, and those no crawler can follow."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from chalicelib.domain.crawl.urls import origin, same_site
from chalicelib.domain.page.extract_head import Resolver
from chalicelib.domain.page.facts import (
    LINK_IN_CONTENT,
    LINK_IN_NAV,
    LINK_LABELLED,
    LINK_MARKED,
    LINK_NOFOLLOW,
    Contact,
    Link,
    PageFacts,
)
from chalicelib.domain.page.link_words import is_vague
from chalicelib.domain.page.markup import TEXT, Spans, readable
from chalicelib.domain.page.text import kept, one_space

MAX_EXTERNAL = 300
MAX_INTERNAL = 10_000  # a bound for memory; more distinct targets on one page are not kept
_TEXT_LENGTH = 80
_READ_LENGTH = 400  # characters read of a text: an address at the place where it is cut is hidden whole
_BOTH_PLACES = LINK_IN_NAV | LINK_IN_CONTENT
_MOST_TELEPHONES = 10
_MOST_SAMPLES = 5
_MOST_VAGUE = 50
_NOFOLLOW = frozenset(("nofollow", "ugc", "sponsored"))
# What makes an <a> without a usable address legitimate: a jump mark, a control with a role, the current page.
_NOT_A_LINK = ("name", "id", "role", "aria-current", "aria-disabled", "disabled", "data-toggle", "data-bs-toggle")


def read_links(
    facts: PageFacts,
    anchors: list[tuple[int, LexborNode]],
    site_wide: Spans,
    hidden: AbstractSet[int],
    resolver: Resolver,
    host: str,
) -> None:
    """Fill ``links``, ``external_links``, ``uncrawlable_links`` and ``vague_links``.

    ``anchors``: ``<a>`` and ``<area>`` with their positions; ``site_wide``: the spans of navigation, header, footer.
    """
    found: dict[str, Link | None] = {facts.url: None}  # None: seen, not kept
    links = facts.links
    external = facts.external_links
    resolve = resolver.resolve
    internal: Callable[[str], bool] = _own_host(facts.url, host)
    for position, node in anchors:
        attributes = node.attributes
        href = attributes.get("href")
        if href is None:
            href = attributes.get("xlink:href")
        if href is None:
            if not any(name in attributes for name in _NOT_A_LINK):
                _note_uncrawlable(facts, node, attributes, hidden, "no href")
            continue
        url = resolve(href)
        if url is None:
            if href[:4].lower() == "tel:":
                _note_telephone(facts, href[4:], position in site_wide)
            elif href.lstrip()[:11].lower() == "javascript:" and "role" not in attributes:
                _note_uncrawlable(facts, node, attributes, hidden, href.strip())
            continue
        rel = attributes.get("rel")
        nofollow = rel is not None and not _NOFOLLOW.isdisjoint(rel.lower().split())
        link = found.get(url)
        if link is None:
            if url in found:
                only_script = "onclick" in attributes and "role" not in attributes and href.strip() in ("", "#")
                if only_script and url == facts.url:
                    _note_uncrawlable(facts, node, attributes, hidden, "onclick")
                continue
            if internal(url):
                kept, room = links, MAX_INTERNAL
            else:
                kept, room = external, MAX_EXTERNAL
            if len(kept) >= room:
                found[url] = None
                continue
            text, labelled = _text_of(node, attributes, hidden)
            flags = (LINK_NOFOLLOW | LINK_MARKED if nofollow else 0) | (LINK_LABELLED if labelled else 0)
            flags |= LINK_IN_NAV if position in site_wide else LINK_IN_CONTENT
            link = found[url] = Link(url, text, flags)
            kept.append(link)
            continue
        if nofollow:
            link.flags |= LINK_MARKED
        elif link.flags & LINK_NOFOLLOW:
            link.flags &= ~LINK_NOFOLLOW
        if link.flags & _BOTH_PLACES != _BOTH_PLACES:
            if position in site_wide:
                link.flags |= LINK_IN_NAV
            elif not link.flags & LINK_IN_CONTENT:
                link.flags |= LINK_IN_CONTENT
                _note_vague(facts, url, node, attributes, hidden, internal)
        if not link.text:
            link.text, labelled = _text_of(node, attributes, hidden)
            link.flags = link.flags & ~LINK_LABELLED | (LINK_LABELLED if labelled else 0)


def _note_uncrawlable(
    facts: PageFacts, node: LexborNode, attributes: dict[str, str | None], hidden: AbstractSet[int], why: str
) -> None:
    facts.uncrawlable_links += 1
    if len(facts.uncrawlable_samples) < _MOST_SAMPLES:
        facts.uncrawlable_samples.append((_text_of(node, attributes, hidden)[0], kept(why, _TEXT_LENGTH)))


def _note_vague(
    facts: PageFacts,
    url: str,
    node: LexborNode,
    attributes: dict[str, str | None],
    hidden: AbstractSet[int],
    internal: Callable[[str], bool],
) -> None:
    """The text of the first link in the content to an address that the navigation names, when it says nothing."""
    text, labelled = _text_of(node, attributes, hidden)
    if not labelled and is_vague(text) and len(facts.vague_links) < _MOST_VAGUE and internal(url):
        facts.vague_links.append((url, text))


def _note_telephone(facts: PageFacts, number: str, is_site_wide: bool) -> None:
    number = one_space(unquote(number[:100]))[:40]
    if facts.contact is None:
        facts.contact = Contact()
    numbers = facts.contact.site_telephones if is_site_wide else facts.contact.telephones
    if number and number not in numbers and len(numbers) < _MOST_TELEPHONES:
        numbers.append(number)


def _own_host(page_url: str, host: str) -> Callable[[str], bool]:
    """Whether an address is on the website; the page's own origin, by far the most common, is seen at a glance."""
    own = origin(page_url) + "/"
    if not same_site(page_url, host):
        return lambda url: same_site(url, host)
    return lambda url: url.startswith(own) or same_site(url, host)


def _text_of(node: LexborNode, attributes: dict[str, str | None], hidden: AbstractSet[int]) -> tuple[str, bool]:
    """``(text, labelled)`` of a link; the alternative text of an image, or the label, where it has no text."""
    labelled = bool(attributes.get("aria-label") or attributes.get("title") or attributes.get("aria-labelledby"))
    child = node.first_child
    if child is None:
        text = kept(attributes.get("alt") or "", _TEXT_LENGTH)  # <area alt>
        labelled = labelled or bool(text)
    elif child.next is None and child.tag_id == TEXT:  # the common case, without the walk
        text = kept(child.text_content or "", _TEXT_LENGTH).rstrip()
    else:
        text = readable(node, _READ_LENGTH, hidden)
        if not text:
            text = readable(node, _READ_LENGTH, hidden, alt=True)
            labelled = labelled or bool(text)
        text = kept(text, _TEXT_LENGTH).rstrip()
    if not text and labelled:
        text = kept(attributes.get("aria-label") or attributes.get("title") or "", _TEXT_LENGTH)
    return text, labelled
