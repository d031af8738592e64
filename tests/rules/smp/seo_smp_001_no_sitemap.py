"""Tables of SEO-SMP-001. The rule applies to every website, so nothing stands in the third table but a page."""

from chalicelib.domain.page.facts import SitemapFile
from tests.rules.builders import ORIGIN, case, page, site_case, site_facts

FAILS = {"no sitemap anywhere": site_case(site=site_facts(sitemaps=[]), says="/wp-sitemap.xml")}
PASSES = {
    "a sitemap": site_case(),
    "a sitemap that cannot be read is another fault": site_case(
        site=site_facts(sitemaps=[SitemapFile(ORIGIN + "/map.xml", "robots", 404)])
    ),
}
NOT_APPLICABLE = {"a single page": case(page(), site=site_facts(sitemaps=[]))}
TABLES = {"SEO-SMP-001": (FAILS, PASSES, NOT_APPLICABLE)}
