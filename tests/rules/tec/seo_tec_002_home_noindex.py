"""Tables of SEO-TEC-002."""

from tests.rules.builders import HOME, answer, page, site_case

FAILS = {
    "noindex in a tag": site_case(page("/", robots_meta=[("robots", "noindex, follow")]), seen={"url": HOME}),
    "none for Google": site_case(page("/", robots_meta=[("googlebot", "none")])),
    "noindex in the header": site_case(page("/", headers={"x-robots-tag": "noindex"}), says="X-Robots-Tag"),
    "for Google in the header": site_case(page("/", headers={"x-robots-tag": "googlebot: nofollow, noindex"})),
    "a date that has passed": site_case(
        page("/", robots_meta=[("robots", "unavailable_after: 25 Jun 2010 15:00:00 GMT")])
    ),
}
PASSES = {
    "nothing said": site_case(),
    "index": site_case(page("/", robots_meta=[("robots", "index, follow")])),
    "noindex for another search engine": site_case(page("/", headers={"x-robots-tag": "otherbot: noindex"})),
    "noindex on another page": site_case(page("/"), page("/a", robots_meta=[("robots", "noindex")])),
    "a date to come": site_case(page("/", robots_meta=[("robots", "unavailable_after: 25 Jun 2090 15:00:00 GMT")])),
}
NOT_APPLICABLE = {
    "the home page was not read": site_case(page("/a")),
    "the home page fails": site_case(answer("/", 404)),
}
TABLES = {"SEO-TEC-002": (FAILS, PASSES, NOT_APPLICABLE)}
