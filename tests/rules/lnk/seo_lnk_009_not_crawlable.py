"""Tables of SEO-LNK-009."""

from tests.rules.builders import answer, case, links, page

SAMPLES = [("Sizes", "javascript:void(0)"), ("", "onclick")]

FAILS = {
    "three": case(
        page(uncrawlable_links=3, uncrawlable_samples=SAMPLES, links=links("/")),
        seen={
            "links": 3,
            "examples": [{"text": "Sizes", "why": "javascript:void(0)"}, {"text": "", "why": "onclick"}],
        },
        says='"Sizes" (javascript:void(0))',
    ),
    "one without text": case(page(uncrawlable_links=9, uncrawlable_samples=SAMPLES[1:]), says="one without text"),
    "no others": case(page(uncrawlable_links=4), says="4 links"),
}
PASSES = {
    "two": case(page(uncrawlable_links=2, links=links("/"))),
    "none": case(page(links=links("/"))),
}
NOT_APPLICABLE = {
    "no links at all": case(page()),
    "noindex": case(page(uncrawlable_links=9, robots_meta=[("robots", "noindex")])),
    "a list in a frame beside the pages": case(page(uncrawlable_links=9, in_frame=True, links=links("/"))),
    "an error": case(answer("/a", 404)),
}
TABLES = {"SEO-LNK-009": (FAILS, PASSES, NOT_APPLICABLE)}
