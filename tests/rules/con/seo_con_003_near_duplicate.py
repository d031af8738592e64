"""Tables of SEO-CON-003."""

from typing import Any

from chalicelib.domain.page import shingles
from chalicelib.domain.page.facts import Hreflang, PageFacts
from tests.domain.page.reading import read
from tests.rules.builders import Case, address, case, links, page

WORDS = [f"{word}{number}" for number in range(20) for word in "tent pole hill river stove rope map boot rain".split()]
TEXT = " ".join(WORDS)
ALIKE = " ".join([*WORDS[:-3], "and", "then", "home"])  # 175 of 181 runs of three words are shared
BRIEF = " ".join(WORDS[:52])
BRIEF_ALIKE = " ".join([*WORDS[:51], "home"])
OTHER = " ".join(reversed(WORDS))
VERSIONS = [Hreflang("en", address("/a")), Hreflang("en-gb", address("/b"))]


def saying(path: str, text: str, **changes: Any) -> PageFacts:
    return page(path, sketch=shingles.sketch(text), words=len(text.split()), text_hash=f"hash {text[-40:]}", **changes)


def aliased(title: str, named: str, alias: str) -> Case:
    """A page of a wiki under its name, and the same page under a shorter one that many pages link."""
    return case(
        saying(named, TEXT, title=title),
        saying(alias, ALIKE, title=title),
        *(page(f"/{number}", links=links(alias), title=f"{number} - Wiki") for number in range(9)),
        seen={"keep": address(named)},
    )


def index_of(path: str, text: str, ending: str = "", *, part: str = "#") -> PageFacts:
    """A page on which every word links another part of two pages."""
    anchors = [f"<li><code><a href='/p{at % 2}{part}{at}'>{word}</a></code>" for at, word in enumerate(text.split())]
    html = f"<!doctype html><html lang=en><head><title>Camp {path}</title></head><main><ul>{''.join(anchors)}</ul>"
    return read(f"{html}{ending}</main></html>", url=address(path), bytes=9_000, content_type="text/html")


def linking(path: str, linked: int, text: str = TEXT, each: int = 10, body_class: str = "") -> PageFacts:
    """A page of this text, the first ``linked`` words of which are links of ``each`` words."""
    said = text.split()
    anchors = [f"<a href='/p{at}'>{' '.join(said[at : at + each])}</a>" for at in range(0, linked, each)]
    html = (
        f"<!doctype html><html lang=en><head><title>Camp {path}</title></head><body class='{body_class}'><main>"
        f"<p>{' '.join(anchors)} {' '.join(said[linked:])}</p></main></body></html>"
    )
    return read(html, url=address(path), bytes=9_000, content_type="text/html")


