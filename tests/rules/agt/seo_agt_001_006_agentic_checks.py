"""Tables of SEO-AGT-001 to SEO-AGT-006, from parts of real Lighthouse reports (version 13.5.0)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from chalicelib.domain.agentic import AgenticResult, Check, read_report
from tests.rules.builders import HOME, Case, address, case, page, site_case

REPORTS: Final[Mapping[str, Mapping[str, Any]]] = json.loads(
    (Path(__file__).parent / "lighthouse.json").read_text(encoding="utf-8")
)
BAD: Final = read_report(REPORTS["bad-mobile"])
TOOLS: Final = read_report(REPORTS["bad-webmcp-mobile"])
GOOD: Final = read_report(REPORTS["good-desktop"])
PAGE: Final = address("/page")
NOINDEX: Final = [("robots", "noindex")]


def lighthouse_found(result: AgenticResult, url: str = PAGE) -> Case:
    """A page, and what Lighthouse found at ``url``."""
    return case(page(), inputs={"agentic": {url: result}})


def only(check_id: str, check: Check) -> AgenticResult:
    return AgenticResult("13.5.0", "mobile", {check_id: check})


def lighthouse_found_on_home(result: AgenticResult, **expected: Any) -> Case:
    return site_case(inputs={"agentic": {HOME: result}}, **expected)


def not_judged(check_id: str) -> dict[str, Case]:
    """What leaves every page check without a verdict."""
    failing = only(check_id, Check("fail", 0.0))
    return {
        "nothing was tested": case(page()),
        "another page was tested": lighthouse_found(failing, address("/other")),
        "the check does not apply": lighthouse_found(only(check_id, Check("na"))),
        "the check failed to run": lighthouse_found(only(check_id, Check("error"))),
        "an older Lighthouse without the check": lighthouse_found(AgenticResult("13.3.0", "mobile", {})),
        "a page with noindex": case(page(robots_meta=NOINDEX), inputs={"agentic": {PAGE: failing}}),
    }


TREE = (
    {
        "elements without names and with wrong roles": case(
            page(),
            inputs={"agentic": {PAGE: BAD}},
            seen={"lighthouseVersion": "13.5.0", "strategy": "mobile"},
            says='"Elements must only use supported ARIA attributes" at <input name="b" aria-checked="maybe">',
        )
    },
    {"all elements are named": lighthouse_found(GOOD)},
    not_judged("agent-accessibility-tree"),
)
LAYOUT = (
    {
        "the layout moves": case(
            page(),
            inputs={"agentic": {PAGE: only("cumulative-layout-shift", Check("fail", 0.6, "0.21"))}},
            seen={"shown": "0.21"},
            says="shift 0.21",
        )
    },
    {
        "the layout stays": lighthouse_found(BAD),
        "just good enough": lighthouse_found(only("cumulative-layout-shift", Check("pass", 0.9))),
    },
    not_judged("cumulative-layout-shift"),
)
LLMS = (
    {"no heading, no link, too short": case(page(), inputs={"agentic": {PAGE: BAD}}, says="missing a required H1")},
    {"a good file": lighthouse_found(GOOD)},
    not_judged("llms-txt"),
)
SCHEMA = (
    {
        "a form without a description": case(page(), inputs={"agentic": {PAGE: TOOLS}}, says="tooldescription"),
        "warnings": case(
            page(),
            inputs={"agentic": {PAGE: only("webmcp-schema-validity", Check("fail", 0.5))}},
            says="has warnings",
        ),
    },
    {"valid tools": lighthouse_found(only("webmcp-schema-validity", Check("pass", 1.0)))},
    {**not_judged("webmcp-schema-validity"), "no tools": lighthouse_found(GOOD)},
)
FORMS = (
    {"a form that is no tool": case(page(), inputs={"agentic": {PAGE: TOOLS}}, says='<form action="/bad.html">')},
    {"all forms are tools": lighthouse_found(only("webmcp-form-coverage", Check("info", 1.0)))},
    not_judged("webmcp-form-coverage"),
)
CATALOGUE = (
    {
        "a file that lacks what is required": lighthouse_found_on_home(
            BAD, seen={"lighthouseVersion": "13.5.0"}, says="'specVersion' is a required property"
        ),
        "warnings": lighthouse_found_on_home(only("ard-schema", Check("fail", 0.5))),
    },
    {"a valid file": lighthouse_found_on_home(only("ard-schema", Check("pass", 1.0)))},
    {
        "nothing was tested": site_case(),
        "no such file": lighthouse_found_on_home(GOOD),
        "the check failed to run": lighthouse_found_on_home(only("ard-schema", Check("error"))),
        "an older Lighthouse without the check": lighthouse_found_on_home(AgenticResult("13.3.0", "mobile", {})),
    },
)
TABLES = {
    "SEO-AGT-001": TREE,
    "SEO-AGT-002": LAYOUT,
    "SEO-AGT-003": LLMS,
    "SEO-AGT-004": SCHEMA,
    "SEO-AGT-005": FORMS,
    "SEO-AGT-006": CATALOGUE,
}
