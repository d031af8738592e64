"""Builds the clean demo website: an outdoor shop with a magazine, in English and German."""

from datetime import timedelta
from html import escape
from itertools import pairwise
from typing import Final

from local.demo import catalogue, german, vocabulary
from local.demo.german_pages import add_german_pages
from local.demo.model import (
    BRAND,
    COUNTRY,
    ORGANIZATION,
    POSTCODE,
    STREET,
    TELEPHONE,
    TOWN,
    Card,
    Page,
    Picture,
    RobotsGroup,
    Structured,
    Website,
)
from local.demo.parts import (
    FIRST_DAY,
    HOME_CRUMB,
    article_page,
    description_of,
    english,
    organization,
    paragraphs_html,
    sections,
    slug_of,
    titled,
)

ARTICLES_PER_PAGE: Final = 10
SECURITY_HEADERS: Final = {
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cache-Control": "no-cache",
}
LOGIN_FORM: Final = (
    '<form action="/account/login/" method="post"><label>E-mail <input type="email" name="email"></label> '
    '<label>Password <input type="password" name="password"></label> <button>Log in</button></form>'
)
# English path -> German path of the pages that exist in both languages
TRANSLATIONS: Final = {
    "/": "/de/",
    "/about/": "/de/ueber-uns/",
    "/contact/": "/de/kontakt/",
    "/imprint/": "/de/impressum/",
    "/privacy/": "/de/datenschutz/",
    "/shipping/": "/de/versand/",
    "/magazine/": "/de/magazin/",
    **{f"/magazine/{row[4]}/": f"/de/magazin/{row[0]}/" for row in german.ARTICLES},
}


def build() -> Website:
    """Build the clean website: no rule finds a fault in it."""
    site = Website(
        pages={},
        robots=[RobotsGroup(["*"], ["Disallow: /internal/"])],
        headers=dict(SECURITY_HEADERS),
    )
    _shop(site)
    _magazine(site)
    _recipes(site)
    _regions(site)
    _trail_log(site)
    _gear_lists(site)
    _plain_pages(site)
    add_german_pages(site)
    _home(site)
    _alternates(site)
    for number, page in enumerate(site.pages.values()):
        page.lastmod = (FIRST_DAY + timedelta(days=number * 2)).isoformat()
    site.llms_txt = _llms_txt()
    return site


def _shop(site: Website) -> None:
    intro = english("/shop/", vocabulary.COMPANY)
    shop = Page(
        path="/shop/", kind="listing", title=titled("Outdoor Shop for Hikers and Campers"),
        description="Tents, packs, sleeping bags, boots and stoves, chosen and repaired by people who use them in hills.",
        headings=["Our outdoor shop"], blocks=paragraphs_html(intro.paragraphs(190)), crumbs=[HOME_CRUMB], crumb="Shop",
    )  # fmt: skip
    site.add(shop)
    for slug, title, label, description, products in catalogue.CATEGORIES:
        path = f"/shop/{slug}/"
        shop.cards.append(Card(path, label, description))
        category = Page(
            path=path, kind="listing", title=titled(title), description=description, headings=[label],
            blocks=paragraphs_html(english(path, vocabulary.COMPANY).paragraphs(130)),
            crumbs=[HOME_CRUMB, ("Shop", "/shop/")], crumb=label,
        )  # fmt: skip
        site.add(category)
        pages = [_product(path, label, *product) for product in products]
        for index, page in enumerate(pages):
            site.add(page)
            category.cards.append(Card(page.path, page.headings[0], page.description or ""))
            others = [pages[(index + step) % len(pages)] for step in (1, 2, 3)]
            page.related = [Card(other.path, other.headings[0]) for other in others]


