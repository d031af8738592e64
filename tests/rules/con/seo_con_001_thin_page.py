"""Tables of SEO-CON-001."""

from typing import Any

from chalicelib.domain.page.facts import (
    LINK_IN_CONTENT,
    LINK_IN_NAV,
    LINK_LABELLED,
    Link,
    PageFacts,
)
from tests.domain.page.reading import read
from tests.rules.builders import Case, address, case, links, page


def article(name: str, words: int) -> PageFacts:
    """A page of the template that all pages below /guide/ share."""
    return page(f"/guide/{name}", words=words)


def beside(words: int, *others: int, path: str = "/guide/short") -> Case:
    """A page of this length among others of the same template."""
    return case(page(path, words=words), *(article(str(number), count) for number, count in enumerate(others)))


MANY = tuple(range(400, 420))
USUAL = (480, 500, 510, 520, 530)


def short(path: str = "/guide/short", *more: str, words: int = 80, **changes: Any) -> Case:
    """A page that is far shorter than the others of its template; ``more`` are further pages of the usual length."""
    others = (article(str(number), count) for number, count in enumerate(USUAL))
    return case(page(path, words=words, **changes), *others, *(page(name, words=500) for name in more))


def entry(words: int, title: str, others: tuple[int, ...]) -> Case:
    """A page of this title among others whose titles are one word each."""
    return case(
        page("/guide/short", words=words, title=title),
        *(page(f"/guide/{number}", words=count, title=f"word{number}") for number, count in enumerate(others)),
    )


def kinds(title: str, kind: str, words: int = 80, count: int = 5) -> Case:
    """A page of this title among ``count`` whose titles are one word and this."""
    return case(
        page("/guide/short", words=words, title=title),
        *(article(str(number), length) for number, length in enumerate(USUAL)),
        *(page(f"/guide/w{number}", words=500, title=f"Word{'abcdefgh'[number]} {kind}") for number in range(count)),
    )


def built(words: int, others: int, template: tuple[int, ...]) -> Case:
    """A page of ``words`` among ``others`` that are built alike and long. ``template``: the lengths of the template's
    other pages."""
    return case(
        page("/guide/short", words=words, shape="with a form"),
        *(page(f"/guide/long{number}", words=500 + number, shape="with a form") for number in range(others)),
        *(article(str(number), count) for number, count in enumerate(template)),
    )


def leading(body: str, path: str = "/upgrading") -> Case:
    """A page with this text among others that have five hundred words."""
    html = f"<!doctype html><html lang=en><title>Upgrading</title><body><main><h1>Upgrading</h1>{body}</main>"
    judged = read(html, url=address(path), bytes=900, content_type="text/html")
    return case(judged, *(article(str(number), count) for number, count in enumerate(USUAL)))


OWN = "<li><a href=/guide/0>Upgrading from tents to huts</a><li><a href=/guide/1>Upgrading from huts to houses</a>"

INNER = ("/guide/tents/poles.html", "/guide/tents/pegs.html")
CHAPTERS = ("/guide/tents/poles", "/guide/tents-in-snow.html")

