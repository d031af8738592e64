"""Updates keyword tasks among a website's issues from new data. Audits and rechecks do not change these tasks."""

from collections.abc import Mapping, Sequence

import msgspec

from chalicelib.domain import ids
from chalicelib.domain.audit.issues import Issue, IssueBook, RuleOutcome, StoredLists, merge, next_status


def book_after_data(
    book: IssueBook,
    outcomes: Sequence[RuleOutcome],
    clicks_to_win: Mapping[str, float | None],
    *,
    site_id: str,
    stored_as: str,
    stored: Mapping[str, StoredLists],
    now: float,
) -> IssueBook:
    """Return the next version of the website's issues, with updated keyword tasks. ``stored_as``: the id under which
    the pages of the tasks are stored.

    A task without pages is resolved. A resolved task is reopened if the new data has pages for it again. A task with
    approved changes becomes open again if the new data still supports it. An ignored task stays ignored.
    """
    before = {issue.rule_id: issue for issue in book.issues}
    issue_ids = {outcome.rule_id: ids.issue_id(site_id, outcome.rule_id) for outcome in outcomes}
    merged, _ = merge(book, list(outcomes), issue_ids=issue_ids, crawl_id=stored_as, now=now, stored=stored)
    judged = {outcome.rule_id: outcome for outcome in outcomes}
    issues = [
        _of_task(issue, judged[issue.rule_id], before.get(issue.rule_id), clicks_to_win.get(issue.rule_id))
        if issue.rule_id in judged
        else issue
        for issue in merged
    ]
    return msgspec.structs.replace(book, version=book.version + 1, issues=issues)


def _of_task(issue: Issue, outcome: RuleOutcome, before: Issue | None, clicks: float | None) -> Issue:
    status = issue.status
    if outcome.found and before is not None:
        status = next_status(before.status, "found_again", "data") or status
    clicks_to_win = clicks if outcome.found else None
    return msgspec.structs.replace(issue, status=status, summary=outcome.summary, clicks_to_win=clicks_to_win)
