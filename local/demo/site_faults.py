"""Declared faults of addresses, links, sitemaps, languages, headers and files of the website."""

from typing import Final

from local.demo import german, vocabulary
from local.demo.fault import (
    SITE,
    Fault,
    adding_link,
    on_page,
    on_pages,
    on_site,
)
from local.demo.model import Card, Page, RobotsGroup, Website
from local.demo.page_faults import BAGS, GERMAN, MAGAZINE, PACKS, SHOES, TENTS
from local.demo.parts import HOME_CRUMB
from local.demo.writing import Writer

UNREADABLE_NAME: Final = "/gear-lists/GearList_v2_NEW/"
TRANSLATED_ARTICLES: Final = tuple(
    path for row in german.ARTICLES for path in (f"{MAGAZINE}{row[4]}/", f"{GERMAN}{row[0]}/")
)
UNCOMPRESSED: Final = (
    "coast-path-in-five-days", "drove-roads", "first-long-trail", "walking-with-children", "solo-over-the-moor",
    "ridge-in-the-mist", "hut-to-hut", "winter-daylight", "snow-shelters", "layers-that-breathe", "frozen-lochs",
    "hot-flask-lunches", "map-and-compass",
)  # fmt: skip
TRAIL_DAYS: Final = ("/trail-log/day-4/", "/trail-log/day-5/")


def _failing(path: str, status: int, rule_id: str, source: str) -> Fault:
    """Make ``path`` answer with an error although ``source`` links to it."""

    def inject(site: Website) -> None:
        page = site.page(path)
        page.status = status
        page.in_sitemap = False

    return Fault({rule_id: frozenset({path}), "SEO-LNK-001": frozenset({source})}, inject)


def _noindex(page: Page) -> None:
    page.robots.append(("robots", "noindex"))


def _hidden(page: Page) -> None:
    _noindex(page)
    page.in_sitemap = False


def _contradicting(page: Page) -> None:
    page.robots.append(("robots", "index, follow"))
    page.headers["X-Robots-Tag"] = "noindex"
    page.in_sitemap = False


def _canonicals(path: str, rule_ids: str, *hrefs: str, in_sitemap: bool = True) -> Fault:
    """Make a fault that gives a page these canonical addresses. ``rule_ids``: ids separated by spaces."""

    def change(page: Page) -> None:
        page.canonicals = list(hrefs)
        page.in_sitemap = in_sitemap

    return on_page(path, change, *rule_ids.split())


def _canonical_to_redirect(site: Website) -> None:
    page = site.page(f"{BAGS}ptarmigan/")
    page.canonicals = ["{base}/shop/old-tents/"]
    page.in_sitemap = False
    site.redirects["/shop/old-tents/"] = (301, "/shop/tents/")


def _canonical_chain(site: Website) -> None:
    for path, target in (
        (f"{TENTS}cuillin-shelter/", f"{TENTS}lochan-1/"),
        (f"{TENTS}lochan-1/", f"{BAGS}moss-quilt/"),
    ):
        site.page(path).canonicals = ["{base}" + target]
        site.page(path).in_sitemap = False


def _unreadable_name(site: Website) -> None:
    text = Writer(UNREADABLE_NAME, vocabulary.WORDS, vocabulary.ARTICLE)
    site.add(Page(
        path=UNREADABLE_NAME, kind="page", title="Spring Packing List With Weights | Alderfell",
        description="What goes into the pack in spring, with weights, and what can stay at home until the autumn.",
        headings=["Spring packing list"], blocks=[f"<p>{part}</p>" for part in text.paragraphs(240)],
        crumbs=[HOME_CRUMB, ("Gear lists", "/gear-lists/")], crumb="Spring packing list", lastmod="2025-03-20",
    ))  # fmt: skip
    site.page("/gear-lists/").cards.append(Card(UNREADABLE_NAME, "Spring packing list"))


def _redirect_chain(site: Website) -> None:
    site.redirects["/go/spring/"] = (301, "/go/spring-2025/")
    site.redirects["/go/spring-2025/"] = (301, "/shop/tents/")
    site.page(f"{MAGAZINE}choosing-a-pitch/").extra.append('<p>More in <a href="/go/spring/">our spring tents</a>.</p>')


def _link_to_redirect(source: str) -> Fault:
    def inject(site: Website) -> None:
        site.redirects["/shop/shoes/"] = (301, "/shop/footwear/")
        site.page(source).extra.append('<p>The right <a href="/shop/shoes/">shoes for the trail</a> help.</p>')

    return Fault({"SEO-LNK-002": frozenset({source})}, inject)


def _sitemap_redirect(site: Website) -> None:
    site.sitemap_more.append("/shop/clearance/")
    site.redirects["/shop/clearance/"] = (301, "/shop/")


def _not_in_sitemap(page: Page) -> None:
    page.in_sitemap = False


def _one_lastmod(site: Website) -> None:
    site.one_lastmod = "2025-09-01"


