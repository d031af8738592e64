"""Values that a content management system writes into the demo website, in place of the original ones."""

from collections.abc import Mapping
from dataclasses import replace

from chalicelib.domain.readiness.robots_block import with_block
from local.demo.model import Page, Website
from local.demo.render import robots_txt


def overwritten(page: Page, values: Mapping[str, str]) -> Page:
    """The page with these values in place of its own."""
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


def written_files(site: Website, base: str, values: Mapping[str, str]) -> dict[str, str]:
    """The changed text files of the website, by path."""
    found = {}
    if "llmsTxt" in values:
        found["/llms.txt"] = values["llmsTxt"]
    if "indexNowKey" in values:
        found[f"/{values['indexNowKey']}.txt"] = values["indexNowKey"]
    if "robotsBlock" in values:
        found["/robots.txt"] = with_block(robots_txt(site, base).encode(), values["robotsBlock"]).decode()
    return found
