"""A WordPress website with articles that nobody here wrote: the guides of Git's documentation as posts and pages."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import lxml.html

from tests.real import parts
from tests.real.wordpress import WordPress, started

ARTICLES = Path("/usr/share/doc/git-doc")
PACKAGES = ("git-doc", "wordpress-theme-twentytwentytwo")
FIRST_DAY = datetime(2024, 1, 1)  # noqa: DTZ001 - WordPress takes the website's own time
PUBLISHERS = 3  # requests at once


@contextmanager
def published(theme: str, count: int) -> Iterator[str]:
    """The address of a WordPress in one of its themes, with ``count`` articles."""
    parts.debian(*PACKAGES)
    with started(theme=theme) as wordpress:
        files = sorted(file for folder in ("howto", "technical", "") for file in (ARTICLES / folder).glob("*.html"))
        articles = [_article(file) for file in files][:count]
        slugs = {article["slug"] for article in articles}
        topics = {name: _topic(wordpress, name) for name in ("Guides", "Internals", "Commands")}

        def publish(item: tuple[int, dict[str, Any]]) -> None:
            number, article = item
            # Posts of one second come in another order each time.
            written = (FIRST_DAY + timedelta(hours=number)).isoformat()
            body = {**article, "status": "publish", "date": written, "content": _linked(article["content"], slugs)}
            if number % 4:
                body["categories"] = [topics[_named(article["slug"])]]
            wordpress.rest("POST", "/wp/v2/posts" if number % 4 else "/wp/v2/pages", body)

        with ThreadPoolExecutor(PUBLISHERS) as pool:
            list(pool.map(publish, enumerate(articles)))
        yield wordpress.url


def _article(file: Path) -> dict[str, Any]:
    root = lxml.html.document_fromstring(file.read_bytes())
    content = root.xpath('//div[@id="content"]')
    body = content[0] if content else root.find("body")
    title = " ".join(root.findtext(".//title", file.stem).split())
    inner = "".join(lxml.html.tostring(child, encoding="unicode") for child in body)
    return {"slug": file.stem.lower().replace("_", "-"), "title": title, "content": inner}


def _named(slug: str) -> str:
    return "Commands" if slug.startswith("git") else "Internals" if "format" in slug or "api" in slug else "Guides"


def _topic(wordpress: WordPress, name: str) -> int:
    number: int = wordpress.rest("POST", "/wp/v2/categories", {"name": name})["id"]
    return number


def _linked(content: str, slugs: set[str]) -> str:
    """The content with links to the other articles; links to what was not published stay as they are, and break."""

    def link(found: re.Match[str]) -> str:
        slug = found[1].rpartition("/")[2].lower().replace("_", "-")
        return f'href="/{slug}/' if slug in slugs else found[0]

    return re.sub(r'href="([\w./-]+)\.html', link, content)
