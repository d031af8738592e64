"""Tables of SEO-CON-001."""

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import Case, address, case, page


def article(name: str, words: int) -> PageFacts:
    """A page of the template that all pages below /guide/ share."""
    return page(f"/guide/{name}", words=words)


def beside(words: int, *others: int, path: str = "/guide/short") -> Case:
    """A page of this length among others of the same template."""
    return case(page(path, words=words), *(article(str(number), count) for number, count in enumerate(others)))


USUAL = (480, 500, 510, 520, 530)

FAILS = {
    "far shorter than the others": case(
        article("short", 80),
        *(article(str(number), count) for number, count in enumerate(USUAL)),
        seen={"words": 80, "usualWords": 505, "template": "/guide/*", "pagesOfTemplate": 6},
        says="80 words",
    ),
    "with a slash at the end of its address": beside(80, *USUAL, path="/guide/short/"),
    "199 words among pages of one length": beside(199, 400, 400, 400, 400),
    "349 words among long pages": beside(349, 1_200, 1_250, 1_300, 1_350),
    "330 words among long pages of very different lengths": beside(310, 600, 900, 1_250, 1_900, 4_000),
    "29 words, whatever others have": case(page("/alone", words=29), seen={"words": 29, "usualWords": None}),
    "an indexable page of two words": case(page("/guide/two", words=2), *(article(str(one), 60) for one in range(9))),
    "the home page": case(page("/", words=20), *(page(f"/guide/{number}", words=500) for number in range(5))),
    "29 words where 60 are usual": beside(29, 60, 60, 60, 60),
    "far less than a template of short pages": beside(9, 40, 41, 42, 59),
    "an empty page among too few of a template to know": beside(2, 10, 14, 9),
    "one word": case(page("/alone", words=1), says="has 1 word of its own."),
}
PASSES = {
    "as long as the others": beside(500, *USUAL),
    "200 words": beside(200, 600, 600, 600, 600, 600),
    "350 words among long pages": beside(350, 1_200, 1_250, 1_300, 1_350),
    "three tenths of the others' length": beside(300, 1_000, 1_000, 1_000, 1_000),
    "half of the others' length": beside(150, 290, 300, 300, 310),
    "a template of short pages": beside(60, 70, 65, 80, 90),
    "a template of very different lengths": beside(110, 100, 250, 400, 600, 900),
}
NOT_APPLICABLE = {
    "too few pages to compare": beside(50, 400, 400, 400),
    "a page like no other": case(page("/alone", words=30)),
    "a template whose pages have fewer than 30 words": beside(12, 10, 14, 9, 25, 29),
    "a quarter of what pages of a short template have": beside(10, 40, 40, 41, 59),
    "a listing of program code": case(
        page("/guide/short", words=183, listing=True), *(article(str(one), 3_000) for one in range(5))
    ),
    "a list in a frame beside the pages": case(
        page("/guide/short", words=12, in_frame=True), *(article(str(one), 3_000) for one in range(5))
    ),
    "the sample page of a new website": case(
        page(
            "/hello-world",
            words=12,
            text="Welcome to WordPress. This is your first post. Edit or delete it, then start writing!",
        )
    ),
    "a frameset": case(page("/alone", words=0, frames=[address("/a"), address("/b")])),
    "a list of posts": case(page("/category/tents", words=20), *(article(str(one), 500) for one in range(5))),
    "a page built like no other": case(
        page("/guide/index-of-names", words=80, shape="a list of names"),
        *(article(str(number), count) for number, count in enumerate(USUAL)),
    ),
    "a legal page": beside(50, *USUAL, path="/guide/privacy"),
    "a contact page": beside(50, *USUAL, path="/guide/contact"),
    "a later page of a list": beside(50, *USUAL, path="/guide/tents?page=2"),
    "products": case(
        page("/p/short", words=20, structured_types=["Product"]),
        *(page(f"/p/{number}", words=300, structured_types=["Product"]) for number in range(5)),
    ),
    "a page with noindex": case(
        page("/guide/short", words=20, robots_meta=[("robots", "noindex")]),
        *(article(str(number), 500) for number in range(5)),
    ),
}
TABLES = {"SEO-CON-001": (FAILS, PASSES, NOT_APPLICABLE)}
