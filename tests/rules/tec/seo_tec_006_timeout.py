"""Tables of SEO-TEC-006."""

from chalicelib.domain.page.facts import PageFacts, TargetFacts
from tests.rules.builders import address, answer, case, links, page

SILENT = PageFacts(url=address("/a"), error="timeout", tries=2)

FAILS = {
    "twice no answer": case(SILENT, seen={"seconds": 20, "tries": 2, "linkingPages": 0}, says="20 seconds"),
    "linked": case(SILENT, page("/b", links=links("/a")), seen={"linkingPages": 1}),
    "the target of a link beyond the budget": case(
        page("/a"), asked=False, targets=[TargetFacts(address("/a"), own_host=True, error="timeout", tries=2)]
    ),
}
PASSES = {
    "a page": case(page("/a")),
    "a server error": case(answer("/a", 500)),
    "another trouble": case(PageFacts(url=address("/a"), error="reset", tries=2)),
}
NOT_APPLICABLE = {
    "asked only once": case(PageFacts(url=address("/a"), error="timeout", tries=1)),
    "never asked for": case(page("/a"), asked=False),
}
TABLES = {"SEO-TEC-006": (FAILS, PASSES, NOT_APPLICABLE)}