def _product(parent: str, parent_label: str, slug: str, name: str, kind: str, price: int) -> Page:
    path = f"{parent}{slug}/"
    writer = english(path, vocabulary.PRODUCT, name=f"the {name}")
    full_name = f"{name} {kind}"
    amount = f"{price}.00"
    rating = f"{4 + writer.random.randint(1, 9) / 10:.1f}"
    reviews = str(writer.random.randint(11, 240))
    sku = f"AF-{writer.random.randint(10000, 99999)}"
    description = description_of(
        path,
        vocabulary.PRODUCT,
        75,
        140,
        lead=f"{full_name[0].upper()}{full_name[1:]}: ",
        name=f"the {name}",
    )
    pictures = [
        Picture(f"/images/{slug}-{view}.svg", f"{full_name}, {words}")
        for view, words in (
            ("front", "seen from the front"),
            ("use", "in use on a hillside"),
        )
    ]
    return Page(
        path=path, kind="product", title=titled(full_name[0].upper() + full_name[1:]), description=description,
        headings=[full_name], crumbs=[HOME_CRUMB, ("Shop", "/shop/"), (parent_label, parent)], crumb=name,
        blocks=[
            *paragraphs_html(writer.paragraphs(140)),
            "<h2>Details and care</h2>",
            *paragraphs_html(writer.paragraphs(140)),
        ],
        pictures=pictures,
        facts=[("Price", f"£{amount}"), ("Rating", f"{rating} of 5 from {reviews} reviews"), ("Item", sku)],
        structured=[
            Structured("Product", {
                "@context": "https://schema.org", "@type": "Product", "name": full_name, "description": description,
                "sku": sku, "image": ["{base}" + picture.src for picture in pictures],
                "brand": {"@type": "Brand", "name": BRAND},
                "aggregateRating": {"@type": "AggregateRating", "ratingValue": rating, "reviewCount": reviews},
                "offers": {
                    "@type": "Offer", "url": "{base}" + path, "price": amount, "priceCurrency": "GBP",
                    "availability": "https://schema.org/InStock", "itemCondition": "https://schema.org/NewCondition",
                },
            }),
        ],
    )  # fmt: skip


