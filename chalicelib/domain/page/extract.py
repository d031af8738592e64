"""Extracts the facts of one HTML page: it parses the page once, goes over the elements once, and then extracts each
group of facts.

The order matters. The main text comes last, because its extraction removes scripts, drawings and navigation from the
tree. Each element is visited once, and no step takes quadratic time for any page (see ``markup_bombs``).
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.crawl.urls import same_site
from chalicelib.domain.page import blocks, kind_signs, placeholders, prefilter, shingles
from chalicelib.domain.page.answers import asks, is_beside_the_text, opening_of, points_elsewhere, words_after
from chalicelib.domain.page.code_samples import is_listing, take_out_boxes
from chalicelib.domain.page.extract_content import LEAST_OF_MAIN, embeds, is_followed, shows_more
from chalicelib.domain.page.extract_frames import opens_elsewhere
from chalicelib.domain.page.extract_head import read_generator, read_link_header, read_metas, read_titles
from chalicelib.domain.page.extract_images import read_images
from chalicelib.domain.page.extract_links import own_host, read_links, read_translations
from chalicelib.domain.page.extract_paragraphs import keep_paragraphs
from chalicelib.domain.page.extract_refresh import Resolver
from chalicelib.domain.page.extract_resources import read_resources
from chalicelib.domain.page.facts import LONGEST_LET_PASS, MANY_ELEMENTS, SHORTEST_ANSWER, Contact, PageFacts
from chalicelib.domain.page.headers import joined
from chalicelib.domain.page.markup import (
    MAX_LEVELS,
    UNREAD,
    Block,
    Hidden,
    Spans,
    before,
    leading_text,
    readable,
    tag_id,
    tag_ids,
    within,
)
from chalicelib.domain.page.ownership import is_ownership_file
from chalicelib.domain.page.page_kinds import is_account_name, named_by_address
from chalicelib.domain.page.schema import Claims, check_shown, claims_of, read_product
from chalicelib.domain.page.scripted_lists import read_form_targets, read_lists
from chalicelib.domain.page.scripts import forward_of
from chalicelib.domain.page.skeleton import shape_of
from chalicelib.domain.page.structured import read_markup_types
from chalicelib.domain.page.text import kept_line, mask_emails, measure, one_space, shortened
from chalicelib.domain.page.tree import NOWHERE, Found, parse, survey, with_base

MAX_HEADINGS: Final = 100
MOST_FORWARDING_LINKS: Final = 2  # a page that only forwards has a link for browsers without scripts
HEADING_LENGTH: Final = 200
TEXT_LENGTH: Final = 1_500
_TEXT_SLACK: Final = 300  # read beyond the stored length, so that no address is cut in half before it is masked
_MOST_INSECURE: Final = 20
_MOST_UNANSWERED: Final = 20
_MOST_ADDRESSES: Final = 5
_ADDRESS_LENGTH: Final = 200
_CHAPTERS: Final = frozenset((1, 2, 3))  # levels of headings
_CHAPTER_QUERY: Final = "h1,h2,h3"
_LEAST_CHAPTERS: Final = 2
_MOST_OF_PARAGRAPHS: Final = 0.5
_PARAGRAPHS_WEIGHED: Final = 100  # they may be nested, each containing all of the next
_ASKING_LEVELS: Final = frozenset((2, 3))
_LEVELS: Final = {tag_id(f"h{level}"): level for level in range(1, 7)}
_ARTICLE: Final = tag_id("article")
_FRAMESET: Final = tag_id("frameset")
_HEADER: Final = tag_id("header")
_SECTION: Final = tag_ids("section")

_CREDITS: Final = frozenset("author editor othercredit corpauthor".split())  # classes of DocBook's names of people
# Classes of boxes with a remark, as tools set them: their headings are labels such as "Note", in any language.
_REMARKS: Final = frozenset("admonition caution danger hint important note tip warning".split())
_CHAPTER_LEVEL: Final = 2  # headings of this level and above are no labels
_LONGEST_LABEL: Final = 3  # words
_PRE: Final = tag_id("pre")
_COLOURING: Final = tag_ids("span b i em strong font")  # elements that colour the words of code
# Tools beside the heading (copy, fold, edit), and its subtitle: <h1>Tents <small>new this winter</small></h1>.
_UNREAD_IN_HEADINGS: Final = UNREAD | tag_ids("button input small")
_PERMALINKS: Final = frozenset("¶#§🔗\uf0c1")  # the last is the link sign of an icon font
# Landmarks of pages that predate the elements for them.
_ROLES: Final = {
    "navigation": "navs",
    "search": "navs",
    "complementary": "asides",
    "banner": "edges",
    "contentinfo": "edges",
    "main": "mains",
}
_ROLE_QUERY: Final = ",".join(f'div[role="{role}"],ul[role="{role}"],section[role="{role}"]' for role in _ROLES)
_MOST_LANDMARKS: Final = 50

# The place of the title on Doxygen's pages; boxes inside it are groups and labels.
_TITLE_BOX: Final = "headertitle"
_BESIDE_TITLES: Final = _UNREAD_IN_HEADINGS | tag_ids("div span")

_BREADCRUMB_QUERY: Final = (
    '[class*="readcrumb"],[id*="readcrumb"],[aria-label*="readcrumb"],[itemtype$="BreadcrumbList"]'
)
# The links of sample trails, in component manuals and in templates, lead nowhere: such trails do not count.
_TRAIL_LINK_QUERY: Final = 'a[href]:not([href=""]):not([href^="#"]):not([href^="javascript:"])'
_MARKUP_QUERY: Final = "[itemtype],[typeof]"
# Author marks of books and manuals. Bylines of articles have more classes, and name a user account.
_AUTHOR: Final = "author"
_AUTHOR_QUERY: Final = '[class="author"],[class="authorgroup"]'
_MOST_BREADCRUMBS: Final = 10  # candidates looked at


def read_page(facts: PageFacts, html: str, *, headers: Mapping[str, str], host: str, resolver: Resolver) -> None:
    """Fill the HTML fields of ``facts`` from the decoded page. Never raises on a page.

    - ``headers``: the answer's headers (see the module ``headers``).
    - ``host``: the website's host, as ``urls.host_key`` names it.
    - ``resolver``: resolves links against ``facts.url``. If the page has a ``<base href>``, this function applies it.
    """
    if is_ownership_file(facts.url, html):
        facts.is_html = False
        return
    root, html, data = parse(html, facts.content_type)
    if root is None:
        return
    found, facts.elements = survey(root)
    if facts.elements > MANY_ELEMENTS:
        samples = Spans([(at, node) for at, node in found["codes"] if node.tag_id == _PRE]).nodes
        facts.code_elements = sum(inner.tag_id in _COLOURING for node in samples for inner in node.traverse())
    seen = prefilter.seen(data)
    if "role" in seen:
        _add_landmarks(root, found)
    body_at, body = found["bodies"][0] if found["bodies"] else (NOWHERE, root)
    links_from = with_base(found["bases"], resolver)
    hidden = Hidden(root, seen)

    attributes = root.attributes
    language = attributes.get("lang")
    if language is None and facts.content_type == "application/xhtml+xml":
        language = attributes.get("xml:lang")
    facts.lang = language.strip()[:40] if language is not None else ("" if "lang" in attributes else None)
    body_attributes = body.attributes
    body_language = body_attributes.get("lang")
    facts.body_lang = body_language.strip()[:40] if body_language is not None else None
    facts.body_class = one_space(body_attributes.get("class") or "")[:300]

    read_titles(facts, found["titles"], body_at)
    read_metas(facts, found["metas"], body_at, links_from)
    read_generator(facts, html)
    resources, things = read_resources(facts, found, body_at, links_from, host)
    read_link_header(facts, headers, resolver)

    contents = found["articles"] + found["mains"]
    # Only edges and headings are needed, so the main content, most of the page, is not walked through.
    asked = sorted(contents + found["edges"] + found["headings"], key=_position) if contents else []
    inside_content = Spans(sorted(contents, key=_position), asked)
    # The header of an article, of the main content or of a section belongs to it; only the page's are site-wide.
    edges = [(at, node) for at, node in found["edges"] if at not in inside_content and not _heads_a_section(node)]
    site_wide = Spans(sorted(found["navs"] + edges, key=_position))
    unread = found["unread"]
    if found["canvases"]:
        unread = sorted(unread + found["canvases"], key=_position)
    entries = read_links(facts, found["anchors"], site_wide, unread, hidden.inside, links_from, host, html)
    if "hreflang" in seen:
        read_translations(facts, root, links_from, host)
    facts.in_frame = "target" in seen and opens_elsewhere(found["bases"], found["anchors"], root, html)
    if things:
        read_product(facts, things, links_from.resolve)
    read_images(facts, found["images"], hidden.inside, links_from, captioned="<figcaption" in html)

    if found["forms"]:
        read_form_targets(facts, found["forms"], links_from, own_host(facts.url, host))
    if "repeats" in seen:
        read_lists(facts, root, found["scripts"], links_from, own_host(facts.url, host))

    _read_addresses(facts, found["addresses"], hidden.inside)
    if facts.contact is not None and facts.contact.mail and _AUTHOR in html:
        facts.contact.author = root.css_first(_AUTHOR_QUERY) is not None

    main, main_at = _main_content(root, found, hidden.inside)
    span = (main_at, inside_content.end_of(main_at, main)) if main is not None and main_at else None
    elsewhere = None if span is not None else Spans(sorted(found["navs"] + edges + found["asides"], key=_position))
    _read_headings(facts, found["headings"], span, elsewhere, hidden.inside, links_from)
    if "doxygen_title" in seen:
        facts.shown_title = _shown_title(root, hidden.inside)
    if "types" in seen:
        read_markup_types(facts, root.css(_MARKUP_QUERY))
    facts.nosnippet_main = _forbids_snippet(main if main is not None else body)
    if "breadcrumb" in seen:
        facts.breadcrumb_visible = _shows_breadcrumb(root, hidden.inside)
    _read_security(facts, found, headers, resources)
    if body.tag_id == _FRAMESET:
        facts.frames = _frame_targets(found["frames"], links_from)
    facts.platform = _platform(facts, resources, links_from, host)
    facts.shape = shape_of(body, facts.url)
    if facts.scripts and len(facts.links) <= MOST_FORWARDING_LINKS and "location" in html:
        target = forward_of([node for _, node in found["scripts"]])
        facts.script_forward = None if target is None else links_from.resolve(target)
    kind = named_by_address(facts.url)
    if kind is None and is_account_name(next((text for level, text in facts.headings if level == 1), "")):
        kind = "account"
    if kind is not None:
        facts.shows_kind = kind_signs.shown_by_markup(kind, facts.url, root)
    facts.embeds = embeds(found, main, html, hidden.inside)
    facts.spelled.update({url: written for url, written in links_from.spelled.items() if url != facts.url})
    claims = claims_of(things) if things else None
    _read_main_text(facts, main, body, found, edges, hidden, claims, html, seen, entries)
    if kind is not None and not facts.shows_kind:
        facts.shows_kind = kind_signs.shown_by_text(kind, facts.text)


def _heads_a_section(edge: LexborNode) -> bool:
    """Whether an edge is the header of a section of the text (HTML-AAM). A header with a menu is the page's own,
    because some templates put the whole page into a section."""
    return (
        edge.tag_id == _HEADER and within(edge, _SECTION, MAX_LEVELS) is not None and edge.css_first("nav,ul") is None
    )


def _position(item: tuple[int, LexborNode]) -> int:
    return item[0]


def _add_landmarks(root: LexborNode, found: dict[str, Found]) -> None:
    """Treat boxes with the ARIA role of navigation, sidebar, header, footer or main content as those elements."""
    roles = {node.mem_id: node.attributes.get("role") or "" for node in root.css(_ROLE_QUERY)[:_MOST_LANDMARKS]}
    if not roles:
        return
    for position, node in enumerate(root.traverse(), start=1):
        role = roles.get(node.mem_id)
        if role is not None:
            found[_ROLES[role]].append((position, node))
    for kind in ("navs", "asides", "edges", "mains"):
        found[kind].sort(key=_position)


def _main_content(root: LexborNode, found: dict[str, Found], hidden: AbstractSet[int]) -> tuple[LexborNode | None, int]:
    """Find the element of the main content. Returns its position if it is a ``<main>``, else 0.

    An element with ``role=main`` counts too, and so does a single ``<article>`` that is not part of a longer text.
    Several articles are a list of teasers; none of them is the page's content.
    """
    for position, node in found["mains"]:
        if node.mem_id not in hidden:
            return node, position
    by_role = root.css_first('[role="main"]')
    if by_role is not None and by_role.mem_id not in hidden:
        return by_role, 0
    articles = Spans(found["articles"]).nodes
    if len(articles) == 1 and articles[0].mem_id not in hidden and not _is_part(articles[0], root, found["headings"]):
        return articles[0], 0
    return None, 0


def _is_part(article: LexborNode, root: LexborNode, headings: Found) -> bool:
    """Whether a single article is only an entry of a longer text, such as a manual's only function. In this case
    chapter headings, and most of the text in paragraphs, are outside the article."""
    if sum(_LEVELS[node.tag_id] in _CHAPTERS for _, node in headings) < _LEAST_CHAPTERS:
        return False
    if article.css_first(_CHAPTER_QUERY) is not None:
        return False
    inside, everywhere = (
        sum(len(node.text()) for node in part.css("p")[:_PARAGRAPHS_WEIGHED]) for part in (article, root)
    )
    return inside < _MOST_OF_PARAGRAPHS * everywhere


def _read_headings(
    facts: PageFacts,
    headings: Found,
    main: tuple[int, int] | None,
    elsewhere: Spans | None,
    hidden: AbstractSet[int],
    resolver: Resolver,
) -> None:
    """Record the visible headings with text: every H1, and all headings in ``<main>``. ``main``: its span.

    Without ``<main>``, all headings are recorded except those ``elsewhere``: in navigation, sidebars, header and
    footer. The names of authors that DocBook sets as headings are left out, and so are labels of remarks.
    """
    first, last = main if main is not None else (0, NOWHERE)
    kept = facts.headings
    has_main_h1 = False
    opening = opening_of(facts.lang)
    for position, node in headings:
        level = _LEVELS[node.tag_id]
        wanted = len(kept) < MAX_HEADINGS and first <= position <= last
        wanted = wanted and (elsewhere is None or position not in elsewhere)
        if not (wanted or level == 1) or node.mem_id in hidden:
            continue
        if level > 1 and node.attributes.get("class") in _CREDITS:
            continue
        limit = HEADING_LENGTH + _TEXT_SLACK
        # The heading of an accordion consists only of a button, another one only of small print.
        text = readable(node, limit, hidden, alt=True, unread=_UNREAD_IN_HEADINGS) or (
            readable(node, limit, hidden, alt=True)
        )
        if text and (text[-1] in _PERMALINKS or text[0] in _PERMALINKS):
            text = _without_permalinks(node, text, hidden)
        if not text or (level > _CHAPTER_LEVEL and _is_label(node, text)):
            continue
        if level == 1:
            facts.h1_count += 1
            if main is not None and first <= position <= last and not has_main_h1:
                has_main_h1 = True
                if facts.h1_count > 1:
                    facts.main_h1 = kept_line(text, HEADING_LENGTH).rstrip()
            wanted = len(kept) < MAX_HEADINGS
        if wanted:
            text = kept_line(text, HEADING_LENGTH).rstrip()
            kept.append((level, text))
            if level in _ASKING_LEVELS and asks(text, opening):
                _read_answer(facts, node, text, hidden, resolver)


def _is_label(heading: LexborNode, text: str) -> bool:
    """Whether a heading labels a box with a remark, instead of a section: a few words at the beginning of the box."""
    if text.count(" ") >= _LONGEST_LABEL or before(heading) is not None:
        return False
    box = heading.parent
    classes = box.attributes.get("class") if box is not None else None
    return classes is not None and not _REMARKS.isdisjoint(classes.split())


def _shown_title(root: LexborNode, hidden: AbstractSet[int]) -> str | None:
    """Return the title that Doxygen shows above the text, in a box instead of a heading."""
    box = root.css_first(f".{_TITLE_BOX}")
    node = box.css_first(".title") if box is not None else None
    if node is None or node.mem_id in hidden:
        return None
    text = readable(node, HEADING_LENGTH + _TEXT_SLACK, hidden, unread=_BESIDE_TITLES)
    return kept_line(text, HEADING_LENGTH).rstrip() or None


def _without_permalinks(heading: LexborNode, text: str, hidden: AbstractSet[int]) -> str:
    """Return a heading without the permalink sign (¶, #, §) at its beginning or end, which no visitor reads as text."""
    anchors = heading.css("a[href]")
    if anchors and _is_permalink(anchors[-1], text[-1], hidden):
        text = text[:-1].rstrip()
    if text and anchors and _is_permalink(anchors[0], text[0], hidden):
        text = text[1:].lstrip()
    return text


def _is_permalink(anchor: LexborNode, sign: str, hidden: AbstractSet[int]) -> bool:
    if sign not in _PERMALINKS or readable(anchor, 4, hidden) != sign:
        return False
    return (anchor.attributes.get("href") or "").lstrip().startswith("#")


def _read_answer(
    facts: PageFacts, heading: LexborNode, text: str, hidden: AbstractSet[int], resolver: Resolver
) -> None:
    """Record whether a paragraph, list or table follows the question, and what is wrong with its length.

    A question is not counted if it links to the page with its answer, or if it is the title of a sidebar.
    """
    count = words_after(heading, text, hidden)
    if count is None or is_beside_the_text(heading):
        return
    if points_elsewhere(heading, text, hidden, lambda href: resolver.resolve(href) not in (None, facts.url)):
        return
    facts.questions += 1
    if count and not SHORTEST_ANSWER <= count <= LONGEST_LET_PASS and len(facts.unanswered) < _MOST_UNANSWERED:
        facts.unanswered.append((text, count))


def _read_addresses(facts: PageFacts, addresses: Found, hidden: AbstractSet[int]) -> None:
    for _, node in addresses[:_MOST_ADDRESSES]:
        text = kept_line(readable(node, _ADDRESS_LENGTH + _TEXT_SLACK, hidden), _ADDRESS_LENGTH).rstrip()
        if text:
            if facts.contact is None:
                facts.contact = Contact()
            facts.contact.addresses.append(text)


def _forbids_snippet(main: LexborNode) -> bool:
    """Whether ``data-nosnippet`` is on the main content or on an element around it."""
    current: LexborNode | None = main
    for _ in range(MAX_LEVELS):
        if current is None or not current.is_element_node:
            break
        if "data-nosnippet" in current.attributes:
            return True
        current = current.parent
    return False


def _shows_breadcrumb(root: LexborNode, hidden: AbstractSet[int]) -> bool:
    return any(
        node.mem_id not in hidden and node.css_first(_TRAIL_LINK_QUERY) is not None and readable(node, 20, hidden) != ""
        for node in root.css(_BREADCRUMB_QUERY)[:_MOST_BREADCRUMBS]
    )


def _read_security(facts: PageFacts, found: dict[str, Found], headers: Mapping[str, str], resources: list[str]) -> None:
    """Record forms that submit to http, and resources that an https page loads over http.

    A page that asks browsers to upgrade insecure requests loads nothing over http.
    """
    for _, node in found["forms"]:
        targets = [node.attributes.get("action")]
        targets += [button.attributes.get("formaction") for button in node.css("[formaction]")[:20]]
        for target in targets:
            if target and _is_http(target) and len(facts.insecure_forms) < _MOST_INSECURE:
                address = target.strip()[:2100]
                if address not in facts.insecure_forms:
                    facts.insecure_forms.append(address)
    if not facts.url.startswith("https:"):
        return
    insecure = [address for address in resources if _is_http(address)]
    insecure += [image.src for image in facts.images if image.src.startswith("http:")]
    for _, node in found["frames"] + found["media"]:
        attributes = node.attributes
        source = attributes.get("src") or attributes.get("data")
        if source and _is_http(source):
            insecure.append(source)
    if insecure and not _upgrades(found["metas"], headers):
        facts.insecure_resources = list(dict.fromkeys(address.strip()[:2100] for address in insecure))[:_MOST_INSECURE]


def _is_http(address: str) -> bool:
    return address[:7] == "http://" or address.lstrip()[:7].lower() == "http://"


def _upgrades(metas: Found, headers: Mapping[str, str]) -> bool:
    if "upgrade-insecure-requests" in joined(headers, "content-security-policy").lower():
        return True
    return any(
        (node.attributes.get("http-equiv") or "").strip().lower() == "content-security-policy"
        and "upgrade-insecure-requests" in (node.attributes.get("content") or "").lower()
        for _, node in metas
    )


def _frame_targets(frames: Found, resolver: Resolver) -> list[str]:
    targets = (resolver.resolve(node.attributes.get("src") or "") for _, node in frames if node.attributes.get("src"))
    return list(dict.fromkeys(target for target in targets if target is not None))[:100]


def _platform(facts: PageFacts, resources: list[str], resolver: Resolver, host: str) -> str | None:
    """Return the content system that the markup reveals. Files of another website prove nothing."""
    generator = (facts.generator or "").lower()
    if generator.startswith(("wordpress", "woocommerce")):
        return "wordpress"
    if generator.startswith("shopify"):
        return "shopify"
    everything = "\n".join(resources)
    if "cdn.shopify.com/" in everything or "/cdn/shop/" in everything:
        return "shopify"
    if "/wp-content/" in everything or "/wp-includes/" in everything:
        for address in resources:
            if "/wp-content/" in address or "/wp-includes/" in address:
                url = resolver.resolve(address)
                if url is not None and same_site(url, host):
                    return "wordpress"
    return None


def _read_main_text(
    facts: PageFacts,
    main: LexborNode | None,
    body: LexborNode,
    found: dict[str, Found],
    edges: Found,
    hidden: Hidden,
    claims: Claims | None,
    html: str,
    seen: AbstractSet[str],
    entries: AbstractSet[str],
) -> None:
    """Fill word count, fingerprint and start of the main text. This destroys the tree: do not use it afterwards.

    Words and fingerprint include code samples, since pages may differ in nothing else. ``text`` leaves them out.
    """
    if body.tag_id == _FRAMESET:
        return
    for kind in ("scripts", "unread", "canvases", "fields", "frames", "media"):
        for _, node in found[kind]:
            node.decompose(False)
    source = main
    parts = ""
    if source is not None:
        parts = source.text(separator=blocks.END)
        facts.words, facts.text_hash = measure(parts)
        if (
            facts.words < LEAST_OF_MAIN
            and source.tag_id != _ARTICLE
            and is_followed(source, body, hidden.inside, len(parts))
        ):
            facts.words = 0  # the paragraphs after it are the main text
    start = None
    if not facts.words:
        for items in (found["navs"], found["asides"], edges):
            for _, node in items:
                node.decompose(False)
        source = body
        start = _first_heading(found["headings"], hidden.inside)
        parts = body.text(separator=blocks.END)
        facts.words, facts.text_hash = measure(parts)
    if not facts.embeds:
        facts.embeds = shows_more(main, source or body, html, facts.words, bool(facts.scripts))
    if facts.words and source is not None:
        of_links = blocks.END.join([*(link.text for link in (*facts.links, *facts.external_links)), *entries])
        words, own = shingles.words_of_both(parts, of_links, blocks.END)
        facts.sketch = shingles.sketch_of(words.hashes[:own])
        facts.blocks = blocks.kept(words, own)
        text = parts.replace(blocks.END, " ")
        if claims is not None and not claims.stand_in(text):
            check_shown(facts, claims, body.text(separator=" "))
        hidden.take_out()
        facts.listing = is_listing(source, found["codes"], html, len(text), seen)
        paragraphs: list[Block] = []
        leading = leading_text(source, TEXT_LENGTH + _TEXT_SLACK, paragraphs, start)
        facts.text = shortened(mask_emails(leading), TEXT_LENGTH)
        keep_paragraphs(facts, paragraphs, source)
        if placeholders.may_hold(text):
            code = [node.text() for node in Spans(found["codes"]).nodes]
            for _, node in found["codes"]:
                node.decompose(False)
            code += take_out_boxes(source)
            facts.placeholders = placeholders.find(source.text(separator=" "), html, "\n".join(code))


def _first_heading(headings: Found, hidden: AbstractSet[int]) -> LexborNode | None:
    """Return the first visible main heading with text. On a page without ``<main>``, the text before this heading
    belongs to the website."""
    for _, node in headings:
        if _LEVELS[node.tag_id] == 1 and node.mem_id not in hidden and node.text().strip():
            return node
    return None
