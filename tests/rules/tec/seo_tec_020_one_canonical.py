"""Tables of SEO-TEC-020."""

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import HOME, address, case, page, site_case


def naming(target: str, *paths: str) -> list[PageFacts]:
    return [page(path, canonicals=[(address(target), address(target), "html")]) for path in paths]


FAILS = {
    "all name the home page": site_case(
        page("/"),
        *naming("/", "/a", "/b", "/c", "/d"),
        seen={"canonical": HOME, "pages": 5, "indexable": 5},
        says="the home page",
    ),
    "four of five name one page": site_case(
        *naming("/x", *(f"/{number}" for number in range(8))), page("/y"), page("/z"), says=address("/x")
    ),
    "pages that differ in a parameter, with titles of their own": site_case(
        page("/"), *naming("/", *(f"/?page_id={number}" for number in range(9)))
    ),
}
PASSES = {
    "each names itself": site_case(*(page(f"/{number}") for number in range(9))),
    "no page names any": site_case(*(page(f"/{number}", canonicals=[]) for number in range(9))),
    "four pages are too few": site_case(page("/"), *naming("/", "/a", "/b", "/c")),
    "three of four": site_case(*naming("/x", *(f"/{n}" for n in range(6))), page("/y"), page("/z")),
    "one on another domain is SEO-TEC-034": site_case(*naming("https://other.example/", *(f"/{n}" for n in range(9)))),
    "versions of one page": site_case(
        page("/p", title="A tent"),
        *(
            page(f"/p?variant={number}", title="A tent", canonicals=[("", address("/p"), "html")])
            for number in range(9)
        ),
    ),
}
NOT_APPLICABLE = {
    "nothing may be indexed": site_case(page("/", robots_meta=[("robots", "noindex")])),
    "a page is not judged": case(page("/a", canonicals=[("/", HOME, "html")])),
}
TABLES = {"SEO-TEC-020": (FAILS, PASSES, NOT_APPLICABLE)}
