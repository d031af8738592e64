"""Makes the report of a stored audit in each of its formats."""

from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, cast

from chalicelib.api import files
from chalicelib.api.differences import compared_audit
from chalicelib.api.shapes.reports import AuditReport, ReportFinding
from chalicelib.api.shapes.values import site_link
from chalicelib.http.answers import Answer
from chalicelib.http.endpoints import Form
from chalicelib.http.parameters import choice, integer

if TYPE_CHECKING:  # only requests for reports load the rules' texts
    from chalicelib.api.reports.findings import Listed, Report

MOST_AT_ONCE: Final = 10_000  # findings of an answer


class _Writer(Protocol):
    """A module that writes one format of the report. It has the format's name, and is imported when the format is first
    requested."""

    def text(self, report: "Report") -> str: ...


class _Written(NamedTuple):
    media_type: str
    ending: str  # the extension of its files


_WRITTEN: Final = {
    "sarif": _Written("application/sarif+json", "sarif"),
    "junit": _Written("application/xml", "xml"),
    "markdown": _Written("text/markdown", "md"),
}
FORMATS: Final = ("json", *_WRITTEN, "csv")
FILES: Final = (files.CSV, *(Form(name, written.media_type) for name, written in _WRITTEN.items()))


@dataclass(frozen=True, slots=True)
class ReportParameters:
    format: str = choice("The format of the report.", FORMATS, default="json")
    offset: int = integer("Number of findings to skip, in JSON and CSV.", default=0, minimum=0)


def part(site_id: str, report: "Report", offset: int) -> AuditReport:
    """Make the JSON report. It has as many findings, from ``offset`` on, as fit into an answer."""
    findings, total = shown(report, offset)
    return AuditReport(
        audit=compared_audit(report.audit),
        pages_kept=report.pages is not None,
        total=total,
        offset=offset,
        findings=findings,
        link=site_link(site_id, "audits", report.audit.id),
        next_offset=offset + len(findings) if offset + len(findings) < total else None,
    )


def shown(report: "Report", offset: int) -> tuple[list[ReportFinding], int]:
    """Return as many findings, from ``offset`` on, as fit into an answer, and the number of all findings."""
    findings = [_shape(one) for one in islice(report.every(), offset, offset + MOST_AT_ONCE)]
    return findings, sum(1 for _ in report.every())


def text(report: "Report", form: str) -> str:
    """Return the report as the text of a file."""
    if form == "csv":
        return files.table_of(ReportFinding, map(_shape, report.every()))
    return _writer(form).text(report)


def file(report: "Report", form: str, offset: int) -> Answer:
    """Make an answer with the report as a file. ``offset``: used only for CSV. Raises ``ApiError``
    ``too_many_rows``."""
    if form == "csv":
        rows = (_shape(one) for one in islice(report.every(), offset, None))
        return files.of_shapes("report", report.host, ReportFinding, rows)
    media_type, ending = _WRITTEN[form]
    name = f"report-{report.host}-{report.audit.id}.{ending}"
    return files.of_text("report", name, _writer(form).text(report), f"{media_type}; charset=utf-8")


def _writer(form: str) -> _Writer:
    return cast(_Writer, import_module(f"chalicelib.api.reports.{form}"))


def _shape(listed: "Listed") -> ReportFinding:
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
