"""Suggested values of several issues, reviewed together and approved as they are: one value a page and field."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from chalicelib.domain.changes.batch import MOST_CHANGES
from chalicelib.domain.ids import digest
from chalicelib.domain.suggestion import WritableField

SAME = "Another issue of this review writes the same value there."
LATER = f"At most {MOST_CHANGES} are approved at once: they follow once these are done."


class Row(NamedTuple):
    """A value that is suggested for a page by an issue. ``current``: what the page shows; ``template``: of the page."""

    issue_id: str
    field: WritableField
    url: str
    page_id: str
    current: str | None
    value: str
    template: str | None = None


class Conflict(NamedTuple):
    """Two issues suggest different values for the same page and field: the first one is approved."""

    kept: Row
    other: Row


class Review(NamedTuple):
    """``rows``: what is approved; ``left``: why other values are not, with how many; ``templates``: how many rows
    there are of each template, whichever is chosen. ``digest``: stands for the rows and what the pages show."""

    rows: list[Row]
    conflicts: list[Conflict]
    left: list[tuple[str, int]]
    templates: list[tuple[str, int]]
    digest: str


def reviewed(rows: Sequence[Row], left: Counter[str], template: str | None = None) -> Review:
    """The review of these values, in order: of an earlier issue before a later one. ``left``: reasons of values that
    cannot be written; ``template``: only pages of it are approved, None: all."""
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
