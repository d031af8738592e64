"""Writes the values of a content management system into the demo website, in place of the original values."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from chalicelib.domain.crawl.urls import normalise
from chalicelib.domain.readiness.robots_block import with_block
from local.demo.model import Page, Website
from local.demo.render import robots_txt


def overwritten(page: Page, values: Mapping[str, str]) -> Page:
    """Return a copy of the page in which these values replace the page's own values."""
    if "title" in values:
        page = replace(page, title=values["title"], titles_more=[])
    if "meta_description" in values:
        page = replace(page, description=values["meta_description"], descriptions_more=[])
    if "canonical" in values:
        page = replace(page, canonicals=[values["canonical"]])
    if "noindex" in values:
        kept = {name: value for name, value in page.headers.items() if name.lower() != "x-robots-tag"}
        robots = [("robots", "noindex")] if values["noindex"] == "true" else []
        page = replace(page, robots=robots, headers=kept)
    return page


def image_keys(page: Page, base: str) -> list[str]:
    """Return the keys of the page's images, in order. A key consists of the image's address and its number among images
    with the same address."""
    seen: Counter[str] = Counter()
    keys = []
    for picture in page.pictures:
        address = normalise(base + picture.src) or ""
        seen[address] += 1
        keys.append(f"{address} {seen[address]}")
    return keys


def with_alts(page: Page, base: str, alts: Mapping[str, str]) -> Page:
    """Return a copy of the page in which these alt texts replace the page's own. ``alts``: the alt texts by image key
    (see ``image_keys``)."""
    keys = image_keys(page, base)
    pictures = [replace(one, alt=alts.get(key, one.alt)) for key, one in zip(keys, page.pictures, strict=True)]
    return replace(page, pictures=pictures)


def written_files(site: Website, base: str, values: Mapping[str, str]) -> dict[str, str]:
    """Return the changed text files of the website, by path."""
    found = {}
    if "llmsTxt" in values:
        found["/llms.txt"] = values["llmsTxt"]
    if "indexNowKey" in values:
        found[f"/{values['indexNowKey']}.txt"] = values["indexNowKey"]
    if "robotsBlock" in values:
        found["/robots.txt"] = with_block(robots_txt(site, base).encode(), values["robotsBlock"]).decode()
    return found
