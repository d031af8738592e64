"""Tables of SEO-TEC-028."""

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import address, case, page


def same(path: str, **changes: object) -> PageFacts:
    return page(path, **{"text_hash": "same", **changes})


FAILS = {
    "a tracking parameter": case(
        same("/a?utm_source=mail"), same("/a"), seen={"sameAs": address("/a")}, says=f"the same as {address('/a')}"
    ),
    "sorting": case(same("/a?sort=price"), same("/a")),
    "among others": case(same("/a?id=3&gclid=x"), same("/a?id=3"), seen={"wanted": address("/a?id=3")}),
    "without the plain address": case(
        same("/a?utm_source=mail&utm_medium=x"),
        same("/a?utm_source=mail"),
        seen={"sameAs": address("/a?utm_source=mail")},
    ),
    "without any canonical": case(same("/a?fbclid=1", canonicals=[]), same("/a", canonicals=[])),
}
PASSES = {
    "the address to keep": case(same("/a"), same("/a?utm_source=mail")),
    "the canonical is the plain one": case(
        same("/a?utm_source=mail", canonicals=[("", address("/a"), "html")]), same("/a")
    ),
    "another text": case(same("/a?sort=price", text_hash="other"), same("/a")),
    "hardly any text": case(same("/a?sort=price", text_hash=""), same("/a", text_hash="")),
    "a parameter that chooses is SEO-CON-002": case(same("/a?colour=red"), same("/a")),
    "alone": case(same("/a?utm_source=mail")),
    "the plain one may not be indexed": case(same("/a?sort=price"), same("/a", robots_meta=[("robots", "noindex")])),
}
NOT_APPLICABLE = {
    "noindex": case(same("/a?sort=price", robots_meta=[("robots", "noindex")]), same("/a")),
}
TABLES = {"SEO-TEC-028": (FAILS, PASSES, NOT_APPLICABLE)}
