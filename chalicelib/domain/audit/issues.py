"""Issues of a website, and how an audit changes their state: found, seen again, resolved, reopened.

The table ``TRANSITIONS`` is the life cycle of issues. The table ``MOVERS`` says who may cause each event (an audit, a
recheck, a write or a person). Every change of a state goes through ``next_status``.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, get_args

import msgspec

from chalicelib.domain.audit.causes import Cause
from chalicelib.domain.audit.evidence import cut, message_only
from chalicelib.domain.audit.ignoring import Aside, Ignored
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.suggestion import SuggestionSet

TASK_PREFIX: Final = "KW-"  # of the ids of keyword tasks, which audits neither judge nor score
MOST_SUMMARY: Final = 1_000  # characters: the issues of a website share one item

SHORT_SUMMARY, SHORT_TEXT = 200, 500  # characters, if all issues together are too long
NOT_FOUND: Final = "The issue was not found any more."

IssueStatus = Literal["open", "reopened", "in_progress", "recheck_queued", "resolved", "ignored"]
STATUSES: tuple[IssueStatus, ...] = get_args(IssueStatus)
# Only issues in these states count; lists show other issues only on request.
OPEN_STATUSES: frozenset[str] = frozenset(STATUSES) - {"resolved", "ignored"}

Happening = Literal[
    "found",  # its rule fires on the website
    "found_elsewhere",  # its rule fires on pages that nobody ignores
    "only_ignored",  # its rule fires on ignored pages alone
    "found_again",  # newer data confirm a task
    "not_found",  # its rule no longer fires, and every listed page was judged
    "still_present",  # a recheck has ended and pages still show it, or could not be judged
    "change_approved",
    "nothing_written",  # none of the changes approved for it was written
    "recheck_requested",
    "ignore",
    "unignore",  # a person stops ignoring it, and pages still show it
    "unignore_gone",  # a person stops ignoring it, and the last audit did not find it any more
]
# "app": a person in the app, or the operator's command line; "write": the worker that writes approved changes
# "data": search data, analytics or answers of assistants, which keyword tasks follow from
Mover = Literal["audit", "recheck", "write", "key", "app", "data"]

# (state, event) -> next state. Any other pair leaves the state unchanged.
TRANSITIONS: Mapping[tuple[IssueStatus, Happening], IssueStatus] = {
    ("open", "not_found"): "resolved",
    ("reopened", "not_found"): "resolved",
    ("in_progress", "not_found"): "resolved",
    ("recheck_queued", "not_found"): "resolved",
    ("resolved", "found"): "reopened",
    ("ignored", "found_elsewhere"): "open",
    ("open", "only_ignored"): "ignored",
    ("reopened", "only_ignored"): "ignored",
    ("in_progress", "only_ignored"): "ignored",
    ("recheck_queued", "only_ignored"): "ignored",
    ("resolved", "only_ignored"): "ignored",
    ("resolved", "found_again"): "reopened",
    ("in_progress", "found_again"): "open",
    ("open", "change_approved"): "in_progress",
    ("reopened", "change_approved"): "in_progress",
    ("in_progress", "nothing_written"): "open",
    ("open", "recheck_requested"): "recheck_queued",
    ("reopened", "recheck_requested"): "recheck_queued",
    ("in_progress", "recheck_requested"): "recheck_queued",
    ("recheck_queued", "still_present"): "open",
    ("open", "ignore"): "ignored",
    ("reopened", "ignore"): "ignored",
    ("ignored", "unignore"): "open",
    ("ignored", "unignore_gone"): "resolved",
}
# Event -> who may cause it. The recheck after a write counts as requested by the approver of the write.
MOVERS: Mapping[Happening, frozenset[Mover]] = {
    "found": frozenset({"audit", "recheck"}),
    "found_elsewhere": frozenset({"audit"}),
    "only_ignored": frozenset({"audit", "recheck", "app"}),
    "found_again": frozenset({"data"}),
    "not_found": frozenset({"audit", "recheck"}),
    "still_present": frozenset({"recheck"}),
    "change_approved": frozenset({"key", "app"}),
    "nothing_written": frozenset({"write"}),
    "recheck_requested": frozenset({"key", "app"}),
    "ignore": frozenset({"app"}),
    "unignore": frozenset({"app"}),
    "unignore_gone": frozenset({"app"}),
}


def next_status(status: IssueStatus, what: Happening, by: Mover) -> IssueStatus | None:
    """Return the state after the event ``what``, by the table ``TRANSITIONS``. Returns None if the state stays.

    Raises ``ValueError`` if ``by`` may not cause the event.
    """
    if by not in MOVERS[what]:
        raise ValueError(f"{what} is not for {by}")
    return TRANSITIONS.get((status, what))


class LastRecheck(msgspec.Struct):
    """The result of an issue's last recheck. ``present``: how many of the ``checked`` pages still show the issue."""

    at: float
    present: int
    checked: int
    crawl_id: str
    passed: bool | None
    linking_pages: int | None = None
    not_rechecked: int = 0
    note: str | None = None


