"""Tables of SEO-CON-002."""

from chalicelib.domain.page.facts import Hreflang
from tests.rules.builders import address, case, page

LANGUAGES = [Hreflang("en", address("/a")), Hreflang("en-gb", address("/b"))]

FAILS = {
    "the same text": case(
        page("/a", text_hash="x"), page("/b", text_hash="x"), seen={"pages": 2, "others": [address("/b")]}
    ),
    "three of them": case(
        page("/a", text_hash="x"), page("/b", text_hash="x"), page("/c", text_hash="x"), says="2 other pages"
    ),
    "addresses that differ in double slashes": case(
        page("/a/b", text_hash="x"),
        page("//a/b", text_hash="x"),
        page("/a///b", text_hash="x"),
        says="the addresses differ only in double slashes. Correct the links that have them",
    ),
    "another address beside those with double slashes": case(
        page("/a", text_hash="x"),
        page("//a", text_hash="x"),
        page("/b", text_hash="x"),
        says="; keep one, and redirect",
    ),
}
PASSES = {
    "another text": case(page("/a", text_hash="x"), page("/b", text_hash="y")),
    "texts too short to compare": case(page("/a", text_hash=""), page("/b", text_hash="")),
    "the other page names this one as canonical": case(
        page("/a", text_hash="x"), page("/b", text_hash="x", canonicals=[("", address("/a"), "html")])
    ),
    "both name a third one": case(
        page("/a", text_hash="x", canonicals=[("", address("/c"), "html")]),
        page("/b", text_hash="x", canonicals=[("", address("/c"), "html")]),
    ),
    "the other may not be indexed": case(
        page("/a", text_hash="x"), page("/b", text_hash="x", robots_meta=[("robots", "noindex")])
    ),
    "language versions that name each other": case(
        page("/a", text_hash="x", hreflang=LANGUAGES), page("/b", text_hash="x", hreflang=LANGUAGES)
    ),
}
NOT_APPLICABLE = {
    "a page with noindex": case(
        page("/a", text_hash="x", robots_meta=[("robots", "noindex")]), page("/b", text_hash="x")
    ),
}
TABLES = {"SEO-CON-002": (FAILS, PASSES, NOT_APPLICABLE)}
