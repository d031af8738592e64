"""Declared faults of single pages: head, headings, images, structured data, content, snippets."""

from typing import Final

from local.demo import catalogue, german
from local.demo.fault import Fault, on_page, on_pages
from local.demo.model import BRAND, Page, Website

TENTS, PACKS, BAGS = "/shop/tents/", "/shop/backpacks/", "/shop/sleeping-bags/"
SHOES, STOVES = "/shop/footwear/", "/shop/stoves/"
MAGAZINE, GERMAN = "/magazine/", "/de/magazin/"
RECIPES: Final = tuple(f"/recipes/{row[0]}/" for row in catalogue.RECIPES)
GERMAN_PAGES: Final = (
    *("/de/", "/de/ueber-uns/", "/de/kontakt/", "/de/impressum/", "/de/datenschutz/", "/de/versand/", GERMAN),
    *(f"{GERMAN}{row[0]}/" for row in german.ARTICLES),
)
BAGS_WITHOUT_ALT: Final = ("eider-200", "eider-500", "moss-quilt", "lichen-mat", "peat-mat", "silk-liner")
LOREM: Final = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore."


def _no_title(page: Page) -> None:
    page.title = None


def _second_title(page: Page) -> None:
    page.titles_more.append(f"{page.headings[0]} in our shop | {BRAND}")


def _long_title(page: Page) -> None:
    page.title = f"{page.headings[0]}: everything you always wanted to know and a little more | {BRAND}"


def _brand_title(page: Page) -> None:
    page.title = BRAND


def _title_without_suffix(page: Page) -> None:
    page.title = page.headings[0]


def _title(text: str, path: str, rule_id: str) -> Fault:
    def change(page: Page) -> None:
        page.title = text

    return on_page(path, change, rule_id)


def _same_title(path: str, model: str) -> Fault:
    def inject(site: Website) -> None:
        site.page(path).title = site.page(model).title

    return Fault({"SEO-ONP-002": frozenset({path, model})}, inject)


def _same_description(path: str, model: str) -> Fault:
    def inject(site: Website) -> None:
        site.page(path).description = site.page(model).description

    return Fault({"SEO-ONP-011": frozenset({path, model})}, inject)


def _no_description(page: Page) -> None:
    page.description = None


def _long_description(page: Page) -> None:
    page.description = (
        f"{page.headings[0]}, with all the details, measurements, opinions and afterthoughts that a reader could ever "
        "ask for, and then a good deal more, because nobody in the office felt like shortening this sentence."
    )


def _short_description(page: Page) -> None:
    page.description = f"{page.headings[0]} and more."


def _second_description(page: Page) -> None:
    page.descriptions_more.append("A second description, left over from the template that was here before this one.")


def _no_heading(page: Page) -> None:
    page.blocks.insert(0, f'<p class="headline">{page.headings[0]}</p>')
    page.headings = []


def _second_heading(page: Page) -> None:
    page.headings.append("More from this corner of the shop")


def _skipped_heading(page: Page) -> None:
    page.blocks.insert(0, "<h4>In short</h4>")


def _no_lang(page: Page) -> None:
    page.html_lang = ""


def _unfilled_lang(page: Page) -> None:
    page.html_lang = "%lang%"


def _no_viewport(page: Page) -> None:
    page.viewport = False


def _robots_in_body(page: Page) -> None:
    page.extra.append('<meta name="robots" content="index, follow">')


def _robots(page: Page, content: str) -> None:
    page.robots.append(("robots", content))


def _no_open_graph(page: Page) -> None:
    page.open_graph = False


def _no_alt(page: Page) -> None:
    for picture in page.pictures:
        picture.alt = None


def _alt(text: str, path: str, rule_id: str) -> Fault:
    def change(page: Page) -> None:
        page.pictures[0].alt = text

    return on_page(path, change, rule_id)


