"""Decides the result of a recheck page by page, and updates the issue, the counts of its rule, and the pages."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from chalicelib.domain.audit.appearing import appearance_of
from chalicelib.domain.audit.evidence import Evidence
from chalicelib.domain.audit.ignoring import Appearance, part
from chalicelib.domain.audit.issues import (
    Happening,
    Issue,
    IssueBook,
    IssueStatus,
    LastRecheck,
    RuleCount,
    next_status,
    shown_nowhere,
    summary_of_site,
)
from chalicelib.domain.audit.link_units import units_of
from chalicelib.domain.audit.publish import counts_by_week
from chalicelib.domain.audit.records import AffectedPage, PageFinding, PageRow
from chalicelib.domain.audit.searched import Searched, Weights

PageOutcome = Literal["present", "passed", "gone", "unread"]


class Reread(NamedTuple):
    """One page of an issue's list, after it was read again.

    - ``outcome``: for example ``gone`` if the page left the website (404, 410, or a redirect to elsewhere), or
      ``unread`` if the page did not answer.
    - ``evidence``: the rule's evidence, if the page still shows the issue.
    - ``why``: why the rule could not judge the page, in the rule's words.
    """

    outcome: PageOutcome
    evidence: Evidence | None = None
    why: str | None = None


class Decision(NamedTuple):
    """The result of a recheck: the issue in its new state, the pages that it still lists, and whether it is
    resolved."""

    issue: Issue
    affected: list[AffectedPage]
    resolved: bool


def why_not(issue: Issue, *, keyword_task: bool, site_rule: bool) -> str | None:
    """Return why this issue cannot be rechecked, in words; None if it can."""
    if keyword_task:
        return "This is a keyword task: it follows from search data and is judged again when new data arrives."
    if issue.status == "resolved":
        return "The issue is resolved: there is nothing to check again. The next audit looks for it."
    if issue.status == "ignored":
        return "The issue is ignored. First stop ignoring it in the app."
    if not site_rule and (issue.affected_pages == 0 or issue.affected_chunks == 0):
        return "The issue lists no pages that could be read again. Start an audit."
    return None


def decide(
    issue: Issue,
    listed: list[AffectedPage],
    outcomes: Mapping[str, Reread],
    *,
    crawl_id: str,
    now: float,
    rows: Mapping[str, PageRow],
    evidence: Evidence | None = None,
    searched: Searched | None = None,
    linking_pages: int | None = None,
    lacking: str | None = None,
    aside: Sequence[AffectedPage] = (),
) -> Decision:
    """Return the result of a recheck after the issue's listed pages were read again.

    - ``outcomes``: the outcome of each listed address.
    - ``rows``: the updated rows of all published pages, by address.
    - ``evidence``: the rule's current evidence about the website as a whole.
    - ``searched``: search figures of each page; None without search data.
    - ``lacking``: why no page could be judged, in words.
    - ``aside``: the ignored pages, which the recheck did not read.

    The issue is resolved only if every page was read and none shows it. A page that did not answer stays listed with
    its earlier evidence. The number of pages that the rule applies to stays fixed. All other fields of the issue are
    computed from the remaining pages.
    """
    affected: list[AffectedPage] = []
    present = unread = 0
    for page in listed:
        reread = outcomes[page.url]
        if reread.outcome == "present":
            present += 1
            seen = reread.evidence if reread.evidence is not None else page.evidence
            affected.append(msgspec.structs.replace(page, evidence=seen, last_seen=int(now)))
        elif reread.outcome == "unread":
            unread += 1
            affected.append(page)
    last = LastRecheck(
        at=now,
        present=present,
        checked=len(listed) - unread,
        crawl_id=crawl_id,
        passed=False if present else None if unread else True,
        linking_pages=linking_pages,
        not_rechecked=unread,
        note=(lacking or _unread_note(unread, len(listed))) if unread else None,
    )
    weights = Weights(rows.values(), searched)

    def appearance(pages: Sequence[AffectedPage]) -> Appearance:
        return appearance_of(pages, issue.applicable_pages, rows, weights, issue.impressions)

    stands = [*affected, *aside]
    if not stands:
        return _decision(_nowhere(issue, site_rule=False), [], last)
    others, seen_of_it, ignored = part(issue.ignored, stands, appearance)
    shown = msgspec.structs.replace(
        issue,
        affected_pages=len(others),
        evidence=evidence if present else issue.evidence,
        last_seen=now if present else issue.last_seen,
        ignored=ignored,
        **msgspec.structs.asdict(seen_of_it),
    )
    return _decision(shown, stands, last)


def decide_site(issue: Issue, reread: Reread, *, crawl_id: str, now: float, note: str | None = None) -> Decision:
    """Return the result of a recheck of a site rule's issue, after the home page and files were read again.

    ``note``: why the issue could not be judged.
    """
    present, checked = reread.outcome == "present", reread.outcome != "unread"
    last = LastRecheck(
        at=now,
        present=int(present),
        checked=int(checked),
        crawl_id=crawl_id,
        passed=not present if checked else None,
        not_rechecked=int(not checked),
        note=None if checked else note,
    )
    if present:
        shown = msgspec.structs.replace(
            issue, affected_pages=1, summary=summary_of_site(reread.evidence), evidence=reread.evidence, last_seen=now
        )
    else:
        shown = _nowhere(issue, site_rule=True) if checked else issue
    return _decision(shown, [], last)


def _nowhere(issue: Issue, *, site_rule: bool) -> Issue:
    """Return the issue without affected pages and evidence, but with its suggestions. An undo may bring the pages back,
    which then need the suggested values again."""
    shown = shown_nowhere(issue, issue.applicable_pages, site_rule=site_rule)
    return msgspec.structs.replace(shown, suggestions=issue.suggestions)


def _decision(shown: Issue, affected: list[AffectedPage], last: LastRecheck) -> Decision:
    """Complete the decision. ``shown``: the issue with its other fields already updated."""
    status = _passed(shown) if last.passed else _found(shown) if last.present else _still(shown)
    resolved_at = shown.resolved_at if shown.status == "resolved" else last.at
    after = msgspec.structs.replace(
        shown,
        status=status,
        last_recheck=last,
        pending_recheck=None,
        resolved_at=resolved_at if status == "resolved" else None,
        affected_crawl=last.crawl_id,
        affected_chunks=0,
    )
    return Decision(after, affected, status == "resolved")


def book_after(book: IssueBook, decision: Decision) -> IssueBook:
    """Return the next version of the website's issue book, with the issue as the recheck decided it, and with the new
    number of pages that the issue's rule affects."""
    issue = decision.issue
    count = book.counts.get(issue.rule_id, RuleCount(issue.applicable_pages, 0))
    units = None if count.units is None else min(count.units, units_of(page.evidence for page in decision.affected))
    counts = {**book.counts, issue.rule_id: RuleCount(count.applicable, issue.whole().affected_pages, units)}
    assert issue.last_recheck is not None
    weeks = counts_by_week(book, issue.last_recheck.at, counts)
    return msgspec.structs.replace(book.with_issue(issue), counts=counts, weeks=weeks)


