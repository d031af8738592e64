"""Extracts the links of a page: their targets and texts, and the links that no crawler can follow."""

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from itertools import islice
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from chalicelib.domain.crawl.address_names import is_infrastructure
from chalicelib.domain.crawl.urls import origin, same_site
from chalicelib.domain.page.extract_refresh import Resolver
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
from chalicelib.domain.page.link_controls import controls_page
from chalicelib.domain.page.link_words import is_vague, moves_on
from chalicelib.domain.page.markup import ANCHOR, TEXT, Spans, readable
from chalicelib.domain.page.placeholders import is_filler
from chalicelib.domain.page.scripted_lists import fills_in_addresses, is_variable
from chalicelib.domain.page.text import kept, kept_line, one_space

MAX_EXTERNAL = 300
MAX_INTERNAL = 10_000  # a bound for memory; more distinct targets on one page are not kept
_TEXT_LENGTH = 80
_READ_LENGTH = 400  # characters read of a text, so that an address at the cut is hidden whole
_HIDDEN_MAIL = "/cdn-cgi/l/email-protection"  # a CDN's way of hiding a mail address from programs
_BOTH_PLACES = LINK_IN_NAV | LINK_IN_CONTENT
_MOST_TELEPHONES = 10
_MOST_SAMPLES = 5
_MOST_INSIDE = 20  # nodes looked at inside an anchor without text
_MOST_LOOKED_AT = 50  # uncrawlable links that the examples are chosen from
_MOST_VAGUE = 50
_MOST_ENTRIES = 1_000  # the same number as that of the stored blocks of a page
_MOST_TRANSLATIONS = 100
_NOFOLLOW = frozenset(("nofollow", "ugc", "sponsored"))
# Signs that an <a> without a usable address is legitimate: an anchor name, a control with a role, the current page.
_NOT_A_LINK = ("name", "id", "role", "aria-current", "aria-disabled", "disabled", "data-toggle", "data-bs-toggle")

_WRITTEN = re.compile(r"<(?:a(?=[\s/>])|!--|script\b)", re.IGNORECASE)
_SCRIPT_END = re.compile("</script", re.IGNORECASE)
_MOST_BETWEEN = 40  # steps from node to node between an anchor and what continues it in the next block


# Position, anchor, its attributes, and why no crawler can follow it.
_Uncrawlable = tuple[int, LexborNode, dict[str, str | None], str]


def read_links(
    facts: PageFacts,
    anchors: list[tuple[int, LexborNode]],
    site_wide: Spans,
    unread: list[tuple[int, LexborNode]],
    hidden: AbstractSet[int],
    resolver: Resolver,
    host: str,
    html: str,
) -> set[str]:
    """Fill ``links``, ``external_links``, ``uncrawlable_links`` and ``vague_links``.

    An index, such as that of a book, may link to many parts of one page. ``links`` contains this page only once. The
    function returns the texts of the further links to this page.

    - ``anchors``: ``<a>`` and ``<area>`` with their positions.
    - ``site_wide``: the spans of navigation, header and footer.
    - ``unread``: elements whose text is not read, such as drawings. Links inside them are not links of the text.
    - ``html``: the parsed source.
    """
    uncrawlable: list[_Uncrawlable] = []
    found: dict[str, Link | None] = {facts.url: None}  # None: seen, not kept
    links = facts.links
    external = facts.external_links
    resolve = resolver.resolve
    internal: Callable[[str], bool] = own_host(facts.url, host)
    entries: set[str] = set()
    filled_in: bool | None = None  # whether scripts replace variables in addresses: determined at the first variable
    for position, node in anchors:
        attributes = node.attributes
        href = attributes.get("href")
        if href is None:
            href = attributes.get("xlink:href")
        if href is None:
            if node.tag_id == ANCHOR and not any(name in attributes for name in _NOT_A_LINK):
                uncrawlable.append((position, node, attributes, "no href"))
            continue
        if is_variable(href):
            filled_in = fills_in_addresses(html) if filled_in is None else filled_in
            if filled_in:
                continue  # nobody meets the link before a script has written its address
        url = resolve(href)
        if url is None:
            if href[:4].lower() == "tel:":
                _note_telephone(facts, href[4:], position in site_wide)
            elif href[:7].lower() == "mailto:":
                _note_mail(facts, href[7:])
            elif href.lstrip()[:11].lower() == "javascript:" and "role" not in attributes and node.tag_id == ANCHOR:
                uncrawlable.append((position, node, attributes, href.strip()))
            continue
        rel = attributes.get("rel")
        nofollow = rel is not None and not _NOFOLLOW.isdisjoint(rel.lower().split())
        link = found.get(url)
        if link is None:
            if url in found:
                only_script = "onclick" in attributes and "role" not in attributes and href.strip() in ("", "#")
                if only_script and url == facts.url and node.tag_id == ANCHOR:
                    uncrawlable.append((position, node, attributes, "onclick"))
                continue
            if is_infrastructure(url):
                found[url] = None
                if _HIDDEN_MAIL in url:
                    _note_mail(facts, "@")
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
        if "#" in href and len(entries) < _MOST_ENTRIES:
            entries.add(node.text(deep=True))
        if not link.text:
            link.text, labelled = _text_of(node, attributes, hidden)
            link.flags = link.flags & ~LINK_LABELLED | (LINK_LABELLED if labelled else 0)
    if uncrawlable:
        in_tree = sum(node.tag_id == ANCHOR for _, node in anchors)
        _keep_uncrawlable(facts, _as_written(uncrawlable, in_tree, html), Spans(unread), hidden)
    return entries


