"""SEO-LNK-007: a page asks search engines not to follow its links to pages of the same website."""

from typing import Final

from chalicelib.domain.crawl.assets import is_asset
from chalicelib.domain.page.facts import LINK_MARKED
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.tec.seo_tec_012_disallowed_but_linked import is_behind
from chalicelib.rules.wording import counted

TARGETS_SHOWN: Final = 20


def judged_before(site: Site) -> dict[str, bool]:
    """Return a cache for the results of ``is_worth_following``, by address."""
    return {}


def is_worth_following(url: str, site: Site) -> bool:
    """Whether search engines should find the page at this address.

    Returns False for files, for addresses that robots.txt disallows, for pages with noindex, and for log-in, basket,
    search and filter pages.
    """
    answers = site.once(judged_before)
    answer = answers.get(url)
    if answer is None:
        answer = answers[url] = _judge(url, site)
    return answer


def _judge(url: str, site: Site) -> bool:
    if is_asset(url) or is_behind(url) or not site.allowed(url):
        return False
    if "?" in url and url not in site.sitemap:
        return False  # filters and sorted lists
    address = site.addresses.get(url)
    if address is None:
        return True
    return address.indexable and address.kind.kind not in ("account", "search")


def check(page: Page, site: Site) -> PageVerdict:
    found = [link for link in page.facts.links if link.flags & LINK_MARKED and is_worth_following(link.url, site)]
    if not found:
        return None
    first = found[0]
    text = f' (link text "{first.text}")' if first.text else ""
    return Finding(
        f"{counted(len(found), 'link', 'links')} to the website's own pages {'has' if len(found) == 1 else 'have'} "
        f"rel=nofollow, ugc or sponsored, such as the one to {first.url}{text}; remove it.",
        {
            "links": len(found),
            "targets": [{"url": link.url, "text": link.text} for link in found[:TARGETS_SHOWN]],
        },
    )


RULE = Rule(
    id="SEO-LNK-007",
    title="Nofollow on internal links",
    category="LNK",
    severity="low",
    confidence="certain",
    scope="page",
    population="links",
    weight=3,
    effort="low",
    writable_field=None,
    what="Links to pages of the same website that may be indexed carry rel=nofollow, ugc or sponsored.",
    why="With nofollow, ugc or sponsored, a page does not vouch for the target of its link. Within a website, that "
    "only weakens the website's own pages.",
    fix="Remove nofollow, ugc and sponsored from links to your own pages. To keep a page out of search, use noindex on "
    "that page.",
    not_when="Links to log-in, basket, account and search pages, to files and to pages that may not be indexed are "
    "left out. So are links to addresses with parameters that the sitemap does not list (filters, sorted lists).",
    source="Search engines' documentation of rel attributes for outgoing links.",
    page_check=check,
    cause=("template",),
)
