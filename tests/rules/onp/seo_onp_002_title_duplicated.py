"""Tables of SEO-ONP-002."""

from chalicelib.domain.page.facts import Hreflang
from tests.rules.builders import address, case, page
from tests.rules.con.seo_con_003_near_duplicate import ALIKE, saying
from tests.rules.con.seo_con_003_near_duplicate import TEXT as LONG

TITLE = "Tents for two"
LANGUAGES = [Hreflang("en", address("/en")), Hreflang("en-gb", address("/gb"))]

FAILS = {
    "a third page beside two that are nearly the same": case(
        page("/other", title="All about tents."),
        saying("/a", LONG, title="All about tents."),
        saying("/b", ALIKE, title="All about tents."),
        seen={"pages": 2, "others": [address("/a")]},
    ),
    "two pages with one title": case(
        page("/a", title=TITLE),
        page("/b", title=TITLE),
        seen={"title": TITLE, "pages": 2, "others": [address("/b")]},
        says=address("/b"),
    ),
    "letter case, spaces and full-width letters make no difference": case(
        page("/a", title=TITLE), page("/b", title="TENTS  for ｔwo")
    ),
    "the first page of a series and a page outside of it": case(
        page("/tents", title=TITLE),
        page("/tents?page=2", title=TITLE),
        page("/more", title=TITLE),
        seen={"pages": 2, "others": [address("/more")]},
    ),
    "with and without a slash at the end": case(page("/a", title=TITLE), page("/a/", title=TITLE)),
    "a later page and a page outside of its series": case(page("/a/page/2/", title=TITLE), page("/b", title=TITLE)),
}
FAILS["a page and two copies of another one"] = case(
    page("/a", title=TITLE),
    page("/b", title=TITLE, text_hash="same"),
    page("/b/index.html", title=TITLE, text_hash="same"),
    seen={"pages": 2, "others": [address("/b")]},
)
PASSES = {
    "pages that are nearly the same": case(
        saying("/a", LONG, title="All about tents."), saying("/b", ALIKE, title="All about tents.")
    ),
    "another title": case(page("/a", title=TITLE), page("/b", title=TITLE + " or three")),
    "a series with page=": case(page("/tents", title=TITLE), page("/tents?page=2", title=TITLE)),
    "a series with /page/2": case(
        page("/tents/", title=TITLE), page("/tents/page/2/", title=TITLE), page("/tents/page/3/", title=TITLE)
    ),
    "a series with parameters": case(
        page("/tents?sort=price", title=TITLE), page("/tents?page=2&sort=price", title=TITLE)
    ),
    "the other page names this one as canonical": case(
        page("/a", title=TITLE), page("/a?from=mail", title=TITLE, canonicals=[("", address("/a"), "html")])
    ),
    "the other page may not be indexed": case(
        page("/a", title=TITLE), page("/b", title=TITLE, robots_meta=[("robots", "noindex,follow")])
    ),
    "language versions that name each other": case(
        page("/en", title=TITLE, hreflang=LANGUAGES), page("/gb", title=TITLE, hreflang=LANGUAGES)
    ),
    "pages that are the same word for word": case(
        page("/", title=TITLE, text_hash="same"), page("/index.html", title=TITLE, text_hash="same")
    ),
    "two pages without a title": case(page("/a", title=None), page("/b", title=None)),
}
NOT_APPLICABLE = {
    "a page with noindex": case(
        page("/a", title=TITLE, robots_meta=[("googlebot", "none")]), page("/b", title=TITLE), page("/c", title=TITLE)
    ),
}
TABLES = {"SEO-ONP-002": (FAILS, PASSES, NOT_APPLICABLE)}
