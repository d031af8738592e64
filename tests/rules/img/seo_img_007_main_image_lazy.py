"""Tables of SEO-IMG-007."""

from chalicelib.domain.agentic import AgenticResult, LargestImage
from chalicelib.domain.page.facts import Image
from tests.rules.builders import Case, address, case, page

SHOWING = page(images=[Image(address("/a.jpg"), "A tent", 640, 480)])
TAG = '<img src="/a.jpg" loading="lazy">'


def lighthouse_found(image: LargestImage | None, url: str = SHOWING.url) -> Case:
    """A page, and what Lighthouse found at ``url``."""
    return case(SHOWING, inputs={"agentic": {url: AgenticResult("13.5.0", "mobile", {}, image)}})


LAZY = LargestImage(True, "main > img", TAG)

FAILS = {
    "the largest image is lazy": case(
        SHOWING,
        inputs={"agentic": {SHOWING.url: AgenticResult("13.5.0", "mobile", {}, LAZY)}},
        seen={"selector": "main > img", "snippet": TAG, "lighthouseVersion": "13.5.0"},
        says=TAG,
    )
}
PASSES = {"the largest image is loaded at once": lighthouse_found(LargestImage(False, "main > img", TAG))}
NOT_APPLICABLE = {
    "the largest element is a text": lighthouse_found(None),
    "another page was tested": lighthouse_found(LAZY, address("/other")),
    "nothing was tested": case(SHOWING),
}
TABLES = {"SEO-IMG-007": (FAILS, PASSES, NOT_APPLICABLE)}
