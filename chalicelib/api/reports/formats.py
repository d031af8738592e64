"""The report of a kept audit in each of its formats."""

from itertools import islice
from types import ModuleType
from typing import Final

from chalicelib.api import files
from chalicelib.api.differences import compared_audit
from chalicelib.api.reports import junit, markdown, sarif
from chalicelib.api.reports.findings import Listed, Report
from chalicelib.api.shapes.reports import AuditReport, ReportFinding
from chalicelib.api.shapes.values import site_link
from chalicelib.http.answers import Answer
from chalicelib.http.endpoints import Form

MOST_AT_ONCE: Final = 10_000  # findings of an answer
# Each has its module, and how its files end.
_WRITERS: Final[dict[str, tuple[ModuleType, str]]] = {
    "sarif": (sarif, "sarif"),
    "junit": (junit, "xml"),
    "markdown": (markdown, "md"),
}
FORMATS: Final = ("json", *_WRITERS, "csv")
FILES: Final = (files.CSV, *(Form(name, writer.MEDIA_TYPE) for name, (writer, _) in _WRITERS.items()))


def part(site_id: str, report: Report, offset: int) -> AuditReport:
    """The findings from there on, as many as an answer takes."""
    shown = [_shape(one) for one in islice(report.every(), offset, offset + MOST_AT_ONCE)]
    total = sum(1 for _ in report.every())
    return AuditReport(
        audit=compared_audit(report.audit),
        pages_kept=report.pages is not None,
        total=total,
        offset=offset,
        findings=shown,
        link=site_link(site_id, "audits", report.audit.id),
        next_offset=offset + len(shown) if offset + len(shown) < total else None,
    )


def text(report: Report, form: str) -> str:
    """The report as the text of a file."""
    if form == "csv":
        return files.table_of(ReportFinding, map(_shape, report.every()))
    written: str = _WRITERS[form][0].text(report)
    return written


def file(report: Report, form: str, offset: int) -> Answer:
    """The report as a file; ``offset`` counts for CSV alone. Raises ``ApiError``: ``too_many_rows``."""
    if form == "csv":
        rows = (_shape(one) for one in islice(report.every(), offset, None))
        return files.of_shapes("report", report.host, ReportFinding, rows)
    writer, ending = _WRITERS[form]
    name = f"report-{report.host}-{report.audit.id}.{ending}"
    return files.of_text("report", name, writer.text(report), f"{writer.MEDIA_TYPE}; charset=utf-8")


def _shape(listed: Listed) -> ReportFinding:
    (issue, page, fingerprint), rule = listed
    return ReportFinding(
        fingerprint=fingerprint,
        rule_id=rule.id,
        title=rule.title,
        category=rule.category,
        severity=rule.severity,
        status=issue.status,
        judged=issue.judged,
        affected_pages=issue.affected_pages,
        page_id=None if page is None else page.page_id,
        url=None if page is None else page.url,
    )
