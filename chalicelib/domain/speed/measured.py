"""Computes the speed values for rules and answers: medians of stored lab results, and field data."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from chalicelib.domain.agentic import AgenticResult
from chalicelib.domain.audit.inputs import LEAST_RUNS, FieldSpeed, LabSpeed, PageSpeed
from chalicelib.domain.audit.kept import KeptSpeed
from chalicelib.domain.speed.records import Collected, FieldBook, Run, SpeedResult
from chalicelib.domain.speed.window import MeasuredDays


def lab_of(result: SpeedResult | None, measured: MeasuredDays) -> LabSpeed | None:
    """Return the medians of a page's last 5 runs. Returns None if the page has no result, or only a result that is too
    old.

    A value is None if too few runs measured it: fewer than three or, if the page has only one or two runs, not all.
    """
    if result is None or not lab_runs(result, measured):
        return None
    runs = result.runs
    return LabSpeed(
        runs=len(runs),
        lcp_ms=_median(runs, [run.lcp_ms for run in runs]),
        cls=_median(runs, [run.cls for run in runs]),
        blocking_ms=_median(runs, [run.blocking_ms for run in runs]),
    )


def lab_runs(result: SpeedResult | None, measured: MeasuredDays) -> int:
    """Return the number of a page's lab runs that are used. Returns 0 if the page has no result, or only a result that
    is too old."""
    return len(result.runs) if result is not None and measured.holds(result.tested_at) else 0


def _median(runs: Sequence[Run], values: Iterable[float | None]) -> float | None:
    measured = [value for value in values if value is not None]
    return median(measured) if measured and len(measured) >= min(LEAST_RUNS, len(runs)) else None


def field_of(url: str, field: FieldBook) -> tuple[FieldSpeed, Collected] | None:
    """Return the field data of phones and the time at which it was fetched. Returns None if there is no field data.

    The field data is that of the page itself. If the page has none, it is that of the whole website.
    """
    own = field.pages.get(url)
    if own is not None and own.record.available:
        return _field_speed("page", own), own
    if field.phone is not None and field.phone.record.available:
        return _field_speed("site", field.phone), field.phone
    return None


def _field_speed(scope: str, collected: Collected) -> FieldSpeed:
    record = collected.record
    return FieldSpeed("page" if scope == "page" else "site", record.lcp_ms, record.cls, record.inp_ms)


def page_speed(phone: SpeedResult | None, url: str, field: FieldBook, measured: MeasuredDays) -> PageSpeed:
    """Return the speed of a page for rules and answers. ``phone``: the page's result on a phone; None without one."""
    found = field_of(url, field)
    return PageSpeed(lab_of(phone, measured), None if found is None else found[0])


def page_speeds(results: Iterable[SpeedResult], field: FieldBook, measured: MeasuredDays) -> dict[str, PageSpeed]:
    """Return the speed of each page that was tested on a phone or has its own field data."""
    phones = {result.url: result for result in results if result.strategy == "mobile"}
    own = {url for url, collected in field.pages.items() if collected.record.available}
    speeds = {url: page_speed(phones.get(url), url, field, measured) for url in sorted({*phones, *own})}
    return {url: speed for url, speed in speeds.items() if speed.lab is not None or url in own}


def kept_speed(results: Iterable[SpeedResult], field: FieldBook, measured: MeasuredDays) -> KeptSpeed | None:
    """Return the record of the website's speed that is stored with an audit; None if nothing was measured."""
    labs = [lab for one in results if one.strategy == "mobile" and (lab := lab_of(one, measured)) is not None]
    visitors = None if field.phone is None or not field.phone.record.available else field.phone.record
    if not labs and visitors is None:
        return None
    return KeptSpeed(
        pages=len(labs),
        lab_lcp_ms=_middle(lab.lcp_ms for lab in labs),
        lab_cls=_middle(lab.cls for lab in labs),
        lab_blocking_ms=_middle(lab.blocking_ms for lab in labs),
        field_lcp_ms=None if visitors is None else visitors.lcp_ms,
        field_cls=None if visitors is None else visitors.cls,
        field_inp_ms=None if visitors is None else visitors.inp_ms,
    )


def _middle(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def agentic_results(results: Iterable[SpeedResult], measured: MeasuredDays) -> dict[str, AgenticResult]:
    """Return the last Agentic Browsing result of each address, newest first. Results that are too old to count are left
    out.

    A result on a phone has precedence over a result on a desktop.
    """
    found: dict[str, SpeedResult] = {}
    for result in sorted(results, key=lambda one: (one.strategy == "mobile", one.tested_at)):
        if result.agentic.checks and measured.holds(result.tested_at):
            found[result.url] = result
    newest = sorted(found.values(), key=lambda one: (-one.tested_at, one.url))
    return {result.url: result.agentic for result in newest}


def results_by_address(results: Iterable[SpeedResult]) -> Mapping[str, dict[str, SpeedResult]]:
    """Return the results of each address, by device."""
    found: dict[str, dict[str, SpeedResult]] = {}
    for result in results:
        found.setdefault(result.url, {})[result.strategy] = result
    return found
