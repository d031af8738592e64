"""Tables of SEO-TEC-005."""

from chalicelib.domain.page.facts import PageFacts, Probe
from tests.rules.builders import answer, case, links, page, redirect, site_facts

TEXT = "We are sorry but there is nothing to be seen here today so please try the menu above or the search box " * 2
WORDS = len(TEXT.split())
PROBE = Probe("not_found", "https://example.com/8f3a", 200, title="Shop", text_hash="missing", text=TEXT, words=WORDS)
OPEN = site_facts(probes=[PROBE])
HONEST = site_facts(probes=[Probe("not_found", PROBE.url, 404, text_hash="missing", text=TEXT, words=WORDS)])
SAYING_FOUND = [
    "404 Not Found",
    "Page not found | Example",
    "Oops! That page can’t be found.",
    "Error 404: the page you are looking for does not exist",
    "Seite nicht gefunden – Fehler 404",
    "Die angeforderte Seite konnte nicht gefunden werden",
    "Page introuvable",
    "Página no encontrada | Ejemplo",
    "Pagina non trovata",
    "Deze pagina bestaat niet",
    "Página não encontrada",
    "Nie znaleziono strony",
    "Sidan kunde inte hittas",
    "Siden blev ikke fundet",
    "Stránka nenalezena",
    "Страница не найдена",
]
ABOUT_IT = [
    "How to fix 404 not found errors",
    "404 Not Found: what it means",
    "Lost and found",
    "Nothing found",
    "Area code 404",
    "Die Seite ist nicht barrierefrei",
    "Founders of the company",
]


def like_the_answer(**changes: object) -> PageFacts:
    return page("/a", **{"words": WORDS, "text": TEXT, "text_hash": "other", **changes})


FAILS = {
    **{f"title {text}": case(page("/a", title=text), seen={"where": "title", "text": text}) for text in SAYING_FOUND},
    "main heading": case(
        page("/a", headings=[(1, "Page not found")]), seen={"where": "main heading"}, says="answers 200"
    ),
    "the text of the answer to a made-up address": case(
        like_the_answer(text_hash="missing"), page("/"), site=OPEN, seen={"where": "text", "sameAs": PROBE.url}
    ),
    "nearly that text": case(like_the_answer(text=TEXT + "now", words=WORDS + 1), page("/"), site=OPEN),
    "the text that a made-up address shows with 404": case(
        like_the_answer(text_hash="missing"), page("/"), site=HONEST, seen={"where": "text", "sameAs": PROBE.url}
    ),
    "the error page, where a page links it": case(
        page("/404.html", title="Lost in the hills"),
        page("/", links=links("/404.html")),
        seen={"where": "address", "linkingPages": 1},
        says="The error page answers 200 under its own address, and 1 page links",
    ),
    "the error page in the sitemap": case(page("/404/"), site=site_facts(sitemap=["/404/"]), seen={"inSitemap": True}),
    "the error page, where a redirect leads to it": case(
        page("/404.html", title="Page not found"), redirect("/old", "/404.html")
    ),
    "the error page, where made-up addresses answer 404": case(
        page("/de/404.html", title="Verirrt"),
        page("/", links=links("/de/404.html")),
        site=HONEST,
        says="Addresses without a page already answer 404, so only this page is at fault",
    ),
    **{
        f"an error page by its name, where made-up addresses answer 404: {name}": case(
            page(f"/{name}", headings=[(1, "404")], words=20),
            page("/", links=links(f"/{name}")),
            site=HONEST,
            says="only this page is at fault: take it out of links, redirects and the sitemap, or set noindex on it.",
        )
        for name in ("page_404.html", "samples/error-404/", "404-page.php", "error404")
    },
    "a page by another name, where made-up addresses answer 404": case(
        page("/tents/1404", title="Page not found"),
        page("/", links=links("/tents/1404")),
        site=HONEST,
        says="a page already answer 404: let this one answer 404 too, and take it out of links, redirects and the",
    ),
    "a page with noindex by another name, where made-up addresses answer 404": case(
        page("/tents/red", title="Page not found", robots_meta=[("robots", "noindex")]), site=HONEST
    ),
    "an error page that says only the number": case(page("/a", title="Oops! 404 | Example", words=99)),
    "a sample of an error page in a folder": case(
        page("/samples/404.html", title="404 Page not found"), page("/", links=links("/samples/404.html"))
    ),
    "a page by its number, beside one that exists": case(
        page("/product/404", title="Page not found"),
        page("/product/500", title="Red tent"),
        page("/", links=links("/product/404", "/product/500")),
        site=HONEST,
    ),
    "noindex too": case(page("/a", title="Page not found", robots_meta=[("robots", "noindex")])),
}
PASSES = {
    **{f"title {text}": case(page("/a", title=text)) for text in ABOUT_IT},
    "an ordinary page": case(page()),
    "the error page with noindex, where made-up addresses answer 404": case(
        page("/404.html", title="Page not found", robots_meta=[("robots", "noindex")]),
        page("/", links=links("/404.html")),
        site=HONEST,
    ),
    "an error page by its name with noindex, where made-up addresses answer 404": case(
        page("/page_404.html", headings=[(1, "404")], words=20, robots_meta=[("robots", "noindex")]),
        page("/", links=links("/page_404.html")),
        site=HONEST,
    ),
    "an article on the plugin 404": case(
        page("/plugins/404.html", title="404", words=100), page("/", links=links("/plugins/404.html")), site=HONEST
    ),
    "an article on the number": case(page("/nombres/quatre-cent-quatre", headings=[(1, "404")], words=400)),
    "an address that answers 404": case(answer("/a", 404, title="Page not found")),
    "a redirect": case(redirect("/a", "/")),
    "a search without results": case(page("/search?q=x", title="Not found")),
    "the error page under its own address": case(page("/404.html", title="404 Page not found")),
    "another text than the answer": case(page("/a", text="Tents and boots " * 20, words=60), page("/"), site=OPEN),
    "half of that text": case(like_the_answer(text=TEXT[: len(TEXT) // 2], words=WORDS // 2), page("/"), site=OPEN),
    "the answer is the home page": case(
        like_the_answer(), page("/", text=TEXT, words=WORDS, text_hash="missing"), site=OPEN
    ),
    "most pages look like the answer": case(
        like_the_answer(text_hash="missing"),
        *(page(f"/{number}", text_hash="missing") for number in range(4)),
        site=OPEN,
    ),
    "a made-up address answers 404 with another text": case(page("/a"), page("/"), site=HONEST),
    "one that says nothing": case(
        like_the_answer(text_hash="missing"), page("/"), site=site_facts(probes=[Probe("not_found", PROBE.url, 404)])
    ),
    "the answer has hardly any text": case(
        page("/a", text="Please enable scripts", words=3, text_hash=""),
        page("/"),
        site=site_facts(probes=[Probe("not_found", PROBE.url, 200, text="Please enable scripts", words=3)]),
    ),
}
NOT_APPLICABLE = {
    "never asked for": case(page("/a"), asked=False),
    "an image": case(answer("/a.jpg", 404)),
}
TABLES = {"SEO-TEC-005": (FAILS, PASSES, NOT_APPLICABLE)}
