"""Tables of SEO-TEC-022."""

from tests.rules.builders import address, case, links, page, redirect, site_facts

FAILS = {
    "two hops from a link": case(
        redirect("/a", "/b"),
        redirect("/b", "/c"),
        page("/c"),
        page("/from", links=links("/a")),
        seen={
            "hops": 2,
            "chain": [address("/a"), address("/b"), address("/c")],
            "linkedFrom": [address("/from")],
            "inSitemap": False,
        },
        says=address("/c"),
    ),
    "two hops from the sitemap": case(
        redirect("/a", "/b"), redirect("/b", "/c"), page("/c"), site=site_facts(sitemap=["/a"]), says="sitemap lists"
    ),
    "out to another host": case(
        redirect("/a", "/b"), redirect("/b", "https://other.example/"), page("/from", links=links("/a"))
    ),
}
PASSES = {
    "one hop": case(redirect("/a", "/b"), page("/b"), page("/from", links=links("/a"))),
    "nothing uses it": case(redirect("/a", "/b"), redirect("/b", "/c"), page("/c")),
    "the second address of a chain": case(
        redirect("/b", "/c"), redirect("/a", "/b"), page("/c"), page("/from", links=links("/a"))
    ),
    "a loop is another fault": case(redirect("/a", "/b"), redirect("/b", "/a"), page("/from", links=links("/a"))),
    "a page": case(page("/a"), page("/from", links=links("/a"))),
}
NOT_APPLICABLE = {
    "never asked for": case(page("/a"), page("/from", links=links("/a")), asked=False),
    "a document": case(
        redirect("/a.pdf", "/b.pdf"), redirect("/b.pdf", "/c.pdf"), page("/from", links=links("/a.pdf"))
    ),
}
TABLES = {"SEO-TEC-022": (FAILS, PASSES, NOT_APPLICABLE)}
