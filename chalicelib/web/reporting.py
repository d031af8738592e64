"""A client's report on a website: the last four weeks compared with the four weeks before, from answers of the API.

Times are strings of the API, which sort in the order of time. Unknown values are None, never 0.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from msgspec import UNSET

from chalicelib.api.shapes.changes import Batch, BatchList
from chalicelib.api.shapes.issues import Issue
from chalicelib.api.shapes.values import instant
from chalicelib.api.shapes.websites import ScoreHistory, ScoreOfCrawl, ScoreOfWeek
from chalicelib.domain import report_figures
from chalicelib.domain.audit.issues import OPEN_STATUSES
from chalicelib.domain.report_figures import SECONDS, Past
from chalicelib.operations.reviews import Approvable
from chalicelib.web.charts import Point

NEXT: Final = 5
REASONS: Final = 3  # titles of issues that the report names for each field with values to approve
MOST_FIXED: Final = 20


@dataclass(frozen=True, slots=True)
class Periods:
    """The beginnings of the last four weeks (``since``) and of the four weeks before (``before``)."""

    before: str
    since: str

    @classmethod
    def until(cls, now: float) -> "Periods":
        return cls(instant(now - 2 * SECONDS), instant(now - SECONDS))


@dataclass(frozen=True, slots=True)
class Run:
    """The issues that one audit or recheck found fixed, and the score after it.

    ``gain``: the difference from the score before. Score and gain are None if unknown.
    """

    at: str
    issues: Sequence[Issue]
    score: float | None
    gain: float | None


@dataclass(frozen=True, slots=True)
class Fixed:
    """The issues that were fixed in the period.

    - ``runs``: the audits and rechecks that found issues fixed, with these issues. Only the latest ``MOST_FIXED``
      issues are included.
    - ``count``: how many were fixed.
    - ``before``: how many issues were fixed in the previous period and have not been found again. None if no score is
      older than the last period.
    """

    runs: Sequence[Run]
    count: int
    before: int | None


@dataclass(frozen=True, slots=True)
class Written:
    """The approved changes of a field: how many are live, how many are written but not live (yet), and how many were
    not written."""

    field: str
    live: int
    not_live: int
    not_written: int


@dataclass(frozen=True, slots=True)
class Changes:
    """Written changes, by field.

    - ``live_before``: the number of live changes from the previous period. None if some batches of that period are
      unknown.
    - ``whole``: whether all batches of the last period are known.
    """

    fields: Sequence[Written]
    live_before: int | None
    whole: bool


class Undecided(NamedTuple):
    """Issues whose suggestions for one field can be approved: the titles of these issues, and the addresses of their
    pages."""

    titles: Sequence[str]
    urls: frozenset[str]


def past_score(scores: ScoreHistory, periods: Periods) -> Past:
    """Return the score at the beginning of the period."""
    version = None if scores.current is None else scores.current.version
    known = [(one.computed_at, one.site, one.version) for one in _all(scores)]
    return report_figures.past_score(known, periods.since, version)


def weeks(scores: ScoreHistory) -> list[Point]:
    """Return the score of each week. Scores that were computed in another way than the newest score are left out."""
    history = scores.history
    if not history:
        return []
    known = {date.fromisoformat(one.week): one.site for one in history if one.version == history[-1].version}
    first, last = min(known), max(known)
    mondays = [first + timedelta(weeks=number) for number in range((last - first).days // 7 + 1)]
    return [Point(f"{monday.day} {monday:%b}", known.get(monday)) for monday in mondays]


def fixed(issues: Iterable[Issue], scores: ScoreHistory, periods: Periods) -> Fixed:
    """Return the issues that were resolved in the period, with the score of the audit or recheck that found them
    fixed."""
    resolved = [(one.resolved_at, one) for one in issues if one.status == "resolved" and one.resolved_at is not None]
    recent = sorted((one for one in resolved if one[0] >= periods.since), key=lambda one: one[0], reverse=True)
    ended = _ended(scores)
    runs = [
        Run(at, [issue for _, issue in of_run], *ended.get(at, (None, None)))
        for at, of_run in groupby(recent[:MOST_FIXED], key=lambda one: one[0])
    ]
    scored = [one.computed_at for one in _all(scores)]
    return Fixed(runs, *report_figures.counted([at for at, _ in resolved], scored, periods.before, periods.since))


def found(issues: Iterable[Issue], periods: Periods) -> int:
    """Count the open issues that were first found in the period."""
    return sum(one.status in OPEN_STATUSES and one.first_seen >= periods.since for one in issues)


def changes(listed: BatchList, periods: Periods) -> Changes:
    """Return the changes written in the period. ``listed``: batches, the last approved first."""
    oldest = listed.batches[-1].approved_at if listed.batches and listed.next_cursor is not None else ""
    written = [one for one in listed.batches if one.kind != "undo" and one.ended_at is not None]
    recent = [one for one in written if _ended_at(one) >= periods.since]
    before = [one for one in written if periods.before <= _ended_at(one) < periods.since]
    fields = dict.fromkeys(one.field for one in recent)
    return Changes(
        fields=[_of_field(field, [one for one in recent if one.field == field]) for field in fields],
        live_before=sum(one.counts.applied for one in before) if oldest < periods.before else None,
        whole=oldest < periods.since,
    )


def undecided(issues: Iterable[Approvable]) -> dict[str, Undecided]:
    """Return the values that can be approved, by field. If several issues suggest a value for the same page and field,
    the page counts once."""
    found: dict[str, Undecided] = {}
    for one in issues:
        titles, urls = found.get(one.field, Undecided([], frozenset()))
        found[one.field] = Undecided([*titles, one.title], urls | one.urls)
    return found


def day_of(now: float) -> date:
    """Return the day (UTC) of a time in epoch seconds."""
    return datetime.fromtimestamp(now, UTC).date()


def _of_field(field: str, batches: Sequence[Batch]) -> Written:
    counts: Counter[str] = Counter()
    for one in batches:
        counts["live"] += one.counts.applied
        counts["not_live"] += one.counts.not_live
        counts["not_written"] += one.counts.failed + one.counts.refused
    return Written(field, counts["live"], counts["not_live"], counts["not_written"])


def _ended_at(batch: Batch) -> str:
    return batch.ended_at or ""


def _all(scores: ScoreHistory) -> list[ScoreOfCrawl | ScoreOfWeek]:
    return [*scores.history, *_of_runs(scores)]


def _of_runs(scores: ScoreHistory) -> Sequence[ScoreOfCrawl]:
    return [] if scores.audits is UNSET else scores.audits


def _ended(scores: ScoreHistory) -> dict[str, tuple[float, float | None]]:
    """Return the score after each run and its difference from the score before, by the end of the run.

    The difference is None for the oldest known run, and if the score before was computed in another way.
    """
    runs = _of_runs(scores)
    ended: dict[str, tuple[float, float | None]] = {one.computed_at: (one.site, None) for one in runs}
    for newer, older in pairwise(runs):
        if newer.version == older.version:
            ended[newer.computed_at] = (newer.site, round(newer.site - older.site, 1))
    return ended
