"""Tables of SEO-AEO-006 and SEO-AEO-007."""

from chalicelib.domain.page.facts import SiteFacts, TextFile
from tests.rules.builders import ORIGIN, Case, answer, page, site_case, site_facts

URL = ORIGIN + "/llms.txt"
GOOD = "# Example\n\n> What the website offers, in one sentence.\n\n## Shop\n\n- [Tents]({}/tents): all of them\n"
PAGE = "<!doctype html><html lang=en><title>Example</title><p>Welcome.</p></html>"


def file(text: str, status: int = 200, content_type: str = "text/plain") -> SiteFacts:
    """A website with this at /llms.txt."""
    return site_facts(llms_txt=TextFile(URL, status, text, len(text), content_type))


def text(written: str) -> Case:
    return site_case(site=file(written))


HTML = (
    {
        "a page": site_case(
            site=file(PAGE, content_type="text/html"),
            seen={"kind": "html", "contentType": "text/html", "status": 200},
            says="answers a web page",
        ),
        "a page that calls itself a text": site_case(site=file(PAGE)),
    },
    {"a text": text(GOOD.format(ORIGIN)), "a text without a format": text("tents and packs")},
    {
        "no file": site_case(site=file("", 404)),
        "an empty file": text(" \n"),
        "a server error": site_case(site=file("", 500)),
        "nobody asked": site_case(site=site_facts(llms_txt=None)),
    },
)
FORMAT = (
    {
        "neither heading nor link": site_case(
            site=file("Example sells tents, packs and boots, and writes about walking in the hills."),
            says="it does not begin with a heading",
        ),
        "a heading of the second level": text(GOOD.format(ORIGIN).replace("# Example", "## Example", 1)),
        "no link": text("# Example\n\n> What the website offers, in one sentence that is long enough.\n"),
        "too short": text("# Example\n\n[Tents](/tents)\n"),
        "too long": text(GOOD.format(ORIGIN) + "More. " * 10_000),
        "deeper headings among the lists": text(GOOD.format(ORIGIN) + "\n### Two\n\n- [Two](/two)\n"),
        "a link to a page that is gone": site_case(
            page("/"), answer("/tents", 404), site=file(GOOD.format("")), says=f"it links {ORIGIN}/tents, which"
        ),
        "a link to a page with noindex": site_case(
            page("/"), page("/tents", robots_meta=[("robots", "noindex")]), site=file(GOOD.format(ORIGIN))
        ),
    },
    {
        "a good file": text(GOOD.format(ORIGIN)),
        "with a mark at its beginning": text("\ufeff" + GOOD.format(ORIGIN)),
        "a link to another website": text(GOOD.format("https://other.example")),
        "a link to a page that is there": site_case(page("/"), page("/tents"), site=file(GOOD.format(ORIGIN))),
    },
    {
        "no file": site_case(site=file("", 404)),
        "a page": site_case(site=file(PAGE, content_type="text/html")),
        "a refusal": site_case(site=file("", 403)),
    },
)
TABLES = {"SEO-AEO-006": HTML, "SEO-AEO-007": FORMAT}
