"""Tables of SEO-TEC-044."""

from typing import Any

from chalicelib.domain.page import blocks, shingles
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.text import measure
from tests.rules.builders import address, answer, case, page, redirect

_BOOTS = " ".join(f"boots{number} leather sole{number}" for number in range(60))
_TENTS = " ".join(f"tents{number} canvas pole{number}" for number in range(60))


def saying(text: str, path: str, canonical: str | None = None, **changes: Any) -> PageFacts:
    words = shingles.words_of(text)
    count, text_hash = measure(text)
    named = address(canonical or path)
    facts: dict[str, Any] = {
        "canonicals": [(named, named, "html")],
        "words": count,
        "text_hash": text_hash,
        "sketch": shingles.sketch(text),
        "blocks": blocks.kept(words, len(words.hashes)),
        "text": text[:1_500],
    }
    return page(path, **{**facts, **changes})


BOOTS = saying(_BOOTS, "/boots")
LIST = {"title": "All our boots", "headings": [(1, "All our boots")]}

FAILS = {
    "another text": case(
        saying(_TENTS, "/tents", "/boots"),
        BOOTS,
        seen={"canonical": address("/boots"), "kind": "other_text", "shared": 0.0},
        says="https://example.com/boots has another text (180 words",
    ),
    "two pages that name one": case(
        saying(_TENTS, "/tents", "/boots"), BOOTS, saying(f"{_TENTS} again", "/tarps", "/boots")
    ),
    "a page that names one which names another": case(
        saying(_TENTS, "/tents", "/boots"), saying(_BOOTS, "/boots", "/tents"), seen={"kind": "other_text"}
    ),
    "a later page that names the first": case(
        saying(_TENTS, "/list?page=2", "/list", **LIST),
        saying(_BOOTS, "/list", **LIST),
        seen={"kind": "later_page"},
        says="a later page of a list, and names the first one",
    ),
    "a later page of another kind of address": case(
        saying(_TENTS, "/list/page/2", "/list", **LIST), saying(_BOOTS, "/list", **LIST)
    ),
}
PASSES = {
    "its own": case(BOOTS),
    "none": case(saying(_BOOTS, "/boots", canonicals=[])),
    "nearly the same text": case(saying(f"{_BOOTS} and more", "/boots-red", "/boots"), BOOTS),
    "half of the text": case(saying(f"{_BOOTS} {_TENTS}", "/both", "/boots"), BOOTS),
    "the same title": case(saying(_TENTS, "/print/boots", "/boots", title=BOOTS.title), BOOTS),
    "the same heading": case(saying(_TENTS, "/print/boots", "/boots", headings=BOOTS.headings), BOOTS),
    "other parameters": case(saying(_TENTS, "/boots?colour=red", "/boots"), BOOTS),
    "a later page that names itself": case(saying(_TENTS, "/list?page=2", **LIST), saying(_BOOTS, "/list", **LIST)),
    "a first page under a number of its own": case(
        saying(_BOOTS, "/list?page=1", "/list", **LIST), saying(_BOOTS, "/list", **LIST)
    ),
    "too short to compare": case(saying("Two words", "/tents", "/boots"), BOOTS),
    "a target nobody read": case(saying(_TENTS, "/tents", "/boots")),
    "a broken target is SEO-TEC-014": case(saying(_TENTS, "/tents", "/boots"), answer("/boots", 404)),
    "a redirecting one is SEO-TEC-015": case(saying(_TENTS, "/tents", "/old"), redirect("/old", "/boots"), BOOTS),
    "one with noindex is SEO-TEC-016": case(
        saying(_TENTS, "/tents", "/boots"), saying(_BOOTS, "/boots", robots_meta=[("robots", "noindex")])
    ),
}
NOT_APPLICABLE = {
    "nearly all pages name it, which is SEO-TEC-020": case(
        saying(_TENTS, "/tents", "/boots"),
        BOOTS,
        *(saying(f"{_TENTS} {number}", f"/{number}", "/boots") for number in range(6)),
    ),
    "a page with noindex": case(saying(_TENTS, "/tents", "/boots", robots_meta=[("robots", "noindex")]), BOOTS),
}
TABLES = {"SEO-TEC-044": (FAILS, PASSES, NOT_APPLICABLE)}
