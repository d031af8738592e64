"""Lists the issues of a website, reads one in full, and ignores or reopens one."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.audit import issue_log
from chalicelib.domain.audit.appearing import appearance_of
from chalicelib.domain.audit.ignoring import (
    MOST_PAGES,
    MOST_PAGES_OF_WEBSITE,
    MOST_PATTERNS,
    MOST_PATTERNS_OF_WEBSITE,
    Appearance,
    Ignored,
    Scope,
    bad_pattern,
    escaped,
    part,
)
from chalicelib.domain.audit.issue_log import MOST_REASON, EntryKind, LogEntry
from chalicelib.domain.audit.issues import Issue, IssueBook, IssueStatus, next_status
from chalicelib.domain.audit.publish import recounted
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.audit.score import Standing
from chalicelib.domain.audit.searched import Weights
from chalicelib.domain.printable import printable
from chalicelib.domain.severity import SEVERITIES, Severity
from chalicelib.domain.suggestion import WRITABLE_FIELDS, Suggestion
from chalicelib.operations import search
from chalicelib.operations.affected import home_page_of
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused
from chalicelib.operations.websites import existing
from chalicelib.rules import keywords, registry
from chalicelib.rules.keywords import KeywordTask
from chalicelib.rules.model import Rule
from chalicelib.store import acts, issue_details, issues, websites
from chalicelib.store.pages import load_list
from chalicelib.store.search import Moved
from chalicelib.store.transactions import Conflict, Write, commit
from chalicelib.store.websites import Website

MOST_IGNORED_SECONDS: Final = 5 * 366 * 86_400.0


class Listed(NamedTuple):
    """An issue with its rule's texts. ``gain``: the points by which the score rises once the issue is resolved. None
    for keyword tasks, for resolved issues, and if the website has no score. ``title`` and ``severity`` are None if this
    release no longer has the rule."""

    issue: Issue
    title: str | None
    severity: Severity | None
    gain: float | None


def list_all(actor: Actor, site_id: str) -> list[Listed]:
    """List all issues of a website, ordered by the points that the score would gain (most first), then by severity,
    number of affected pages, and rule.

    Refused: ``not_found``, ``not_allowed``.
    """
    existing(actor, site_id, "read")
    book = issues.load_state(site_id)
    if book is None:
        return []
    standing = Standing(registry.shares(book.counts, book.aside()), book.measured)
    return sorted((_listed(issue, standing) for issue in book.issues), key=_place)


class Read(NamedTuple):
    """An issue in full. ``rule``: None if this release no longer has the rule. ``suggestions``: the suggested values
    for the first pages. Empty if the issue has no field that can be written."""

    listed: Listed
    rule: Rule | KeywordTask | None
    pages: list[AffectedPage]
    suggestions: list[Suggestion]


def read(actor: Actor, site_id: str, issue_id: str, *, suggestions: int) -> Read:
    """Load one issue in full, with a limited number of suggestions. Refused: ``not_found``, ``not_allowed``."""
    website = existing(actor, site_id, "read")
    book, issue = load(site_id, issue_id)
    rule = registry.BY_ID.get(issue.rule_id) or keywords.BY_ID.get(issue.rule_id)
    detail = issue_details.load(site_id, issue, offset=0, limit=suggestions)
    pages = detail.affected or (home_page_of(website, issue, rule.scope) if rule is not None else [])
    writable = rule is not None and rule.writable_field in WRITABLE_FIELDS
    listed = _listed(issue, Standing(registry.shares(book.counts, book.aside()), book.measured))
    return Read(listed, rule, pages, detail.suggestions if writable else [])


def _listed(issue: Issue, standing: Standing) -> Listed:
    rule = registry.BY_ID.get(issue.rule_id)
    known = rule or keywords.BY_ID.get(issue.rule_id)
    if known is None:
        return Listed(issue, None, None, None)
    counts = rule is not None and standing.scored and issue.status != "resolved"
    return Listed(issue, known.title, known.severity, standing.gain(issue.rule_id) / 10 if counts else None)


def _place(listed: Listed) -> tuple[float, int, int, str]:
    severity = len(SEVERITIES) if listed.severity is None else SEVERITIES.index(listed.severity)
    return -(listed.gain or 0.0), severity, -listed.issue.affected_pages, listed.issue.rule_id


def ignore(actor: Actor, site_id: str, issue_id: str, reason: str | None = None, until: float | None = None) -> Issue:
    """Ignore an open or reopened issue: it disappears from the lists, and stays ignored when an audit finds it again.

    The issue still counts in the score, because ignoring is not a fix. ``reason``: one line of at most 500 characters.
    ``until``: when the issue returns automatically (epoch seconds, at most five years from now); None for never.
    Refused: ``not_found``, ``not_allowed``, ``bad_until``, ``wrong_state`` (the issue's state does not allow this).
    """

    def ignored(_: Website, __: IssueBook, issue: Issue, by: Ignored) -> Issue | None:
        status = next_status(issue.status, "ignore", "app")
        return None if status is None else msgspec.structs.replace(issue.whole(), status=status, ignored=by)

    return _ignore(actor, site_id, issue_id, reason, until, ignored)


def ignore_pages(
    actor: Actor, site_id: str, issue_id: str, wanted: Scope, reason: str | None = None, until: float | None = None
) -> Issue:
    """Ignore an issue on the chosen pages, and on all pages that a pattern matches, now or later. They are added to the
    pages that are already ignored. The new reason and end date apply to all ignored pages.

    The issue stays open for its other pages. Its importance and its gain are then computed from these other pages only.
    Refused: the codes of ``ignore``, and ``no_pages`` (the issue has no list of pages), ``not_listed``,
    ``bad_pattern``, ``too_many_ignored``, ``busy``.
    """
    for pattern in wanted.patterns:
        wrong = bad_pattern(pattern)
        if wrong is not None:
            raise Refused("bad_pattern", wrong)
    patterns = tuple(dict.fromkeys(escaped(pattern) for pattern in wanted.patterns))

    def ignored(website: Website, book: IssueBook, issue: Issue, by: Ignored) -> Issue | None:
        rule = registry.BY_ID.get(issue.rule_id)
        if rule is None or rule.scope == "site":
            raise Refused("no_pages", "The issue is about the whole website, not its pages: ignore the whole issue.")
        again = issue.status == "ignored" and issue.partly_ignored
        if not again and next_status(issue.status, "ignore", "app") is None:
            return None
        pages = issues.load_with_ignored(site_id, issue)
        if not {page.page_id for page in pages}.issuperset(wanted.pages):
            raise Refused("not_listed", "One of the chosen pages is no longer listed. Look at the current list.")
        before = Scope() if issue.ignored is None else issue.ignored.scope or Scope()
        scope = Scope(
            tuple(dict.fromkeys((*before.pages, *wanted.pages))),
            tuple(dict.fromkeys((*before.patterns, *patterns))),
        )
        _check_room(book, issue, scope)
        return _parted(website, issue, pages, msgspec.structs.replace(by, scope=scope))

    return _ignore(actor, site_id, issue_id, reason, until, ignored)


def _check_room(book: IssueBook, issue: Issue, scope: Scope) -> None:
    others = [one.ignored.scope for one in book.issues if one.id != issue.id and one.ignored and one.ignored.scope]
    for most, of_website, name in (
        (MOST_PAGES, MOST_PAGES_OF_WEBSITE, "pages"),
        (MOST_PATTERNS, MOST_PATTERNS_OF_WEBSITE, "patterns"),
    ):
        count = len(getattr(scope, name))
        if count > most:
            raise Refused(
                "too_many_ignored", f"At most {most} {name} of an issue can be ignored. Ignore the whole issue instead."
            )
        if count + sum(len(getattr(one, name)) for one in others) > of_website:
            raise Refused("too_many_ignored", f"At most {of_website:,} {name} of a website can be ignored.")


def _parted(website: Website, issue: Issue, pages: Sequence[AffectedPage], ignored: Ignored) -> Issue:
    """Return the issue without its ignored pages. Refused: ``busy``."""
    whole = issue.whole()
    summary = website.summary
    rows = {} if summary is None else {row.url: row for row in load_list(website.id, summary.generation.crawl_id)}
    try:
        weights = Weights(rows.values(), search.of_pages(website.id, website.host, rows.keys()))
    except Moved:
        raise Refused("busy", "The website's search data is being replaced; try again in a moment.") from None

    def appearance(of: Sequence[AffectedPage]) -> Appearance:
        found = appearance_of(of, whole.applicable_pages, rows, weights, whole.impressions)
        if len(of) < len(pages):
            return found
        # If all pages are ignored, keep the values of the last judgement, so that unignoring the pages restores them.
        return msgspec.structs.replace(found, importance=whole.importance, impressions=whole.impressions)

    others, shown, ignored_now = part(ignored, pages, appearance)
    status: IssueStatus = issue.status
    if others:
        status = "open" if issue.status == "ignored" else issue.status
    elif pages:
        status = next_status(issue.status, "only_ignored", "app") or issue.status
    return msgspec.structs.replace(
        whole, status=status, affected_pages=len(others), ignored=ignored_now, **msgspec.structs.asdict(shown)
    )


def _ignore(
    actor: Actor, site_id: str, issue_id: str, reason: str | None, until: float | None, moved: "_Ignoring"
) -> Issue:
    existing(actor, site_id, "work")
    now = clock.now()
    if until is not None and not now < until <= now + MOST_IGNORED_SECONDS:
        raise Refused("bad_until", "The issue can be ignored until a date in the future, at most five years from now.")
    said = printable(reason or "", MOST_REASON) or None

    def ignored(website: Website, book: IssueBook, issue: Issue, at: float) -> Issue | None:
        return moved(website, book, issue, Ignored(at, actor.person_id, said, until))

    return _move(actor, site_id, issue_id, _Move("ignored", "issue.ignored", "ignored", ignored))


def unignore(actor: Actor, site_id: str, issue_id: str) -> Issue:
    """Stop ignoring an issue, or its ignored pages. The issue becomes open, or resolved if the last audit did not find
    it any more. Refused: the codes of ``ignore``."""

    def unignored(_: Website, __: IssueBook, issue: Issue, now: float) -> Issue | None:
        return issue.unignored(now) if issue.status == "ignored" or issue.partly_ignored else None

    return _move(actor, site_id, issue_id, _Move("unignored", "issue.unignored", "taken back", unignored))


def load(site_id: str, issue_id: str) -> tuple[IssueBook, Issue]:
    """Load an issue of the website. Returns the ``IssueBook`` with all issues of the website, and the issue. Refused:
    ``not_found``."""
    book = issues.load_state(site_id)
    issue = book.by_id(issue_id) if book is not None else None
    if book is None or issue is None:
        raise Refused("not_found", f"The website has no issue {issue_id}.")
    return book, issue


def history(actor: Actor, site_id: str, issue_id: str) -> list[LogEntry]:
    """Return the history of an issue, newest first. Refused: ``not_found``, ``not_allowed``."""
    existing(actor, site_id, "read")
    load(site_id, issue_id)
    return issues.load_log(site_id, issue_id)


def busy() -> Refused:
    """Make the refusal ``busy``: other processes kept changing the website's issues, so the change could not be
    stored."""
    return Refused("busy", "The website's issues keep changing; try again in a moment.")


# Returns the ignored issue, or None if its state does not allow that.
_Ignoring = Callable[[Website, IssueBook, Issue, Ignored], Issue | None]


class _Move(NamedTuple):
    """A change that a person makes to an issue's state. ``moved``: returns the issue after the change, or None if its
    state does not allow the change."""

    kind: EntryKind
    act: str
    in_words: str
    moved: Callable[[Website, IssueBook, Issue, float], Issue | None]


def _move(actor: Actor, site_id: str, issue_id: str, move: _Move) -> Issue:
    existing(actor, site_id, "work")
    for _ in tries():
        book, issue = load(site_id, issue_id)
        # The issues are read before the website. If an audit publishes in between, the write below fails. So the
        # audit's summary is never replaced by an older summary.
        website = existing(actor, site_id, "work")
        now = clock.now()
        moved = move.moved(website, book, issue, now)
        if moved is None:
            said = issue.status.replace("_", " ")
            raise Refused("wrong_state", f"An issue that is {said} cannot be {move.in_words}.")
        after, known = book.with_issue(moved), moved.ignored
        entry = LogEntry(now, issue.id, move.kind, by=actor.person_id)
        if known is not None:
            aside = None if known.aside is None else known.aside.pages
            entry = msgspec.structs.replace(entry, pages=aside, reason=known.reason, until=known.until)
        log = [entry, *issue_log.move(issue, moved, now)]
        state = issues.put_state(site_id, after, replaces=book.version, log=log)
        noted = acts.done(
            issues.TABLE, actor, website.workspace_id, move.act, now, issue.id, _about(website, issue, known)
        )
        try:
            commit([state, noted, *_counted(website, after)])
        except Conflict:
            continue
        return moved
    raise busy()


def _about(website: Website, issue: Issue, ignored: Ignored | None) -> str:
    """Describe the issue for the activity log, with the patterns of ignored addresses."""
    scope = None if ignored is None else ignored.scope
    patterns = "" if scope is None else "".join(f", {pattern}" for pattern in scope.patterns)
    return f"{issue.rule_id} of {website.name}{patterns}"


def _counted(website: Website, book: IssueBook) -> list[Write]:
    """Return the write that updates the website's summary with the counts of these issues."""
    if website.summary is None:
        return []
    return [websites.summarised(website, recounted(website.summary, book.issues, registry.is_critical))]
