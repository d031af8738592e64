"""Tables of SEO-TEC-025."""

from chalicelib.domain.page.rendered import Told
from tests.rules.builders import address, answer, case, links, page


def rendered(words: int, internal_links: int) -> dict[str, object]:
    return {"rendered": {address("/a"): Told(words, internal_links)}}


FAILS = {
    "hardly any words": case(
        page("/a", words=99, links=links("/b")),
        inputs=rendered(400, 5),
        seen={"words": 99, "renderedWords": 400},
        says="99 words",
    ),
    "an empty frame": case(page("/a", words=0), inputs=rendered(400, 5)),
    "no links": case(
        page("/a", words=400), inputs=rendered(400, 5), seen={"internalLinks": 0, "renderedInternalLinks": 5}
    ),
}
PASSES = {
    "a quarter of the words": case(page("/a", words=100, links=links("/b")), inputs=rendered(400, 5)),
    "all of the words": case(page("/a", words=400, links=links("/b")), inputs=rendered(400, 5)),
    "no links, rendered or not": case(page("/a", words=400), inputs=rendered(400, 0)),
}
NOT_APPLICABLE = {
    "nothing was rendered": case(page("/a", words=0)),
    "another page was rendered": case(page("/b", words=0), inputs=rendered(400, 5)),
    "an error": case(answer("/a", 404), inputs=rendered(400, 5)),
}
TABLES = {"SEO-TEC-025": (FAILS, PASSES, NOT_APPLICABLE)}
