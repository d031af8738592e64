"""Rules about images."""

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from tests.real.counted.regions import hidden, shown_text
from tests.real.reading import Page, Website

_FILE_NAME = re.compile(
    r"\S.*\.(jpe?g|png|webp|gif|avif|svg)|(IMG|DSC|DSCN|DSCF|PXL|MVIMG|WP|P)_?\d{4,}\S*", re.IGNORECASE | re.DOTALL
)


_WORD_FOR_PICTURES = re.compile(
    r"(?:image|picture|photo|photograph|bild|foto|imagen|imagem|immagine|afbeelding|obraz|фото)s?[\s_#-]*\d{0,6}"
    r"|img|pic|alt|alt text|untitled|placeholder|thumbnail|[-.…–—_*/#:]+",
    re.IGNORECASE,
)


def says_nothing(alt: str) -> bool:
    return bool(_FILE_NAME.fullmatch(alt) or _WORD_FOR_PICTURES.fullmatch(alt))


def size(image: HtmlElement, side: str) -> int | None:
    written = re.match(r"\s*\+?(\d+)(\.\d*)?\s*(px)?\s*$", image.get(side) or "")
    if written is not None:
        return int(written[1])
    styled = re.search(rf"(?:^|[;\s]){side}\s*:\s*(\d+)(?:\.\d+)?px", image.get("style") or "", re.IGNORECASE)
    return int(styled[1]) if styled is not None else None


def decorates(image: HtmlElement) -> bool:
    tiny = any((length := size(image, side)) is not None and length <= 1 for side in ("width", "height"))
    return tiny or image.get("role") in ("presentation", "none") or hidden(image)


def source(page: Page, image: HtmlElement) -> str | None:
    src = image.get("src")
    if not src or src.startswith("data:"):
        src = image.get("data-src") or image.get("data-lazy-src") or image.get("data-original")
        src = src or ((image.get("srcset") or "").split() or [None])[0]
    return page.to(src) if src else None


def content_images(page: Page) -> Iterator[tuple[HtmlElement, str]]:
    """(element, address) of every image that is no decoration."""
    for image in page.root.iter("img"):
        address = source(page, image)
        if address is not None and not decorates(image):
            yield image, address


def all_a_link_shows(image: HtmlElement) -> bool:
    """Whether a link to an address shows nothing but this image."""
    link = next(image.iterancestors("a"), None)
    if link is None or any(
        holder.get(name) for holder in (image, link) for name in ("aria-label", "title", "aria-labelledby")
    ):
        return False
    href = (link.get("href") or "").strip()
    if href[:1] in ("", "#") or href.lower().startswith("javascript:") or link.get("role") == "button":
        return False
    return not shown_text(link, alt=True)


def named_icon(address: str) -> bool:
    """Whether the file's name has the word "icon", or its folder's name ends with it."""
    folder, _, name = urlsplit(address).path.lower().rpartition("/")
    words = {*re.split(r"[^a-z0-9]+", name), re.split(r"[^a-z0-9]+", folder)[-1]}
    return not words.isdisjoint(("icon", "icons"))


def without_alternative(page: Page) -> bool:
    for image, address in content_images(page):
        lengths = [length for side in ("width", "height") if (length := size(image, side)) is not None]
        icon = any(length < 50 for length in lengths)
        icon = icon or (not lengths and named_icon(address) and not all_a_link_shows(image))
        alt = image.get("alt")
        if not icon and (alt is None or (not alt.strip() and all_a_link_shows(image))):
            return True
    return False


def ends_the_page(image: HtmlElement) -> bool:
    """Whether no text and no image is below the image or the footer that it is in."""
    last = image
    for around in image.iterancestors():
        names = f"{around.get('id') or ''} {around.get('class') or ''}"
        if around.tag in ("footer", "address") or re.search(r"(?:^|[\s_-])footer(?:\s|$)", names, re.IGNORECASE):
            last = around
    for box in (last, *last.iterancestors()):
        below = [one for one in box.itersiblings() if isinstance(one.tag, str)]
        if any((one.tail or "").strip() for one in (box, *box.itersiblings())):
            return False
        if any(shown_text(one) or next(one.iter("img"), None) is not None for one in below):
            return False
    return True


def closed(image: HtmlElement) -> bool:
    """Whether the image is in a menu, a dialog or another part that a visitor has to open."""
    for box in image.iterancestors():
        classes = set((box.get("class") or "").lower().split())
        if box.tag == "dialog" and box.get("open") is None:
            return True
        if box.tag == "details" and box.get("open") is None and next(image.iterancestors("summary"), None) is None:
            return True
        if box.get("popover") is not None:
            return True
        if classes & {"dropdown-menu", "modal", "offcanvas", "collapse", "tab-pane"}:
            opened = {"show", "in", "open", "opened", "active", "is-active", "is-open", "current", "navbar-collapse"}
            by_screen = any(re.match(r"d-(block|(sm|md|lg|xl|xxl)-)|(sm|md|lg|xl|2xl):", name) for name in classes)
            if not classes & opened:
                return not by_screen
    return False


def unsized(website: Website, page: Page) -> bool:
    shown = [one for one in content_images(page) if not closed(one[0])]
    for image, address in shown[:5]:
        style = image.get("style") or ""
        kept = re.search(r"aspect-ratio\s*:|position\s*:\s*(absolute|fixed)", style, re.IGNORECASE)
        classes = (image.get("class") or "").split()
        framed = any(re.match(r"(?:\w+:)?(h-|size-|aspect-|ratio-|absolute$)", name) for name in classes)
        sized = size(image, "width") is not None and size(image, "height") is not None
        judged = not sized and not kept and not framed and not ends_the_page(image)
        # A missing file takes no room that could move the text. SEO-IMG-004 reports it.
        if judged and not (website.own(address) and _is_broken(website, address)):
            return True
    return False


def broken(website: Website, page: Page) -> bool:
    addresses = {address for image in page.root.iter("img") if (address := source(page, image)) is not None}
    return any(_is_broken(website, address) for address in addresses if website.own(address))


def _is_broken(website: Website, address: str) -> bool:
    return website.asker.end_of(address)[0] >= 400


def heavy(website: Website, page: Page) -> bool:
    for image in page.root.iter("img"):
        address = source(page, image)
        if address is None or not website.own(address) or image.get("srcset") or image.get("data-srcset"):
            continue
        width = size(image, "width")
        reply = website.asker.asked(address)
        large = reply.status == 200 and int(reply.headers.get("content-length") or 0) > 500_000
        if large and (width is None or width <= 1_600):
            return True
    return False


RULES: dict[str, Callable[[Website], set[str]]] = {
    "SEO-IMG-001": lambda website: website.indexable(without_alternative),
    "SEO-IMG-003": lambda website: website.indexable(
        lambda page: any(says_nothing((image.get("alt") or "").strip()) for image, _ in content_images(page))
    ),
    "SEO-IMG-004": lambda website: website.indexable(lambda page: broken(website, page)),
    "SEO-IMG-005": lambda website: website.indexable(lambda page: heavy(website, page)),
    "SEO-IMG-006": lambda website: website.indexable(lambda page: unsized(website, page)),
}
