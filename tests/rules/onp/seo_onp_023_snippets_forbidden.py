"""Tables of SEO-ONP-023."""

from tests.rules.builders import answer, case, page, robots, site_facts

FAILS = {
    "nosnippet in a tag": case(page(robots_meta=[("robots", "index, nosnippet")]), says="nosnippet"),
    "nosnippet in the header": case(page(headers={"x-robots-tag": "nosnippet"}), says="X-Robots-Tag: nosnippet"),
    "nosnippet for Google": case(page(robots_meta=[("googlebot", "nosnippet")])),
    "max-snippet:0": case(page(robots_meta=[("robots", "max-snippet:0")])),
    "the main content is data-nosnippet": case(page(nosnippet_main=True), says="data-nosnippet"),
}
PASSES = {
    "nothing said": case(page()),
    "a limit above 0": case(page(robots_meta=[("robots", "max-snippet:20")])),
    "no limit": case(page(robots_meta=[("robots", "max-snippet:-1, max-image-preview:large")])),
    "for another search engine": case(page(robots_meta=[("bingbot", "nosnippet")])),
    "a page with noindex": case(page(robots_meta=[("robots", "noindex, nosnippet")])),
    "a disallowed page": case(
        page("/private", robots_meta=[("robots", "nosnippet")]),
        site=site_facts(robots=robots("User-agent: *\nDisallow: /private")),
    ),
}
NOT_APPLICABLE = {"an error": case(answer("/gone", 404))}
TABLES = {"SEO-ONP-023": (FAILS, PASSES, NOT_APPLICABLE)}
