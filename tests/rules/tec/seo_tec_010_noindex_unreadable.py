"""Tables of SEO-TEC-010."""

from tests.rules.builders import case, page, robots, site_facts, synced

BLOCKED = site_facts(robots=robots("User-agent: *\nDisallow: /a\n"))
HIDDEN = {"content": synced("/a", noindex=True)}

FAILS = {
    "set in the CMS": case(
        page("/a"),
        asked=False,
        site=BLOCKED,
        inputs=HIDDEN,
        seen={"lineNumber": 2, "line": "Disallow: /a", "group": "*"},
        says="line 2",
    ),
    "disallowed for Google alone, and read": case(
        page("/a", robots_meta=[("robots", "noindex")]),
        site=site_facts(robots=robots("User-agent: Googlebot\nDisallow: /a\n")),
        inputs=HIDDEN,
    ),
}
PASSES = {
    "not disallowed": case(page("/a"), asked=False, inputs=HIDDEN),
    "not set to noindex": case(page("/a"), asked=False, site=BLOCKED, inputs={"content": synced("/a", noindex=False)}),
    "the CMS does not say": case(page("/a"), asked=False, site=BLOCKED, inputs={"content": synced("/a")}),
    "the page that was read says otherwise": case(
        page("/a"), site=site_facts(robots=robots("User-agent: Googlebot\nDisallow: /a\n")), inputs=HIDDEN
    ),
}
NOT_APPLICABLE = {
    "no content is synced": case(page("/a"), asked=False, site=BLOCKED),
    "another page is synced": case(page("/a/b"), asked=False, site=BLOCKED, inputs=HIDDEN),
    "robots.txt fails": case(page("/a"), asked=False, site=site_facts(robots=robots("", 503)), inputs=HIDDEN),
}
TABLES = {"SEO-TEC-010": (FAILS, PASSES, NOT_APPLICABLE)}
