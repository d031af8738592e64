"""Extracts canonical, hreflang and JSON-LD from a page, and the files that browsers load for it."""

from typing import Final

from chalicelib.domain.crawl.urls import same_site
from chalicelib.domain.page.extract_head import names_another, read_link_element
from chalicelib.domain.page.extract_refresh import Resolver
from chalicelib.domain.page.facts import PageFacts, Resource, ResourceKind
from chalicelib.domain.page.schema import check_required
from chalicelib.domain.page.scripts import runs
from chalicelib.domain.page.structured import read_json_ld
from chalicelib.domain.page.tree import Found

MAX_RESOURCES: Final = 60
_STYLE_TYPES: Final = frozenset(("", "text/css"))


def read_resources(
    facts: PageFacts, found: dict[str, Found], body_at: int, resolver: Resolver, host: str
) -> tuple[list[str], list[dict[str, object]]]:
    """Fill canonical, hreflang, JSON-LD, the number of scripts, and the files of the website that the page loads.

    Returns the addresses of scripts and styles, as written, and the top-level objects of JSON-LD blocks.
    """
    resources: list[str] = []
    loaded: dict[str, ResourceKind] = {}
    for position, node in found["links"]:
        attributes = node.attributes
        rel = (attributes.get("rel") or "").lower()
        if names_another(rel, attributes):
            read_link_element(facts, rel, attributes, position > body_at, resolver)
        elif rel == "stylesheet" or "stylesheet" in rel.split():
            sheet = attributes.get("href") or ""
            resources.append(sheet)
            kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
            # An alternate sheet is loaded only if the visitor chooses it; a sheet of another type is never loaded.
            if kind in _STYLE_TYPES and "alternate" not in rel.split() and "disabled" not in attributes:
                _note(loaded, sheet, "style", resolver, host)
        elif rel == "https://api.w.org/":
            resources.append("/wp-content/")  # WordPress names its API in the header, wherever its files are
    blocks: list[str] = []
    facts.scripts = 0
    for _, node in found["scripts"]:
        attributes = node.attributes
        source, kind = attributes.get("src"), (attributes.get("type") or "").strip().lower()
        facts.scripts += runs(kind)
        if source is not None:
            resources.append(source)
            if runs(kind) and "nomodule" not in attributes:
                _note(loaded, source, "script", resolver, host)
        elif kind.startswith("application/ld+json"):
            blocks.append(node.text())
    facts.resources = [Resource(url, kind) for url, kind in loaded.items()]
    things = read_json_ld(facts, blocks) if blocks else []
    if things:
        check_required(facts, things)
    return resources, things


def _note(loaded: dict[str, ResourceKind], written: str, kind: ResourceKind, resolver: Resolver, host: str) -> None:
    if len(loaded) >= MAX_RESOURCES or not written.strip():
        return
    url = resolver.resolve(written)
    if url is not None and same_site(url, host):
        loaded.setdefault(url, kind)