def _unsized(page: Page) -> None:
    for picture in page.pictures:
        picture.sized = False


def _lazy(page: Page) -> None:
    page.pictures[0].lazy = True


def _nameless_button(page: Page) -> None:
    page.extra.append('<p><button type="button" class="print"><svg width="16" height="16"></svg></button></p>')


def _missing_picture(path: str) -> Fault:
    def inject(site: Website) -> None:
        site.missing_pictures.add(site.page(path).pictures[0].src)

    return Fault({"SEO-IMG-004": frozenset({path})}, inject)


def _large_picture(path: str) -> Fault:
    def inject(site: Website) -> None:
        site.large_pictures.add(site.page(path).pictures[0].src)

    return Fault({"SEO-IMG-005": frozenset({path})}, inject)


def _broken_structured(page: Page) -> None:
    page.structured[0].broken = True


def _product_without_name(page: Page) -> None:
    del page.block("Product").data["name"]


def _product_without_offer(page: Page) -> None:
    data = page.block("Product").data
    del data["offers"], data["aggregateRating"]


def _other_price(page: Page) -> None:
    offers = page.block("Product").data["offers"]
    assert isinstance(offers, dict)
    offers["price"] = "17.35"


def _recipes_without_markup(site: Website) -> None:
    for page in site.pages.values():
        page.drop_structured("Recipe")


def _no_breadcrumb_markup(page: Page) -> None:
    page.breadcrumb_markup = False


def _no_author(page: Page) -> None:
    page.facts = []
    data = page.block("Article").data
    del data["author"], data["datePublished"], data["dateModified"]


def _thin(page: Page) -> None:
    """Shorten each paragraph to one short sentence from its beginning. The page's structure does not change."""
    kept: list[str] = []
    for block in page.blocks:
        if block.startswith("<h2>"):
            kept.append(block)
        elif not kept or kept[-1].startswith("<h2>"):
            words = block.removeprefix("<p>").removesuffix("</p>").split()
            kept.append(f"<p>{' '.join(words[:9]).rstrip('.,')}.</p>")
    page.blocks = kept


def _exact_duplicate(path: str, model: str) -> Fault:
    def inject(site: Website) -> None:
        copy, original = site.page(path), site.page(model)
        copy.headings = list(original.headings)
        copy.blocks, copy.facts, copy.pictures = (
            list(original.blocks),
            list(original.facts),
            list(original.pictures),
        )
        copy.structured[0].data.update(
            {key: original.structured[0].data[key] for key in ("headline", "author", "datePublished", "dateModified")}
        )

    return Fault({"SEO-CON-002": frozenset({path, model})}, inject)


def _near_duplicate(path: str, model: str) -> Fault:
    def inject(site: Website) -> None:
        copy, original = site.page(path), site.page(model)
        copy.headings = list(original.headings)
        copy.blocks = [
            *original.blocks[:-1],
            f"{original.blocks[-1].removesuffix('</p>')} We will be back.</p>",
        ]
        copy.structured[0].data["headline"] = original.headings[0]

    return Fault({"SEO-CON-003": frozenset({path, model})}, inject)


def _empty_archive(page: Page) -> None:
    page.cards = []
    page.blocks.insert(0, "<p>There are no articles in this category yet.</p>")


def _placeholder(text: str, path: str) -> Fault:
    return on_page(path, lambda page: page.extra.append(f"<p>{text}</p>"), "SEO-CON-005")


def _garbled(page: Page) -> None:
    page.extra.append("<p>FÃ¼r kalte NÃ¤chte gibt es heiÃŸen Tee â€“ und das ist gut so.</p>")


def _indexable_login(page: Page) -> None:
    page.robots = []
    page.in_sitemap = True


def _many_elements(page: Page) -> None:
    page.extra.append('<div class="swatches">' + "<i></i>" * 1_600 + "</div>")