def _orphan(path: str) -> Fault:
    return Fault({"SEO-LNK-003": frozenset({path})}, lambda site: site.unlink(path))


def _deep(site: Website) -> None:
    index = site.page("/trail-log/")
    index.cards = index.cards[:1]


def _bare(page: Page) -> None:
    page.bare = True


def _uncrawlable_links(page: Page) -> None:
    page.extra.append(
        '<p><a href="javascript:void(0)">Sizes</a> <a onclick="order()">Order</a> <a href="javascript:zoom()">Zoom</a></p>'
    )


def _vague_links(page: Page) -> None:
    page.extra.append(
        '<p>For tents <a href="/shop/tents/">click here</a>, for packs <a href="/shop/backpacks/">click here</a>, '
        'and for boots <a href="/shop/footwear/">read more</a>.</p>'
    )


def _alternates(path: str, rule_id: str, *pairs: tuple[str, str]) -> Fault:
    def change(page: Page) -> None:
        page.alternates = list(pairs)

    return on_page(path, change, rule_id)


def _no_return_link(site: Website) -> None:
    site.page("/de/versand/").alternates = [("de", "/de/versand/")]


def _invalid_code(page: Page) -> None:
    page.alternates = [("en-UK" if code == "en" else code, path) for code, path in page.alternates]


def _other_lang(page: Page) -> None:
    page.html_lang = "en"


def _without_header(*names: str) -> Fault:
    rule_id = "SEO-SEC-003" if names == ("Strict-Transport-Security",) else "SEO-SEC-004"

    def change(site: Website) -> None:
        for name in names:
            del site.headers[name]

    return on_site(rule_id, change)


def _uncompressed(page: Page) -> None:
    page.compressed = False


def _slow(page: Page) -> None:
    page.delay = 1.1


def _group(agents: list[str], *lines: str) -> RobotsGroup:
    return RobotsGroup(agents, [*lines, "Disallow: /"])


def _no_llms_txt(site: Website) -> None:
    site.llms_txt = None


def _no_organization(site: Website) -> None:
    for page in site.pages.values():
        page.drop_structured("Organization")