def _magazine(site: Website) -> None:
    articles: dict[str, list[Page]] = {}
    every: list[Page] = []
    for number, (slug, section, label) in enumerate(catalogue.ARTICLES):
        path = f"/magazine/{slug}/"
        writer = english(path, vocabulary.ARTICLE)
        page = article_page(
            path, number, label, description_of(path, vocabulary.ARTICLE, 78, 140), label,
            sections(writer, vocabulary.SECTION_HEADINGS, writer.random.randint(480, 620), 3),
            [HOME_CRUMB, ("Magazine", "/magazine/")],
        )  # fmt: skip
        articles.setdefault(section, []).append(page)
        every.append(page)
    count = -(-len(every) // ARTICLES_PER_PAGE)
    paths = [
        "/magazine/",
        *(f"/magazine/page/{number}/" for number in range(2, count + 1)),
    ]
    pager = [(str(number), path) for number, path in enumerate(paths, 1)]
    for number, path in enumerate(paths, 1):
        shown = every[(number - 1) * ARTICLES_PER_PAGE : number * ARTICLES_PER_PAGE]
        site.add(Page(
            path=path, kind="listing",
            title=titled("The Magazine for Hikers" if number == 1 else f"The Magazine for Hikers, Page {number}"),
            description=description_of(path, vocabulary.ARTICLE, 60, 118, lead=f"Stories, advice, page {number}. "),
            headings=["The Alderfell magazine" if number == 1 else f"The Alderfell magazine, page {number}"],
            blocks=paragraphs_html(english(path, vocabulary.ARTICLE).paragraphs(170)), pager=pager,
            crumbs=[HOME_CRUMB] if number == 1 else [HOME_CRUMB, ("Magazine", "/magazine/")],
            crumb="Magazine" if number == 1 else f"Page {number}",
            cards=[Card(page.path, page.headings[0], page.description or "") for page in shown],
        ))  # fmt: skip
    for slug, title, label, description in catalogue.SECTIONS:
        path = f"/magazine/category/{slug}/"
        site.add(Page(
            path=path, kind="archive", title=titled(title), description=description, headings=[f"{label} articles"],
            blocks=paragraphs_html(english(path, vocabulary.ARTICLE).paragraphs(220)),
            crumbs=[HOME_CRUMB, ("Magazine", "/magazine/")], crumb=label,
            cards=[Card(page.path, page.headings[0], page.description or "") for page in articles[slug]],
        ))  # fmt: skip
    for pages in articles.values():
        for index, page in enumerate(pages):
            others = [pages[(index + step) % len(pages)] for step in (1, 2)]
            page.related = [Card(other.path, other.headings[0]) for other in others]
    for page in every:
        site.add(page)


def _recipes(site: Website) -> None:
    index = Page(
        path="/recipes/", kind="listing", title=titled("Camp Kitchen Recipes for One Burner"),
        description="Eight dinners, breakfasts and sweets for a single burner, with weights, fuel and cooking times.",
        headings=["Camp kitchen recipes"], blocks=paragraphs_html(english("/recipes/", vocabulary.RECIPE).paragraphs(200)),
        crumbs=[HOME_CRUMB], crumb="Recipes",
    )  # fmt: skip
    site.add(index)
    for number, (slug, name, ingredients) in enumerate(catalogue.RECIPES):
        path = f"/recipes/{slug}/"
        writer = english(path, vocabulary.RECIPE)
        description = description_of(path, vocabulary.RECIPE, 70, 140, lead=f"{name}. ")
        steps = [writer.sentence() for _ in range(5)]
        author = catalogue.AUTHORS[number % len(catalogue.AUTHORS)]
        minutes = 10 + 5 * (number % 5)
        cover = f"/images/{slug}-bowl.svg"
        site.add(Page(
            path=path, kind="recipe", title=titled(name), description=description, headings=[name],
            blocks=[
                *paragraphs_html(writer.paragraphs(100)),
                "<h2>Ingredients</h2>",
                "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in ingredients) + "</ul>",
                "<h2>Method</h2>",
                "<ol>" + "".join(f"<li>{escape(step, quote=False)}</li>" for step in steps) + "</ol>",
                *paragraphs_html(writer.paragraphs(60)),
            ],
            crumbs=[HOME_CRUMB, ("Recipes", "/recipes/")], crumb=name, pictures=[Picture(cover, f"{name} in a pot")],
            facts=[("By", author), ("Cooking time", f"{minutes} minutes"), ("Serves", "2")],
            structured=[Structured("Recipe", {
                "@context": "https://schema.org", "@type": "Recipe", "name": name, "description": description,
                "image": ["{base}" + cover], "author": {"@type": "Person", "name": author},
                "datePublished": (FIRST_DAY + timedelta(days=number)).isoformat(),
                "cookTime": f"PT{minutes}M", "totalTime": f"PT{minutes}M", "recipeYield": "2",
                "recipeIngredient": list(ingredients),
                "recipeInstructions": [{"@type": "HowToStep", "text": step} for step in steps],
            })],
        ))  # fmt: skip
        index.cards.append(Card(path, name, description))
    recipes = [page for page in site.pages.values() if page.kind == "recipe"]
    for number, page in enumerate(recipes):
        others = [recipes[(number + step) % len(recipes)] for step in (1, 2)]
        page.related = [Card(other.path, other.headings[0]) for other in others]


def _group(
    site: Website,
    path: str,
    title: str,
    label: str,
    description: str,
    rows: list[tuple[str, str, str]],
) -> None:
    """Add a listing and its pages, each a plain text with pictures. Rows are (path, title, heading)."""
    index = Page(
        path=path, kind="listing", title=titled(title), description=description, headings=[label],
        blocks=paragraphs_html(english(path, vocabulary.ARTICLE).paragraphs(200)), crumbs=[HOME_CRUMB], crumb=label,
    )  # fmt: skip
    site.add(index)
    for row_path, row_title, heading in rows:
        writer = english(row_path, vocabulary.ARTICLE)
        site.add(Page(
            path=row_path, kind="page", title=titled(row_title), headings=[heading],
            description=description_of(row_path, vocabulary.ARTICLE, 78, 140),
            blocks=sections(writer, vocabulary.SECTION_HEADINGS, 300, 2), crumbs=[HOME_CRUMB, (label, path)],
            crumb=heading, pictures=[Picture(f"/images/{slug_of(row_path)}.svg", f"Landscape: {heading}", 960, 540)],
        ))  # fmt: skip
        index.cards.append(Card(row_path, heading))


def _regions(site: Website) -> None:
    _group(
        site, "/regions/", "Walking Regions Close to Our Door", "Walking regions",
        "Six walking regions that our staff know well, with paths, seasons and places to stay for walkers and campers.",
        [(f"/regions/{slug}/", title, f"Walking in {name}") for slug, name, title in catalogue.REGIONS],
    )  # fmt: skip


def _trail_log(site: Website) -> None:
    _group(
        site, "/trail-log/", "Trail Log: Five Days to the Sea", "Trail log",
        "Five days on foot from the quarry behind our shop to the sea, written down each evening in the tent.",
        [(f"/trail-log/{slug}/", title, title) for slug, title in catalogue.TRAIL_LOG],
    )  # fmt: skip
    paths = [f"/trail-log/{slug}/" for slug, _ in catalogue.TRAIL_LOG]
    for path, following in pairwise(paths):
        site.page(path).related = [Card(following, site.page(following).headings[0])]


def _gear_lists(site: Website) -> None:
    _group(
        site, "/gear-lists/", "Gear Lists for Every Kind of Trip", "Gear lists",
        "Packing lists by season with weights, so that nothing is missing and nothing comes along for the ride only.",
        [("/gear-lists/?season=summer", "Summer Gear List With Weights", "Summer gear list"),
         ("/gear-lists/?season=winter", "Winter Gear List With Weights", "Winter gear list")],
    )  # fmt: skip


def _plain_pages(site: Website) -> None:
    patterns = {"company": vocabulary.COMPANY, "policy": vocabulary.POLICY}
    for path, kind, title, heading, description, voice in catalogue.PLAIN_PAGES:
        page = Page(
            path=path, kind=kind, title=titled(title), description=description, headings=[heading],  # type: ignore[arg-type]
            blocks=paragraphs_html(english(path, patterns[voice]).paragraphs(240)), crumbs=[HOME_CRUMB], crumb=heading,
        )  # fmt: skip
        site.add(page)
    address = (
        f"<address>{ORGANIZATION}, {STREET}, {TOWN} {POSTCODE}, {COUNTRY}. "
        f'Telephone <a href="tel:{TELEPHONE.replace(" ", "")}">{TELEPHONE}</a></address>'
    )
    for path in ("/contact/", "/imprint/"):
        site.page(path).blocks.insert(0, address)
    for path in ("/about/", "/contact/"):
        site.page(path).structured.append(Structured("Organization", organization()))
    site.page("/about/").cards = [
        Card("/press/", "Press"),
        Card("/careers/", "Careers"),
    ]
    questions = Page(
        path="/questions/", kind="page", title=titled("Questions and Answers About Orders"), headings=["Questions"],
        description="Delivery, returns, repairs and fitting: short and direct answers to what customers ask us most.",
        crumbs=[HOME_CRUMB], crumb="Questions",
    )  # fmt: skip
    for question, answer in catalogue.QUESTIONS:
        questions.blocks += [
            f"<h2>{escape(question)}</h2>",
            f"<p>{escape(answer, quote=False)}</p>",
        ]
    questions.blocks += [
        "<h2>More help</h2>",
        *paragraphs_html(english("/questions/", vocabulary.COMPANY).paragraphs(60)),
    ]
    site.add(questions)
    site.add(Page(
        path="/account/login/", kind="account", title=titled("Log In to Your Customer Account"),
        description="Log in to see your orders, repairs and rentals, or to change your address and your newsletter.",
        headings=["Log in"], crumbs=[HOME_CRUMB], crumb="Log in", robots=[("robots", "noindex")], in_sitemap=False,
        blocks=[
            LOGIN_FORM,
            *paragraphs_html(english("/account/login/", vocabulary.POLICY).paragraphs(210)),
        ],
    ))  # fmt: skip
    site.page("/contact/").cards = [Card("/account/login/", "Customer account")]


def _home(site: Website) -> None:
    featured = (
        "/shop/tents/machair/",
        "/shop/backpacks/strath-45/",
        "/shop/footwear/bracken/",
    )
    latest = (
        "/magazine/hut-to-hut/",
        "/magazine/sealing-seams/",
        "/magazine/reading-clouds/",
    )
    home = Page(
        path="/", kind="home", title=titled("Tents, Packs and Boots That Last"),
        description="An outdoor shop with its own workshop and magazine: tents, packs and boots that are made to last.",
        headings=["Equipment that comes home with you"],
        blocks=paragraphs_html(english("/", vocabulary.COMPANY).paragraphs(220)),
        cards=[
            *(Card(path, site.page(path).headings[0], site.page(path).description or "") for path in featured + latest),
            Card("/trail-log/", "Trail log"),
        ],
        pictures=[Picture("/images/home.svg", "Two walkers on a ridge above Harrowdale", 1280, 720)],
        structured=[
            Structured("Organization", organization()),
            Structured("WebSite", {
                "@context": "https://schema.org", "@type": "WebSite", "name": BRAND, "url": "{base}/",
            }),
        ],
    )  # fmt: skip
    site.pages = {"/": home, **site.pages}


def _alternates(site: Website) -> None:
    for path, other in TRANSLATIONS.items():
        pairs = [("en", path), ("de", other), ("x-default", path)]
        site.page(path).alternates = list(pairs)
        site.page(other).alternates = list(pairs)


def _llms_txt() -> str:
    lines = [
        f"# {BRAND}",
        "",
        "> An outdoor shop with its own workshop and magazine in Harrowdale.",
        "",
        "## Shop",
        "",
    ]
    lines += [f"- [{row[2]}]({{base}}/shop/{row[0]}/): {row[3]}" for row in catalogue.CATEGORIES]
    lines += ["", "## Magazine", ""]
    lines += [f"- [{row[2]}]({{base}}/magazine/category/{row[0]}/): {row[3]}" for row in catalogue.SECTIONS]
    lines += [
        "",
        "## Company",
        "",
        "- [About]({base}/about/): who we are",
        "- [Contact]({base}/contact/): how to reach us",
        "",
    ]
    return "\n".join(lines)
