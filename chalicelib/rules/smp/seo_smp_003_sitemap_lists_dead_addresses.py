"""SEO-SMP-003: the sitemap lists addresses that do not answer 200."""

from chalicelib.rules.context import REFUSED, Page, Site
from chalicelib.rules.model import UNDECIDED, Finding, PageVerdict, Rule
from chalicelib.rules.smp.reading import was_read
from chalicelib.rules.tec.seo_tec_022_redirect_chain import starts_chain


def check(page: Page, site: Site) -> PageVerdict:
    status = page.status
    if status == 0 or status in REFUSED:
        return UNDECIDED
    if status < 300 or status >= 500:
        return None  # SEO-TEC-003 reports server errors
    if status >= 400:
        if page.linked or page.inlinks:
            return None  # SEO-TEC-004 reports that
        return Finding(
            f"The sitemap lists the address, but it answers {status}; take it out of the sitemap, or bring the page "
            "back.",
            {"status": status},
        )
    if starts_chain(page.url, site):
        return None  # SEO-TEC-022 reports that
    if page.linked and site.chain(page.url)[1]:
        return None  # SEO-TEC-023 reports that
    end = site.end_of(page.url)
    wanted = f"list {end} instead" if end != page.url else "list an address that answers 200"
    return Finding(
        f"The sitemap lists the address, but it redirects (status {status}); {wanted}.",
        {"status": status, "leadsTo": end if end != page.url else page.address.redirect_to},
    )


RULE = Rule(
    id="SEO-SMP-003",
    title="Sitemap lists 3xx/4xx/5xx URLs",
    category="SMP",
    severity="medium",
    confidence="certain",
    scope="page",
    population="sitemap",
    weight=8,
    effort="low",
    writable_field=None,
    what="An address in the sitemap redirects, or answers with an error.",
    why="The sitemap lists the pages that search results should show. Search engines that keep finding dead entries "
    "read it less often and trust it less.",
    fix="List only addresses that answer 200. SEO plugins update the sitemap automatically. If you wrote the file by "
    "hand, correct the file.",
    not_when="Addresses that did not answer or that refused the crawler are not judged. Server errors are reported by "
    "SEO-TEC-003, and broken addresses that a page links by SEO-TEC-004. Redirect chains are reported by SEO-TEC-022, "
    "and endless redirects that a page links by SEO-TEC-023.",
    source="Search engines' sitemap documentation: list final addresses that answer 200.",
    has_data=was_read,
    page_check=check,
    cause=("slash", "sitemap"),
)
