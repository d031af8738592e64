"""The events that audits and rechecks cause.

An event's id is derived from its cause, such as the audit. So if an audit is reported twice, only one event is sent.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from chalicelib.domain import ids
from chalicelib.domain.audit.issues import Issue, Moved
from chalicelib.domain.audit.publish import score_entry, site_link, tenths
from chalicelib.domain.audit.records import CrawlReport
from chalicelib.domain.audit.summary import ScoreEntry, SiteSummary
from chalicelib.domain.audit.watched import Look
from chalicelib.domain.severity import Severity
from chalicelib.domain.webhooks import bodies, kinds
from chalicelib.domain.webhooks.events import Event

RecheckReason = Literal["still_present", "not_live", "error"]
SCORE_CHANGED_TENTHS = 20  # the least change of the shown score for the event score.changed


@dataclass(frozen=True, slots=True)
class CrawlEvents:
    """Makes the events of one crawl. ``rules`` gives the title and severity of each rule, by rule id."""

    header: CrawlReport
    host: str | None
    app_url: str
    now: float
    rules: Mapping[str, tuple[str, Severity]]

    def of_audit(
        self, moved: list[Moved], open_issues: int, before: ScoreEntry | None, after: ScoreEntry | None
    ) -> list[Event]:
        """Return the events of a published audit. ``before``: the score of the previous audit; ``after``: the score of
        this one."""
        counts = Counter(move.kind for move in moved)
        moves = kinds.IssueMoves(counts["opened"], counts["resolved"], counts["reopened"])
        finished = self.audit_finished(open_issues, after, moves)
        return [*self.moved(moved), finished, *self.score_changed(before, after)]

    def of_recheck(
        self,
        issue: Issue,
        was: Issue,
        *,
        not_live: bool = False,
    ) -> list[Event]:
        """Return the events of a finished recheck.

        - ``issue``: the issue as it is now.
        - ``was``: the issue before the recheck.
        - ``not_live``: whether a written value was not found on the live page.
        """
        last = issue.last_recheck
        assert last is not None
        if issue.status == "ignored":  # only ignored pages still show it
            return []
        if was.status == "resolved":  # an undo may have brought it back
            return self.moved([] if issue.status == "resolved" else [Moved(issue, "reopened", issue.affected_pages)])
        if issue.status == "resolved":
            return self.moved([Moved(issue, "resolved", was.affected_pages)])
        reason: RecheckReason = "not_live" if not_live else "still_present" if last.present else "error"
        return [self.recheck_failed(issue, reason, last.present, last.checked)]

    def moved(self, moved: list[Moved]) -> list[Event]:
        """Return the events issue.resolved and issue.reopened for issues that changed. An issue that opens for the
        first time causes no event."""
        return [
            self._issue_event(
                f"issue.{move.kind}",
                move.issue,
                kinds.IssueMoved(issue=self._moved_issue(move), crawl_id=self.header.id),
            )
            for move in moved
            if move.kind != "opened"
        ]

    def audit_unpublished(self, standing: SiteSummary | None) -> Event:
        """Make the event audit.finished for an audit that published nothing. ``standing``: the website's summary, which
        comes from an earlier audit."""
        if standing is None:
            return self.audit_finished(None, None)
        return self.audit_finished(len(standing.issue_first_seen), score_entry(standing))

    def audit_finished(
        self, open_issues: int | None, score: ScoreEntry | None, changes: kinds.IssueMoves | None = None
    ) -> Event:
        """Make the event audit.finished for an audit that is done, failed or cancelled. ``changes``: None if the audit
        published nothing."""
        shown = kinds.EventScore(
            site=tenths(score.site if score else None),
            health=tenths(score.health if score else None),
            aeo=tenths(score.aeo if score else None),
        )
        members = kinds.AuditFinished(
            crawl_id=self.header.id,
            status=cast(Literal["done", "failed", "cancelled"], self.header.status),
            pages_crawled=self.header.pages_crawled,
            open_issues=open_issues,
            score=shown,
            duration_seconds=_duration(self.header),
            changes=changes,
        )
        return self._event("audit.finished", self.header.id, ("audits", self.header.id), members)

    def score_changed(self, before: ScoreEntry | None, after: ScoreEntry | None) -> list[Event]:
        """Return the event score.changed if both scores were computed by the same version of the formula, and the shown
        numbers differ by two points or more."""
        if before is None or after is None or before.version != after.version:
            return []
        if abs(after.site - before.site) < SCORE_CHANGED_TENTHS:
            return []
        members = kinds.ScoreChanged(
            from_=before.site / 10,
            to=after.site / 10,
            delta=(after.site - before.site) / 10,
            since=bodies.instant(before.computed_at),
        )
        return [self._event("score.changed", self.header.site_id, (), members)]

    def watched(self, look: Look) -> list[Event]:
        """Return the event page.changed if watched pages changed, and crawlers.changed if verdicts for crawlers did."""
        events = []
        if look.pages:
            pages = [kinds.PageChange(*move) for move in look.pages[: kinds.MOST_CHANGES]]
            events.append(
                self._event("page.changed", self.header.site_id, ("pages",), kinds.PageChanged(self.header.id, pages))
            )
        if look.crawlers:
            crawlers = [
                kinds.CrawlerChange(move.bot, _verdict(move.before), _verdict(move.after), move.rule)
                for move in look.crawlers
            ]
            events.append(
                self._event(
                    "crawlers.changed",
                    self.header.site_id,
                    ("ai-readiness",),
                    kinds.CrawlersChanged(self.header.id, crawlers),
                )
            )
        return events

    def recheck_failed(self, issue: Issue, reason: RecheckReason, present: int, checked: int) -> Event:
        """Make the event recheck.failed. There are three reasons: the issue is still there, a fix is not on the live
        page, or the recheck could not run."""
        members = kinds.RecheckFailed(
            issue=self._issue(issue, issue.affected_pages, None),
            reason=reason,
            recheck=kinds.RecheckCounts(present=present, checked=checked),
            crawl_id=self.header.id,
        )
        return self._issue_event("recheck.failed", issue, members)

    def _moved_issue(self, move: Moved) -> kinds.EventIssue:
        if move.kind == "resolved":
            return self._issue(move.issue, 0, move.pages)
        return self._issue(move.issue, move.pages, None)

    def _issue(self, issue: Issue, pages: int, before: int | None) -> kinds.EventIssue:
        title, severity = self.rules[issue.rule_id]
        return kinds.EventIssue(issue.id, issue.rule_id, title, severity, pages, before)

    def _issue_event(self, kind: str, issue: Issue, members: kinds.Members) -> Event:
        return self._event(kind, issue.id, ("issues", issue.id), members)

    def _event(self, kind: str, subject: str, path: tuple[str, ...], members: kinds.Members) -> Event:
        header = self.header
        return Event(
            id=ids.hashed("evt", kind, header.site_id, subject, header.id),
            kind=kind,
            at=self.now,
            workspace_id=header.workspace_id,
            site_id=header.site_id,
            host=self.host,
            link=site_link(self.app_url, header.site_id, *path),
            fields=kinds.fields(members),
        )


def _verdict(allowed: bool) -> kinds.Verdict:
    return "allowed" if allowed else "blocked"


def _duration(header: CrawlReport) -> int | None:
    """Return the seconds between the start and end times as shown; None if the crawl never started."""
    if header.started_at is None or header.finished_at is None:
        return None
    return max(0, math.floor(header.finished_at) - math.floor(header.started_at))
