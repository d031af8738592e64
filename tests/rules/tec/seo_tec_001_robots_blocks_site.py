"""Tables of SEO-TEC-001."""

from tests.rules.builders import page, robots, site_case, site_facts

BLOCKED = robots("User-agent: *\nDisallow: /\n")

FAILS = {
    "everything is disallowed": site_case(
        site=site_facts(robots=BLOCKED, sitemap=["/", "/a", "/b"]),
        seen={"lineNumber": 2, "line": "Disallow: /", "disallowed": 3, "known": 3},
        says="line 2",
    ),
    "for Googlebot alone": site_case(site=site_facts(robots=robots("User-agent: Googlebot\nDisallow: /\n"))),
    "nine of ten addresses": site_case(
        site=site_facts(robots=robots("User-agent: *\nDisallow: /\nAllow: /press/\n")),
        known=["/press/", *(f"/{number}" for number in range(8))],
    ),
}
PASSES = {
    "nothing is disallowed": site_case(),
    "no robots.txt": site_case(site=site_facts(robots=robots("", 404))),
    "a part is disallowed": site_case(site=site_facts(robots=robots("User-agent: *\nDisallow: /private/\n"))),
    "only the home page is disallowed": site_case(
        page("/"),
        page("/a"),
        page("/b"),
        site=site_facts(robots=robots("User-agent: *\nDisallow: /$\n")),
    ),
    "for another crawler": site_case(site=site_facts(robots=robots("User-agent: GPTBot\nDisallow: /\n"))),
}
NOT_APPLICABLE = {
    "robots.txt fails": site_case(site=site_facts(robots=robots("", 503))),
    "robots.txt was not asked for": site_case(site=site_facts(robots=None)),
}
TABLES = {"SEO-TEC-001": (FAILS, PASSES, NOT_APPLICABLE)}
