"""Tables of SEO-HRE-001."""

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import address, answer, case, page, redirect
from tests.rules.hre.versions import HIDDEN, NO_VERSIONS, PAIR, naming

FAILS = {
    "the version names itself alone": case(
        naming("/a", *PAIR),
        naming("/de/a", ("de", "/de/a")),
        seen={"targets": [{"url": address("/de/a"), "lang": "de"}]},
        says=f"{address('/de/a')} (de)",
    ),
    "the version names none": case(naming("/a", *PAIR), page("/de/a")),
    "one of two": case(
        naming("/a", *PAIR, ("fr", "/fr/a")), naming("/de/a", *PAIR), page("/fr/a"), says="1 language version does"
    ),
}
PASSES = {
    "in return": case(naming("/a", *PAIR), naming("/de/a", *PAIR)),
    "itself alone": case(naming("/a", ("en", "/a"))),
    "a redirect is SEO-HRE-002": case(naming("/a", *PAIR), redirect("/de/a", "/de/b"), page("/de/b")),
    "a version that may not be indexed is SEO-HRE-002": case(naming("/a", *PAIR), page("/de/a", robots_meta=HIDDEN)),
    "one broken, one in return": case(
        naming("/a", *PAIR, ("fr", "/fr/a")), naming("/de/a", *PAIR), answer("/fr/a", 404)
    ),
}
NOT_APPLICABLE = {
    "no versions": case(NO_VERSIONS),
    "versions on another host, not read": case(naming("/a", ("en", "/a"), ("de", "https://example.de/a"))),
    "the version did not answer": case(naming("/a", *PAIR), PageFacts(url=address("/de/a"), error="timeout")),
    "a page with parameters whose canonical the version names": case(
        naming("/a?utm_source=mail", *PAIR, canonicals=[("", address("/a"), "html")]),
        naming("/a", *PAIR),
        naming("/de/a", *PAIR),
    ),
    "noindex": case(naming("/a", *PAIR, robots_meta=HIDDEN), page("/de/a")),
}
TABLES = {"SEO-HRE-001": (FAILS, PASSES, NOT_APPLICABLE)}
