"""Tables of SEO-TEC-009."""

from tests.rules.builders import answer, case, page, site_facts

LISTED = site_facts(sitemap=["/a", "/"])

FAILS = {
    "noindex and in the sitemap": case(page("/a", robots_meta=[("robots", "noindex")]), site=LISTED, says="noindex"),
    "in the header": case(page("/a", headers={"x-robots-tag": "none"}), site=LISTED, says="X-Robots-Tag: none"),
}
PASSES = {
    "in the sitemap, indexable": case(page("/a"), site=LISTED),
    "noindex, not in the sitemap": case(page("/b", robots_meta=[("robots", "noindex")]), site=LISTED),
    "the home page has a rule of its own": case(page("/", robots_meta=[("robots", "noindex")]), site=LISTED),
}
NOT_APPLICABLE = {"an error in the sitemap": case(answer("/a", 404), site=LISTED)}
TABLES = {"SEO-TEC-009": (FAILS, PASSES, NOT_APPLICABLE)}
