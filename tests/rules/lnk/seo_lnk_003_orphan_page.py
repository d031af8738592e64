"""Tables of SEO-LNK-003."""

from chalicelib.domain.page.facts import LINK_NOFOLLOW
from tests.rules.builders import address, case, links, page, redirect, robots, site_facts

LISTED = site_facts(sitemap=["/", "/a"])

FAILS = {
    "a list that scripts fill in names other pages": case(
        page("/a"),
        page("/b"),
        page("/", links=links("/b"), fills_list=True, listed_by_script=[address("/b"), address("/api")]),
        site=LISTED,
    ),
    "a search whose results scripts fill in": case(
        page("/a"), page("/"), page("/search", fills_list=True, shows_kind=True), site=LISTED
    ),
    "a menu that scripts fill in": case(page("/a"), page("/", listed_by_script=[address("/api")]), site=LISTED),
    "a form that leads elsewhere": case(page("/a"), page("/", form_targets=[address("/sent")]), site=LISTED),
    "a form on the page itself": case(page("/a", form_targets=[address("/sent")]), page("/"), site=LISTED),
    "in the sitemap, linked by nobody": case(
        page("/a"), page("/"), site=LISTED, seen={"inSitemap": True, "impressions": None}, says="sitemap lists"
    ),
    "in search results, linked by nobody": case(
        page("/a"), page("/"), search={address("/a"): 40, address("/"): 9}, seen={"impressions": 40}, says="search"
    ),
    "in the sitemap, and never shown": case(
        page("/a"), page("/"), site=LISTED, search={address("/"): 9}, seen={"inSitemap": True, "impressions": 0}
    ),
    "in search results under its http address": case(
        page("/a"), page("/"), search={"http://www.example.com/a": 3, address("/"): 9}, seen={"impressions": 3}
    ),
    "linked by itself alone": case(page("/a", links=links("/a")), page("/"), site=LISTED),
    "nine of ten addresses were read": case(
        page("/a"), *(page(f"/{number}") for number in range(8)), site=site_facts(sitemap=["/a", "/unread"])
    ),
}
PASSES = {
    "a form leads to it": case(page("/a"), page("/", form_targets=[address("/a")]), site=LISTED),
    "the scripts of a list name it": case(
        page("/a"), page("/", fills_list=True, listed_by_script=[address("/a")]), site=LISTED
    ),
    "the scripts of a menu name it": case(page("/a"), page("/", listed_by_script=[address("/a")]), site=LISTED),
    "linked": case(page("/a"), page("/", links=links("/a")), site=LISTED),
    "linked with nofollow": case(page("/a"), page("/", links=links("/a", flags=LINK_NOFOLLOW)), site=LISTED),
    "linked through a redirect": case(page("/a"), page("/", links=links("/old")), redirect("/old", "/a"), site=LISTED),
    "linked by a page with noindex": case(
        page("/a"), page("/"), page("/b", links=links("/a"), robots_meta=[("robots", "noindex")]), site=LISTED
    ),
    "not in the sitemap": case(page("/b"), page("/"), site=site_facts(sitemap=["/"])),
    "not in the sitemap, and never shown": case(page("/b"), page("/"), search={address("/"): 9}),
    "in search results, linked": case(page("/a"), page("/", links=links("/a")), search={address("/a"): 40}),
    "the home page": case(page("/"), site=site_facts(sitemap=["/"])),
    "a page that names another one as canonical": case(
        page("/a", canonicals=[("/", address("/"), "html")]), page("/"), site=LISTED
    ),
}
NOT_APPLICABLE = {
    "a list whose entries scripts load": case(page("/a"), page("/", fills_list=True), site=LISTED),
    "a list whose scripts name only where they load from": case(
        page("/a"), page("/", fills_list=True, listed_by_script=[address("/api/list")]), site=LISTED
    ),
    "too few addresses were read": case(page("/a"), page("/"), site=site_facts(sitemap=["/", "/a", "/unread"])),
    "a page with noindex": case(page("/a", robots_meta=[("robots", "noindex")]), page("/"), site=LISTED),
    "a disallowed page": case(
        page("/a"), site=site_facts(sitemap=["/a"], robots=robots("User-agent: Googlebot\nDisallow: /a"))
    ),
}
TABLES = {"SEO-LNK-003": (FAILS, PASSES, NOT_APPLICABLE)}
