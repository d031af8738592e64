"""Tables of SEO-SMP-006."""

from chalicelib.domain.page.facts import PageFacts, SiteFacts, SitemapFile
from tests.rules.builders import ORIGIN, Case, address, answer, case, links, page, site_facts

LISTED = site_facts(sitemap=["/", "/b"])


def linked(judged: PageFacts, site: SiteFacts = LISTED) -> Case:
    """A page one click from the home page."""
    return case(judged, page("/", links=links(judged.url)), page("/b"), site=site)


def with_files(*files: SitemapFile, **changes: object) -> SiteFacts:
    return site_facts(sitemap=["/", "/b"], sitemaps=list(files), **changes)


GOOD = SitemapFile(ORIGIN + "/sitemap.xml", "robots", 200, "urlset", 2)

FAILS = {
    "one click away": case(
        page("/a"),
        page("/", links=links("/a", "/b")),
        page("/b", links=links("/a")),
        site=LISTED,
        seen={"depth": 1, "inlinks": 2},
        says="1 click",
    ),
    "four clicks away": case(
        page("/4"),
        page("/", links=links("/1")),
        *(page(f"/{number}", links=links(f"/{number + 1}")) for number in (1, 2, 3)),
        site=LISTED,
        says="4 clicks",
    ),
    "a part of the sitemap is gone, which lists nothing": linked(
        page("/a"), with_files(GOOD, SitemapFile(ORIGIN + "/old.xml", "index", 404, error="answers 404"))
    ),
    "an article about missing pages": linked(page("/a", title="How to write a page for missing addresses")),
    "a parameter that chooses": linked(page("/a?season=winter")),
}
PASSES = {
    "in the sitemap": case(page("/b"), page("/", links=links("/b")), site=LISTED),
    "another canonical address": linked(page("/a", canonicals=[("", address("/b"), "html")])),
    "five clicks away": case(
        page("/5"),
        page("/", links=links("/1")),
        *(page(f"/{number}", links=links(f"/{number + 1}")) for number in (1, 2, 3, 4)),
        site=LISTED,
    ),
    "no click leads there": case(page("/a"), page("/"), site=LISTED),
}
NOT_APPLICABLE = {
    "noindex": linked(page("/a", robots_meta=[("robots", "noindex")])),
    "a soft 404": linked(page("/a", title="Page not found")),
    "a soft 404 by its main heading": linked(page("/a", headings=[(1, "Seite nicht gefunden")])),
    "the error page": linked(page("/404.html")),
    "an error": linked(answer("/a", 404)),
    "a later page of a list": linked(page("/blog/page/2/")),
    "a page of comments": linked(page("/post/comment-page-2/")),
    "a sorted list": linked(page("/list?sort=price")),
    "a log-in page": linked(page("/login")),
    "no sitemap": linked(page("/a"), site_facts(sitemaps=[])),
    "more addresses than were read": linked(page("/a"), with_files(GOOD, sitemap_truncated=True)),
    "a part did not answer": linked(page("/a"), with_files(GOOD, SitemapFile(ORIGIN + "/2.xml", "index", 0))),
    "a part is broken XML": linked(
        page("/a"), with_files(GOOD, SitemapFile(ORIGIN + "/2.xml", "index", 200, "urlset", 3, "the XML is broken"))
    ),
}
TABLES = {"SEO-SMP-006": (FAILS, PASSES, NOT_APPLICABLE)}
