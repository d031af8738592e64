"""Tables of SEO-TEC-041 and SEO-TEC-042."""

from typing import Any

from chalicelib.domain.page.facts import PageFacts, Resource, TargetFacts
from tests.rules.builders import address, answer, case, page, robots, site_facts

SCRIPT, SHEET, IMPORTED = address("/app.js"), address("/main.css"), address("/fonts.css")


def loading(**changes: Any) -> PageFacts:
    return page("/a", resources=[Resource(SHEET, "style"), Resource(SCRIPT, "script")], **changes)


def file(url: str, status: int = 200, **known: Any) -> TargetFacts:
    return TargetFacts(url, True, status, resource=True, tries=2, **known)


def gone(url: str, status: int = 404) -> TargetFacts:
    return file(url, status, stands=True)


def typed(url: str, content_type: str | None, **known: Any) -> TargetFacts:
    return file(url, content_type=content_type, nosniff=True, **known)


CLOSED = site_facts(robots=robots("User-agent: *\nDisallow: /app.js\n"))
MISSING = (
    {
        "a script that is gone": case(
            loading(),
            targets=[file(SHEET), gone(SCRIPT)],
            seen={
                "files": [
                    {"url": SCRIPT, "kind": "script", "importedBy": None, "status": 404, "contentType": None},
                ],
                "count": 1,
            },
            says="The script https://example.com/app.js answers 404. Put",
        ),
        "both": case(loading(), targets=[gone(SHEET, 500), gone(SCRIPT)], says="1 other file is missing too"),
        **{
            f"template code: {path}": case(
                page("/a", resources=[Resource(address(path), "style")]),
                targets=[gone(address(path))],
                says="has template code in it that the server has not run: correct the template.",
            )
            for path in (
                "/%3C?=$book?%3E/a.css",
                "/%3C%25=%20book%20%25%3E/a.css",
                "/%7B%7B%20url%20%7D%7D",
                "/$%7Burl%7D",
            )
        },
        "a percent sign is no template code": case(
            page("/a", resources=[Resource(address("/100%25/a.css"), "style")]),
            targets=[gone(address("/100%25/a.css"))],
            says="Put the file back",
        ),
        "an imported sheet": case(
            loading(),
            targets=[file(SHEET, imports=[IMPORTED]), file(SCRIPT), gone(IMPORTED)],
            says="/fonts.css, which https://example.com/main.css imports, answers 404. Put the file back under its "
            "address, or take the @import out of the style sheet.",
        ),
        "a redirect to what is gone": case(
            loading(), targets=[file(SHEET), file(SCRIPT, 301, redirect_to=IMPORTED), gone(IMPORTED, 410)], says="410"
        ),
        "one is gone, of the other nothing is known": case(loading(), targets=[gone(SCRIPT)]),
    },
    {
        "both are there": case(loading(), targets=[file(SHEET), file(SCRIPT)]),
        "sheets that import each other": case(
            loading(),
            targets=[file(SHEET, imports=[IMPORTED]), file(IMPORTED, imports=[SHEET]), file(SCRIPT)],
        ),
        "an imported sheet that nobody asked for": case(
            loading(), targets=[file(SHEET, imports=[IMPORTED]), file(SCRIPT)]
        ),
        "a redirect to a file": case(
            loading(), targets=[file(SHEET), file(SCRIPT, 301, redirect_to=IMPORTED), file(IMPORTED)]
        ),
        "a script that robots.txt closes": case(loading(), site=CLOSED, targets=[file(SHEET)]),
    },
    {
        "gone, and no page names it any more": case(loading(), targets=[file(SHEET), file(SCRIPT, 404)]),
        "turned away": case(loading(), targets=[file(SHEET), file(SCRIPT, 403)]),
        "nobody asked for one": case(loading(), targets=[file(SHEET)]),
        "no answer": case(loading(), targets=[file(SHEET), file(SCRIPT, 0, error="timeout")]),
        "a page without files": case(page("/b"), targets=[gone(SCRIPT)]),
        "nothing was asked for": case(loading()),
        "a page with noindex": case(loading(robots_meta=[("robots", "noindex")]), targets=[gone(SCRIPT)]),
        "an error": case(answer("/a", 404, resources=[Resource(SCRIPT, "script")]), targets=[gone(SCRIPT)]),
    },
)
REFUSED = (
    {
        "a sheet sent as a page": case(
            loading(),
            targets=[typed(SHEET, "text/html", stands=True), file(SCRIPT)],
            says='is sent as "text/html" with X-Content-Type-Options: nosniff, so browsers refuse it. Send it as text',
        ),
        "a script without a type": case(
            loading(),
            targets=[file(SHEET), typed(SCRIPT, None, stands=True)],
            seen={"count": 1},
            says="is sent without a type",
        ),
    },
    {
        "the right types": case(loading(), targets=[typed(SHEET, "text/css"), typed(SCRIPT, "text/javascript")]),
        "browsers may guess": case(
            loading(), targets=[file(SHEET, content_type="text/plain", stands=True), file(SCRIPT)]
        ),
        "gone, which is another fault": case(
            loading(), targets=[file(SHEET), file(SCRIPT, 404, content_type="text/html", nosniff=True, stands=True)]
        ),
        "seen once, and then no more": case(
            loading(), targets=[typed(SHEET, "text/html"), typed(SCRIPT, "text/javascript")]
        ),
    },
    {
        "nobody asked for one": case(loading(), targets=[file(SHEET)]),
        "a page without files": case(page("/b"), targets=[gone(SCRIPT)]),
        "nothing was asked for": case(loading()),
    },
)
TABLES = {"SEO-TEC-041": MISSING, "SEO-TEC-042": REFUSED}
