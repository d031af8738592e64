"""What a recheck of one issue decides, page by page, and what becomes of the issue, the book and the pages."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import msgspec

from chalicelib.domain.audit.issues import Issue, IssueBook, IssueStatus, LastRecheck, RuleCount, next_status
from chalicelib.domain.audit.records import AffectedPage, PageFinding, PageRow
from chalicelib.domain.page.facts import PageFacts

PageOutcome = Literal["present", "passed", "gone", "unread"]


class Reread(NamedTuple):
    """One listed page, read again. ``evidence`` is what the rule saw, when the page still shows the issue.

    ``gone``: the page left the website (404, 410, or it redirects away); ``unread``: it did not answer.
    ``redirects`` and ``redirects_end`` as of ``PageRow``: where it leads, as far as is known now.
    """

    outcome: PageOutcome
    evidence: dict[str, object] | None = None
    redirects: tuple[str, ...] = ()
    redirects_end: str | None = None


class Decision(NamedTuple):
    """The issue after the recheck, the pages it still lists, and what happened to it."""

    issue: Issue
    affected: list[AffectedPage]
    resolved: bool


def why_not(issue: Issue, *, keyword_task: bool) -> str | None:
    """Why this issue cannot be rechecked, in words; None when it can."""
    if keyword_task:
        return "This is a keyword task: it follows from search data and is judged again when new data arrives."
    if issue.status == "resolved":
        return "The issue is resolved: there is nothing to check again. The next audit looks for it."
    if issue.status == "ignored":
        return "The issue is ignored. Take it back in the app first."
    if issue.affected_pages == 0 or issue.affected_chunks == 0:
        return "The issue lists no pages that could be read again; it is about the website as a whole. Start an audit."
    return None


def decide(
    issue: Issue,
    listed: list[AffectedPage],
    outcomes: Mapping[str, Reread],
    *,
    crawl_id: str,
    now: float,
    linking_pages: int | None = None,
    note: str | None = None,
) -> Decision:
    """The issue after its listed pages were read again. ``outcomes`` has one entry for each address.

    It is resolved only when no page shows it any more and every page was read. A page that did not answer stays
    listed with what the last check saw. The applicable pages stay as they were: the population is frozen.
    """
    affected: list[AffectedPage] = []
    present = unread = 0
    for page in listed:
        reread = outcomes[page.url]
        if reread.outcome == "present":
            present += 1
            evidence = reread.evidence if reread.evidence is not None else page.evidence
            affected.append(msgspec.structs.replace(page, evidence=evidence, last_seen=int(now)))
        elif reread.outcome == "unread":
            unread += 1
            affected.append(page)
    passed = False if present else None if unread else True
    last = LastRecheck(
        at=now,
        present=present,
        checked=len(listed) - unread,
        crawl_id=crawl_id,
        passed=passed,
        linking_pages=linking_pages,
        not_rechecked=unread,
        note=note or (_unread_note(unread, len(listed)) if unread else None),
    )
    status = _gone(issue) if passed else _still(issue)
    after = msgspec.structs.replace(
        issue,
        status=status,
        affected_pages=len(affected),
        last_seen=now if present else issue.last_seen,
        last_recheck=last,
        pending_recheck=None,
        resolved_at=now if status == "resolved" else None,
        affected_crawl=crawl_id,
        affected_chunks=0,
    )
    return Decision(after, affected, status == "resolved")


def book_after(book: IssueBook, decision: Decision) -> IssueBook:
    """The next version of the book: the issue as decided, and its rule's affected pages counted anew."""
    issue = decision.issue
    count = book.counts.get(issue.rule_id, RuleCount(issue.applicable_pages, 0))
    counts = {**book.counts, issue.rule_id: RuleCount(count.applicable, len(decision.affected))}
    return msgspec.structs.replace(book.with_issue(issue), counts=counts)


def renewed_rows(
    published: Mapping[str, PageRow],
    read: Iterable[tuple[PageFacts, int]],
    outcomes: Mapping[str, Reread],
    crawl_id: str,
) -> dict[str, PageRow]:
    """The rows of the published pages that were read again, by page id. ``published``: all rows by address; ``read``:
    the fresh facts, each with the number of the block that the recheck ``crawl_id`` stored it in."""
    rows: dict[str, PageRow] = {}
    for facts, block in read:
        old = published.get(facts.url)
        if old is not None:
            redirects, end = _renewed_redirects(old, outcomes[facts.url])
            rows[old.id] = msgspec.structs.replace(
                old,
                status=facts.status,
                title=facts.title,
                last_crawled=facts.fetched_at,
                facts_crawl=crawl_id,
                facts_block=block,
                redirects=redirects,
                redirects_end=end,
            )
    return rows


def _renewed_redirects(old: PageRow, now: Reread) -> tuple[list[str], str | None]:
    """Where the page leads now. A recheck asks for fewer addresses than an audit: where it lost sight of a redirect
    that begins as it did, what the audit followed stands."""
    if now.redirects_end == "unread" and old.redirects[:1] == list(now.redirects[:1]):
        return old.redirects, old.redirects_end
    return list(now.redirects), now.redirects_end


def renewed_findings(
    rule_id: str, listed: Iterable[AffectedPage], outcomes: Mapping[str, Reread]
) -> dict[str, PageFinding | None]:
    """What the rule says now of the pages that could be judged, by page id. None: nothing any more."""
    found: dict[str, PageFinding | None] = {}
    for page in listed:
        reread = outcomes[page.url]
        if reread.outcome == "present":
            found[page.page_id] = PageFinding(rule_id, reread.evidence or page.evidence, page.first_seen)
        elif reread.outcome != "unread":
            found[page.page_id] = None
    return found


def abandoned(issue: Issue) -> Issue:
    """The issue after a recheck that had nothing to check any more (an audit, or a person, moved the issue first)."""
    return msgspec.structs.replace(issue, status=_still(issue), pending_recheck=None)


def failed(issue: Issue, *, crawl_id: str, now: float, pages: int, note: str) -> Issue:
    """The issue after a recheck that could not run: it stays as it was, and says why."""
    last = LastRecheck(at=now, present=0, checked=0, crawl_id=crawl_id, passed=None, not_rechecked=pages, note=note)
    return msgspec.structs.replace(issue, status=_still(issue), last_recheck=last, pending_recheck=None)


def _still(issue: Issue) -> IssueStatus:
    return next_status(issue.status, "still_present", "recheck") or issue.status


def _gone(issue: Issue) -> IssueStatus:
    return next_status(issue.status, "not_found", "recheck") or issue.status


def _unread_note(unread: int, listed: int) -> str:
    if unread == listed == 1:
        return "The listed page did not answer, so nothing could be judged. It stays listed."
    if unread == listed:
        return "None of the listed pages answered, so nothing could be judged. The pages stay listed."
    pages, they = ("1 page", "it stays") if unread == 1 else (f"{unread} pages", "they stay")
    return f"{pages} did not answer and could not be judged; {they} listed with what the last check saw."
