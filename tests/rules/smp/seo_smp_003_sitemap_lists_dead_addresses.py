"""Tables of SEO-SMP-003."""

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import address, answer, case, links, page, redirect, site_facts

LISTED = site_facts(sitemap=["/a"])

FAILS = {
    "a redirect": case(
        redirect("/a", "/b"),
        page("/b"),
        site=LISTED,
        seen={"status": 301, "leadsTo": address("/b")},
        says=address("/b"),
    ),
    "gone, and nobody links it": case(answer("/a", 404), page("/b"), site=LISTED, seen={"status": 404}),
    "a redirect to itself": case(redirect("/a", "/a"), site=LISTED, seen={"leadsTo": address("/a")}),
}
PASSES = {
    "a page": case(page("/a"), site=LISTED),
    "gone, but linked is SEO-TEC-004": case(answer("/a", 404), page("/b", links=links("/a")), site=LISTED),
    "a server error is SEO-TEC-003": case(answer("/a", 500), site=LISTED),
    "a chain of redirects is SEO-TEC-022": case(redirect("/a", "/b"), redirect("/b", "/c"), page("/c"), site=LISTED),
}
NOT_APPLICABLE = {
    "not in the sitemap": case(answer("/b", 404), site=LISTED),
    "the crawler was turned away": case(answer("/a", 403), site=LISTED),
    "no answer": case(PageFacts(url=address("/a"), error="timeout"), site=LISTED),
    "never asked for": case(page("/a"), site=LISTED, asked=False),
    "an image": case(answer("/a.jpg", 404), site=site_facts(sitemap=["/a.jpg"])),
}
TABLES = {"SEO-SMP-003": (FAILS, PASSES, NOT_APPLICABLE)}
