"""Tables of SEO-LNK-002."""

from tests.rules.builders import address, answer, case, links, page, redirect

FAILS = {
    "a link to a redirect": case(
        page("/a", links=links("/old")),
        redirect("/old", "/b", 302),
        page("/b"),
        seen={
            "redirecting": 1,
            "targets": [
                {"url": address("/old"), "status": 302, "leadsTo": address("/b"), "text": "to /old", "inLayout": False}
            ],
        },
        says=f"link {address('/b')} directly",
    ),
    "a link to a chain names its end": case(
        page("/a", links=links("/old")), redirect("/old", "/older"), redirect("/older", "/b"), says=address("/b")
    ),
    "from http to another address": case(
        page("/a", links=links("http://example.com/old")), redirect("http://example.com/old", "/b")
    ),
}
PASSES = {
    "a link to a page": case(page("/a", links=links("/b")), page("/b")),
    "from http to https": case(
        page("/a", links=links("http://example.com/b")), redirect("http://example.com/b", "/b"), page("/b")
    ),
    "a redirect to an error is a broken link": case(
        page("/a", links=links("/old")), redirect("/old", "/b"), answer("/b", 404)
    ),
}
NOT_APPLICABLE = {"a page without links": case(page("/a"), redirect("/old", "/a"))}
TABLES = {"SEO-LNK-002": (FAILS, PASSES, NOT_APPLICABLE)}
