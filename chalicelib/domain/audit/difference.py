"""The changes between two finished audits whose results are still stored. Lists are shortened to a maximum length, but
their counts are complete."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Final, Literal, NamedTuple, get_args

import msgspec

from chalicelib.domain.audit.issues import OPEN_STATUSES
from chalicelib.domain.audit.kept import KeptAudit, KeptIssue, KeptPage

MOST_LISTED: Final = 100

IssueChange = Literal["new", "resolved", "reopened", "grown", "shrunk", "changed"]
ISSUE_CHANGES: tuple[IssueChange, ...] = get_args(IssueChange)
PageField = Literal["status", "title", "description", "canonical", "indexable", "words"]
PAGE_FIELDS: tuple[PageField, ...] = get_args(PageField)
Value = str | int | bool | None

# Compared only if the page answered both times: otherwise None means "unknown", not "the page has none".
_NEEDS_ANSWERS: Final = frozenset(PAGE_FIELDS) - {"status"}
_NEEDS_VALUES: Final = frozenset({"indexable", "words"})


class PageRef(NamedTuple):
    page_id: str
    url: str


class Some(msgspec.Struct, frozen=True):
    """The first pages of a list (by address), and how many pages the whole list has."""

    count: int
    pages: tuple[PageRef, ...]


class FieldDifference(NamedTuple):
    field: PageField
    before: Value
    after: Value


class ChangedPage(NamedTuple):
    page: PageRef
    fields: tuple[FieldDifference, ...]


class IssueDifference(NamedTuple):
    """An issue that changed.

    - ``pages_before``, ``pages_after``: how many pages the issue listed.
    - ``came``, ``went``: the pages that were added to and removed from its list; None if unknown.
    """

    issue_id: str
    rule_id: str
    change: IssueChange
    pages_before: int
    pages_after: int
    came: Some | None
    went: Some | None


class PagesDifference(NamedTuple):
    """Pages that only one of the two audits read, and pages that changed.

    ``changed_count``: how many pages changed in all. ``by_field``: how many pages changed in each field.
    """

    appeared: Some
    left: Some
    changed_count: int
    changed: tuple[ChangedPage, ...]
    by_field: Mapping[PageField, int]


class CrawlerDifference(NamedTuple):
    bot: str
    before: bool | None
    after: bool | None


class Difference(NamedTuple):
    """All changes between two audits.

    - ``pages``: None if the pages of one audit are no longer stored.
    - ``crawlers``: crawlers whose verdict changed; None if one of the audits has no verdicts.
    - ``robots_changed``: None if unknown.
    """

    issues: tuple[IssueDifference, ...]
    pages: PagesDifference | None
    robots_changed: bool | None
    crawlers: tuple[CrawlerDifference, ...] | None


class KeptDifference(msgspec.Struct, frozen=True):
    """The changes from an earlier audit (``base_id``) to this audit. They were computed at the end of this audit, for
    the latest earlier audit whose results were still stored."""

    base_id: str
    difference: Difference


def difference(
    base: KeptAudit, head: KeptAudit, base_pages: Sequence[KeptPage] | None, head_pages: Sequence[KeptPage] | None
) -> Difference:
    """Compare the audit ``head`` with the audit ``base``. If pages are None, they are no longer stored or were not
    requested."""
    both = None if base_pages is None or head_pages is None else (base_pages, head_pages)
    return Difference(
        issues=tuple(_issues(base, head, both)),
        pages=None if both is None else _pages(*both),
        robots_changed=None if base.robots is None or head.robots is None else base.robots != head.robots,
        crawlers=_crawlers(base.crawlers, head.crawlers),
    )


# -- issues --------------------------------------------------------------------------------------------


def _issues(
    base: KeptAudit, head: KeptAudit, both: tuple[Sequence[KeptPage], Sequence[KeptPage]] | None
) -> Iterable[IssueDifference]:
    before = {issue.rule_id: issue for issue in base.issues}
    after = {issue.rule_id: issue for issue in head.issues}
    listed = None if both is None else (pages_by_rule(both[0]), pages_by_rule(both[1]))
    found = None if both is None else (pages_by_rule(both[0], ignored=True), pages_by_rule(both[1], ignored=True))
    for rule_id in sorted(before.keys() | after.keys()):
        old, new = before.get(rule_id), after.get(rule_id)
        came = went = None
        if listed is not None and found is not None and _judged(old) and _judged(new):
            came = _some(listed[1].get(rule_id, {}), without=found[0].get(rule_id, {}))
            went = _some(listed[0].get(rule_id, {}), without=found[1].get(rule_id, {}))
        change = _moved(old, new) or _resized(old, new, came, went)
        known = new or old
        if change is not None and known is not None:
            counts = (0 if old is None else old.affected_pages, 0 if new is None else new.affected_pages)
            yield IssueDifference(known.id, rule_id, change, *counts, came, went)


def _judged(issue: KeptIssue | None) -> bool:
    return issue is None or issue.judged


def _is_open(issue: KeptIssue | None) -> bool:
    return issue is not None and issue.status in OPEN_STATUSES


def _moved(old: KeptIssue | None, new: KeptIssue | None) -> IssueChange | None:
    """Return how the issue moved. It does not count as a change of the website when people ignore an issue or stop
    ignoring it."""
    if _is_open(new) and old is None:
        return "new"
    if _is_open(new) and old is not None and old.status == "resolved":
        return "reopened"
    if _is_open(old) and (new is None or new.status == "resolved"):
        return "resolved"
    return None


def _resized(old: KeptIssue | None, new: KeptIssue | None, came: Some | None, went: Some | None) -> IssueChange | None:
    if not _is_open(old) or not _is_open(new):
        return None
    assert old is not None and new is not None
    more = new.affected_pages - old.affected_pages
    if came is not None and went is not None:
        if not came.count and not went.count:
            return None
        more = came.count - went.count
        return "grown" if more > 0 else "shrunk" if more < 0 else "changed"
    return "grown" if more > 0 else "shrunk" if more < 0 else None


def pages_by_rule(pages: Sequence[KeptPage], *, ignored: bool = False) -> dict[str, dict[str, KeptPage]]:
    """Return the pages that each rule's issue lists, by rule id and page id. ``ignored``: whether to include pages on
    which people ignore the issue."""
    found: dict[str, dict[str, KeptPage]] = {}
    for page in pages:
        for rule_id in (*page.rules, *page.ignored) if ignored else page.rules:
            found.setdefault(rule_id, {})[page.id] = page
    return found


# -- pages ---------------------------------------------------------------------------------------------


def _pages(base: Sequence[KeptPage], head: Sequence[KeptPage]) -> PagesDifference:
    before, after = ({page.id: page for page in pages if page.read} for pages in (base, head))
    by_field = dict.fromkeys(PAGE_FIELDS, 0)
    changed = []
    for page in after.values():
        old = before.get(page.id)
        fields = () if old is None else changes_of(old, page)
        if fields:
            changed.append(ChangedPage(PageRef(page.id, page.url), fields))
        for one in fields:
            by_field[one.field] += 1
    changed.sort(key=lambda one: one.page.url)
    return PagesDifference(
        _some(after, without=before), _some(before, without=after), len(changed), tuple(changed[:MOST_LISTED]), by_field
    )


def changes_of(old: KeptPage, new: KeptPage) -> tuple[FieldDifference, ...]:
    """Return the fields in which a page differs between the two audits that read it.

    A field for which one of the audits has no value does not count as different.
    """
    answered = old.status is not None and new.status is not None
    found = []
    for field in PAGE_FIELDS:
        before, after = getattr(old, field), getattr(new, field)
        known = (answered or field not in _NEEDS_ANSWERS) and (
            field not in _NEEDS_VALUES or (before is not None and after is not None)
        )
        if known and before != after:
            found.append(FieldDifference(field, before, after))
    return tuple(found)


def _some(pages: Mapping[str, KeptPage], *, without: Mapping[str, KeptPage]) -> Some:
    return some_of([PageRef(page.id, page.url) for page_id, page in pages.items() if page_id not in without])


def some_of(pages: Sequence[PageRef]) -> Some:
    return Some(len(pages), tuple(heapq.nsmallest(MOST_LISTED, pages, key=attrgetter("url"))))


def _crawlers(
    before: Mapping[str, bool | None] | None, after: Mapping[str, bool | None] | None
) -> tuple[CrawlerDifference, ...] | None:
    """Return the crawlers whose verdict differs. A crawler that only one audit lists is not a difference."""
    if before is None or after is None:
        return None
    return tuple(
        CrawlerDifference(bot, before[bot], after[bot])
        for bot in sorted(before.keys() & after.keys())
        if before[bot] is not after[bot]
    )