FAILS = {
    "a list that scripts fill in beside enough words": case(
        page("/guide/short", words=80, fills_list=True),
        *(article(str(number), count) for number, count in enumerate(USUAL)),
    ),
    "far shorter than the others": case(
        article("short", 80),
        *(article(str(number), count) for number, count in enumerate(USUAL)),
        seen={"words": 80, "usualWords": 505, "template": "/guide/*", "pagesOfTemplate": 6},
        says="80 words",
    ),
    "with a slash at the end of its address": beside(80, *USUAL, path="/guide/short/"),
    "199 words among pages of one length": beside(199, 400, 400, 400, 400),
    "199 words among long pages of one length": beside(199, 1_200, 1_250, 1_300, 1_350),
    "24 words, whatever others have": case(page("/alone", words=24), seen={"words": 24, "usualWords": None}),
    "an indexable page of two words": case(page("/guide/two", words=2), *(article(str(one), 60) for one in range(9))),
    "the home page": case(page("/", words=20), *(page(f"/guide/{number}", words=500) for number in range(5))),
    "29 words where 60 are usual": beside(29, 60, 60, 60, 60),
    "far less than a template of short pages": beside(9, 40, 41, 42, 59),
    "an empty page among too few of a template to know": beside(2, 10, 14, 9),
    "one word": case(page("/alone", words=1), says="has 1 word of its own."),
    "a code name among words of the title": short(title="How to call count_tents", headings=[(1, "count_tents twice")]),
    "a title of one word": short(title="Tents", headings=[(1, "Tents")]),
    "several words among entries of a reference": entry(80, "All about observers", USUAL),
    "7 words on one word in a dictionary": entry(7, "observer", (40, 60, 70, 80, 90)),
    "12 words on two in a dictionary": entry(12, "First observer", (40, 60, 70, 80, 90)),
    "12 words on one word in an encyclopedia": entry(12, "observer", (200, 210, 220, 230, 240)),
    "a kind of thing in four titles": kinds("Rope Class", "Class", count=3),
    "what is no kind of thing in code": kinds("Berlin Removals", "Removals"),
    "a guide that is no reference": kinds("Berlin Guide", "Guide"),
    "a title about licences": short(title="Licence your tents"),
    "another kind than that of others": kinds("Rope Macro", "Class"),
    "two words before the kind": kinds("Guy Rope Class", "Class"),
    "7 words on one thing of a kind": kinds("Rope Class", "Class", 7),
    "a code name further down": short(title="Tents", headings=[(1, "Counting tents"), (2, "count_tents")]),
    "a code name in the second main heading": short(title="Tents", headings=[(1, "Tents"), (1, "count_tents")]),
    "the reference of one name in 7 words": short(words=7, title="count_tents"),
    "24 words on one name, like no other page": case(page("/alone", words=24, title="count_tents")),
    "the opening of a chapter without text": short("/guide/ch5-00", "/guide/ch5-01", "/guide/ch5-02", words=7),
    "numbered 0 before a single page": short("/guide/ch05-00-tents", "/guide/ch05-01-poles"),
    "numbered 0 in another chapter": short("/guide/ch05-00-tents", "/guide/ch06-01-poles", "/guide/ch06-02-pegs"),
    "numbered 0 in another folder": short("/guide/ch05-00-tents", "/howto/ch05-01-poles", "/howto/ch05-02-pegs"),
    "not the first of its chapter": short("/guide/ch05-01-tents", "/guide/ch05-02-poles", "/guide/ch05-03-pegs"),
    "one link to an address that lengthens its own": short("/guide/tents", *CHAPTERS, links=links(CHAPTERS[0])),
    "two links to one such page": short("/guide/tents", *CHAPTERS, links=links(CHAPTERS[0], CHAPTERS[0])),
    "two links to pages that are not there": short("/guide/tents", links=links(*CHAPTERS)),
    "a release without its number": short(title="Our new release of tents"),
    "7 words on a release": short(title="Release 3.6", words=7),
    "7 words on one name among short references": case(
        page("/guide/short", words=7, title="Tent.open"), *(article(str(one), 50) for one in range(5))
    ),
    "12 words among short texts": case(page("/guide/short", words=12), *(article(str(one), 50) for one in range(5))),
    "addresses that begin with the same letters": short(
        "/guide/tent", "/guide/tenting", "/guide/tented", links=links("/guide/tenting", "/guide/tented")
    ),
    "the index file of a folder, with links to pages elsewhere": short(
        "/guide/tents/index.html", "/guide/poles", "/guide/pegs", links=links("/guide/poles", "/guide/pegs")
    ),
    "pages beside that it does not link": short("/guide/tents", *CHAPTERS),
    "far shorter than a few that are built alike, and than all": case(
        page("/guide/short", words=80, shape="with a form"),
        *(page(f"/guide/long{number}", words=500, shape="with a form") for number in range(5)),
        *(article(str(number), 490) for number in range(30)),
        says="; the 6 pages of the same template (/guide/*) that are built like it usually have 500.",
    ),
    "far shorter than many that are built alike": built(80, 12, tuple(range(90, 120))),
    "29 words beside a few that are built alike": built(29, 5, tuple(range(90, 120))),
    "an error page under a heading of its own": case(
        page("/pages/misc", words=21, headings=[(2, "Page Not Found :(")]), says="An error page is not to be found"
    ),
    "the page of another error": case(page("/500.html", words=16), says="set it to noindex."),
    **{
        f"a sample of an error page: {name}": case(page(f"/{name}", words=16), says="set it to noindex.")
        for name in ("errors-503.html", "pages-error-404", "error-500.html")
    },
    "an article on missing pages": case(
        page("/lost", words=16, headings=[(1, "Page not found: how to fix it")]), says="Say more about the subject"
    ),
}
PASSES = {
    "far shorter than a few that happen to be built alike": built(80, 5, tuple(range(90, 120))),
    "as long as the others": beside(500, *USUAL),
    "200 words": beside(200, 600, 600, 600, 600, 600),
    "200 words among long pages of one length": beside(200, 1_200, 1_250, 1_300, 1_350),
    "45 words among long pages of very different lengths": beside(45, 600, 900, 1_250, 1_900, 4_000),
    "a short how-to among long ones": beside(152, 60, 410, 748, 1_900, 4_000),
    "three tenths of the others' length": beside(90, 100, 150, 300, 600, 900),
    "half of the others' length": beside(150, 290, 300, 300, 310),
    "a template of short pages": beside(60, 70, 65, 80, 90),
    "a template of very different lengths": beside(110, 100, 250, 400, 600, 900),
    "less than three tenths of what short pages of very different lengths have": beside(45, 80, 120, 206, 260, 500),
    "the reference of one name, as long as the others": short(words=500, title="count_tents"),
    "the opening of a chapter, as long as the others": short(
        "/guide/tents", *CHAPTERS, words=500, links=links(*CHAPTERS)
    ),
}
NOT_APPLICABLE = {
    "hardly more than a list that scripts fill in": case(page(words=12, scripts=3, fills_list=True)),
    "too few pages to compare": beside(50, 400, 400, 400),
    "a page like no other": case(page("/alone", words=25)),
    "a page by a tool that documents code": short(words=4, generator="Doxygen 1.9.1"),
    "the opening of an appendix": short("/guide/appendix-00", "/guide/appendix-01-keys", "/guide/appendix-02", words=8),
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
    "the notes on one release": short(title="Tents Release 3.6.1 On 2008-11-22"),
    "two lines on one release": short(title="Release 3.6", words=8),
    "a sentence on one name among short references": case(
        page("/guide/short", words=12, title="Tent.open"), *(article(str(one), 50) for one in range(5))
    ),
    "what changed in one version": short(headings=[(1, "Changes in Tents v3.4beta007"), (2, "Poles")]),
    "the reference of one name": short(title="count_tents"),
    "the reference of one name in a sentence": short(words=8, title="count_tents"),
    "the reference of one name, shown in a box, in a sentence": short(
        words=12, title="Camp", shown_title="camp::Tent Class Reference"
    ),
    "a name with its kind": short(title="Camping", headings=[(1, "Struct camp::Tent"), (2, "Poles")]),
    "a name in capitals and small letters": short(title="TentFilter Class Reference"),
    "a word among words, each the entry of a reference": entry(80, "observer", USUAL),
    "a sentence on one word in a dictionary": entry(12, "observer", (40, 60, 70, 80, 90)),
    "a sentence on one word in another language": entry(8, "Vieleck", (40, 60, 70, 80, 90)),
    "a command in a guide of commands": kinds("rope Reference Guide", "Reference Guide"),
    "a licence": short(title="Licence", words=12),
    "a licence in another language": short(title="Lizenz"),
    "a licence before the website's name": case(
        page("/guide/short", words=43, title="License — Camp"),
        *(page(f"/guide/{number}", words=count, title=f"Part {number} — Camp") for number, count in enumerate(USUAL)),
    ),
    "one thing of a kind": kinds("Rope Class", "Class"),
    "one thing of a kind in a sentence": kinds("Rope Class", "Class", 8),
    "a kind with letters in capitals": kinds("Rope QML Type", "QML Type"),
    "the name that Doxygen shows in a box": short(title="Camp", shown_title="camp::Tent Class Reference"),
    "a name before the name of the website": case(
        page("/guide/short", words=80, title="TentFilter - Camp"),
        *(page(f"/guide/{number}", words=count, title=f"Part {number} - Camp") for number, count in enumerate(USUAL)),
    ),
    "numbered 0 before others of its chapter": short("/guide/ch05-00-tents", "/guide/ch05-01-poles", "/guide/ch05-02"),
    "numbered 0, with an ending": short(
        "/guide/ch05-00-tents.html", "/guide/ch05-01-poles.html", "/guide/ch05-02-pegs.html"
    ),
    "links to pages whose addresses lengthen its own": short("/guide/tents", *CHAPTERS, links=links(*CHAPTERS)),
    "the index file of a folder whose pages it links": short("/guide/tents/index.html", *INNER, links=links(*INNER)),
    "likewise with an ending": short("/guide/tents.html", *CHAPTERS, links=links(*CHAPTERS)),
    "a page built like no other": case(
        page("/guide/index-of-names", words=80, shape="a list of names"),
        *(article(str(number), count) for number, count in enumerate(USUAL)),
    ),
    "a legal page": beside(50, *USUAL, path="/guide/privacy"),
    "terms in another language": beside(50, *USUAL, path="/guide/agb"),
    "an account page": short("/my-account/addresses", body_class="woocommerce-account", words=12),
    "a log-in page": short("/guide/login", words=12, shows_kind=True),
    "a page that scripts fill": short(words=0, scripts=2, headings=[], h1_count=0, text_hash=""),
    "a contact page": beside(50, *USUAL, path="/guide/contact"),
    "a later page of a list": beside(50, *USUAL, path="/guide/tents?page=2"),
    "products": case(
        page("/p/short", words=20, structured_types=["Product"]),
        *(page(f"/p/{number}", words=300, structured_types=["Product"]) for number in range(5)),
    ),
    "a page that does not exist": case(page("/lost", words=21, headings=[(1, "Page not found")])),
    "an error page that others link": case(page("/404.html", words=14), page("/", links=links("/404.html"))),
    "a page with noindex": case(
        page("/guide/short", words=20, robots_meta=[("robots", "noindex")]),
        *(article(str(number), 500) for number in range(5)),
    ),
}
TARGETS = [f"/guide/area{number}" for number in range(8)]
AREAS = [Link(address(f"/guide/area{number}"), "", LINK_IN_CONTENT) for number in range(8)]
PICTURES = [Link(address(f"/guide/area{number}"), "Tent", LINK_IN_CONTENT | LINK_LABELLED) for number in range(8)]
NOT_APPLICABLE["an image map"] = short("/guide/short", *TARGETS, words=40, links=AREAS)
NOT_APPLICABLE["links of pictures"] = short("/guide/short", *TARGETS, words=24, links=PICTURES)
FAILS["larger pictures"] = short(words=24, links=PICTURES)
FAILS["a text beside an image map"] = short("/guide/short", *TARGETS, words=90, links=AREAS)
FAILS["arrows to other pages"] = short("/guide/short", *TARGETS, words=24, links=PICTURES[:5])
FAILS["links with text"] = short(
    "/guide/short", *TARGETS, words=40, links=[Link(link.url, "Tent", LINK_IN_CONTENT) for link in AREAS]
)
FAILS["pictures of the navigation"] = short(
    "/guide/short", *TARGETS, words=40, links=[Link(link.url, "", LINK_IN_NAV) for link in AREAS]
)
FAILS["pictures that many pages link"] = case(
    page("/guide/short", words=40, links=AREAS),
    *(page(f"/guide/{number}", words=count, links=AREAS) for number, count in enumerate(USUAL)),
    *(page(link.url, words=500) for link in AREAS),
)
NOT_APPLICABLE |= {
    "two links to other pages under a heading": leading(f"<ul>{OWN}</ul>"),
    "two links to other pages beside links that all pages share": case(
        *(
            read(
                f"<!doctype html><html lang=en><body><main><h1>{name}</h1>{text}<p>Share this page: "
                "<a href=https://a.test/>on one network</a> <a href=https://b.test/>on another network</a>"
                " <a href=https://c.test/>with all your friends</a></main>",
                url=address(f"/info/{name}"),
                bytes=900,
                content_type="text/html",
            )
            for name, text in [
                ("upgrading", f"<ul>{OWN.replace('/guide/', '/info/p')}</ul>"),
                *(
                    (f"p{number}", f"<p>{' '.join(f'word{number}x{at}' for at in range(400))}</p>")
                    for number in range(9)
                ),
            ]
        )
    ),
    "a link to another page beside as many words": leading("<p>Now read this: <a href=/guide/0>from tents to huts</a>"),
    "a film, a frame or a tool": short(words=12, embeds=True),
    "a tool beside too few words": short(embeds=True),
    "a dedication": short(words=12, title="Dedication"),
    "8 words, as eight of the template's pages have": beside(8, *MANY, *(24,) * 7),
    "24 words, as one of ten has": beside(24, *(400 + number for number in range(90)), *(20,) * 9),
}
FAILS |= {
    "two links to other websites under a heading": leading(OWN.replace("/guide/", "https://other.test/")),
    "a link beside more words": leading("<p>Now you should really read this: <a href=/guide/0>from tents to huts</a>"),
    "the home page with a picture": case(
        page("/", words=12, embeds=True), *(page(f"/guide/{number}", words=500) for number in range(5))
    ),
    "the home page with two links": leading(f"<ul>{OWN}</ul>", "/"),
    "7 words, beside eight pages of 24": beside(7, *MANY, *(24,) * 8),
    "24 words, as six other pages have": beside(24, *MANY, *(20,) * 6),
    "24 words, beside seven empty pages": beside(24, *MANY, *(7,) * 7),
    "24 words, as one of eleven has": beside(24, *(400 + number for number in range(101)), *(20,) * 9),
    "a stub with a link to the home page": leading(
        "<p>This is under construction. <a href=/>Back to the home page</a>"
    ),
    "a stub with a link to the contact page": case(
        read(
            "<!doctype html><html lang=en><main><h1>Services</h1><p>Come later, or <a href=/contact>contact us</a>.",
            url=address("/services"),
            bytes=900,
            content_type="text/html",
        ),
        page("/contact"),
        *(article(str(number), count) for number, count in enumerate(USUAL)),
    ),
    "numbered 0 among numbers": short("/guide/item-0", "/guide/item-1", "/guide/item-2", words=12),
}
TABLES = {"SEO-CON-001": (FAILS, PASSES, NOT_APPLICABLE)}
