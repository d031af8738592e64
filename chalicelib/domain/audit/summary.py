"""The summary of a website's last audit. It is part of the website record, so that lists of websites need not read it
separately."""

from collections import Counter

import msgspec

from chalicelib.domain.audit.records import Coverage


class CategoryScore(msgspec.Struct, array_like=True, gc=False):
    """The score of one category.

    - ``score``: the score in tenths of a point.
    - ``weight``: the category's share of its side of the score (health or AEO), in per cent.
    """

    category: str
    score: int
    weight: float
    open_issues: int


class ScoreEntry(msgspec.Struct, array_like=True, gc=False):
    """A published score. ``site``, ``health`` and ``aeo`` are in tenths of a point, and None if not measured."""

    site: int
    health: int
    aeo: int | None
    version: str
    computed_at: float
    audit_id: str | None = None


class RuleLoss(msgspec.Struct, array_like=True, gc=False):
    """How much the findings of one rule lower the score, in tenths of a point."""

    rule_id: str
    points: int


class CurrentScore(msgspec.Struct):
    """The current score.

    - ``coverage``: per cent of the known pages that were read.
    - ``losses``: the points that each rule costs. They add up to 1000 minus the score. None for a score of an earlier
      version, which had no losses per rule.
    """

    entry: ScoreEntry
    coverage: float
    confidence: str
    categories: list[CategoryScore]
    losses: list[RuleLoss] | None = None


class LastAudit(msgspec.Struct):
    id: str
    finished_at: float
    pages_crawled: int
    partial_reason: str | None
    coverage: Coverage | None


class Generation(msgspec.Struct):
    """The published set of pages: the crawl that made it, and into how many parts its rows are divided."""

    crawl_id: str
    partitions: int
    pages: int


class Returning(msgspec.Struct, array_like=True, frozen=True):
    """An ignored issue that will stop being ignored at the time ``until``. ``category``: None for a keyword task."""

    until: float
    first_seen: float
    critical: bool
    category: str | None


class SiteSummary(msgspec.Struct):
    """The data about audits that the portfolio and the website's overview show.

    ``issue_first_seen`` has one time (epoch seconds) for each open issue, and ``action_first_seen`` one for each open
    action. When the summary is read, "new this week" and "waiting 14 days or more" are computed from these times.
    """

    generation: Generation
    score: CurrentScore | None
    previous_audit: ScoreEntry | None
    history: list[ScoreEntry]  # the last score of each week, oldest first, 13 weeks
    critical_issues: int
    issue_first_seen: list[float]
    action_first_seen: list[float]
    last_audit: LastAudit | None
    measured: list[str] = []  # categories that have ever had data
    home_url: str | None = None  # where the home page finally answered
    # The scores of audits, rechecks and alerts in the last week, and one older score, oldest first.
    recent: list[ScoreEntry] = []
    inputs: list[str] = []  # names of the inputs that the audit used in addition to its crawl
    # The score that the last audit ended with. None in rows from before 2026-12: their history holds only audits.
    audited: ScoreEntry | None = None
    notice: str | None = None  # why the last audit understood little of the website, in a sentence
    returning: list[Returning] = []  # ignored issues that are ignored only until a set time

    def as_of(self, now: float) -> "SiteSummary":
        """Return the summary as it is at the time ``now``. An issue that was ignored until a date in the past is
        counted again."""
        back = [one for one in self.returning if one.until <= now]
        if not back:
            return self
        of_rules = [one for one in back if one.category is not None]
        score = self.score
        if score is not None:
            added = Counter(one.category for one in of_rules)
            categories = [
                msgspec.structs.replace(part, open_issues=part.open_issues + added[part.category])
                for part in score.categories
            ]
            score = msgspec.structs.replace(score, categories=categories)
        return msgspec.structs.replace(
            self,
            score=score,
            critical_issues=self.critical_issues + sum(one.critical for one in of_rules),
            issue_first_seen=[*self.issue_first_seen, *(one.first_seen for one in of_rules)],
            action_first_seen=[*self.action_first_seen, *(one.first_seen for one in back)],
            returning=[one for one in self.returning if one.until > now],
        )
