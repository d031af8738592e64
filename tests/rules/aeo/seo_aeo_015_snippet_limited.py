"""Tables of SEO-AEO-015."""

from tests.rules.builders import case, page

FAILS = {
    "49 characters": case(
        page(robots_meta=[("robots", "max-snippet:49")]), seen={"maxSnippet": 49}, says="49 characters"
    ),
    "in the header": case(page(headers={"x-robots-tag": "max-snippet: 20"}), says="X-Robots-Tag"),
    "the smallest of several": case(
        page(robots_meta=[("robots", "max-snippet:160"), ("googlebot", "max-snippet:10")]), seen={"maxSnippet": 10}
    ),
    "a limit beside none": case(page(robots_meta=[("robots", "max-snippet:-1"), ("googlebot", "max-snippet:10")])),
    "noai": case(page(robots_meta=[("robots", "noai, noimageai")]), says="noai"),
}
PASSES = {
    "nothing said": case(page()),
    "50 characters": case(page(robots_meta=[("robots", "max-snippet:50")])),
    "no limit": case(page(robots_meta=[("robots", "index, follow, max-snippet:-1")])),
    "nosnippet is SEO-ONP-023": case(page(robots_meta=[("robots", "nosnippet, max-snippet:20")])),
    "max-snippet:0 is SEO-ONP-023": case(page(robots_meta=[("robots", "max-snippet:0")])),
    "data-nosnippet is SEO-ONP-023": case(page(nosnippet_main=True)),
}
NOT_APPLICABLE = {"a page with noindex": case(page(robots_meta=[("robots", "noindex, max-snippet:20")]))}
TABLES = {"SEO-AEO-015": (FAILS, PASSES, NOT_APPLICABLE)}
