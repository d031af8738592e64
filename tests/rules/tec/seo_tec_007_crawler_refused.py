"""Tables of SEO-TEC-007."""

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import address, answer, case, links, page, site_case

OPEN = [page(f"/{number}") for number in range(19)]


def refusing(*answers: PageFacts) -> tuple[PageFacts, ...]:
    return (*OPEN, *answers)


FAILS = {
    "half of all": site_case(page("/b"), answer("/a", 403), seen={"refused": 1, "asked": 2}),
    "one of twenty": site_case(
        *refusing(answer("/a", 403)),
        seen={"refused": 1, "asked": 20, "answers": {"403": 1}, "examples": [address("/a")]},
        says="1 of 20 addresses",
    ),
    "too many requests": site_case(*refusing(answer("/a", 429), answer("/b", 429), answer("/c", 401))),
    "a wall that wants cookies": site_case(
        *refusing(page("/a", title="Please enable cookies. - Example", words=20)), says="Please enable cookies"
    ),
    "a refusal with status 200": site_case(*refusing(page("/a", title="Zugriff verweigert!", words=12))),
    "a challenge in place of the page": site_case(
        *refusing(page("/a", title="Just a moment...")),
        seen={"answers": {"challenge": 1}},
        says='titled "Just a moment..."',
    ),
}
PASSES = {
    "an article about walls": site_case(*refusing(page("/a", title="Access denied", words=400))),
    "a page of the website that keeps visitors out": site_case(
        *refusing(page("/a", title="Access denied", words=30, links=links("/1", "/2", "/3", "/4")))
    ),
    "nothing refused": site_case(*OPEN),
    "one of twenty-one": site_case(*refusing(answer("/a", 403), page("/b"))),
    "errors are no refusal": site_case(*refusing(answer("/a", 404), answer("/b", 500))),
    "a title of one's own": site_case(*refusing(page("/a", title="One moment in time"))),
}
NOT_APPLICABLE = {
    "a page is not judged": case(answer("/a", 403)),
    "most pages, which is SEO-AEO-019": site_case(page("/"), answer("/a", 403), answer("/b", 403)),
}
TABLES = {"SEO-TEC-007": (FAILS, PASSES, NOT_APPLICABLE)}
