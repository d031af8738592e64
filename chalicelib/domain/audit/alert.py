"""Computes the result of an alert: the CMS reports that pages changed, and the service reads these pages again.

The facts of each changed page before and now are compared, and the issues are updated. If a rule has the same verdict
before and now, its issue does not change. An audit knows more about a page than an alert does, so an alert neither
opens nor resolves an issue that it cannot judge.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib.domain.audit.appearing import appearance_of
from chalicelib.domain.audit.evidence import Evidence
from chalicelib.domain.audit.ignoring import Appearance, part
from chalicelib.domain.audit.issues import Issue, IssueBook, RuleCount, RuleOutcome
from chalicelib.domain.audit.link_units import units_of
from chalicelib.domain.audit.publish import counts_by_week
from chalicelib.domain.audit.records import AffectedPage, PageFinding, PageRow
from chalicelib.domain.audit.searched import Searched, Weights

MOST_ADDRESSES: Final = 500  # of one alert
MOST_CHARACTERS: Final = 300_000  # of an alert's addresses together: one item stores them
MOST_WAITING: Final = 10  # waiting alerts of a website, all but the last full; further addresses are refused
GATHER_SECONDS: Final = 30.0  # an alert waits this long for further addresses


def shared_out(waiting: Sequence[str], sent: Iterable[str]) -> list[list[str]]:
    """Distribute addresses among alerts, each address once.

    ``waiting``: the addresses that the first alert already has. It gets addresses from ``sent`` until it is full; new
    alerts get the rest.
    """
    alerts = [list(waiting)]
    known, characters = set(waiting), sum(map(len, waiting))
    for url in sent:
        if url in known:
            continue
        known.add(url)
        if len(alerts[-1]) >= MOST_ADDRESSES or characters + len(url) > MOST_CHARACTERS:
            alerts.append([])
            characters = 0
        alerts[-1].append(url)
        characters += len(url)
    return alerts


class PageChange(NamedTuple):
    """A page that was read again, and how its findings changed.

    - ``shows``: the evidence of each rule that fires on the page now.
    - ``came``: the rules that fire on it now and did not fire before.
    - ``joined``: the rules in ``came`` that did not apply to the page before.
    - ``went``: the rules that fired before and no longer fire.

    For rules that are in none of these, the page's findings are unchanged.
    """

    url: str
    page_id: str
    seen_at: int
    shows: Mapping[str, Evidence]
    came: frozenset[str]
    joined: frozenset[str]
    went: frozenset[str]

    def findings(self, stored: Iterable[PageFinding]) -> list[PageFinding]:
        """Return the page's findings after the alert. ``stored``: its findings before."""
        kept = [
            PageFinding(old.rule_id, self.shows.get(old.rule_id, old.evidence), old.first_seen)
            for old in stored
            if old.rule_id not in self.went
        ]
        known = {finding.rule_id for finding in kept}
        new = sorted(self.came - known)
        return [*kept, *(PageFinding(rule_id, self.shows[rule_id], self.seen_at) for rule_id in new)]


def touched(stored: Mapping[str, Sequence[PageFinding]], changes: Iterable[PageChange]) -> set[str]:
    """Return the ids of the rules whose issues the alert changes. ``stored``: the published findings of the pages, by
    page id."""
    rules: set[str] = set()
    for change in changes:
        said = change.shows.keys() | change.went
        rules |= change.came
        rules.update(found.rule_id for found in stored.get(change.page_id, ()) if found.rule_id in said)
    return rules


def outcome(
    rule_id: str,
    issue: Issue | None,
    count: RuleCount,
    listed: Sequence[AffectedPage],
    changes: Mapping[str, PageChange],
    *,
    rows: Mapping[str, PageRow],
    evidence: Evidence | None,
    searched: Searched | None = None,
) -> RuleOutcome:
    """Return the result of a page rule after an alert.

    - ``issue``: the issue before the alert.
    - ``listed``: the pages of the issue before the alert.
    - ``changes``: the changed pages, by address.
    - ``rows``: the updated rows of all published pages, by address.
    - ``evidence``: the rule's evidence about the website as a whole.
    - ``searched``: search figures of each page; None without search data.

    The number of pages to which the rule applies stays the same, except that a page is added if it shows the issue now
    and the rule did not apply to it before.
    """
    before = {page.url for page in listed}
    affected = [page for old in listed if (page := _page_after(rule_id, old, changes.get(old.url))) is not None]
    came = [change for change in changes.values() if rule_id in change.came and change.url not in before]
    affected += [
        AffectedPage(change.url, change.page_id, change.shows[rule_id], change.seen_at, change.seen_at)
        for change in came
    ]
    affected.sort(key=lambda page: page.url)
    joined = sum(rule_id in change.joined for change in came)
    # Limited to the website's pages, because a page that comes and goes joins again each time.
    applicable = max(min(count.applicable + joined, len(rows)), count.applicable, len(affected))
    weights = Weights(rows.values(), searched)

    def appearance(pages: Sequence[AffectedPage]) -> Appearance:
        return appearance_of(pages, applicable, rows, weights, 0 if issue is None else issue.impressions)

    _, shown, ignored = part(None if issue is None else issue.ignored, affected, appearance)
    return RuleOutcome(
        rule_id=rule_id,
        applicable=applicable,
        affected=affected,
        summary=shown.summary,
        template=shown.template,
        evidence=evidence or (issue.evidence if issue is not None else None),
        importance=shown.importance,
        impressions=shown.impressions,
        cause=issue.cause if issue is not None else None,
        units=_units_after(count.units, listed, affected),
        ignored=ignored,
    )


def _units_after(before: int | None, listed: Sequence[AffectedPage], affected: Sequence[AffectedPage]) -> int | None:
    """Return the units of all affected pages now: the units ``before``, corrected by the difference between the two
    lists."""
    if before is None:
        return None
    if not affected:
        return 0
    moved = units_of(page.evidence for page in affected) - units_of(page.evidence for page in listed)
    return max(0, before + moved)


def _page_after(rule_id: str, page: AffectedPage, change: PageChange | None) -> AffectedPage | None:
    if change is None or rule_id not in change.shows:
        return None if change is not None and rule_id in change.went else page
    return msgspec.structs.replace(page, evidence=change.shows[rule_id], last_seen=change.seen_at)


def book_after(book: IssueBook, issues: list[Issue], outcomes: Iterable[RuleOutcome], now: float) -> IssueBook:
    """Return the next version of the website's issue book (all its issues and counts), with these issues and the new
    counts of each rule that the alert judged.

    A category that had no data before the alert counts as measured from now on. ``now``: when the alert's score is
    computed.
    """
    judged = [outcome for outcome in outcomes if outcome.judged]
    counts = {
        outcome.rule_id: RuleCount(outcome.applicable, len(outcome.affected), outcome.units) for outcome in judged
    }
    with_data = {outcome.rule_id.split("-")[1] for outcome in judged if outcome.applicable}
    all_counts = {**book.counts, **counts}
    return msgspec.structs.replace(
        book,
        version=book.version + 1,
        issues=issues,
        counts=all_counts,
        measured=sorted(with_data.union(book.measured)),
        weeks=counts_by_week(book, now, all_counts),
    )
