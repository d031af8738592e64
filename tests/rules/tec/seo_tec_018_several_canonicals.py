"""Tables of SEO-TEC-018."""

from tests.rules.builders import address, answer, case, page


def naming(*named: tuple[str, str]) -> list[tuple[str, str, str]]:
    return [(address(path), address(path), source) for path, source in named]


FAILS = {
    "two tags": case(
        page("/a", canonicals=naming(("/a", "html"), ("/b", "html"))),
        seen={"canonicals": [{"url": address("/a"), "where": "html"}, {"url": address("/b"), "where": "html"}]},
        says="2 canonical addresses",
    ),
    "tag and header": case(page("/a", canonicals=naming(("/a", "html"), ("/b", "header"))), says="Link header"),
    "one of them is no address": case(page("/a", canonicals=[*naming(("/a", "html")), ("file:///a", "", "html")])),
    "one on another domain beside its own": case(
        page("/a", canonicals=[("", "https://other.example/a", "html"), *naming(("/a", "html"))])
    ),
}
PASSES = {
    "two on another domain are SEO-TEC-034": case(
        page("/a", canonicals=[("", f"https://other.example/{name}", "html") for name in "ab"])
    ),
    "one": case(page("/a")),
    "none": case(page("/a", canonicals=[])),
    "the same twice": case(page("/a", canonicals=naming(("/a", "html"), ("/a", "header")))),
    "the same, written otherwise": case(
        page("/a", canonicals=[*naming(("/a", "html")), ("/a", address("/a"), "html")])
    ),
    "an empty one beside it": case(page("/a", canonicals=[*naming(("/a", "html")), ("", "", "html")])),
}
NOT_APPLICABLE = {
    "noindex": case(page("/a", canonicals=naming(("/a", "html"), ("/b", "html")), robots_meta=[("robots", "noindex")])),
    "an error": case(answer("/a", 500)),
}
TABLES = {"SEO-TEC-018": (FAILS, PASSES, NOT_APPLICABLE)}
