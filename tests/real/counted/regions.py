"""Parts of a page: what is hidden, what is the main content, which elements are navigation."""

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from tests.real.reading import Page

NOT_TEXT = frozenset(
    "script style noscript template svg math iframe frame noembed noframes object audio video embed source canvas"
    " select textarea datalist head title".split()
)
_NAVIGATION = {"navigation", "search", "complementary", "banner", "contentinfo"}


def hidden(element: HtmlElement) -> bool:
    """Whether an attribute of the element, or of one around it, hides it."""
    outer = [element, *element.iterancestors()]
    return any(_hides(each) for each in outer if each.tag not in ("body", "html"))


def around(element: HtmlElement, *tags: str) -> bool:
    """Whether the element stands in one of these."""
    return next(element.iterancestors(*tags), None) is not None


def shown_text(element: HtmlElement, *, alt: bool = False) -> str:
    """What a person reads in the element, with one space for every gap; ``alt`` adds the texts of images."""
    return " ".join("".join(_pieces(element, alt)).split())


def _pieces(element: HtmlElement, alt: bool) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str) and not _hides(child):
            if child.tag == "img" and alt:
                yield f" {child.get('alt') or ''} "
            elif child.tag in ("svg", "math"):
                if alt:
                    yield " ".join(title.text or "" for title in child.iter("title"))
            elif child.tag not in NOT_TEXT:
                yield from _pieces(child, alt)
                if child.tag in ("br", "p", "div", "li", "td"):
                    yield " "
        yield child.tail or ""


def _hides(element: HtmlElement) -> bool:
    style = re.sub(r"\s", "", element.get("style") or "").lower()
    return (
        (element.get("hidden") is not None and element.get("hidden") != "until-found")
        or element.get("aria-hidden") == "true"
        or "display:none" in style
        or _hidden_by_class(element)
    )


def _hidden_by_class(element: HtmlElement) -> bool:
    """Whether Bootstrap's class hides the element on screens of every width."""
    classes = (element.get("class") or "").split()
    wider = any(re.match(r"d-(sm|md|lg|xl|xxl)-", name) and not name.endswith("-none") for name in classes)
    return "d-none" in classes and not wider


def main_of(page: Page) -> HtmlElement | None:
    """The element of the main content: ``<main>``, its role, or the only article."""
    for element in page.root.iter("main"):
        if not hidden(element):
            return element
    for element in page.root.xpath('//*[@role="main"]'):
        return None if hidden(element) else element
    articles = [element for element in page.root.iter("article") if not around(element, "article")]
    return articles[0] if len(articles) == 1 and not hidden(articles[0]) else None


def is_navigation(element: HtmlElement) -> bool:
    """Whether the element is one for navigation, sidebars, or the page's header and footer."""
    if element.tag in ("nav", "aside"):
        return True
    if element.tag == "header" and around(element, "section") and not element.xpath(".//nav | .//ul"):
        return False
    if element.tag in ("header", "footer"):
        return not around(element, "article", "main")
    if element.tag in ("div", "ul", "section") and element.get("role") in _NAVIGATION:
        return element.get("role") not in ("banner", "contentinfo") or not around(element, "article", "main")
    return False


def content_text(page: Page) -> str:
    """The text of the main content; without one, of the body but for navigation. Code counts, scripts do not."""
    main = main_of(page)
    if main is not None:
        text = " ".join(_texts(main, every=True))
        if text.split():
            return text
    body = page.root.find("body")
    if body is None or page.frameset:
        return ""
    return " ".join(_texts(body, every=False))


def _texts(element: HtmlElement, *, every: bool) -> Iterator[str]:
    """Each run of text inside the element."""
    stack: list[HtmlElement | str] = [element]
    while stack:
        current = stack.pop()
        if isinstance(current, str):
            yield current
            continue
        wanted = isinstance(current.tag, str) and current.tag not in NOT_TEXT
        if wanted and (every or current is element or not is_navigation(current)):
            inner: list[HtmlElement | str] = [current.text or ""]
            for child in current:
                inner += [child, child.tail or ""]
            stack += reversed(inner)
