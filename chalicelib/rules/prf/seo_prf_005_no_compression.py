"""SEO-PRF-005: a page that is sent uncompressed."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule

LEAST_BYTES: Final = 10_000  # smaller answers gain next to nothing


def check(page: Page, site: Site) -> PageVerdict:
    facts = page.facts
    if facts.bytes <= LEAST_BYTES or facts.content_encoding not in (None, "identity"):
        return None
    return Finding(
        f"The page is sent uncompressed ({facts.bytes / 1000:,.0f} KB); compress it with Brotli, gzip or zstd.",
        {"bytes": facts.bytes, "contentEncoding": facts.content_encoding},
    )


RULE = Rule(
    id="SEO-PRF-005",
    title="No compression",
    category="PRF",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=6,
    effort="low",
    writable_field=None,
    what=f"The page is larger than {LEAST_BYTES // 1000} KB and is sent without compression, although the crawler "
    "accepts it.",
    why="Compressed HTML is about a fifth of the size, so the page arrives sooner, most of all on phones.",
    fix="Switch on Brotli or gzip for text in the web server or CDN. It is one setting for the whole website.",
    not_when=f"Pages up to {LEAST_BYTES // 1000} KB are left out, because compression saves little there.",
    source=f"Lighthouse's text compression audit. This service set the limit of {LEAST_BYTES // 1000} KB.",
    page_check=check,
)
