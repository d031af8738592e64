"""A website's overview: its score and how the score has changed, the next actions, audits, search, and connections."""

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from chalicelib.web.charts import Point
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.parts import Part
from chalicelib.web.replies import Redirect, Reply
from chalicelib.web.screens.actions import grouped
from chalicelib.web.screens.changes import FIELDS

LIVE: Final = ("audits",)  # the part that changes while an audit runs
ACTIONS: Final = 7
AUDITS: Final = 5  # audits in the list; older ones are marks in the chart of the score
CHANGED: Final = 6  # changed issues that are named
# States of changes that reached the CMS, whatever happened to them later.
_WRITTEN: Final = ("applied", "not_live", "reverted")
_OTHER_WAY: Final = "From here on, scores are computed in a new way"
_WEEK: Final = timedelta(weeks=1)
_DONE: Final = {
    "started": "The audit is queued. It begins as soon as a worker is free.",
    "added": "The website is added. Run its first audit now, or wait for its weekly audit.",
    "added-started": "The website is added, and its first audit is queued. Its findings will appear here.",
}


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "read_site", {}


def show(page: Page) -> Reply:
    found = page.ask("read_site")
    asked = {
        "scores": lambda: page.ask("read_scores"),
        "actions": lambda: page.ask("list_actions", {"limit": ACTIONS}),
        "audits": lambda: page.ask("list_audits", {"limit": 25}),
        "changes": lambda: page.ask("list_changes", {"limit": 25}),
        "search": lambda: page.ask("read_search_rows", _days(page, found.search)),
    }
    if found.previous_audit is not None and found.last_audit is not None:
        asked["since"] = lambda: page.ask("compare_audits", auditId=found.last_audit.id)
    parts = page.parts(*(LIVE if page.followed else ()), **asked)
    if page.followed and not (parts["audits"].ready and parts["audits"].value.active):
        parts = page.parts(**asked)  # the audit has just ended: reload everything
    return page.view(
        "overview.html",
        found.name,
        found=found,
        parts=parts,
        history=_history(parts["scores"], _marks(parts["audits"], parts["changes"])),
        groups=grouped(parts["actions"].value.actions) if parts["actions"].ready else [],
        per=AUDITS,
        changed=CHANGED,
        clicks=_by_day(parts["search"], found.search, "clicks"),
        impressions=_by_day(parts["search"], found.search, "impressions"),
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    page.ask("start_audit")
    return Redirect(page.site_url(**{DONE: "started"}))


def _days(page: Page, search: Any) -> dict[str, str]:
    """Return the query parameters for the daily figures of the current and the previous period.

    Without search data, the days do not matter, because the API has no figures.
    """
    today = f"{datetime.fromtimestamp(page.now, UTC):%Y-%m-%d}"
    first, last = (search.previous_period.from_, search.period.to) if search.connected else (today, today)
    return {"dimension": "date", "from": first, "to": last, "limit": "100"}


def _marks(audits: Part, changes: Part) -> dict[date, list[str]]:
    """Return known events of each week, by its Monday."""
    marks: dict[date, list[str]] = defaultdict(list)
    for one in audits.value.audits if audits.ready else ():
        if one.status == "done":
            _mark(marks[_monday(one.finished_at)], "Audit")
    for one in changes.value.batches if changes.ready else ():
        if one.ended_at is not None and any(getattr(one.counts, state) for state in _WRITTEN):
            said = "taken back" if one.kind == "undo" else "written"
            _mark(marks[_monday(one.ended_at)], f"{FIELDS[one.field]} {said}")
    return marks


def _mark(of_week: list[str], said: str) -> None:
    if said not in of_week:
        of_week.append(said)


def _history(part: Part, marks: dict[date, list[str]]) -> list[Point]:
    """Return the score of each week, from the first one with a score to the last one with a score or a mark.

    A week without a score breaks the line, and so does a change of how scores are computed.
    """
    if not part.ready or not part.value.history:
        return []
    scores = {date.fromisoformat(one.week): one for one in part.value.history}
    week, last = min(scores), max([*scores, *marks])
    points: list[Point] = []
    version = None
    while week <= last:
        one = scores.get(week)
        if one is not None:
            if version not in (None, one.version):
                points.append(Point(_short(week), None, mark=_OTHER_WAY))
            version = one.version
        points.append(Point(_short(week), None if one is None else one.site, mark=" · ".join(marks[week]) or None))
        week += _WEEK
    return points


def _by_day(part: Part, search: Any, name: str) -> list[Point]:
    """Return the figure of each day, with that of the same day of the period before."""
    if not part.ready or not search.connected:
        return []
    known = {one.date: getattr(one, name) for one in part.value.rows}
    first, last = date.fromisoformat(search.period.from_), date.fromisoformat(search.period.to)
    back = first - date.fromisoformat(search.previous_period.from_)
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    return [Point(_short(day), known.get(f"{day}"), known.get(f"{day - back}")) for day in days]


def _monday(moment: str) -> date:
    found = date.fromisoformat(moment[:10])
    return found - timedelta(days=found.weekday())


def _short(day: date) -> str:
    return f"{day.day} {day:%b}"
