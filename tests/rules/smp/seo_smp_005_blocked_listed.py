"""Tables of SEO-SMP-005."""

from tests.rules.builders import case, page, robots, site_facts

CLOSED = site_facts(sitemap=["/private/a"], robots=robots("User-agent: *\nDisallow: /private/\n"))

FAILS = {
    "never asked for": case(
        page("/private/a"),
        asked=False,
        site=CLOSED,
        seen={"lineNumber": 2, "line": "Disallow: /private/", "group": "*"},
        says="line 2",
    ),
    "disallowed for Google alone": case(
        page("/a"), site=site_facts(sitemap=["/a"], robots=robots("User-agent: Googlebot\nDisallow: /a\n"))
    ),
}
PASSES = {
    "allowed": case(page("/a"), site=site_facts(sitemap=["/a"])),
    "disallowed for another crawler": case(
        page("/a"), site=site_facts(sitemap=["/a"], robots=robots("User-agent: GPTBot\nDisallow: /\n"))
    ),
    "never asked for, but allowed": case(page("/a"), asked=False, site=site_facts(sitemap=["/a"])),
}
NOT_APPLICABLE = {
    "not in the sitemap": case(page("/private/b"), asked=False, site=CLOSED),
    "robots.txt fails": case(page("/a"), site=site_facts(sitemap=["/a"], robots=robots("", 503))),
    "an image": case(
        page("/private/a.jpg"),
        asked=False,
        site=site_facts(sitemap=["/private/a.jpg"], robots=robots("User-agent: *\nDisallow: /private/\n")),
    ),
}
TABLES = {"SEO-SMP-005": (FAILS, PASSES, NOT_APPLICABLE)}