SITE_FAULTS: Final[list[Fault]] = [
    _failing("/regions/ardle-glen/", 500, "SEO-TEC-003", "/regions/"),
    _failing("/regions/slate-edge/", 410, "SEO-TEC-004", "/regions/"),
    *(
        adding_link(
            source, "/magazine/winter-sale-2023/", "last winter's sale",
            {"SEO-TEC-004": ["/magazine/winter-sale-2023/"], "SEO-LNK-001": [source]},
        )
        for source in (f"{MAGAZINE}{slug}/" for slug in ("winter-daylight", "layers-that-breathe", "frozen-lochs", "hot-flask-lunches"))
    ),
    on_page("/recipes/", _hidden, "SEO-TEC-008"),
    *on_pages("SEO-TEC-009", (f"{TENTS}hazel-bivvy/", f"{MAGAZINE}new-life-for-zips/"), _noindex),
    on_page(f"{MAGAZINE}camping-with-a-dog/", _contradicting, "SEO-TEC-011"),
    adding_link(
        "/trail-log/day-1/", "/internal/price-list/", "price list", {"SEO-TEC-012": ["/internal/price-list/"]}
    ),
    _canonicals("/gear-lists/?season=winter", "SEO-TEC-013"),
    _canonicals("/gear-lists/?season=summer", "SEO-TEC-013"),
    _canonicals(f"{BAGS}eider-900/", "SEO-TEC-014", "{base}/shop/discontinued/", in_sitemap=False),
    Fault({"SEO-TEC-015": frozenset({f"{BAGS}ptarmigan/"})}, _canonical_to_redirect),
    _canonicals(f"{PACKS}corrie-28/", "SEO-TEC-016", "{base}/internal/corrie-28/", in_sitemap=False),
    Fault({"SEO-TEC-017": frozenset({f"{TENTS}cuillin-shelter/"})}, _canonical_chain),
    _canonicals(f"{SHOES}fell-boot/", "SEO-TEC-018", f"{{base}}{SHOES}fell-boot/", f"{{base}}{TENTS}skarn-2/"),
    _canonicals(f"{SHOES}scree-mid/", "SEO-TEC-019", f"{SHOES}scree-mid/"),
    _canonicals(f"{MAGAZINE}first-crampons/", "SEO-TEC-019", f"{{base}}{MAGAZINE}first-crampons/#top"),
    _canonicals("/returns/", "SEO-TEC-034", "https://alderfell-shop.example/returns/"),
    Fault({"SEO-ONP-024": frozenset({UNREADABLE_NAME})}, _unreadable_name),
    Fault(
        {"SEO-TEC-022": frozenset({"/go/spring/"}), "SEO-LNK-002": frozenset({f"{MAGAZINE}choosing-a-pitch/"})},
        _redirect_chain,
    ),
    on_site("SEO-TEC-030", lambda site: site.robots[0].lines.append("Crawl-speed: gentle")),
    on_site("SEO-SMP-002", lambda site: site.sitemap_children_more.append("/sitemap-archive.xml")),
    Fault(
        {"SEO-SMP-003": frozenset({"/magazine/moved-story/"})},
        lambda site: site.sitemap_more.append("/magazine/moved-story/"),
    ),
    Fault({"SEO-SMP-003": frozenset({"/shop/clearance/"})}, _sitemap_redirect),
    _canonicals(f"{PACKS}burn-12/", "SEO-SMP-004 SEO-TEC-044", f"{{base}}{PACKS}"),
    Fault(
        {"SEO-SMP-005": frozenset({"/internal/wholesale/"})},
        lambda site: site.sitemap_more.append("/internal/wholesale/"),
    ),
    *on_pages("SEO-SMP-006", (f"{BAGS}silk-liner/", f"{MAGAZINE}filtering-water/"), _not_in_sitemap),
    on_site("SEO-SMP-008", _one_lastmod),
    *(_link_to_redirect(f"{MAGAZINE}{slug}/") for slug in ("coast-path-in-five-days", "crossing-rivers")),
    _orphan("/press/"),
    _orphan("/careers/"),
    Fault({"SEO-LNK-005": frozenset(TRAIL_DAYS)}, _deep),
    on_page(f"{MAGAZINE}pacing-a-climb/", _bare, "SEO-LNK-006"),
    *on_pages(
        "SEO-LNK-007",
        (f"{MAGAZINE}bothy-manners/", f"{MAGAZINE}washing-a-down-bag/"),
        lambda page: page.extra.append('<p><a href="/shop/sleeping-bags/" rel="nofollow">Our sleeping bags</a></p>'),
    ),
    adding_link(
        f"{MAGAZINE}mending-a-tent-pole/", "{partner}/poles", "spare poles",
        {"SEO-LNK-008": [f"{MAGAZINE}mending-a-tent-pole/"]},
    ),
    on_page(f"{MAGAZINE}hot-flask-lunches/", _uncrawlable_links, "SEO-LNK-009"),
    on_page("/regions/harrowdale/", _vague_links, "SEO-LNK-010"),
    adding_link(
        f"{MAGAZINE}map-and-compass/", "http://localhost/preview/", "preview of the next part",
        {"SEO-LNK-012": [f"{MAGAZINE}map-and-compass/"]},
    ),
    Fault({"SEO-HRE-001": frozenset({"/shipping/"})}, _no_return_link),
    on_page(
        "/imprint/", lambda page: page.alternates.append(("fr", "/fr/mentions-legales/")), "SEO-HRE-002"
    ),
    *on_pages("SEO-HRE-003", TRANSLATED_ARTICLES, _invalid_code),
    _alternates("/contact/", "SEO-HRE-004", ("de", "/de/kontakt/")),
    _alternates("/about/", "SEO-HRE-005", ("en", "/about/"), ("de", "/de/ueber-uns/")),
    on_page("/privacy/", lambda page: page.alternates.append(("fr", "/de/datenschutz/")), "SEO-HRE-006"),
    on_page(f"{GERMAN}herbsttouren-planen/", _other_lang, "SEO-HRE-007"),
    on_page(
        f"{MAGAZINE}washing-a-down-bag/",
        lambda page: page.head.append('<script src="http://static.website.test/widget.js" async></script>'),
        "SEO-SEC-002",
    ),
    _without_header("Strict-Transport-Security"),
    _without_header("Content-Security-Policy", "Referrer-Policy"),
    on_page(
        "/rental/",
        lambda page: page.extra.append(
            '<form action="http://static.website.test/book" method="post"><label>From <input name="from"></label> '
            "<button>Book</button></form>"
        ),
        "SEO-SEC-005",
    ),
    on_page(f"{GERMAN}karte-und-kompass/", _slow, "SEO-PRF-004"),
    *on_pages(
        "SEO-PRF-005",
        (f"{GERMAN}stiefel-pflegen/", *(f"{MAGAZINE}{slug}/" for slug in UNCOMPRESSED)),
        _uncompressed,
    ),
    Fault(
        {"SEO-AEO-001": SITE, "SEO-AEO-016": SITE},
        lambda site: site.robots.append(_group(["OAI-SearchBot", "PerplexityBot"], "Content-Signal: search=yes")),
    ),
    on_site("SEO-AEO-002", lambda site: site.robots.append(_group(["ChatGPT-User", "Perplexity-User"]))),
    on_site("SEO-AEO-003", lambda site: site.robots.append(_group(["GPTBot", "CCBot"]))),
    on_site("SEO-AEO-004", lambda site: site.refused_agents.append("Claude-SearchBot")),
    on_site("SEO-AEO-005", _no_llms_txt),
    on_site("SEO-AEO-008", _no_organization),
]  # fmt: skip
