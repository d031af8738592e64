"""SEO-ONP-021: tags for search engines in the body, where they are ignored."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed

_NAMES: Final = {
    "title": "the title",
    "description": "the meta description",
    "robots": "the robots tag",
    "canonical": "the canonical address",
    "hreflang": "the language versions (hreflang)",
}


def check(page: Page, site: Site) -> PageVerdict:
    tags = page.facts.head_tags_in_body
    if not tags:
        return None
    if tags == ["title"] and page.facts.title_count:
        return Finding(
            "The body of the page has a second <title>. Browsers and search engines read the one in <head>: remove "
            "the other one.",
            {"tags": tags},
        )
    return Finding(
        f"Found in the body of the page: {listed([_NAMES.get(tag, tag) for tag in tags])}. Such tags belong into "
        "<head>. If the source already has them there, an element or a text before them ends <head> early: remove it, "
        "or move it to the body.",
        {"tags": tags},
    )


RULE = Rule(
    id="SEO-ONP-021",
    title="Head tags in the body",
    category="ONP",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="medium",
    writable_field=None,
    what="A title, meta description, robots tag, canonical address or hreflang ends up in <body> when a browser "
    "reads the page.",
    why="Browsers and search engines end <head> at the first element that is not allowed there, such as an image, a "
    "frame or a text. What follows counts as body, and search engines ignore a canonical or hreflang in it.",
    fix="If <head> has its own title, remove the second one. Otherwise look in <head> and before it for an <img>, "
    "<iframe>, <div> or plain text, such as a part of a tracking snippet or a line of program code. Move it to the "
    "body, or remove it. If a plugin writes the tags into the body, let it write them into <head>.",
    not_when="Titles inside drawings (SVG) and descriptions that are microdata (itemprop) are not head tags and do "
    "not count.",
    source="The HTML standard's parsing rules; search engines' documentation of canonical and hreflang.",
    page_check=check,
    cause=("template",),
)
