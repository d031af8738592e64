"""Tables of SEO-TEC-003."""

from tests.rules.builders import address, answer, case, links, page

FAILS = {
    "a server error on two tries": case(
        answer("/a", 500),
        page("/b", links=links("/a")),
        seen={"status": 500, "tries": 2, "linkedFrom": [address("/b")], "linkingPages": 1},
        says="1 page links to it",
    ),
    "a linked document": case(answer("/a.pdf", 502), page("/b", links=links("/a.pdf"))),
    "unavailable on three": case(answer("/a", 503, tries=3), seen={"tries": 3}),
}
PASSES = {
    "a page": case(page()),
    "a page that is gone": case(answer("/a", 404)),
    "a linked document that is gone": case(answer("/a.pdf", 404), page("/b", links=links("/a.pdf"))),
}
NOT_APPLICABLE = {
    "tried once": case(answer("/a", 500, tries=1)),
    "an image that no page links": case(answer("/a.png", 500)),
    "never asked for": case(page("/a"), asked=False),
}
TABLES = {"SEO-TEC-003": (FAILS, PASSES, NOT_APPLICABLE)}
