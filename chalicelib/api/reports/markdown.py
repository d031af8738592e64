"""Writes a report as Markdown, for the summary page of a pipeline. A report has at most ``LONGEST``
characters, since a pipeline drops a summary that is too large.
"""

import re
from collections import Counter
from itertools import groupby, islice
from typing import Final

from chalicelib.api.reports.findings import Report, address
from chalicelib.api.shapes.values import instant
from chalicelib.domain.severity import SEVERITIES
from chalicelib.rules.wording import counted

LONGEST: Final = 200_000  # characters; GitHub drops a summary of more than 1 MiB as a whole
PAGES_SHOWN: Final = 10  # of each issue


_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>#|&~])")


def _plain(words: str) -> str:
    """Return words of a rule, such as the name of a tag, escaped from markup."""
    return _MARKS.sub(r"\\\1", words)


def text(report: Report) -> str:
    audit = report.audit
    score = "not measured" if audit.score is None else f"{audit.score.site / 10:.1f}"
    partly = "" if audit.partial_reason is None else f", cut short ({audit.partial_reason})"
    lines = [
        f"## Audit of {report.host}",
        "",
        f"Score **{score}**, {counted(audit.pages_crawled, 'page')} read{partly}, {instant(audit.finished_at)}.",
        "",
    ]
    counts: Counter[str] = Counter()
    parts: list[str] = []
    left_out = 0
    for _, group in groupby(report.every(), key=lambda one: one.rule.id):
        listed = list(group)
        rule, of_rule = listed[0].rule, [one.finding for one in listed]
        if of_rule[0].issue.status == "ignored":
            counts["ignored"] += 1
            continue
        counts[rule.severity] += 1
        pages = [finding.page.url for finding in of_rule if finding.page is not None]
        many = f", {counted(len(pages) or of_rule[0].issue.affected_pages, 'page')}" if rule.scope == "page" else ""
        part = [f"### {_plain(rule.title)}", "", f"`{rule.id}`, {rule.severity}{many}. {_plain(rule.fix)}", ""]
        part += [f"- `{address(url)}`" for url in islice(pages, PAGES_SHOWN)]
        if len(pages) > PAGES_SHOWN:
            part.append(f"- and {len(pages) - PAGES_SHOWN:,} more")
        made = "\n".join([*part, ""])
        if sum(map(len, parts)) + len(made) > LONGEST:
            left_out += 1
        else:
            parts.append(made)
    said = [f"{counts[severity]} {severity}" for severity in SEVERITIES]
    lines.append(f"Open issues: {', '.join(said)}. Ignored: {counts['ignored']}.")
    if left_out:
        parts.append(f"{counted(left_out, 'more issue')} left out here.\n")
    return "\n".join([*lines, "", *parts])
