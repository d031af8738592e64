"""SEO-TEC-043: a page that needs scripts, but robots.txt forbids search engines to read them."""

from typing import Final

from chalicelib.rules.context import SEARCH_CRAWLER, Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.resources import Closed
from chalicelib.rules.scripted import rendered, scripts_bring_content
from chalicelib.rules.wording import counted, quoted

SHOWN: Final = 10


def has_data(site: Site) -> bool:
    return bool(site.rendered) and site.robots_readable


def closed_to_search(site: Site) -> Closed:
    return Closed(site, SEARCH_CRAWLER)


def check(page: Page, site: Site) -> PageVerdict:
    scripts = [resource.url for resource in page.facts.resources if resource.kind == "script"]
    if rendered(page, site) is None or not scripts:
        return NOT_APPLICABLE
    if scripts_bring_content(page, site) != "browser":
        return None
    closed = [url for url in scripts if site.once(closed_to_search).is_closed(url)]
    if not closed:
        return None
    verdict = site.robots.verdict(SEARCH_CRAWLER, closed[0])
    more = f" and {counted(len(closed) - 1, 'other script')}" if closed[1:] else ""
    return Finding(
        f"The content of this page is added only by scripts, but robots.txt forbids search engines to read "
        f"{closed[0]}{more} (line {verdict.line_number}: {quoted(verdict.line or '')}). Allow scripts there.",
        {"files": closed[:SHOWN], "count": len(closed), "line": verdict.line, "lineNumber": verdict.line_number},
    )


RULE = Rule(
    id="SEO-TEC-043",
    title="robots.txt blocks scripts that add the content",
    category="TEC",
    severity="high",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=15,
    effort="low",
    writable_field=None,
    what=f"A rendered page gets most of its words or all of its links from scripts. For {SEARCH_CRAWLER}, robots.txt "
    "disallows at least one script of the website that the page loads.",
    why="Search engines render a page only with the files that they may read. Without its scripts, the page is empty.",
    fix="Remove from robots.txt the line that disallows the script, or add an Allow line for the scripts' folder.",
    not_when="Only the sample of rendered pages is judged, at most 20. If the server sends the content of a page, a "
    "script that robots.txt disallows is not reported. Disallowed style sheets are not reported.",
    source="Search engines' documentation on JavaScript and robots.txt.",
    page_check=check,
    has_data=has_data,
    needs=("rendered",),
    cause=("robots_line", "template"),
)
