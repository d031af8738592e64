"""Tables of SEO-TEC-014 to SEO-TEC-017: each kind of target is the finding of one of them alone."""

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import Case, address, answer, case, page, redirect, robots, site_facts


def naming(target: str) -> PageFacts:
    """A page that names ``target`` as its canonical address."""
    return page("/a", canonicals=[(target, address(target), "html")])


BROKEN = {
    "gone": case(naming("/b"), answer("/b", 404), seen={"canonical": address("/b"), "status": 404}, says="answers 404"),
    "failing": case(naming("/b"), answer("/b", 500), seen={"status": 500}),
    "broken on another host": case(naming("https://shop.example.com/b"), answer("https://shop.example.com/b", 404)),
    "broken, and disallowed too": case(
        naming("/b"), answer("/b", 404), site=site_facts(robots=robots("User-agent: *\nDisallow: /b"))
    ),
}
REDIRECTING = {
    "a redirect": case(
        naming("/b"),
        redirect("/b", "/c"),
        page("/c"),
        seen={"canonical": address("/b"), "status": 301, "leadsTo": address("/c")},
        says=address("/c"),
    ),
    "a redirect back to the page": case(naming("/b"), redirect("/b", "/a", 302)),
}
NOT_INDEXABLE = {
    "noindex": case(
        naming("/b"), page("/b", robots_meta=[("robots", "noindex")]), seen={"disallowed": False}, says="noindex"
    ),
    "disallowed, never asked for": case(
        naming("/b"),
        site=site_facts(robots=robots("User-agent: *\nDisallow: /b")),
        known=["/b"],
        seen={"disallowed": True, "noindex": None},
        says="robots.txt",
    ),
    "disallowed for Google": case(
        naming("/b"), page("/b"), site=site_facts(robots=robots("User-agent: Googlebot\nDisallow: /b"))
    ),
    "noindex, and another canonical": case(
        naming("/b"), page("/b", robots_meta=[("robots", "noindex")], canonicals=[("", address("/c"), "html")])
    ),
}
CHAINED = {
    "a third address": case(
        naming("/b"),
        page("/b", canonicals=[("/c", address("/c"), "html")]),
        page("/c"),
        seen={"canonical": address("/b"), "itsCanonical": address("/c")},
        says=f"name {address('/c')} directly",
    ),
}
FINE = {
    "no canonical": case(page(canonicals=[])),
    "its own": case(page()),
    "a broken one on another domain is SEO-TEC-034": case(
        naming("https://other.example/b"), answer("https://other.example/b", 404)
    ),
    "a page that is fine": case(naming("/b"), page("/b")),
    "a page without canonical": case(naming("/b"), page("/b", canonicals=[])),
    "an unreadable canonical": case(page(canonicals=[("file:///c/index.html", "", "html")])),
    "a page that turns the crawler away": case(naming("/b"), answer("/b", 403)),
}
NOT_APPLICABLE = {
    "nobody asked for the target": case(naming("https://shop.example.com/b")),
    "the target did not answer": case(naming("/b"), PageFacts(url=address("/b"), error="timeout")),
    "a page with noindex": case(
        page("/a", canonicals=[("/b", address("/b"), "html")], robots_meta=[("robots", "noindex")]), answer("/b", 404)
    ),
}


def _others(own: dict[str, Case]) -> dict[str, Case]:
    """What passes one rule of the family: what is fine, and what another rule of the family reports."""
    families = (BROKEN, REDIRECTING, NOT_INDEXABLE, CHAINED)
    return FINE | {name: one for family in families if family is not own for name, one in family.items()}


TABLES = {
    "SEO-TEC-014": (BROKEN, _others(BROKEN), NOT_APPLICABLE),
    "SEO-TEC-015": (REDIRECTING, _others(REDIRECTING), NOT_APPLICABLE),
    "SEO-TEC-016": (NOT_INDEXABLE, _others(NOT_INDEXABLE), NOT_APPLICABLE),
    "SEO-TEC-017": (CHAINED, _others(CHAINED), NOT_APPLICABLE),
}
