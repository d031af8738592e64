"""Tables of SEO-SMP-002."""

from chalicelib.domain.page.facts import SitemapFile
from tests.rules.builders import Case, case, page, site_case, site_facts

INDEX = SitemapFile("https://example.com/sitemap.xml", "robots", 200, "index", 2)
PART = "https://example.com/sitemap-1.xml"
GOOD = SitemapFile(PART, "index", 200, "urlset", 10)


def having(*files: SitemapFile, **changes: object) -> Case:
    return site_case(site=site_facts(sitemaps=list(files)), **changes)  # type: ignore[arg-type]


FAILS = {
    "a part of an index is gone": having(
        INDEX,
        GOOD,
        SitemapFile("https://example.com/old.xml", "index", 404, error="answers 404"),
        seen={
            "files": 3,
            "faults": [
                {"url": "https://example.com/old.xml", "foundBy": "index", "status": 404, "fault": "answers 404"}
            ],
        },
        says="a sitemap index names it",
    ),
    "robots.txt names a web page": having(
        SitemapFile(PART, "robots", 200, None, error="the file is a web page, not a sitemap"), says="web page"
    ),
    "too many addresses": having(
        SitemapFile(
            PART, "robots", 200, "urlset", 50_000, "the file lists 60,000 addresses; 50,000 are allowed in one file"
        )
    ),
    "no answer": having(SitemapFile(PART, "robots", 0, error="does not answer (its name cannot be resolved)")),
    "a server error": having(SitemapFile(PART, "robots", 500, error="answers 500")),
    "two of them": having(
        SitemapFile(PART, "robots", 404, error="answers 404"),
        SitemapFile(PART, "robots", 410, error="answers 410"),
        says="1 more file is not readable",
    ),
}
PASSES = {
    "one file": having(GOOD),
    "an index and its parts": having(INDEX, GOOD),
    "an empty one": having(SitemapFile(PART, "robots", 200, "urlset", 0)),
    "it turns the crawler away": having(SitemapFile(PART, "robots", 403, error="answers 403")),
}
NOT_APPLICABLE = {"none is SEO-SMP-001": having(), "a page is not judged": case(page())}
TABLES = {"SEO-SMP-002": (FAILS, PASSES, NOT_APPLICABLE)}
