"""Suggested values of several issues. They are reviewed together and approved unchanged, with one value for each page
and field."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from chalicelib.domain.changes.batch import MOST_CHANGES
from chalicelib.domain.ids import digest
from chalicelib.domain.suggestion import WritableField

SAME = "Another issue of this review suggests the same value for the same page and field."
LATER = f"At most {MOST_CHANGES} changes are approved at once. The others can be approved when these are done."


class Row(NamedTuple):
    """A value that an issue suggests for a page. ``current``: what the page shows. ``template``: the name of the page's
    template."""

    issue_id: str
    field: WritableField
    url: str
    page_id: str
    current: str | None
    value: str
    template: str | None = None


class Conflict(NamedTuple):
    """Two issues that suggest different values for the same page and field. The value of the issue that comes first is
    approved."""

    kept: Row
    other: Row


class Review(NamedTuple):
    """Suggested values, ready for approval.

    - ``rows``: the values to approve.
    - ``left``: the reasons why other suggested values are left out, and how many values each reason concerns.
    - ``templates``: how many rows each template has, whichever template is selected.
    - ``digest``: a hash of the rows and of what the pages show.
    """

    rows: list[Row]
    conflicts: list[Conflict]
    left: list[tuple[str, int]]
    templates: list[tuple[str, int]]
    digest: str


def reviewed(rows: Sequence[Row], left: Counter[str], template: str | None = None) -> Review:
    """Make the review of these values. If two issues suggest a value for the same page and field, the first one counts.

    - ``left``: the values that cannot be written, counted by reason.
    - ``template``: only pages of this template are approved; None approves all.
    """
    kept: dict[tuple[str, str], Row] = {}
    conflicts = []
    reasons = Counter(left)
    for row in rows:
        first = kept.setdefault((row.url, row.field), row)
        if first is row:
            continue
        if first.value == row.value:
            reasons[SAME] += 1
        else:
            conflicts.append(Conflict(first, row))
    templates = Counter(row.template for row in kept.values() if row.template is not None)
    wanted = [row for row in kept.values() if template is None or row.template == template]
    if len(wanted) > MOST_CHANGES:
        reasons[LATER] += len(wanted) - MOST_CHANGES
    chosen = wanted[:MOST_CHANGES]
    texts = [part for row in chosen for part in (row.issue_id, row.field, row.url, row.current or "", row.value)]
    return Review(chosen, conflicts, reasons.most_common(), sorted(templates.items()), digest(*texts).hex()[:32])
