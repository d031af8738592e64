"""SEO-LNK-012: links to the developer's computer, to a test website, or to http addresses of a website that uses
https."""

from typing import Final, Literal

from chalicelib.domain.crawl.hosts import is_ip_address
from chalicelib.domain.crawl.urls import origin
from chalicelib.domain.page.facts import Link
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted

TARGETS_SHOWN: Final = 20
Fault = Literal["local", "staging", "http"]


def host_fault(url: str) -> Fault | None:
    """Return what is wrong with a link to another host."""
    host = origin(url).partition("://")[2]
    if ":" in host and not host.endswith("]"):
        host = host.rpartition(":")[0]
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return "local"
    if host.startswith(("127.", "10.")) and is_ip_address(host):
        return "local"
    return "staging" if host.startswith("staging.") else None


def _shows_its_address(link: Link) -> bool:
    """Whether the visible text is the address itself: part of instructions, not a link left by mistake."""
    text = link.text.lower()
    return "localhost" in text or "127.0.0.1" in text or text.startswith(("http://", "https://"))


def check(page: Page, site: Site) -> PageVerdict:
    facts = page.facts
    if not facts.links and not facts.external_links:
        return NOT_APPLICABLE
    found: list[tuple[Link, Fault]] = []
    for link in facts.external_links:
        fault = host_fault(link.url)
        if fault is not None and not (fault == "local" and _shows_its_address(link)):
            found.append((link, fault))
    if facts.url.startswith("https:"):
        found += [(link, "http") for link in facts.links if link.url.startswith("http:")]
    if not found:
        return None
    first, fault = found[0]
    text = f' (link text "{first.text}")' if first.text else ""
    return Finding(
        f"{counted(len(found), 'link leads', 'links lead')} where visitors should not go, such as {first.url}{text}, "
        f"{_SEEN[fault]}.",
        {
            "links": len(found),
            "targets": [{"url": link.url, "text": link.text, "fault": fault} for link, fault in found[:TARGETS_SHOWN]],
        },
    )


_SEEN: Final[dict[Fault, str]] = {
    "local": "an address of the computer or network on which the page was written; link the public one",
    "staging": "a test website; link the public one",
    "http": "an unencrypted address of this website; link it with https",
}

RULE = Rule(
    id="SEO-LNK-012",
    title="Links to localhost, staging or http",
    category="LNK",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="low",
    writable_field=None,
    what="The page links to localhost, 127.*, 10.*, *.local or staging.*. Or the website has https, and the page "
    "links to a page of this website with http.",
    why="Addresses of a developer's computer or test website work for nobody else, and may show search engines "
    "private content. Links with http take a detour that can be intercepted.",
    fix="Replace the address by the public address with https. To find all such links, search the content (or "
    "database) for the old address.",
    advice={
        "local": "Replace the local address by the public one.",
        "staging": "Replace the test website's address by the public one.",
        "http": "Write https in place of http; a link in the menu is fixed once in the template.",
    },
    not_when="The website's own host never counts, whatever its name. A local address shown as text (open "
    "http://localhost:8000) is an instruction and does not count.",
    source="This service's own rule, and search engines' documentation on https.",
    page_check=check,
    cause=("linked_target", "template"),
)