def _short_answer(page: Page) -> None:
    position = next(index for index, block in enumerate(page.blocks) if block.startswith("<h2>")) + 1
    page.blocks[position] = "<p>That depends.</p>"


def _soft_missing(page: Page) -> None:
    page.title = f"Sorry, this page was not found | {BRAND}"
    page.headings = ["Page not found"]


PAGE_FAULTS: Final[list[Fault]] = [
    *on_pages("SEO-ONP-001", (f"{TENTS}skarn-3/", f"{STOVES}kindle/"), _no_title),
    _same_title(f"{PACKS}strath-65/", f"{PACKS}strath-45/"),
    _same_title(f"{PACKS}drover/", f"{PACKS}strath-45/"),
    *on_pages("SEO-ONP-003", (f"{BAGS}eider-200/", f"{MAGAZINE}drove-roads/"), _second_title),
    _title(f"Gaiter | {BRAND}", f"{SHOES}gaiter/", "SEO-ONP-004"),
    _title(f"Pan | {BRAND}", f"{STOVES}pan-20/", "SEO-ONP-004"),
    *on_pages(
        "SEO-ONP-005",
        (f"{TENTS}bealach/", f"{PACKS}ghyll-35/", f"{MAGAZINE}first-long-trail/", f"{MAGAZINE}solo-over-the-moor/"),
        _long_title,
    ),
    on_page(f"{MAGAZINE}quiet-campsites/", _brand_title, "SEO-ONP-006"),
    on_page(f"{MAGAZINE}tarps-for-beginners/", _title_without_suffix, "SEO-ONP-008"),
    *on_pages(
        "SEO-ONP-010",
        (f"{SHOES}scree-low/", f"{STOVES}windshield/", f"{MAGAZINE}frozen-lochs/", "/regions/west-moor/", *RECIPES),
        _no_description,
    ),
    _same_description(f"{STOVES}ember-remote/", f"{STOVES}ember-gas/"),
    _same_description(f"{STOVES}bottle-fuel/", f"{STOVES}ember-gas/"),
    *on_pages("SEO-ONP-012", (f"{BAGS}lichen-mat/", f"{MAGAZINE}ridge-in-the-mist/"), _long_description),
    *on_pages("SEO-ONP-013", (f"{SHOES}camp-clog/", f"{MAGAZINE}sealing-seams/"), _short_description),
    *on_pages("SEO-ONP-014", (f"{BAGS}peat-mat/", f"{MAGAZINE}walking-with-children/"), _second_description),
    *on_pages("SEO-ONP-015", (f"{PACKS}corrie-18/", f"{MAGAZINE}reading-clouds/", "/regions/pine-hills/"), _no_heading),
    *on_pages("SEO-ONP-016", (f"{TENTS}wren-tarp/", f"{MAGAZINE}hut-to-hut/"), _second_heading),
    *on_pages("SEO-ONP-018", (f"{MAGAZINE}patching-a-mat/", "/warranty/"), _skipped_heading),
    on_page(f"{MAGAZINE}knots-you-need/", _no_lang, "SEO-ONP-019"),
    on_page(f"{PACKS}rowan-22/", _unfilled_lang, "SEO-ONP-019"),
    *on_pages("SEO-ONP-020", (f"{SHOES}tarn-sandal/", "/rental/", *GERMAN_PAGES), _no_viewport),
    on_page(f"{STOVES}pot-900/", _robots_in_body, "SEO-ONP-021"),
    on_page(f"{MAGAZINE}mending-a-tent-pole/", _no_open_graph, "SEO-ONP-022"),
    *on_pages(
        "SEO-ONP-023",
        (f"{STOVES}spirit-set/", f"{MAGAZINE}snow-shelters/"),
        lambda page: _robots(page, "nosnippet"),
    ),
    *on_pages("SEO-TEC-005", ("/newsletter/",), _soft_missing),
    *on_pages(
        "SEO-IMG-001",
        (f"{TENTS}skarn-2/", f"{MAGAZINE}caring-for-leather-boots/", *(f"{BAGS}{slug}/" for slug in BAGS_WITHOUT_ALT)),
        _no_alt,
    ),
    _alt("View " + "over hill and valley and " * 8 + "home", f"{MAGAZINE}warm-on-cold-nights/", "SEO-IMG-002"),
    _alt("IMG_2041", "/regions/saltmarsh-coast/", "SEO-IMG-003"),
    _alt("cover-final.jpg", f"{MAGAZINE}pitching-in-wind/", "SEO-IMG-003"),
    _missing_picture("/trail-log/day-2/"),
    _large_picture("/trail-log/day-3/"),
    *(
        on_page(path, _unsized, "SEO-IMG-006", "SEO-PRF-002", "SEO-AGT-002")
        for path in (f"{TENTS}machair/", f"{SHOES}bracken/")
    ),
    on_page(f"{PACKS}rowan-22/", _lazy, "SEO-IMG-007", "SEO-PRF-001"),
    *on_pages("SEO-AGT-001", ("/gear-lists/", "/trail-log/day-1/"), _nameless_button),
    *on_pages("SEO-IMG-008", (f"{MAGAZINE}packing-a-backpack/",), lambda page: _robots(page, "noimageindex")),
    *on_pages("SEO-SCH-001", (f"{SHOES}crampon-boot/", f"{MAGAZINE}drove-roads/"), _broken_structured),
    on_page(f"{PACKS}rowan-22/", _product_without_name, "SEO-SCH-002"),
    on_page(f"{STOVES}windshield/", _product_without_offer, "SEO-SCH-002"),
    *on_pages("SEO-SCH-003", (f"{STOVES}bottle-fuel/", f"{BAGS}eider-500/"), _other_price),
    Fault(
        {
            "SEO-SCH-004": frozenset(RECIPES)
        },
        _recipes_without_markup,
    ),
    *on_pages(
        "SEO-SCH-005", (f"{TENTS}skarn-3/", "/regions/harrowdale/", "/trail-log/day-2/"), _no_breadcrumb_markup
    ),
    *on_pages("SEO-CON-001", (f"{MAGAZINE}planning-autumn-walks/", f"{GERMAN}huettenregeln/"), _thin),
    _exact_duplicate(f"{MAGAZINE}knots-you-need/", f"{MAGAZINE}walking-with-children/"),
    _exact_duplicate(f"{GERMAN}zelt-im-wind/", f"{GERMAN}karte-und-kompass/"),
    _exact_duplicate(f"{GERMAN}rucksack-packen/", f"{GERMAN}wasser-filtern/"),
    _near_duplicate(f"{MAGAZINE}ridge-in-the-mist/", f"{MAGAZINE}solo-over-the-moor/"),
    on_page("/magazine/category/winter/", _empty_archive, "SEO-CON-004"),
    _placeholder(LOREM, f"{MAGAZINE}tarps-for-beginners/"),
    _placeholder("{{ product.care }}", f"{SHOES}gaiter/"),
    on_page(f"{GERMAN}kalte-naechte/", _garbled, "SEO-CON-006"),
    on_page("/account/login/", _indexable_login, "SEO-CON-008"),
    on_page(f"{STOVES}bottle-fuel/", _many_elements, "SEO-PRF-007"),
    on_page("/questions/", _short_answer, "SEO-AEO-012"),
    on_page(f"{MAGAZINE}frozen-lochs/", _no_author, "SEO-AEO-013"),
    *on_pages(
        "SEO-AEO-015",
        (
            f"{STOVES}kindle/",
            f"{MAGAZINE}patching-a-mat/",
            *(f"{MAGAZINE}category/{slug}/" for slug in ("hiking", "camping", "repair", "skills")),
        ),
        lambda page: _robots(page, "max-snippet:20"),
    ),
]  # fmt: skip
