"""SEO-TEC-023: an address that redirects without end."""

from chalicelib.rules.context import MAX_HOPS, Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, linked_from, listed, quoted, spelled


def check(page: Page, site: Site) -> PageVerdict:
    if page.address.redirect_to is None:
        return None
    count, linking = site.linking(page.url)
    if not count:
        return None
    hops, loops = site.chain(page.url)
    if not loops:
        return None
    again = hops[-1] in (page.url, *hops[:-1])
    seen = f"leads back to {hops[-1]}" if again else f"does not end after {len(hops)} redirects"
    passed = [site.addresses[url] for url in dict.fromkeys([page.url, *hops]) if url in site.addresses]
    cookies = list(dict.fromkeys(name for address in passed for name in address.cookies))
    advice = "Let it answer with a page, or redirect it to one."
    if cookies:
        names = listed([quoted(name) for name in cookies])
        advice = (
            f"It sets {counted(len(cookies), 'cookie')} ({names}) on the way. Search crawlers send no cookies back, "
            "so they never reach the page if it waits for one. Show the page without cookies."
        )
    return Finding(
        f"The address {seen}, so nothing is ever shown; {linked_from(count)}. {advice}",
        {
            "chain": [page.url, *hops],
            "linkingPages": count,
            "linkedFrom": linking,
            "inSitemap": page.in_sitemap,
            "cookies": cookies,
        },
    )


RULE = Rule(
    id="SEO-TEC-023",
    title="Redirect loop",
    category="TEC",
    severity="high",
    confidence="certain",
    scope="page",
    population="crawled",
    weight=20,
    effort="low",
    writable_field=None,
    what=f"An address that pages link redirects in a circle, or more than {spelled(MAX_HOPS)} times in a row. The "
    "finding is on the address that is linked; the linking pages are in its evidence.",
    why="Browsers stop with an error, and search engines give up. Nobody sees the content.",
    fix="Look for two rules that redirect to each other, and keep one of them. The usual pairs are addresses with and "
    "without www, with http and https, and with and without a slash at the end. If the address sets a cookie and waits "
    "for it, show the page to visitors without cookies too.",
    not_when="Addresses that no page links are left out. If only the sitemap lists such an address, SEO-SMP-003 "
    "reports it.",
    source=f"RFC 9110; search engines follow at most {spelled(MAX_HOPS)} redirects.",
    page_check=check,
    link_rule=True,
    cause=("own_address",),
)
