"""What is taken from a Lighthouse report."""

import json
from pathlib import Path
from typing import get_args

from hypothesis import given
from hypothesis.strategies import lists, sampled_from

from chalicelib.domain.agentic import Check, CheckState, Item, LargestImage, counts, read_report

REPORTS = json.loads((Path(__file__).parents[1] / "rules" / "agt" / "lighthouse.json").read_text(encoding="utf-8"))


def test_checks_are_stored_under_their_lighthouse_ids() -> None:
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


def test_failing_elements_are_read_from_tables_and_lists() -> None:
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


def test_the_loading_attribute_of_the_largest_image_is_read() -> None:
    node = {"type": "node", "selector": "main > img", "snippet": "<img loading=lazy>"}
    lazy = {"type": "checklist", "items": {"eagerlyLoaded": {"label": "lazy load not applied", "value": False}}}
    report = {"audits": {"lcp-discovery-insight": {"details": {"type": "list", "items": [lazy, node]}}}}
    assert read_report(report).largest_image == LargestImage(True, "main > img", "<img loading=lazy>")


def test_a_malformed_report_gives_no_results() -> None:
    assert read_report({}).checks == {}
    odd = {"audits": {"a": None}, "categories": {"agentic-browsing": {"auditRefs": [{"id": "a"}, None, {"id": "b"}]}}}
    (check,) = read_report(odd).checks.values()
    assert (check.state, check.told, check.detail) == ("error", "na", "Lighthouse could not make this check.")


def one(**audit: object) -> Check:
    """What is taken from an audit."""
    report = {"audits": {"a": audit}, "categories": {"agentic-browsing": {"auditRefs": [{"id": "a"}]}}}
    return read_report(report).checks["a"]


def test_markdown_is_removed_from_texts_of_the_report() -> None:
    check = one(
        title="`ai-catalog.json` is\nnot valid",
        description="Valid [tools](https://a.example/x) and `b`. [Learn more](https://b.example/).",
        score=0,
        scoreDisplayMode="binary",
        details={"type": "table", "items": [{"message": "The `form` has [no tool](https://c.example/)."}]},
    )
    assert (check.title, check.detail) == ("ai-catalog.json is not valid", "Valid tools and b. Learn more.")
    assert check.items == (Item("The form has no tool."),)


def test_only_failed_and_broken_checks_have_details() -> None:
    assert one(score=1, scoreDisplayMode="binary", description="About.").detail == ""
    assert one(score=None, scoreDisplayMode="informative", description="About.").detail == ""
    assert one(score=0, scoreDisplayMode="binary", description="About.", explanation="Why.").detail == "Why."
    broken = one(score=None, scoreDisplayMode="error", errorMessage="Required `Trace` gatherer broke.")
    assert (broken.state, broken.told, broken.detail) == ("error", "na", "Required Trace gatherer broke.")


def test_a_listed_item_has_the_address_of_its_file_but_no_input_schema() -> None:
    rows = [
        {"tool": "book", "inputSchema": '{"type": "object"}', "source": {"type": "link", "text": "x", "url": "/a.js"}},
        {"url": "https://a.example/b.css", "wasted": 12},
        {"source": {"type": "source-location", "url": "https://a.example/c.js", "line": 3}},
    ]
    items = one(score=0, scoreDisplayMode="binary", details={"type": "table", "items": rows}).items
    assert items == (
        Item("book: x", url="/a.js"),
        Item("12", url="https://a.example/b.css"),
        Item("", url="https://a.example/c.js"),
    )


def test_at_most_five_items_of_a_list_are_read() -> None:
    rows = [{"message": str(number)} for number in range(5)] + [None] * 100_000
    items = one(score=0, scoreDisplayMode="binary", details={"type": "table", "items": rows}).items
    assert [item.text for item in items] == ["0", "1", "2", "3", "4"]


def test_the_category_is_found_also_if_its_name_is_in_camel_case() -> None:
    report = {"audits": {"a": {"score": 1}}, "categories": {"agenticBrowsing": {"auditRefs": [{"id": "a"}]}}}
    assert read_report(report).checks["a"].state == "pass"


@given(lists(sampled_from(get_args(CheckState))))
def test_only_passed_and_failed_checks_count_as_applicable(states: list[CheckState]) -> None:
    passed = sum(state == "pass" for state in states)
    failed = sum(state == "fail" for state in states)
    assert counts(Check(state) for state in states) == (passed, passed + failed)
