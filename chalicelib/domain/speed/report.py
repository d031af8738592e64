"""Reads one speed test of a page from a Lighthouse report of any provider."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from chalicelib.domain.agentic import CATEGORIES, LARGEST, AgenticResult, Strategy, read_report
from chalicelib.domain.crawl.urls import MAX_URL_LENGTH
from chalicelib.domain.printable import printable

_LONGEST: Final = 300  # characters of a reason
_MOST: Final = 1e9  # of a measured value; no test takes this many milliseconds
_LCP: Final = "largest-contentful-paint"
_CLS: Final = "cumulative-layout-shift"
_BLOCKING: Final = "total-blocking-time"
_OF_A_REPORT: Final = ("lighthouseVersion", "finalUrl", "finalDisplayedUrl", "runtimeError")
_OF_AN_AUDIT: Final = (
    *("title", "description", "score", "scoreDisplayMode", "displayValue"),
    *("explanation", "errorMessage", "numericValue"),
)

# Lighthouse's codes for failures of the page itself. All others are failures of the test.
_OF_THE_PAGE: Final = {
    "NO_FCP": "the page painted nothing",
    "NO_DCL": "the page did not finish loading",
    "NO_LCP": "the page painted nothing that could be measured",
    "NO_DOCUMENT_REQUEST": "the page could not be loaded",
    "FAILED_DOCUMENT_REQUEST": "the page could not be loaded",
    "ERRORED_DOCUMENT_REQUEST": "the page answered with an error",
    "DNS_FAILURE": "the name of the host could not be resolved",
    "INSECURE_DOCUMENT_REQUEST": "the page's certificate or connection is not safe",
    "CHROME_INTERSTITIAL_ERROR": "the browser warned of the page instead of showing it",
    "NOT_HTML": "the address is no HTML page",
    "PAGE_HUNG": "the page did not react any more",
    "INVALID_URL": "the address cannot be tested",
}


class PageFailed(Exception):
    """Raised when a test has no result.

    - ``code``: Lighthouse's error code.
    - ``of_the_page``: whether the page caused the failure, so that a second test would fail too.
    - ``message``: the reason in words.
    """

    def __init__(self, code: str, words: str) -> None:
        self.code = code
        self.of_the_page = code in _OF_THE_PAGE
        said = printable(words, _LONGEST)
        what = _OF_THE_PAGE.get(code, "the test broke off")
        self.message = f"{what[0].upper()}{what[1:]} ({code})" + (f": {said}" if said else ".")
        super().__init__(self.message)


class LabRun(NamedTuple):
    """The measurements of one run. A value is None if it was not measured. ``blocking_ms``: total blocking time."""

    lcp_ms: float | None = None
    cls: float | None = None
    blocking_ms: float | None = None


class SpeedReport(NamedTuple):
    """One test of ``url``. ``final_url``: the address at which the browser ended.

    ``agentic.checks`` is empty if the engine does not have the Agentic Browsing category. In this case, no check of
    that category was made.
    """

    url: str
    final_url: str
    strategy: Strategy
    lighthouse_version: str
    lab: LabRun
    agentic: AgenticResult


def read_speed_report(report: Mapping[str, object], url: str, flags: tuple[str, ...] = ()) -> SpeedReport:
    """Extract the parts of a Lighthouse report that are stored.

    Raises ``PageFailed`` if the report has an error instead of a result, and ``ValueError`` if it has neither.
    """
    error = report.get("runtimeError")
    if isinstance(error, Mapping) and error.get("code") not in (None, "", "NO_ERROR"):
        raise PageFailed(_text(error["code"], 60), _text(error.get("message"), _LONGEST))
    agentic = read_report(report, flags)
    audits = report.get("audits")
    measured = audits if isinstance(audits, Mapping) else {}
    lab = LabRun(
        _number(measured.get(_LCP)),
        _number(measured.get(_CLS)),
        _number(measured.get(_BLOCKING)),
    )
    if not agentic.checks and lab == LabRun():
        raise ValueError("the report holds no result")
    final = _text(report.get("finalDisplayedUrl") or report.get("finalUrl"), MAX_URL_LENGTH) or url
    return SpeedReport(url, final, agentic.strategy, agentic.lighthouse_version, lab, agentic)


def reduced(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report with only the parts that ``read_speed_report`` uses. This reduces hundreds of kilobytes to a
    few."""
    categories = _members(report.get("categories"))
    found: dict[str, Any] = {name: report[name] for name in _OF_A_REPORT if name in report}
    found["configSettings"] = _chosen(report.get("configSettings"), ("formFactor",))
    found["categories"] = {name: _chosen(categories[name], ("auditRefs",)) for name in CATEGORIES if name in categories}
    named = {_LCP, _CLS, _BLOCKING, LARGEST}
    for category in found["categories"].values():
        references = category.get("auditRefs")
        named.update(str(_members(one).get("id")) for one in (references if isinstance(references, list) else ()))
    audits = _members(report.get("audits"))
    found["audits"] = {
        name: _chosen(audits[name], _OF_AN_AUDIT) | {"details": _chosen(audits[name].get("details"), ("type", "items"))}
        for name in audits
        if name in named and isinstance(audits[name], Mapping)
    }
    return found


def _chosen(value: object, names: tuple[str, ...]) -> dict[str, Any]:
    members = _members(value)
    return {name: members[name] for name in names if name in members}


def _members(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(audit: object) -> float | None:
    value = audit.get("numericValue") if isinstance(audit, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
        return None
    return float(value)


def _text(value: object, most: int) -> str:
    return printable(value, most) if isinstance(value, str) else ""
