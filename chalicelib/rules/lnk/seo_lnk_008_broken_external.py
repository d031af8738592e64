"""SEO-LNK-008: a page links to an address on another website that no longer exists."""

from typing import Final

from chalicelib.domain.crawl import urls
from chalicelib.rules.context import MAX_HOPS, Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, UNDECIDED, Finding, PageVerdict, Rule
from chalicelib.rules.wording import codes, counted, part, spelled

GONE: Final = frozenset({404, 410})
TRIES: Final = 2
TARGETS_SHOWN: Final = 20
LEAST_ANSWERING: Final = 0.1  # share of the requested other websites that must answer


def checked_elsewhere(site: Site) -> dict[str, str | None]:
    """Return the requested addresses on other websites, each with its fault. The fault is None if there is no certain
    fault."""
    return {url: _fault(url, site) for url, address in site.addresses.items() if not address.own_host}


def _fault(url: str, site: Site) -> str | None:
    address = site.addresses[url]
    for _ in range(MAX_HOPS):
        following = site.addresses.get(address.redirect_to) if address.redirect_to else None
        if following is None or following.own_host:
            break
        address = following
    if address.tries < TRIES:
        return None
    if address.status in GONE:
        return f"answers {address.status}"
    return "is on a host whose name cannot be resolved" if address.error == "dns" else None


def hosts_answering(site: Site) -> tuple[int, int]:
    """Return how many other websites answered, and how many were requested."""
    hosts: dict[str, bool] = {}
    for address in site.addresses.values():
        if not address.own_host:
            origin = urls.origin(address.url)
            # A website that refuses programs exists.
            hosts[origin] = hosts.get(origin, False) or address.status > 0 or address.error == "refused"
    return sum(hosts.values()), len(hosts)


def has_data(site: Site) -> bool:
    """Whether enough other websites answered.

    If hardly any website answers, the crawler itself has no access to the internet. Then nothing is known about the
    links.
    """
    answering, asked = site.once(hosts_answering)
    return answering > 0 and answering >= LEAST_ANSWERING * asked


def without_data(site: Site) -> str | None:
    answering, asked = site.once(hosts_answering)
    if not asked:
        return None
    return (
        f"Of {counted(asked, 'other website')} that pages link, {answering or 'none'} answered: the crawler could not "
        "reach other websites, so SEO-LNK-008 (broken external links) was not judged."
    )


def check(page: Page, site: Site) -> PageVerdict:
    links = page.facts.external_links
    if not links:
        return NOT_APPLICABLE
    checked = site.once(checked_elsewhere)
    found = [(link, fault) for link in links if (fault := checked.get(link.url)) is not None]
    if not found:
        return None if any(link.url in checked for link in links) else UNDECIDED
    first, fault = found[0]
    text = f' (link text "{first.text}")' if first.text else ""
    return Finding(
        f"{counted(len(found), 'link leads', 'links lead')} to an address on another website that is gone: "
        f"{first.url}{text} {fault}. Link what took its place, or remove the link.",
        {
            "broken": len(found),
            "targets": [
                {"url": link.url, "text": link.text, "fault": fault, "status": site.addresses[link.url].status or None}
                for link, fault in found[:TARGETS_SHOWN]
            ],
        },
    )


RULE = Rule(
    id="SEO-LNK-008",
    title="Broken external link",
    category="LNK",
    severity="low",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=3,
    effort="low",
    writable_field=None,
    what=f"The page links an address on another website that answers {codes(GONE, ' or ')}, or whose host name no "
    f"longer exists. The audit tries each address {spelled(TRIES)} times.",
    why="Visitors who click reach nothing, and a page with dead references looks abandoned. Anybody can buy an "
    "expired domain, and the link then recommends the domain's new owner.",
    fix="Link the page that replaced the missing page, or an archived copy. Otherwise remove the link.",
    not_when="Refusals of automated clients (401, 403, 429, 999), server errors and timeouts never count. If fewer "
    f"than {part(LEAST_ANSWERING)} of the other websites answer at all, nothing is reported, and the audit notes it. "
    "An audit requests only a part of a large website's outgoing links; the others are not judged.",
    source=f"HTTP semantics (RFC 9110): {codes(GONE, ' and ')} mean that there is no content.",
    page_check=check,
    has_data=has_data,
    without_data=without_data,
)
