"""Tables of SEO-TEC-011."""

from tests.rules.builders import answer, case, page

INDEX, NOINDEX = ("robots", "index, follow"), ("robots", "noindex")

FAILS = {
    "tag and header": case(
        page(robots_meta=[INDEX], headers={"x-robots-tag": "noindex"}),
        seen={"index": '<meta name="robots" content="index, follow">', "noindex": "X-Robots-Tag: noindex"},
        says="X-Robots-Tag: noindex",
    ),
    "header and tag": case(page(robots_meta=[("robots", "none")], headers={"x-robots-tag": "all"})),
    "two tags": case(page(robots_meta=[INDEX, NOINDEX])),
    "one tag that says both": case(page(robots_meta=[("robots", "noindex, index")]), says="contradicts itself"),
    "two tags for Google": case(page(robots_meta=[("googlebot", "index"), ("googlebot", "noindex")])),
}
PASSES = {
    "no directives": case(page()),
    "index twice": case(page(robots_meta=[INDEX], headers={"x-robots-tag": "index"})),
    "noindex twice": case(page(robots_meta=[NOINDEX, NOINDEX])),
    "noindex, and nothing in the header": case(page(robots_meta=[NOINDEX], headers={"x-robots-tag": "nofollow"})),
    "another rule for one crawler": case(page(robots_meta=[INDEX, ("googlebot", "noindex")])),
    "a crawler of another kind": case(page(robots_meta=[INDEX, ("otherbot", "noindex")])),
    "follow is not index": case(page(robots_meta=[("robots", "follow, max-image-preview:large"), NOINDEX])),
}
NOT_APPLICABLE = {"an error": case(answer("/a", 404, headers={"x-robots-tag": "noindex"}))}
TABLES = {"SEO-TEC-011": (FAILS, PASSES, NOT_APPLICABLE)}