class Issue(msgspec.Struct):
    """The findings of one rule on a website, now or in the past. The counts are from the last crawl that judged the
    rule."""

    id: str
    rule_id: str
    status: IssueStatus
    affected_pages: int
    applicable_pages: int
    first_seen: float
    last_seen: float
    summary: str
    template: str | None = None
    evidence: dict[str, object] | None = None  # of site rules
    last_recheck: LastRecheck | None = None
    resolved_at: float | None = None
    # The audit or recheck under which the affected pages are stored, and in how many blocks.
    affected_crawl: str | None = msgspec.field(default=None, name="affected_generation")
    affected_chunks: int = 0
    explanation: str | None = None  # drafted by an assistant; kept when the state changes, replaced by the next draft
    pending_recheck: str | None = None  # the recheck that is queued or running for it
    importance: float = 0.0  # its pages' share of the website's clicks (without search data: of in-links), 0 to 1
    suggestions: SuggestionSet | None = None  # where the suggested values for its pages are stored
    explained_at: float | None = None
    explained_by: str | None = None  # provider and model of the assistant that drafted the explanation
    impressions: int = 0  # its pages' search impressions in 28 days; 0 for site rules, and without search data
    cause: Cause | None = None  # where one change would fix it, as far as the last audit could tell
    # The last batch of changes that was approved for it, and the number of blocks that store these changes.
    change_batch: str | None = None
    change_blocks: int = 0
    clicks_to_win: float | None = None  # of keyword tasks, in 28 days; None: unknown, or not a keyword task
    ignored: Ignored | None = None  # None also if it was ignored before this was recorded

    @property
    def aside(self) -> Aside | None:
        """The ignored pages of an issue that is only partly ignored; None if there are none."""
        return None if self.ignored is None else self.ignored.aside

    @property
    def partly_ignored(self) -> bool:
        """Whether people ignore only some pages of the issue, chosen one by one or by a pattern."""
        return self.ignored is not None and self.ignored.scope is not None

    def ignored_until(self) -> float | None:
        """Return when the ignoring ends (epoch seconds); None if only a person can end it, or if nothing is ignored."""
        if self.ignored is None or (self.status != "ignored" and not self.partly_ignored):
            return None
        return self.ignored.until

    def as_of(self, now: float) -> "Issue":
        """Return the issue as it is at the time ``now``. If it was ignored until a date that has passed, it is no
        longer ignored."""
        until = self.ignored_until()
        if until is None or until > now:
            return self
        return self.unignored(until)

    def whole(self) -> "Issue":
        """Return the issue as if no page were ignored: its counts include the ignored pages again."""
        aside, ignored = self.aside, self.ignored
        if aside is None or ignored is None:
            return self
        return msgspec.structs.replace(
            self,
            affected_pages=self.affected_pages + aside.pages,
            ignored=msgspec.structs.replace(ignored, aside=None),
            **msgspec.structs.asdict(aside.whole),
        )

    def unignored(self, at: float) -> "Issue":
        """Return the issue with nothing ignored.

        An issue that was ignored as a whole becomes open again, or resolved if no page shows it.
        """
        whole = msgspec.structs.replace(self.whole(), ignored=None)
        if self.status != "ignored":
            return whole
        status = next_status(self.status, "unignore" if whole.affected_pages else "unignore_gone", "app")
        resolved_at = at if status == "resolved" else self.resolved_at
        return msgspec.structs.replace(whole, status=status or self.status, resolved_at=resolved_at)


def is_keyword_task(rule_id: str) -> bool:
    """Whether a rule id is the id of a keyword task. Keyword tasks are not in the issue list or the score and are never
    rechecked."""
    return rule_id.startswith(TASK_PREFIX)


class RuleCount(msgspec.Struct, array_like=True):
    """How many pages a rule applies to and how many it affects. The score is computed from these counts.

    ``units``: for rules that count faulty links, the weight of the affected pages in hundredths of a page; None for
    other rules.
    """

    applicable: int
    affected: int
    units: int | None = None


