"""SEO-LNK-001: a page links to an address of the website that does not work."""

from typing import Final

from chalicelib.rules.context import REFUSED, Page, Site
from chalicelib.rules.lnk.targets import broken_targets, faulty_links, in_layout, places
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import codes, counted

TARGETS_SHOWN: Final = 20


def check(page: Page, site: Site) -> PageVerdict:
    broken = site.once(broken_targets)
    if not broken:
        return None
    found = [link for link in page.facts.links if link.url in broken]
    if not found:
        return None
    first, faulty = found[0], faulty_links(found)
    text = f' (link text "{first.text}")' if first.text else ""
    return Finding(
        f"The page links {counted(len(found), 'address that does', 'addresses that do')} not work, such as "
        f"{first.url}{text}, which answers {broken[first.url].end_status}; change or remove the link.",
        {
            "broken": len(found),
            **places(faulty),
            "targets": [
                {
                    "url": link.url,
                    "status": broken[link.url].end_status,
                    "text": link.text,
                    "inLayout": in_layout(link),
                }
                for link in found[:TARGETS_SHOWN]
            ],
        },
        faulty,
    )


def whole(site: Site) -> dict[str, object] | None:
    """Return as evidence how many links the audit had no time to request. Returns None if it requested all."""
    return {"linksNotAsked": site.links_unasked} if site.links_unasked else None


RULE = Rule(
    id="SEO-LNK-001",
    title="Broken internal link",
    category="LNK",
    severity="high",
    confidence="certain",
    scope="page",
    population="links",
    weight=35,
    effort="low",
    writable_field=None,
    what="The page links to an address of the same website that answers 4xx or 5xx, directly or at the end of a "
    "redirect. The page with the link is listed, with the targets in its evidence.",
    why="Visitors who click end up on an error page, and search engines gain nothing from the link.",
    fix="Change the link to the address where the content is now, or remove it. A link in the menu or footer is fixed "
    "once in the template, and counts once in the score, however many pages show it.",
    not_when=f"Targets that refuse the crawler ({codes(REFUSED)}) or did not answer do not count as broken. Links that "
    "differ only in the part after # count once. Addresses with variables in them ([[ item.url ]]) on pages that "
    "AngularJS fills in are not links. The audit requests links until its time is up, beginning with those on most "
    "pages. The audit's notes say how many links it did not request. SEO-TEC-004 lists the missing addresses: "
    "bringing an address back resolves both findings.",
    source="HTTP semantics (RFC 9110): 4xx and 5xx mean that there is no content.",
    page_check=check,
    link_rule=True,
    counts_links=True,
    whole_evidence=whole,
    cause=("broken_target",),
)
