"""Tables of SEO-TEC-023."""

from tests.rules.builders import address, case, links, page, redirect, site_facts

LONG = [redirect(f"/{number}", f"/{number + 1}") for number in range(12)]

FAILS = {
    "to itself": case(
        redirect("/a", "/a"),
        page("/b", links=links("/a")),
        seen={"chain": [address("/a"), address("/a")], "linkingPages": 1, "linkedFrom": [address("/b")]},
        says="leads back",
    ),
    "in a circle": case(redirect("/a", "/c"), redirect("/c", "/a"), page("/b", links=links("/a"))),
    "into a circle": case(redirect("/a", "/c"), redirect("/c", "/c"), page("/b", links=links("/a"))),
    "more than ten": case(*LONG, page("/12"), page("/b", links=links("/0")), says="does not end"),
}
PASSES = {
    "one redirect": case(redirect("/a", "/c"), page("/c"), page("/b", links=links("/a"))),
    "a chain that ends is SEO-TEC-022": case(
        redirect("/a", "/c"), redirect("/c", "/d"), page("/d"), page("/b", links=links("/a"))
    ),
    "ten redirects": case(*LONG[:10], page("/10"), page("/b", links=links("/0"))),
    "nobody links it": case(redirect("/a", "/a"), page("/b")),
    "only the sitemap lists it, which is SEO-SMP-003": case(
        redirect("/a", "/a"), page("/b"), site=site_facts(sitemap=["/a"])
    ),
    "reached by a redirect that is linked": case(
        redirect("/c", "/a"), redirect("/a", "/c"), page("/b", links=links("/a"))
    ),
    "a page": case(page()),
}
NOT_APPLICABLE = {"never asked for": case(page("/a"), asked=False)}
TABLES = {"SEO-TEC-023": (FAILS, PASSES, NOT_APPLICABLE)}
