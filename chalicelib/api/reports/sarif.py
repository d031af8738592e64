"""Writes a report as SARIF 2.1.0, for code scanning. Ignored issues are left out, since readers would show them as
open.

Each result (finding) has one location: a file path made from the page's address. The result's fingerprint is made from
the rule and the page.
"""

from typing import Any, Final
from urllib.parse import quote, urlsplit

from chalicelib.api.reports.findings import Listed, Report, address
from chalicelib.domain.severity import Severity
from chalicelib.http import answers
from chalicelib.rules.model import Confidence, Rule
from chalicelib.version import VERSION

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final[dict[Severity, str]] = {"critical": "error", "high": "error", "medium": "warning", "low": "note"}
_PRECISIONS: Final[dict[Confidence, str]] = {"certain": "very-high", "likely": "high", "possible": "medium"}
# The query and the port become part of the name: readers would cut them off, and confuse two pages.
_OF_PATHS: Final = "/!$&'()*+,;=-._~%@"


def text(report: Report) -> str:
    listed, more = report.bounded(with_ignored=False)
    rules = {one.rule.id: one.rule for one in listed}
    numbers = {rule_id: number for number, rule_id in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "Website Optimization Service",
                "version": VERSION,
                "rules": [_rule(rule) for rule in rules.values()],
            }
        },
        "automationDetails": {"id": f"website-audit/{report.host}/{report.audit.id}"},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": _notes(more)}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(report.host, one, numbers[one.rule.id]) for one in listed],
    }
    return answers.encode({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _notes(more: int) -> list[dict[str, Any]]:
    said = f"{more:,} more findings are left out: `format=csv` has all of them."
    return [{"level": "warning", "message": {"text": said}}] if more else []


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.title,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": f"{rule.what} {rule.why}"},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["seo", rule.category], "precision": _PRECISIONS[rule.confidence]},
    }


def _result(host: str, listed: Listed, number: int) -> dict[str, Any]:
    finding, rule = listed
    page = finding.page
    about = host if page is None else address(page.url)
    return {
        "ruleId": rule.id,
        "ruleIndex": number,
        "level": _LEVELS[rule.severity],
        "message": {"text": f"{rule.title}: {about}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": artifact(f"https://{host}/" if page is None else page.url)},
                    "region": {"startLine": 1},
                }
            }
        ],
        "partialFingerprints": {"primaryLocationLineHash": f"{finding.fingerprint}:1"},
    }


def artifact(url: str) -> str:
    """Make a file path from a page's address, because readers of the report would try to open a web address."""
    parts = urlsplit(url)
    name = f"{parts.netloc}{parts.path or '/'}" + (f"?{parts.query}" if parts.query else "")
    return quote(name, safe=_OF_PATHS)
