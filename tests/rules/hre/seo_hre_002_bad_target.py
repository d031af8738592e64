"""Tables of SEO-HRE-002."""

from chalicelib.domain.page.facts import PageFacts, TargetFacts
from tests.rules.builders import address, answer, case, page, redirect
from tests.rules.hre.versions import HIDDEN, NO_VERSIONS, PAIR, naming

FAILS = {
    "broken": case(
        naming("/a", *PAIR),
        answer("/de/a", 404),
        seen={
            "targets": [
                {"url": address("/de/a"), "lang": "de", "fault": "broken", "seen": "answers 404", "leadsTo": None}
            ]
        },
        says="answers 404",
    ),
    "a server error": case(naming("/a", *PAIR), answer("/de/a", 500)),
    "a redirect": case(naming("/a", *PAIR), redirect("/de/a", "/de/b"), page("/de/b"), says=address("/de/b")),
    "noindex": case(naming("/a", *PAIR), naming("/de/a", *PAIR, robots_meta=HIDDEN), says="noindex"),
    "another canonical address": case(
        naming("/a", *PAIR), naming("/de/a", *PAIR, canonicals=[("", address("/de/b"), "html")]), says="canonical"
    ),
    "broken on another host": case(
        naming("/a", ("en", "/a"), ("de", "https://example.de/a")),
        targets=[TargetFacts("https://example.de/a", own_host=False, status=404, tries=2)],
    ),
}
PASSES = {
    "fine": case(naming("/a", *PAIR), naming("/de/a", *PAIR)),
    "itself alone": case(naming("/a", ("en", "/a"))),
    "not asked for": case(naming("/a", *PAIR)),
    "it turns the crawler away": case(naming("/a", *PAIR), answer("/de/a", 403)),
    "no answer": case(naming("/a", *PAIR), PageFacts(url=address("/de/a"), error="timeout")),
}
NOT_APPLICABLE = {
    "no versions": case(NO_VERSIONS),
    "another canonical address": case(
        naming("/a", *PAIR, canonicals=[("", address("/b"), "html")]), answer("/de/a", 404), page("/b")
    ),
    "noindex": case(naming("/a", *PAIR, robots_meta=HIDDEN), answer("/de/a", 404)),
}
TABLES = {"SEO-HRE-002": (FAILS, PASSES, NOT_APPLICABLE)}
