"""Rules about titles, descriptions, headings and canonical addresses."""

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from urllib.parse import urlsplit

from tests.real.counted.font import pixels
from tests.real.counted.regions import around, hidden, is_navigation, main_of, shown_text
from tests.real.counted.text import fingerprint
from tests.real.reading import Page, Website

_STOCK = frozenset("home|untitled|index|page|new page|startseite|home page|homepage|untitled document".split("|"))
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def description(page: Page) -> str:
    return next((text for content in page.metas("description") if (text := " ".join(content.split()))), "")


def short_title(website: Website, page: Page) -> bool:
    home = website.pages.get(website.home)
    copy = home is not None and fingerprint(page) != "" and fingerprint(page) == fingerprint(home)
    title = page.title
    if not title or copy or page.url == website.home or not page.own_canonical or folded(title) in _STOCK:
        return False
    headings = [text for element in page.root.iter("h1") if not hidden(element) and (text := shown_text(element))]
    named = len(title.split()) <= 3 and folded(title) in {folded(text.rstrip("¶#§")) for text in headings}
    return len(title) < 30 and round(pixels(title, 20)) < 200 and not named


def main_headings(page: Page) -> set[str]:
    texts = [
        shown_text(element, alt=True).rstrip("¶#§").strip() for element in page.root.iter("h1") if not hidden(element)
    ]
    # A style guide's sample of a heading is none: "h1. Bootstrap heading".
    return {text for text in texts if text and not text.startswith("h1. ")}


def skips_a_level(page: Page) -> bool:
    """Headings of the main element; without one, all but those of navigation, sidebars, header and footer. Each H1."""
    main = next(iter(page.root.xpath('//main | //*[@role="main"]')), None)
    levels = []
    for element in page.root.iter(*_HEADINGS):
        outer = list(element.iterancestors())
        within = any(each is main for each in outer) if main is not None else not any(map(is_navigation, outer))
        counts = (within or element.tag == "h1") and not hidden(element)
        if element.tag != "h1" and element.get("class") in ("author", "editor", "othercredit", "corpauthor"):
            counts = False  # DocBook sets the names of people as headings
        box = set((outer[0].get("class") or "").split()) if outer else set()
        if element.tag != "h1" and box & {"note", "tip", "hint", "warning", "caution", "danger", "important"}:
            counts = False  # the label of a remark
        if counts and shown_text(element, alt=True).rstrip("¶#§").strip():
            levels.append(int(element.tag[1]))
    return any(below > above + 1 for above, below in pairwise(levels))


def speaks_a_language(page: Page) -> bool:
    root = page.root
    named = root.get("lang")
    if named is None and page.reply.headers.get("content-type", "").startswith("application/xhtml+xml"):
        named = root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("xml:lang")
    return re.match(r"[a-zA-Z]{2,3}([-_]|$)", (named or "").strip()) is not None


def head_tags_outside(page: Page) -> bool:
    """Whether a tag that belongs into ``<head>`` stands behind its end."""
    inside = [(tag, attrs) for tag, attrs in page.head.found if tag in ("meta", "link")]

    def names(tag: str, get: Callable[[str], str | None]) -> str | None:
        if tag == "link":
            rel = (get("rel") or "").lower().split()
            if get("href") is None or get("itemprop") is not None:
                return None
            return (
                "canonical"
                if "canonical" in rel
                else "hreflang"
                if get("hreflang") is not None and "alternate" in rel
                else None
            )
        name = (get("name") or "").strip().lower()
        usable = get("content") is not None and get("itemprop") is None
        return name if usable and name in ("description", "robots", "googlebot") else None

    expected = sum(names(tag, attrs.get) is not None for tag, attrs in inside)
    every = sum(names(element.tag, element.get) is not None for element in page.root.iter("meta", "link"))
    titles = sum(not around(element, "svg", "math") for element in page.root.iter("title"))
    return every > expected or titles > len(page.head.titles)


def hides_snippets(page: Page) -> bool:
    marked = main_of(page)
    marked = page.root.find("body") if marked is None else marked
    on_main = marked is not None and any(
        element.get("data-nosnippet") is not None for element in [marked, *marked.iterancestors()]
    )
    said = {re.sub(r"\s", "", word) for word in page.robots}
    return on_main or "nosnippet" in said or "max-snippet:0" in said


def canonical_elsewhere(page: Page) -> bool:
    named = [url for href in page.canonicals if href and (url := page.to(href)) is not None]
    return bool(named) and all(urlsplit(url).hostname != urlsplit(page.url).hostname for url in named)


def canonical_written_badly(page: Page) -> bool:
    if canonical_elsewhere(page):
        return False
    return any(
        href and (re.match(r"https?://", href, re.IGNORECASE) is None or "#" in href) for href in page.canonicals
    )


def several_canonicals(page: Page) -> bool:
    return len({page.to(href) or href for href in page.canonicals if href}) > 1


def in_frame(page: Page) -> bool:
    """Whether the page's links open in another frame."""
    for base in page.root.iter("base"):
        if base.get("target") is not None:
            return names_frame(base.get("target")) or base.get("target").lower() in ("_top", "_parent")
    links = list(page.root.iter("a", "area"))
    named = sum(names_frame(link.get("target")) for link in links)
    return named >= max(3, len(links) / 2)


def names_frame(target: str | None) -> bool:
    windows = "blank new neu newwindow window win external extern popup self".split()
    return bool(target) and not target.startswith("_") and target.lower() not in windows


def without_main_heading(website: Website) -> set[str]:
    folders = tuple(page.url.rpartition("/")[0] + "/" for page in website.pages.values() if page.frameset)

    def is_framed(page: Page) -> bool:
        return page.url.startswith(folders) and page.url != website.home and in_frame(page)

    return website.indexable(lambda page: not (page.frameset or main_headings(page) or is_framed(page)))


def described_often(page: Page) -> bool:
    return len(page.metas("description")) > 1


RULES: dict[str, Callable[[Website], set[str]]] = {
    "SEO-ONP-001": lambda website: website.indexable(lambda page: not page.title),
    "SEO-ONP-003": lambda website: website.indexable(lambda page: len(page.head.titles) > 1),
    "SEO-ONP-004": lambda website: website.indexable(lambda page: short_title(website, page)),
    "SEO-ONP-005": lambda website: website.indexable(lambda page: pixels(page.title or "", 20) > 561),
    "SEO-ONP-010": lambda website: website.indexable(lambda page: not description(page)),
    "SEO-ONP-012": lambda website: website.indexable(lambda page: pixels(description(page), 14) > 985),
    "SEO-ONP-014": lambda website: website.indexable(described_often),
    "SEO-ONP-015": without_main_heading,
    "SEO-ONP-016": lambda website: website.indexable(lambda page: len(set(map(folded, main_headings(page)))) > 1),
    "SEO-ONP-018": lambda website: website.indexable(skips_a_level),
    "SEO-ONP-019": lambda website: website.readable(lambda page: not speaks_a_language(page)),
    "SEO-ONP-020": lambda website: website.readable(
        lambda page: not any(re.search("width|initial-scale", said, re.IGNORECASE) for said in page.metas("viewport"))
    ),
    "SEO-ONP-021": lambda website: website.indexable(head_tags_outside),
    "SEO-ONP-023": lambda website: website.indexable(hides_snippets),
    "SEO-TEC-018": lambda website: website.indexable(several_canonicals),
    "SEO-TEC-019": lambda website: website.indexable(canonical_written_badly),
    "SEO-TEC-034": lambda website: website.readable(canonical_elsewhere),
}
