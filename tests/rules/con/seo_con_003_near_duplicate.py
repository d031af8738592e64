"""Tables of SEO-CON-003."""

from typing import Any

from chalicelib.domain.page import shingles
from chalicelib.domain.page.facts import Hreflang, PageFacts
from tests.rules.builders import address, case, links, page

WORDS = [f"{word}{number}" for number in range(20) for word in "tent pole hill river stove rope map boot rain".split()]
TEXT = " ".join(WORDS)
ALIKE = " ".join([*WORDS[:-3], "and", "then", "home"])  # 175 of 181 runs of three words are shared
OTHER = " ".join(reversed(WORDS))
VERSIONS = [Hreflang("en", address("/a")), Hreflang("en-gb", address("/b"))]


def saying(path: str, text: str, **changes: Any) -> PageFacts:
    return page(path, sketch=shingles.sketch(text), words=len(text.split()), text_hash=f"hash {text[-40:]}", **changes)


FAILS = {
    "a few words apart": case(
        saying("/a", TEXT),
        saying("/b", ALIKE),
        seen={"others": [{"url": address("/b"), "share": 0.983}], "count": 1, "words": 180},
        says=f"98% of this page's own text (180 words) also stands on {address('/b')}",
    ),
    "links from its own folder do not speak for a page": case(
        saying("/api/tents-and-more", TEXT),
        saying("/api/tent", ALIKE),
        *(page(f"/api/{number}", links=links("/api/tents-and-more")) for number in range(9)),
        seen={"keep": address("/api/tent")},
    ),
    "at the top all links count": case(
        saying("/tents-and-more", TEXT),
        saying("/tent", ALIKE),
        *(page(f"/{number}", links=links("/tents-and-more")) for number in range(4)),
        seen={"keep": address("/tents-and-more")},
    ),
    "three times as many links are not enough": case(
        saying("/api/tents-and-more", TEXT),
        saying("/api/tent", ALIKE),
        *(page(f"/guide/{number}", links=links("/api/tents-and-more")) for number in range(2)),
        page("/guide/all", links=links("/api/tents-and-more", "/api/tent")),
        seen={"keep": address("/api/tent")},
    ),
    "four times as many links are": case(
        saying("/api/tents-and-more", TEXT),
        saying("/api/tent", ALIKE),
        *(page(f"/guide/{number}", links=links("/api/tents-and-more")) for number in range(3)),
        page("/guide/all", links=links("/api/tents-and-more", "/api/tent")),
        seen={"keep": address("/api/tents-and-more")},
    ),
    "a page that is wholly a part of a longer one": case(
        saying("/short", TEXT),
        saying("/long", f"{TEXT} and then at home"),
        seen={"others": [{"url": address("/long"), "share": 1.0}]},
        says="99% of this page's own text (180 words)",
    ),
    "the longer one of the two": case(
        saying("/long", f"{TEXT} and then at home"),
        saying("/short", TEXT),
        seen={"others": [{"url": address("/short"), "share": 0.978}]},
        says="97% of this page's own text (184 words)",
    ),
    "the same name in a folder above": case(
        saying("/api/maps/tree.html", TEXT),
        saying("/api/tree.html", ALIKE),
        *(page(f"/guide/{number}", links=links("/api/maps/tree.html")) for number in range(9)),
        seen={"keep": address("/api/tree.html")},
    ),
    "another name in a folder above": case(
        saying("/api/maps/tree.html", TEXT),
        saying("/api/trees.html", ALIKE),
        *(page(f"/guide/{number}", links=links("/api/maps/tree.html")) for number in range(9)),
        seen={"keep": address("/api/maps/tree.html")},
    ),
    "editions of one manual in two folders": case(saying("/3.1/tents.html", TEXT), saying("/3.2/tents.html", ALIKE)),
    "one number apart is no release": case(saying("/tent-12.html", TEXT), saying("/tent-13.html", ALIKE)),
    "releases of two things": case(saying("/log/tent-1_2.html", TEXT), saying("/log/rope-1_2.html", ALIKE)),
    "letter case and spaces make no difference": case(saying("/a", TEXT.upper() + " more"), saying("/b", ALIKE)),
    "alike to one of two that are the same": case(
        saying("/c", ALIKE), saying("/a", TEXT), saying("/b", TEXT), seen={"count": 1}
    ),
}
PASSES = {
    "another text": case(saying("/a", TEXT), saying("/b", OTHER)),
    "nine tenths of the words, but in other places": case(
        saying("/a", TEXT), saying("/b", " ".join(word if number % 9 else "x" for number, word in enumerate(WORDS)))
    ),
    "word for word the same": case(saying("/a", TEXT), saying("/b", TEXT), saying("/c", ALIKE)),
    "short texts": case(saying("/a", " ".join(WORDS[:40])), saying("/b", " ".join([*WORDS[:39], "x"]))),
    "the other page names this one as canonical": case(
        saying("/a", TEXT), saying("/b", ALIKE, canonicals=[("", address("/a"), "html")])
    ),
    "the other page may not be indexed": case(
        saying("/a", TEXT), saying("/b", ALIKE, robots_meta=[("robots", "noindex")])
    ),
    "pages of one series": case(saying("/a", TEXT), saying("/a?page=2", ALIKE)),
    "notes on two releases": case(saying("/log/3_20_0.html", TEXT), saying("/log/3_20_1.html", ALIKE)),
    "releases with more numbers": case(saying("/log/v3.8.html", TEXT), saying("/log/v3.8.0.2.html", ALIKE)),
    "listings of program code": case(saying("/a", TEXT, listing=True), saying("/b", ALIKE, listing=True)),
    "a language menu for people names the other page": case(
        saying("/es/a", TEXT, translations=[address("/en/a")]), saying("/en/a", ALIKE)
    ),
    "the menu of the other page names this one": case(
        saying("/en/a", TEXT), saying("/es/a", ALIKE, translations=[address("/en/a")])
    ),
    "language versions that name each other": case(
        saying("/a", TEXT, hreflang=VERSIONS), saying("/b", ALIKE, hreflang=VERSIONS)
    ),
}
NOT_APPLICABLE = {
    "a page with noindex": case(saying("/a", TEXT, robots_meta=[("robots", "noindex")]), saying("/b", ALIKE))
}
TABLES = {"SEO-CON-003": (FAILS, PASSES, NOT_APPLICABLE)}
