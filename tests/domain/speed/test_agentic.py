"""What is taken from a Lighthouse report."""

import json
from pathlib import Path

from chalicelib.domain.speed.agentic import Check, Item, LargestImage, read_report

REPORTS = json.loads((Path(__file__).parents[2] / "rules" / "agt" / "lighthouse.json").read_text(encoding="utf-8"))


def test_checks_have_the_ids_of_the_report() -> None:
    result = read_report(REPORTS["bad-webmcp-mobile"])
    assert (result.lighthouse_version, result.strategy) == ("13.5.0", "mobile")
    assert {name: check.state for name, check in result.checks.items()} == {
        "agent-accessibility-tree": "fail",
        "webmcp-form-coverage": "info",
        "webmcp-registered-tools": "info",
        "webmcp-schema-validity": "fail",
        "cumulative-layout-shift": "pass",
        "llms-txt": "fail",
        "ard-schema": "fail",
    }


def test_the_places_where_a_check_fails_are_taken_from_tables_and_lists() -> None:
    result = read_report(REPORTS["bad-mobile"])
    tree = result.checks["agent-accessibility-tree"]
    assert len(tree.items) == 5
    assert tree.items[0] == Item(
        "Elements must only use supported ARIA attributes",
        "body > div > form > input",
        '<input name="b" aria-checked="maybe">',
    )
    assert result.checks["llms-txt"].items[1].text == "File does not appear to contain any links."


def test_checks_that_do_not_apply_have_no_score() -> None:
    result = read_report(REPORTS["good-desktop"])
    assert result.strategy == "desktop"
    assert result.checks["ard-schema"] == Check("na")
    assert result.checks["llms-txt"].state == "pass"
    assert result.largest_image is None


def test_how_the_largest_image_is_loaded() -> None:
    node = {"type": "node", "selector": "main > img", "snippet": "<img loading=lazy>"}
    lazy = {"type": "checklist", "items": {"eagerlyLoaded": {"label": "lazy load not applied", "value": False}}}
    report = {"audits": {"lcp-discovery-insight": {"details": {"type": "list", "items": [lazy, node]}}}}
    assert read_report(report).largest_image == LargestImage(True, "main > img", "<img loading=lazy>")


def test_an_odd_report_says_nothing() -> None:
    assert read_report({}).checks == {}
    odd = {"audits": {"a": None}, "categories": {"agentic-browsing": {"auditRefs": [{"id": "a"}, None, {"id": "b"}]}}}
    assert read_report(odd).checks == {"a": Check("error")}
