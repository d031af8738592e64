"""Tables of SEO-HRE-006."""

from tests.rules.builders import address, case
from tests.rules.hre.versions import HIDDEN, NO_VERSIONS, PAIR, naming

FAILS = {
    "two languages, one address": case(
        naming("/a", *PAIR, ("fr", "/de/a")),
        seen={"urlsWithTwoLanguages": [{"url": address("/de/a"), "langs": ["de", "fr"]}], "languagesWithTwoUrls": []},
        says='"de" and "fr"',
    ),
    "one language, two addresses": case(
        naming("/a", *PAIR, ("de", "/de/b")),
        seen={"languagesWithTwoUrls": [{"lang": "de", "urls": [address("/de/a"), address("/de/b")]}]},
        says="2 addresses",
    ),
    "written otherwise": case(naming("/a", *PAIR, ("en-gb", "/b"), ("en-GB", "/c"))),
    "two defaults": case(naming("/a", *PAIR, ("x-default", "/a"), ("x-default", "/de/a"))),
}
PASSES = {
    "a pair": case(naming("/a", *PAIR)),
    "the default shares an address": case(naming("/a", *PAIR, ("x-default", "/a"))),
    "regions of one language share an address": case(naming("/a", *PAIR, ("en-GB", "/a"), ("en-US", "/a"))),
    "the same twice": case(naming("/a", *PAIR, *PAIR)),
    "one alone": case(naming("/a", ("en", "/a"))),
}
NOT_APPLICABLE = {
    "no versions": case(NO_VERSIONS),
    "noindex": case(naming("/a", *PAIR, ("fr", "/de/a"), robots_meta=HIDDEN)),
}
TABLES = {"SEO-HRE-006": (FAILS, PASSES, NOT_APPLICABLE)}
