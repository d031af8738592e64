"""Tables of SEO-AEO-017."""

from chalicelib.domain.page.facts import Image
from chalicelib.domain.page.rendered import Told
from tests.rules.builders import address, answer, case, links, page


def shell(path: str = "/a", **changes: object) -> object:
    return page(path, **{"words": 0, "headings": [], "h1_count": 0, "scripts": 2, **changes})


def rendered(words: int, internal_links: int) -> dict[str, object]:
    return {"rendered": {address("/a"): Told(words, internal_links)}}


FAILS = {
    "hardly more than a list that scripts fill in": case(
        page("/a", words=12, links=links("/b"), scripts=3, fills_list=True),
        seen={"seenIn": "html", "words": 12, "internalLinks": 1, "scripts": 3},
        says="has 12 words of its own",
    ),
    "nothing but scripts": case(
        shell(), seen={"seenIn": "html", "words": 0, "internalLinks": 0, "scripts": 2}, says="2 scripts"
    ),
    "nothing but scripts, and noindex": case(shell(robots_meta=[("robots", "noindex")])),
    "hardly any words of those in a browser": case(
        page("/a", words=99, links=links("/b"), scripts=1),
        inputs=rendered(400, 5),
        seen={"seenIn": "browser", "words": 99, "renderedWords": 400},
        says="read 99 words and 1 link here; a browser shows 400 words and 5 links",
    ),
    "no links but in a browser": case(page("/a", words=400), inputs=rendered(400, 5)),
    "nothing but scripts, and a browser shows words": case(shell(), inputs=rendered(400, 5)),
}
PASSES = {
    "a list that scripts fill in beside a text": case(page("/a", words=30, scripts=3, fills_list=True)),
    "a list that a browser shows as empty": case(
        page("/a", words=12, links=links("/b"), scripts=3, fills_list=True), inputs=rendered(12, 1)
    ),
    "words": case(page("/a", words=1, scripts=2)),
    "links": case(shell(links=links("/b"))),
    "links to other websites": case(shell(external_links=links("https://other.example/"))),
    "an image": case(shell(images=[Image("https://example.com/a.png", "A tent")])),
    "no scripts": case(shell(scripts=0)),
    "nobody counted the scripts": case(shell(scripts=None)),
    "a frame beside scripts": case(shell(frames=[address("/b")])),
    "a script that forwards": case(shell(script_forward=address("/b"))),
    "as empty in a browser": case(shell(), inputs=rendered(0, 0)),
    "a quarter of the words": case(page("/a", words=100, links=links("/b")), inputs=rendered(400, 5)),
}
NOT_APPLICABLE = {
    "a page that forwards": case(shell(meta_refresh=address("/b"), forwards=True)),
    "an error": case(answer("/a", 404)),
}
TABLES = {"SEO-AEO-017": (FAILS, PASSES, NOT_APPLICABLE)}
