"""Writes a report as JUnit XML: a suite for each rule and a case for each finding. A rule without findings has one
passing case.

A case is named after the page's address. Names are unique in a suite, since readers of the report drop a second case of
the same name.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from chalicelib.api.reports.findings import Listed, Report, where
from chalicelib.api.rule_texts import rule_of
from chalicelib.api.shapes.values import instant
from chalicelib.rules.model import Rule


def text(report: Report) -> str:
    listed, more = report.bounded(with_ignored=True)
    found = [list(of_rule) for _, of_rule in groupby(listed, key=lambda one: one.rule.id)]
    open_rules = {issue.rule_id for issue in report.audit.issues if issue.status != "resolved"}
    judged = (rule_id for rule_id, count in sorted(report.audit.counts.items()) if count.applicable)
    passed = [rule for rule_id in judged if rule_id not in open_rules and (rule := rule_of(rule_id))]
    failures = sum(one.finding.issue.status != "ignored" for one in listed)
    skipped = len(listed) - failures + bool(more)
    total = len(listed) + len(passed) + bool(more)
    name = quoteattr(f"Audit of {report.host}")
    return "".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>\n',
            f'<testsuites name={name} tests="{total}" failures="{failures}" errors="0" skipped="{skipped}">\n',
            *(_suite(report, of_rule) for of_rule in found),
            *(_opened(report, rule.id, 1, 0, 0) + _case(rule.id, report.host) + "</testsuite>\n" for rule in passed),
            *_left_out(report, more),
            "</testsuites>\n",
        ]
    )


def _suite(report: Report, listed: Sequence[Listed]) -> str:
    rule = listed[0].rule
    failures = sum(one.finding.issue.status != "ignored" for one in listed)
    cases = "".join(_case(rule.id, where(report.host, one.finding), _told(rule, one)) for one in listed)
    return _opened(report, rule.id, len(listed), failures, len(listed) - failures) + cases + "</testsuite>\n"


def _told(rule: Rule, listed: Listed) -> str:
    if listed.finding.issue.status == "ignored":
        return '<skipped message="Ignored"/>'
    message = quoteattr(f"{rule.title} ({rule.severity})")
    return f"<failure message={message} type={quoteattr(rule.severity)}>{escape(rule.fix)}</failure>"


def _opened(report: Report, name: str, tests: int, failures: int, skipped: int) -> str:
    return (
        f'<testsuite name={quoteattr(name)} tests="{tests}" failures="{failures}" errors="0" skipped="{skipped}" '
        f'timestamp={quoteattr(instant(report.audit.finished_at))} time="0">\n'
    )


def _case(suite: str, name: str, told: str = "") -> str:
    return f'<testcase classname={quoteattr(suite)} name={quoteattr(name)} time="0">{told}</testcase>\n'


def _left_out(report: Report, more: int) -> Iterable[str]:
    if more:
        told = f"<skipped message={quoteattr(f'{more:,} more findings: the CSV report has all of them')}/>"
        yield _opened(report, "left out", 1, 0, 1) + _case("left out", "findings", told) + "</testsuite>\n"