def read_translations(facts: PageFacts, root: LexborNode, resolver: Resolver, host: str) -> None:
    """Fill ``translations``: the website's addresses that the page's links mark as versions in other languages.

    The links have ``rel=alternate hreflang`` and are, for example, in a language menu. Search engines ignore these
    links, but people use them.
    """
    internal = own_host(facts.url, host)
    for node in root.css("a[hreflang][rel]")[:_MOST_TRANSLATIONS]:
        attributes = node.attributes
        if "alternate" not in (attributes.get("rel") or "").lower().split():
            continue
        url = resolver.resolve(attributes.get("href") or "")
        if url is not None and url != facts.url and internal(url) and url not in facts.translations:
            facts.translations.append(url)


def _as_written(found: list[_Uncrawlable], in_tree: int, html: str) -> list[_Uncrawlable]:
    """Drop anchors that only the parser created: it reopens an unclosed anchor in each following block.

    The first of such anchors is kept. It is dropped too if it has neither address nor script: then it is a tag that a
    sentence mentions ("use an <a> to link"), not a link. Parser-made anchors are assumed only if the source has fewer
    anchors than the tree (``in_tree``), because the entries of an ordinary list of links without addresses look alike.
    """
    copies = {at for at in range(1, len(found)) if _continues(found[at - 1], found[at])}
    if not copies or _written(html) >= in_tree:
        return found
    kept = []
    for at, uncrawlable in enumerate(found):
        is_nothing = at + 1 in copies and uncrawlable[3] == "no href" and "onclick" not in uncrawlable[2]
        if at not in copies and not is_nothing:
            kept.append(uncrawlable)
    return kept


def _written(html: str) -> int:
    """Count the anchors in a page's source, without those in comments and scripts."""
    count = at = 0
    while (match := _WRITTEN.search(html, at)) is not None:
        at = match.end()
        if match[0] == "<!--":
            end = html.find("-->", at)
            at = end if end >= 0 else len(html)
        elif len(match[0]) > len("<a"):
            closed = _SCRIPT_END.search(html, at)
            at = closed.end() if closed is not None else len(html)
        else:
            count += 1
    return count


def _continues(first: _Uncrawlable, second: _Uncrawlable) -> bool:
    """Whether the second anchor has the attributes of the first one, with no text between them."""
    if first[2] != second[2]:
        return False
    wanted = second[1].mem_id
    current, passed = first[1], True  # passed: the nodes inside were visited
    for _ in range(_MOST_BETWEEN):
        following = (None if passed else current.first_child) or current.next
        passed = following is None
        following = following or current.parent
        if following is None:
            return False
        current = following
        if not passed and current.mem_id == wanted:
            return True
        if not passed and current.is_text_node and (current.text_content or "").strip():
            return False
    return False


def _keep_uncrawlable(
    facts: PageFacts,
    found: list[_Uncrawlable],
    unread: Spans,
    hidden: AbstractSet[int],
) -> None:
    """Count the links that no crawler can follow, and keep the most useful examples: first those whose text names a
    target. An anchor that only controls the page (a menu, a box that opens) is not a link."""
    samples: list[tuple[bool, str, str]] = []
    looked_at = 0
    for position, node, attributes, why in found:
        if position in unread:
            continue
        text = _text_of(node, attributes, hidden)[0]
        if controls_page(node, attributes, why, text, hidden) or (not attributes and not text and _is_stray(node)):
            continue
        if looked_at < _MOST_LOOKED_AT and node.parent is not None:
            looked_at += 1
            if is_filler(readable(node.parent, _READ_LENGTH, hidden)):
                continue  # a sample in a text that stands for any other
        facts.uncrawlable_links += 1
        if len(samples) < _MOST_LOOKED_AT:
            samples.append((moves_on(text), text, kept(why, _TEXT_LENGTH)))
    samples.sort(key=lambda sample: sample[0])
    facts.uncrawlable_samples = [(text, why) for _, text, why in samples[:_MOST_SAMPLES]]


def _is_stray(node: LexborNode) -> bool:
    """Whether an ``<a>`` without attributes and text is a stray tag. It is not if an element with attributes is inside,
    such as an image or an icon, because a script may use it."""
    return not any(inner.is_element_node and inner.attributes for inner in islice(node.traverse(), _MOST_INSIDE))


def _note_vague(
    facts: PageFacts,
    url: str,
    node: LexborNode,
    attributes: dict[str, str | None],
    hidden: AbstractSet[int],
    internal: Callable[[str], bool],
) -> None:
    """Record the first link in the content to an address from the navigation, if its text says nothing. The caller
    calls this only for that link."""
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


def _note_mail(facts: PageFacts, address: str) -> None:
    """Record that the page offers a mail address. A mailto: link without an address does not count."""
    if "@" in unquote(address[:300].partition("?")[0]):
        if facts.contact is None:
            facts.contact = Contact()
        facts.contact.mail = True


def own_host(page_url: str, host: str) -> Callable[[str], bool]:
    """Return a function that checks whether an address is on the website. It is fast for the page's own origin, the
    usual case."""
    own = origin(page_url) + "/"
    if not same_site(page_url, host):
        return lambda url: same_site(url, host)
    return lambda url: url.startswith(own) or same_site(url, host)


def _text_of(node: LexborNode, attributes: dict[str, str | None], hidden: AbstractSet[int]) -> tuple[str, bool]:
    """Return ``(text, labelled)`` of a link: its own text, else an image's alternative text, else its label.
    ``labelled``: whether the link has a label, or the text is an image's."""
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
        text = kept_line(text, _TEXT_LENGTH).rstrip()
    if not text and labelled:
        text = kept(attributes.get("aria-label") or attributes.get("title") or "", _TEXT_LENGTH)
    return text, labelled