def renewed_findings(
    rule_id: str, listed: Iterable[AffectedPage], outcomes: Mapping[str, Reread]
) -> dict[str, PageFinding | None]:
    """Return the rule's new finding for each page that could be judged, by page id; None if the rule no longer fires
    there."""
    found: dict[str, PageFinding | None] = {}
    for page in listed:
        reread = outcomes[page.url]
        if reread.outcome == "present":
            found[page.page_id] = PageFinding(rule_id, reread.evidence or page.evidence, page.first_seen)
        elif reread.outcome != "unread":
            found[page.page_id] = None
    return found


def abandoned(issue: Issue) -> Issue:
    """Return the issue after a recheck that did nothing, because an audit or a person had changed the issue's state
    before."""
    return msgspec.structs.replace(issue, status=_still(issue), pending_recheck=None)


def failed(issue: Issue, *, crawl_id: str, now: float, pages: int, note: str) -> Issue:
    """Return the issue after a recheck that could not run: unchanged, with the reason in ``last_recheck``."""
    last = LastRecheck(at=now, present=0, checked=0, crawl_id=crawl_id, passed=None, not_rechecked=pages, note=note)
    return msgspec.structs.replace(issue, status=_still(issue), last_recheck=last, pending_recheck=None)


def _found(issue: Issue) -> IssueStatus:
    """Return the state of an issue that is still found. A resolved issue is rechecked only after an undo, which may
    have brought it back."""
    return next_status(issue.status, "found", "recheck") or _still(issue)


def _still(issue: Issue) -> IssueStatus:
    return next_status(issue.status, "still_present", "recheck") or issue.status


def _passed(issue: Issue) -> IssueStatus:
    """Return the state of an issue that none of the read pages shows. It may remain on ignored pages, or on pages whose
    ignoring ended during the recheck."""
    if issue.affected_pages:
        return _still(issue)
    what: Happening = "not_found" if issue.aside is None else "only_ignored"
    return next_status(issue.status, what, "recheck") or issue.status


def _unread_note(unread: int, listed: int) -> str:
    if unread == listed == 1:
        return "The listed page could not be read, so nothing could be judged. It stays listed."
    if unread == listed:
        return "None of the listed pages could be read, so nothing could be judged. The pages stay listed."
    pages, they = ("1 page", "it stays") if unread == 1 else (f"{unread} pages", "they stay")
    return f"{pages} could not be read and judged; {they} listed with what the last check saw."