class IssueBook(msgspec.Struct):
    """All issues of a website, and the counts of every judged rule. They are stored as one item. Each write raises
    ``version`` by one."""

    version: int
    crawl_id: str | None
    computed_at: float
    ruleset: str
    issues: list[Issue]
    counts: dict[str, RuleCount]
    measured: list[str]
    # Monday of a week -> the counts above 0 at the week's last score, for 13 weeks. A later version of the score can
    # then be computed for these weeks too.
    weeks: dict[str, dict[str, RuleCount]] = {}

    def by_id(self, issue_id: str) -> Issue | None:
        return next((issue for issue in self.issues if issue.id == issue_id), None)

    def with_issue(self, issue: Issue) -> "IssueBook":
        """Return the next version of the issue book. ``issue`` replaces the issue with the same id."""
        issues = [issue if old.id == issue.id else old for old in self.issues]
        return msgspec.structs.replace(self, version=self.version + 1, issues=issues)

    def as_of(self, now: float) -> "IssueBook":
        """Return the issue book as it is at the time ``now``. An issue that was ignored until a date in the past is no
        longer ignored."""
        if all(issue.ignored_until() is None for issue in self.issues):
            return self
        return msgspec.structs.replace(self, issues=[issue.as_of(now) for issue in self.issues])

    def aside(self) -> dict[str, Aside]:
        """Return the ignored pages of each partly ignored issue, by rule id. Issues without ignored pages are left
        out."""
        return {issue.rule_id: issue.aside for issue in self.issues if issue.aside is not None}

    def open_rules(self) -> "OpenRules":
        """Return the rules that have an open issue, each with the pages on which people ignore the issue."""
        return {issue.rule_id: issue.ignored for issue in self.issues if issue.status in OPEN_STATUSES}


# The rules with an open issue, each with the pages on which people ignore it; None if there are none.
OpenRules = Mapping[str, Ignored | None]


def is_open_on(rules: OpenRules, rule_id: str, page_id: str, url: str) -> bool:
    """Whether the rule has an open issue that is not ignored on this page."""
    ignored = rules.get(rule_id)
    scope = None if ignored is None else ignored.scope
    return rule_id in rules and (scope is None or not scope.holds(page_id, url))


def summary_of_pages(count: RuleCount, affected: Sequence[AffectedPage]) -> str:
    """Make the short summary of an issue that affects pages: how many pages show it, and an example.

    ``affected``: the affected pages in order.
    """
    example = ""
    if affected:
        message = affected[0].evidence.get("message", "")
        example = f" For example {affected[0].url}: {message}"
    return cut(f"{count.affected} of {count.applicable} pages.{example}", MOST_SUMMARY)


def summary_of_site(evidence: Mapping[str, object] | None) -> str:
    """Make the summary of an issue that affects the whole website: the rule's message, shortened.

    Returns ``NOT_FOUND`` if there is no evidence.
    """
    return cut(str(evidence.get("message", "")), MOST_SUMMARY) if evidence else NOT_FOUND


class RuleOutcome(msgspec.Struct):
    """An audit's result for one rule.

    - ``judged``: False if the rule had no data.
    - ``affected``: the affected pages, including ignored ones.
    - ``ignored``: what people ignore of the issue, and how many of its pages; None for nothing.
    - ``importance``, ``impressions`` and ``cause``: see ``Issue``.
    - ``units``: see ``RuleCount``.

    All fields other than ``affected`` and ``ignored`` describe only the pages that are not ignored.
    """

    rule_id: str
    applicable: int
    affected: list[AffectedPage]
    summary: str
    judged: bool = True
    template: str | None = None
    evidence: dict[str, object] | None = None
    site_rule: bool = False
    importance: float = 0.0
    impressions: int = 0
    cause: Cause | None = None
    units: int | None = None
    ignored: Ignored | None = None

    @property
    def found(self) -> bool:
        return bool(self.affected) or (self.site_rule and self.evidence is not None)


class StoredLists(NamedTuple):
    """Where an issue's affected pages and suggestions are stored. Both are stored in blocks, whose keys contain the id
    of the crawl that made them. ``affected_chunks``: the number of blocks with affected pages."""

    affected_chunks: int
    suggestions: SuggestionSet | None = None


class Moved(msgspec.Struct):
    """An issue whose state changed, with the data for the event that reports the change.

    ``pages``: how many pages the issue affects. For a resolved issue, how many it affected before.
    """

    issue: Issue
    kind: Literal["opened", "resolved", "reopened"]
    pages: int


