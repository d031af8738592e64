"""Tables of SEO-ONP-012 and SEO-ONP-013."""

from chalicelib.domain.page.facts import Hreflang
from chalicelib.domain.page.widths import description_px
from tests.rules.builders import address, case, page
from tests.rules.con.seo_con_003_near_duplicate import ALIKE, saying
from tests.rules.con.seo_con_003_near_duplicate import TEXT as LONG

WIDE = "What goes into the pack in spring, with weights, what can stay at home until the autumn, and " * 2
GOOD = "Two days on foot over the moor, with a hut for the night and a bus home: maps, times and what to pack."
VERSIONS = [Hreflang("en", address("/a")), Hreflang("en-gb", address("/b"))]
NOINDEX = [("robots", "noindex")]

TOO_LONG = (
    {
        "wider than two lines": case(
            page(description=WIDE),
            seen={"pixels": description_px(WIDE), "limit": 985, "characters": len(WIDE)},
            says="985",
        ),
        "a hundred Chinese characters": case(page(description="徒步" * 50), seen={"pixels": 1_400}),
    },
    {
        "a description that fits": case(page(description=GOOD)),
        "more than 160 narrow characters": case(page(description="illicit little lilies fill it, " * 7)),
        "no description": case(page(description=None)),
    },
    {"a page with noindex": case(page(description=WIDE, robots_meta=NOINDEX))},
)
TOO_SHORT = (
    {
        "a few words": case(page(description="Gaiters and more."), seen={"characters": 17, "limit": 70}, says="17"),
        "69 characters": case(page(description="x" * 69)),
        "thirty Chinese characters": case(page(description="徒步" * 15)),
        "the same on a page that may not be indexed": case(
            page("/a", description="Gaiters."), page("/b", description="Gaiters.", robots_meta=NOINDEX)
        ),
        "two languages of one page": case(
            page("/a", description="Gaiters.", hreflang=VERSIONS), page("/b", description="Gaiters.", hreflang=VERSIONS)
        ),
    },
    {
        "70 characters": case(page(description="x" * 70)),
        "thirty-five Chinese characters": case(page(description="徒步帐" * 12)),
        "an empty description": case(page(description="")),
        "one of two copies that share it with another page": case(
            saying("/b", ALIKE, description="Gaiters."),
            saying("/a", LONG, description="Gaiters."),
            page("/other", description="Gaiters."),
        ),
        "the same on another page, which is SEO-ONP-011": case(
            page("/a", description="Gaiters."), page("/b", description="GAITERS.")
        ),
    },
    {"a page with noindex": case(page(description="Gaiters.", robots_meta=NOINDEX))},
)
TABLES = {"SEO-ONP-012": TOO_LONG, "SEO-ONP-013": TOO_SHORT}
