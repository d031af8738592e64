"""Turns keyword tasks into issues of a website: the listed pages, the clicks that they may win, and suggested
values."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from chalicelib.domain import ids
from chalicelib.domain.audit.evidence import cut
from chalicelib.domain.audit.issues import RuleCount, RuleOutcome, summary_of_pages
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.audit.score import importance
from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestion import Suggestion
from chalicelib.rules.keywords import BY_ID
from chalicelib.rules.kw.checks import Check
from chalicelib.rules.kw.model import KnownPage, SearchData, Task
from chalicelib.rules.kw.suggesting import Own, description_for, title_for

MOST_LISTED = 1_000  # pages per task: those with the most to gain


class Judged(NamedTuple):
    """The tasks of one kind.

    - ``clicks_to_win``: how many clicks the tasks may win together; None if this cannot be estimated for the kind of
      task.
    - ``suggestions``: the suggestions for the listed pages.
    """

    outcome: RuleOutcome
    clicks_to_win: float | None
    suggestions: list[Suggestion]


class _Taken(NamedTuple):
    """Titles and descriptions of the website, folded, which no other page may get."""

    titles: set[str]
    descriptions: set[str]


def judged(
    checks: Mapping[str, Check],
    data: SearchData,
    site_id: str,
    own_of: Callable[[str], Own],
    first_seen: Mapping[str, Mapping[str, int]],
    now: float,
    described: Iterable[str] = (),
) -> list[Judged]:
    """Return the tasks of each kind.

    - ``own_of(page key)``: the page's texts.
    - ``first_seen``: when each page was first listed, by task and page id.
    - ``described``: the meta descriptions of the website's pages.
    """
    taken = _Taken({fold(known.title) for known in data.known.values() if known.title}, set(map(fold, described)))
    return [
        _judged(task_id, check, data, site_id, own_of, first_seen.get(task_id, {}), taken, int(now))
        for task_id, check in checks.items()
    ]


def _judged(
    task_id: str,
    check: Check,
    data: SearchData,
    site_id: str,
    own_of: Callable[[str], Own],
    first_seen: Mapping[str, int],
    taken: _Taken,
    now: int,
) -> Judged:
    applicable = 0
    found: list[tuple[str, Task]] = []
    for page, task in check(data):
        applicable += 1
        if task is not None:
            found.append((page, task))
    found.sort(key=lambda one: (-(one[1].gain or 0.0), one[0]))
    affected, suggestions = [], []
    for page, task in found[:MOST_LISTED]:
        known = data.known[page]
        page_id = ids.page_id(site_id, known.url)
        affected.append(AffectedPage(known.url, page_id, task.evidence(), first_seen.get(page_id, now), now))
        if BY_ID[task_id].writable_field == "title":
            suggestions.append(_suggested(task_id, task.query, known, page_id, own_of(page), taken))
        elif BY_ID[task_id].writable_field is not None:
            suggestions.append(Suggestion(known.url, page_id, own_of(page).canonical, None, None, None, _TO_DECIDE))
    pages = [page for page, _ in found]
    outcome = RuleOutcome(
        rule_id=task_id,
        applicable=applicable,
        affected=affected,
        summary=cut(summary_of_pages(RuleCount(applicable, len(found)), affected), 1_000),
        importance=_importance(pages, data),
        impressions=sum(data.pages[page].impressions for page in pages if page in data.pages),
    )
    measured = BY_ID[task_id].gain is not None
    return Judged(outcome, sum(task.gain or 0.0 for _, task in found) if measured else None, suggestions)


def _suggested(task_id: str, query: str | None, known: KnownPage, page_id: str, own: Own, taken: _Taken) -> Suggestion:
    """Return a suggested title, and also a description if that could settle the task."""
    title = title_for(query, own, taken.titles)
    second = None
    if "meta_description" in BY_ID[task_id].writable_fields:
        second = description_for(query, own, taken.descriptions)
    return Suggestion(
        known.url, page_id, known.title, title.text, source=title.source, note=title.note, description=second
    )


_TO_DECIDE = "Decide which page should stay. Then name it as the canonical address of the others."


def _importance(pages: list[str], data: SearchData) -> float:
    """Return the share of the website's clicks on these pages. Without search data, the share of its in-links."""
    if not data.pages:
        linked = sum(data.known[page].inlinks for page in pages)
        return importance(linked, sum(known.inlinks for known in data.known.values()))
    clicks = sum(data.pages[page].clicks for page in pages if page in data.pages)
    return importance(clicks, sum(figures.clicks for figures in data.pages.values()))
