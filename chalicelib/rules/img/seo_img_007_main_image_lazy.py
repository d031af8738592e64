"""SEO-IMG-007: the most important image of the page is loaded last."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule


def has_data(site: Site) -> bool:
    """Whether Lighthouse tested any page."""
    return bool(site.agentic)


def check(page: Page, site: Site) -> PageVerdict:
    result = (site.agentic or {}).get(page.url)
    if result is None:
        return NOT_APPLICABLE
    image = result.largest_image
    if image is None:
        return NOT_APPLICABLE
    if not image.lazy:
        return None
    named = image.snippet or image.selector or "the largest image"
    return Finding(
        f'{named} is the largest thing that visitors see first, and has loading="lazy"; remove that, and add '
        'fetchpriority="high" instead.',
        {"selector": image.selector, "snippet": image.snippet, "lighthouseVersion": result.lighthouse_version},
    )


RULE = Rule(
    id="SEO-IMG-007",
    title="Main image lazy-loaded",
    category="IMG",
    severity="medium",
    confidence="likely",
    scope="page",
    population="images",
    weight=6,
    effort="low",
    writable_field=None,
    what='Lighthouse found that the largest image of the first screen has loading="lazy".',
    why="Browsers delay a lazy-loaded image until the page is laid out, so the largest part of the first screen "
    "appears last.",
    fix='Remove loading="lazy" from the first large image of the template, and give it fetchpriority="high". Keep '
    "lazy loading for the images further down.",
    not_when="Pages that were not tested with Lighthouse are not judged, nor are pages whose largest element is a "
    "text.",
    source="Lighthouse's LCP request discovery insight.",
    page_check=check,
    needs=("agentic",),
    has_data=has_data,
    cause=("template",),
)