LONGER = [*WORDS, *(f"pole{number}" for number in range(20))]
FAILS = {
    "a share that is rounded up, in message and evidence": case(
        saying("/a", " ".join(LONGER)),
        saying("/b", " ".join([*LONGER[:-6], *"and then home to the valley".split()])),
        seen={"others": [{"url": address("/b"), "share": 0.97}]},
        says="97% of this page's own text (200 words)",
    ),
    "a few words apart": case(
        saying("/a", TEXT),
        saying("/b", ALIKE),
        seen={"others": [{"url": address("/b"), "share": 0.983}], "count": 1, "words": 180},
        says=f"98% of this page's own text (180 words) is also on {address('/b')}",
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
    "the name that is the title of a wiki's page": aliased("Guy rope - Wiki", "/Guy_rope.html", "/Rope.html"),
    "with hyphens": aliased("Guy rope - Wiki", "/guy-rope", "/rope"),
    "in another language": aliased("Überzelt - Wiki", "/%C3%9Cberzelt", "/Zelt"),
    "two names, each its page's title": case(
        saying("/guy-rope", TEXT, title="Guy rope"),
        saying("/rope", ALIKE, title="Rope"),
        seen={"keep": address("/rope")},
    ),
    "no titles": case(
        saying("/ropes-of-guys", TEXT, title=None),
        saying("/---", ALIKE, title=None),
        *(page(f"/{number}", links=links("/ropes-of-guys")) for number in range(9)),
        seen={"keep": address("/ropes-of-guys")},
    ),
    "neither name is the title": case(
        saying("/ropes-of-guys", TEXT, title="Tents"),
        saying("/rope", ALIKE, title="Tents"),
        seen={"keep": address("/rope")},
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
    "links with some more words on each": case(linking("/a", 20, each=1), linking("/b", 20, ALIKE, each=1)),
    "links that make up less than half of the words": case(linking("/a", 80), linking("/b", 80, ALIKE)),
    "a list of links beside a page of prose and its copy": case(
        saying("/a", TEXT), saying("/b", ALIKE), linking("/c", 180), seen={"count": 1, "keep": address("/a")}
    ),
    "half of the words in two links": case(linking("/a", 26, BRIEF, each=13), linking("/b", 26, BRIEF_ALIKE, each=13)),
    "lists of posts, which the software makes": case(
        linking("/tag/a", 180, body_class="archive tag"),
        linking("/tag/b", 180, ALIKE, body_class="archive tag"),
        says="Both pages list the same posts. Set lists that nobody searches for to noindex",
    ),
    "a list of posts and a page that is none": case(
        linking("/tag/a", 30, body_class="archive tag"), saying("/b", ALIKE), says="name it as canonical"
    ),
    "pages on two subjects": case(
        saying("/building-for-ios", TEXT, title="Building for iOS - Manual"),
        saying("/building-for-tvos", ALIKE, title="Building for tvOS - Manual"),
        says="The pages are named differently: write on each what only this page can say. If one page is enough, keep "
        "this one and name it as canonical on the other page.",
    ),
    "a page on another subject than that to keep": case(
        saying("/movers-in-berlin", TEXT, title="Movers in Berlin"),
        saying("/movers-in-ulm", ALIKE, title="Movers in Ulm"),
        says=f"keep {address('/movers-in-ulm')} and name it as canonical on this page.",
    ),
    "two subjects under one title": case(
        saying("/xslt/docs", TEXT, title="Documentation", headings=[(1, "The XSLT library")]),
        saying("/docs", ALIKE, title="Documentation", headings=[(1, "The EXSLT library")]),
        says="The pages are named differently",
    ),
    "one page under two addresses": case(
        saying("/docs", TEXT, title="Documentation", headings=[(1, "Docs")]),
        saying("/more/docs", ALIKE, title="Documentation", headings=[(1, "Docs")]),
        says="This is the page to keep: let the other page name it as canonical",
    ),
    "its copy": case(
        saying("/more/docs", TEXT, title="Documentation", headings=[(1, "Docs")]),
        saying("/docs", ALIKE, title="Documentation", headings=[(1, "Docs")]),
        says=f"Keep {address('/docs')}: name it as canonical on this page",
    ),
    "a number that counts no pages": case(saying("/pages/2", TEXT), saying("/other", ALIKE)),
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
    "lists of links": case(linking("/a", 180), linking("/b", 180, ALIKE)),
    "half of the words are links": case(linking("/a", 90), linking("/b", 90, ALIKE)),
    "half of the words in three links": case(linking("/a", 27, BRIEF, each=9), linking("/b", 27, BRIEF_ALIKE, each=9)),
    "links with a few words on each": case(linking("/a", 23, each=1), linking("/b", 23, ALIKE, each=1)),
    "indexes of the parts of a few pages": case(index_of("/a", TEXT), index_of("/b", ALIKE)),
    "a list of links, and the same as prose": case(linking("/a", 180), saying("/b", ALIKE)),
    "a later page of a list": case(saying("/blog/page/2", TEXT), saying("/tents", ALIKE)),
    "later pages of two lists": case(saying("/blog/page/2", TEXT), saying("/tents?paged=2", ALIKE)),
    "another page's copy is a later page of a list": case(saying("/tents", TEXT), saying("/blog?page=3", ALIKE)),
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
