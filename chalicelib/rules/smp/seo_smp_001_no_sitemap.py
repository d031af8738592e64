"""SEO-SMP-001: a website without an XML sitemap."""

from chalicelib.rules.context import Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.smp.reading import was_read


def check(site: Site) -> PageVerdict:
    if site.facts.sitemaps:
        return None
    return Finding(
        "There is no XML sitemap: robots.txt names none, and /sitemap.xml, /sitemap_index.xml and /wp-sitemap.xml "
        "hold none. Create one and name it in robots.txt.",
        {"looked": ["robots.txt", "/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml"]},
    )


RULE = Rule(
    id="SEO-SMP-001",
    title="No XML sitemap",
    category="SMP",
    severity="medium",
    confidence="certain",
    scope="site",
    population="site",
    weight=12,
    effort="low",
    writable_field=None,
    what="Neither robots.txt nor the usual addresses lead to an XML sitemap. The usual addresses are /sitemap.xml, "
    "/sitemap_index.xml and /wp-sitemap.xml.",
    why="The sitemap lists the pages and their last changes for search engines. Without it, they find new pages "
    "later. They may never find pages with few links.",
    fix="Let the CMS or its SEO plugin make a sitemap, and add a line such as "
    '"Sitemap: https://example.com/sitemap.xml" to robots.txt.',
    not_when="A sitemap that exists but cannot be read is reported by SEO-SMP-002.",
    source="sitemaps.org protocol; search engines' documentation.",
    has_data=was_read,
    site_check=check,
)