def merge(
    previous: IssueBook | None,
    outcomes: list[RuleOutcome],
    *,
    issue_ids: Mapping[str, str],
    crawl_id: str,
    now: float,
    stored: Mapping[str, StoredLists],
) -> tuple[list[Issue], list[Moved]]:
    """Return the issues after an audit, and the issues whose state changed.

    ``stored``: where the audit stored the pages of each rule.

    If a rule was not judged, its issue stays unchanged. If this audit did not read a page that was affected in the last
    audit, the caller adds the last audit's findings on the page to ``outcomes``.
    """
    before = {issue.rule_id: issue for issue in previous.issues} if previous else {}
    result: list[Issue] = []
    moved: list[Moved] = []
    seen: set[str] = set()
    for outcome in outcomes:
        seen.add(outcome.rule_id)
        old = before.get(outcome.rule_id)
        if not outcome.judged:
            if old is not None:
                result.append(old)
            continue
        if outcome.found:
            issue, kind = _found(old, outcome, issue_ids[outcome.rule_id], now)
            lists = stored.get(outcome.rule_id, StoredLists(0))
            issue.affected_crawl, issue.affected_chunks, issue.suggestions = crawl_id, *lists
            result.append(issue)
            if kind is not None:
                moved.append(Moved(issue, kind, issue.affected_pages))
        elif old is not None:
            target = next_status(old.status, "not_found", "audit")
            issue = shown_nowhere(old, outcome.applicable, site_rule=outcome.site_rule)
            if target is not None:
                issue.status, issue.resolved_at = target, now
                moved.append(Moved(issue, "resolved", old.affected_pages))
            result.append(issue)
    result.extend(issue for rule_id, issue in before.items() if rule_id not in seen)
    return result, moved


def shown_nowhere(issue: Issue, applicable: int, *, site_rule: bool) -> Issue:
    """Return the issue as it is when no page shows it any more: without affected pages and evidence."""
    summary = NOT_FOUND if site_rule else summary_of_pages(RuleCount(applicable, 0), ())
    return msgspec.structs.replace(
        issue.whole(),
        affected_pages=0,
        applicable_pages=applicable,
        affected_chunks=0,
        summary=summary,
        template=None,
        evidence=None,
        suggestions=None,
        importance=0.0,
        impressions=0,
        cause=None,
    )


def book_after_audit(
    previous: IssueBook | None,
    issues: list[Issue],
    *,
    crawl_id: str,
    now: float,
    ruleset: str,
    counts: dict[str, RuleCount],
    measured: list[str],
    weeks: dict[str, dict[str, RuleCount]],
) -> IssueBook:
    """Return the next version of the website's issue book. An audit replaces all issues and counts."""
    version = 1 if previous is None else previous.version + 1
    return IssueBook(version, crawl_id, now, ruleset, issues, counts, measured, weeks)


def _found(
    old: Issue | None, outcome: RuleOutcome, issue_id: str, now: float
) -> tuple[Issue, Literal["opened", "reopened"] | None]:
    aside = None if outcome.ignored is None else outcome.ignored.aside
    count = len(outcome.affected) - (0 if aside is None else aside.pages)
    count = max(1, count) if outcome.site_rule else count
    last_seen = max((float(page.last_seen) for page in outcome.affected), default=now)
    first_seen = min((float(page.first_seen) for page in outcome.affected), default=now)
    if old is None:
        fresh = Issue(
            id=issue_id,
            rule_id=outcome.rule_id,
            status="open",
            affected_pages=count,
            applicable_pages=outcome.applicable,
            first_seen=min(now, first_seen),
            last_seen=last_seen,
            summary=outcome.summary,
            template=outcome.template,
            evidence=outcome.evidence,
            importance=outcome.importance,
            impressions=outcome.impressions,
            cause=outcome.cause,
        )
        return fresh, "opened"
    what: Happening = "only_ignored" if count == 0 else "found"
    if count and old.partly_ignored and old.status == "ignored":
        what = "found_elsewhere"
    status = next_status(old.status, what, "audit") or old.status
    issue = msgspec.structs.replace(
        old,
        status=status,
        affected_pages=count,
        applicable_pages=outcome.applicable,
        first_seen=min(old.first_seen, first_seen),
        last_seen=last_seen,
        summary=outcome.summary,
        template=outcome.template,
        evidence=outcome.evidence,
        resolved_at=None,
        importance=outcome.importance,
        impressions=outcome.impressions,
        cause=outcome.cause,
        ignored=outcome.ignored if old.partly_ignored else old.ignored,
    )
    return issue, "reopened" if status == "reopened" and old.status == "resolved" else None


def shortened(book: IssueBook) -> IssueBook:
    """Return the issue book with the texts of its issues cut to a few lines. Used if an issue book is too large to be
    stored."""
    issues = [
        msgspec.structs.replace(
            issue,
            summary=cut(issue.summary, SHORT_SUMMARY),
            evidence=None if issue.evidence is None else message_only(issue.evidence, SHORT_TEXT),
            explanation=None if issue.explanation is None else cut(issue.explanation, SHORT_TEXT),
            cause=None,  # an address or a line, which would be a different one if it were cut
        )
        for issue in book.issues
    ]
    return msgspec.structs.replace(book, issues=issues)
