"""Rules about the website as a whole."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from lxml.etree import Comment

from tests.real.reading import Page, Website

_HEADERS = ("content-security-policy", "x-content-type-options", "referrer-policy")
_SITEMAPS = ("/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml")


def _home(website: Website) -> dict[str, str]:
    return website.asker.get(website.home).headers


def no_sitemap(website: Website) -> bool:
    named = website.robots is not None and bool(website.robots.site_maps())
    return not named and all(website.asker.get(website.base + path).status != 200 for path in _SITEMAPS)


def things(page: Page) -> Iterator[Any]:
    """What the JSON-LD blocks of the page hold; None for one that is no JSON."""
    for script in page.root.iter("script"):
        if (script.get("type") or "").strip().lower().startswith("application/ld+json"):
            try:
                yield json.loads(script.text or "")
            except ValueError:
                yield None


def nobody_named(website: Website) -> bool:
    """Whether the home page's JSON-LD names no organisation with its name and address."""
    home = website.pages.get(website.home)
    found = [] if home is None else [thing for block in things(home) for thing in _all_things(block)]
    return not any(
        {"name", "url"} <= thing.keys() and re.search("Organization|Business", str(thing.get("@type")))
        for thing in found
    )


_MANUAL_TOOLS = re.compile(
    r"docbook|docutils|sphinx|makeinfo|texi|doxygen|javadoc|rustdoc|mdbook|gtk-doc|gi-docgen|\bnim\b|pod2html|asciidoc"
    r"|haddock|\byard\b|ex_?doc\b|jsdoc|pdoc|latex2html|tex4ht|hevea|hyperlatex|qdoc|linuxdoc|publican|groff",
    re.IGNORECASE,
)
_MADE_BY = re.compile(r"(?:generated|produced|created|built|made)\b.{0,60}?\b(?:by|with|using) (.{1,60})", re.I)
_OF_TOOLS = re.compile(r"doctools\.js|(doxygen|epydoc|haddock|ldoc|odoc|rdoc)\.css")
# Titles of manuals, in lower case.
_TITLED_MANUAL = re.compile(
    r"generated doc|(reference|user.{0,3}|programmer.{0,3}|developer.{0,3}) (manual|guide)|(manual|handbook)\W*$"
    r"|handbuch|documentation index\W*$"
)


def is_manual(website: Website) -> bool:
    """Whether the home page says that it is a manual, or that a documentation tool made it."""
    home = website.pages.get(website.home)
    if home is None:
        return False
    titles = [title.text_content().lower() for title in home.root.iter("title")][:1]
    if any(map(_TITLED_MANUAL.search, titles)):
        return True
    named = [meta.get("content") or "" for meta in home.root.iter("meta") if (meta.get("name") or "") == "generator"]
    named += [str(comment.text) for comment in home.root.iter(Comment)][:5]
    files = [script.get("src") or "" for script in home.root.iter("script")]
    files += [link.get("href") or "" for link in home.root.iter("link")]
    last_line = " ".join(home.root.text_content().split())[-200:]
    named += [made[1] for made in _MADE_BY.finditer(last_line)]
    return any(map(_MANUAL_TOOLS.search, named)) or any(map(_OF_TOOLS.search, files))


def _all_things(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _all_things(inner)


def no_llms_txt(website: Website) -> bool:
    answer = website.asker.get(website.base + "/llms.txt")
    return answer.status == 404 or not answer.body.strip()


RULES: dict[str, Callable[[Website], bool]] = {
    "SEO-AEO-005": no_llms_txt,
    "SEO-AEO-008": lambda website: nobody_named(website) and not is_manual(website),
    "SEO-SEC-003": lambda website: (
        website.home.startswith("https") and "strict-transport-security" not in _home(website)
    ),
    "SEO-SEC-004": lambda website: not all(name in _home(website) for name in _HEADERS),
    "SEO-SMP-001": no_sitemap,
}
