"""Tables of SEO-TEC-043."""

from chalicelib.domain.page.facts import PageFacts, Resource
from chalicelib.domain.page.rendered import Told
from tests.rules.builders import address, answer, case, links, page, robots, site_facts

CLOSED = site_facts(robots=robots("User-agent: *\nDisallow: /assets/\nAllow: /assets/*.css\n"))
SCRIPTS = [Resource(address(f"/assets/{name}.js"), "script") for name in ("app", "vendor")]


def scripted(path: str = "/a", *, words: int = 0, resources: list[Resource] | None = None) -> PageFacts:
    return page(path, words=words, links=links("/b"), resources=SCRIPTS if resources is None else resources)


def rendered(words: int = 400) -> dict[str, object]:
    return {"rendered": {address("/a"): Told(words, 5)}}


FAILS = {
    "both scripts are closed": case(
        scripted(),
        site=CLOSED,
        inputs=rendered(),
        seen={"count": 2, "lineNumber": 2, "line": "Disallow: /assets/"},
        says="forbids search engines to read https://example.com/assets/app.js and 1 other script (line 2",
    ),
    "one of them": case(
        scripted(resources=[Resource(address("/open.js"), "script"), SCRIPTS[0]]),
        site=CLOSED,
        inputs=rendered(),
        seen={"files": [address("/assets/app.js")], "count": 1},
    ),
}
PASSES = {
    "scripts are open": case(scripted(), inputs=rendered()),
    "the server sends the content": case(scripted(words=400), site=CLOSED, inputs=rendered()),
    "an open script, a closed one of another website": case(
        scripted(resources=[Resource(address("/open.js"), "script")]), site=CLOSED, inputs=rendered()
    ),
}
NOT_APPLICABLE = {
    "nothing was rendered": case(scripted(), site=CLOSED),
    "another page was rendered": case(scripted("/b"), site=CLOSED, inputs=rendered()),
    "a page without scripts of its own host": case(scripted(resources=[]), site=CLOSED, inputs=rendered()),
    "a closed style sheet": case(
        scripted(resources=[Resource(address("/assets/a.css"), "style")]), site=CLOSED, inputs=rendered()
    ),
    "an error": case(answer("/a", 404, resources=SCRIPTS), site=CLOSED, inputs=rendered()),
}
TABLES = {"SEO-TEC-043": (FAILS, PASSES, NOT_APPLICABLE)}
