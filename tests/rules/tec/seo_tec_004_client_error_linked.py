"""Tables of SEO-TEC-004."""

from chalicelib.domain.page.facts import LINK_NOFOLLOW
from tests.rules.builders import Case, address, answer, case, document, links, page, redirect, site_facts


def linked(path: str, says: str) -> Case:
    return case(answer(path, 404), page("/b", links=links(path)), says=says)


FAILS = {
    "a document that is gone": case(answer("/a.pdf", 404), page("/b", links=links("/a.pdf")), seen={"linkingPages": 1}),
    "a linked image file that is gone": case(answer("/a.png", 410), page("/b", links=links("/a.png"))),
    "a document behind a redirect": case(
        answer("/a.pdf", 404), redirect("/old.pdf", "/a.pdf"), page("/b", links=links("/old.pdf"))
    ),
    "gone, but linked": case(
        answer("/a", 404),
        page("/b", links=links("/a")),
        page("/c", links=links("/a", "/b")),
        seen={"status": 404, "linkingPages": 2, "linkedFrom": [address("/b"), address("/c")], "inSitemap": False},
        says="2 pages link to it",
    ),
    "410, linked and in the sitemap": case(
        answer("/a", 410), page("/b", links=links("/a")), site=site_facts(sitemap=["/a"]), seen={"inSitemap": True}
    ),
    "another website's address without its scheme": case(
        answer("/docs/www.example.org/tents", 404),
        page("/b", links=links("/docs/www.example.org/tents")),
        says="1 page links to it; the links seem to mean the website www.example.org, and lack the https://",
    ),
    "another website's name alone": linked("/docs/tents.com", "the links seem to mean the website tents.com"),
    "a page below another website's name": linked("/shop.tents.edu/a.html", "seem to mean the website shop.tents.edu"),
    "a document in the format of Emacs": linked("/docs/notes.org", "bring the page back"),
    "a mail address": linked("/docs/ada.byron@tents.co.uk", "mail address, and lack the mailto: before it"),
    "an image for dense screens": linked("/docs/tent@2x.png", "bring the page back"),
    "a release of a package": linked("/npm/tents@3.1.0", "bring the page back"),
    "a file of a system": linked("/usr/share/tents/a.txt", "a file of the computer that the pages were made on"),
    "a file of a drive": linked("/C:/tents/a.txt", "a file of the computer that the pages were made on"),
    "a folder that is called like one": linked("/docs/usr/share/tents", "bring the page back"),
    "a file of the author's computer": case(
        answer("/file:///usr/share/tents", 404),
        page("/b", links=links("/file:///usr/share/tents")),
        says="1 page links to it; the links name a file of the computer that the pages were made on",
    ),
    "a file that is called like one": case(
        answer("/docs/www.tents.html", 404), page("/b", links=links("/docs/www.tents.html")), says="bring the page back"
    ),
    "linked with nofollow": case(answer("/a", 404), page("/b", links=links("/a", flags=LINK_NOFOLLOW))),
    "linked through a redirect": case(answer("/a", 404), redirect("/old", "/a"), page("/b", links=links("/old"))),
}
PASSES = {
    "a document": case(document("/a.pdf"), page("/b", links=links("/a.pdf"))),
    "a download whose address says nothing": case(
        document("/download?id=1"), page("/b", links=links("/download?id=1"))
    ),
    "a document that turns the crawler away": case(answer("/a.zip", 403), page("/b", links=links("/a.zip"))),
    "nobody links it": case(answer("/a", 404), page("/b")),
    "only the sitemap names it": case(answer("/a", 404), site=site_facts(sitemap=["/a"])),
    "the crawler was turned away": case(answer("/a", 403), page("/b", links=links("/a"))),
    "too many requests": case(answer("/a", 429), page("/b", links=links("/a"))),
    "a page": case(page("/a"), page("/b", links=links("/a"))),
}
NOT_APPLICABLE = {
    "a document that nothing links": case(answer("/a.pdf", 404), page("/b")),
    "never asked for": case(page("/a"), page("/b", links=links("/a")), asked=False),
}
TABLES = {"SEO-TEC-004": (FAILS, PASSES, NOT_APPLICABLE)}
