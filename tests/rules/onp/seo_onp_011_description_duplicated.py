"""Tables of SEO-ONP-011."""

from tests.rules.builders import address, case, page
from tests.rules.con.seo_con_003_near_duplicate import ALIKE, saying
from tests.rules.con.seo_con_003_near_duplicate import TEXT as LONG

TEXT = "All about tents."

FAILS = {
    "a third page beside two that are nearly the same": case(
        page("/other", description="All about tents."),
        saying("/a", LONG, description="All about tents."),
        saying("/b", ALIKE, description="All about tents."),
        seen={"pages": 2, "others": [address("/a")]},
        says=f"such as {address('/a')} (and 1 copy or version of these pages); describe",
    ),
    "two pages with one description": case(
        page("/a", description=TEXT),
        page("/b", description="all about  TENTS."),
        seen={"pages": 2, "others": [address("/b")]},
        says=f"such as {address('/b')}; describe",
    ),
}
PASSES = {
    "pages that are nearly the same": case(
        saying("/a", LONG, description="All about tents."), saying("/b", ALIKE, description="All about tents.")
    ),
    "another description": case(page("/a", description=TEXT), page("/b", description="All about boots.")),
    "a log-in page": case(page("/account/login/", description=TEXT, shows_kind=True), page("/b", description=TEXT)),
    "no description at all": case(page("/a", description=None), page("/b", description=None)),
    "empty descriptions": case(page("/a", description=""), page("/b", description="")),
    "the other page names this one as canonical": case(
        page("/a", description=TEXT), page("/a?x=1", description=TEXT, canonicals=[("", address("/a"), "html")])
    ),
    "a paginated series": case(page("/a", description=TEXT), page("/a/page/2", description=TEXT)),
    "pages that are the same word for word": case(
        page("/", description=TEXT, text_hash="same"), page("/index.html", description=TEXT, text_hash="same")
    ),
}
NOT_APPLICABLE = {
    "a page with noindex": case(
        page("/a", description=TEXT, robots_meta=[("robots", "noindex")]), page("/b", description=TEXT)
    ),
}
TABLES = {"SEO-ONP-011": (FAILS, PASSES, NOT_APPLICABLE)}
