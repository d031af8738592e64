"""Which rules may speak of an address: the denominators of the score.

Affected pages are always part of a rule's population. Assets (images, scripts, documents) never are: they are
judged where a page uses them. A page with two addresses (``/`` and ``/index.html``) counts once among pages.
"""

from functools import lru_cache
from typing import Final

from chalicelib.rules.context import Page
from chalicelib.rules.model import Population

# Endings of addresses that hold no web page, whatever the server answers.
_ASSET_ENDINGS: Final = (
    ".jpg .jpeg .png .gif .webp .avif .svg .ico .bmp .tif .tiff .css .js .mjs .json .map .xml .rss .atom .txt .csv"
    " .pdf .doc .docx .xls .xlsx .ppt .pptx .odt .ods .zip .gz .tgz .rar .7z .mp3 .mp4 .m4a .m4v .webm .ogg .wav .avi"
    " .mov .woff .woff2 .ttf .otf .eot .exe .dmg .apk .ics .vcf .epub .wasm"
).split()
_ASSETS: Final = tuple(_ASSET_ENDINGS)


def is_asset(url: str) -> bool:
    """Whether an address names a file that is no web page."""
    return url.partition("?")[0].lower().endswith(_ASSETS)


def populations_of(page: Page) -> frozenset[Population]:
    """The populations that an address belongs to."""
    address = page.address
    own_page = address.readable or (not is_asset(page.url) and not (address.status == 200 and not address.html))
    facts = page.facts
    return _populations(
        own_page and page.asked,
        own_page,
        own_page and page.in_sitemap,
        address.readable and address.same_as is None and not address.forwards,  # nobody sees what forwards at once
        address.indexable and address.same_as is None,
        bool(facts.links),
        bool(facts.images),
        bool(facts.hreflang),
        bool(facts.structured_types or facts.structured_errors),
    )


@lru_cache(maxsize=512)
def _populations(
    crawled: bool,
    known: bool,
    sitemap: bool,
    readable: bool,
    indexable: bool,
    links: bool,
    images: bool,
    hreflang: bool,
    structured: bool,
) -> frozenset[Population]:
    found: list[tuple[bool, Population]] = [
        (crawled, "crawled"),
        (known, "known"),
        (sitemap, "sitemap"),
        (readable, "readable"),
        (indexable, "indexable"),
        (indexable and links, "links"),
        (indexable and images, "images"),
        (indexable and hreflang, "hreflang"),
        (indexable and structured, "structured"),
    ]
    return frozenset(population for member, population in found if member)
