"""Tables of SEO-HRE-004."""

from tests.rules.builders import address, case, page, redirect
from tests.rules.hre.versions import HIDDEN, NO_VERSIONS, PAIR, naming

FAILS = {
    "the other language alone": case(
        naming("/a", ("de", "/de/a")),
        seen={"languages": ["de"], "wanted": {"lang": "en", "url": address("/a")}},
        says=f"add one for en with {address('/a')}",
    ),
    "a set of other pages": case(naming("/b", *PAIR)),
}
PASSES = {
    "itself": case(naming("/a", *PAIR)),
    "itself as the default": case(naming("/a", ("de", "/de/a"), ("x-default", "/a"))),
    "an address that redirects here is SEO-HRE-002": case(naming("/a/", *PAIR), redirect("/a", "/a/"), page("/de/a")),
}
NOT_APPLICABLE = {
    "no versions": case(NO_VERSIONS),
    "another canonical address": case(naming("/a?x=1", *PAIR, canonicals=[("", address("/a"), "html")]), page("/a")),
    "noindex": case(naming("/b", *PAIR, robots_meta=HIDDEN)),
}
TABLES = {"SEO-HRE-004": (FAILS, PASSES, NOT_APPLICABLE)}
