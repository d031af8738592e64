"""Issues that audits found: the list, one in full, and its recheck."""

from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec import UNSET

from chalicelib import typed
from chalicelib.api.paging import following
from chalicelib.api.polling import poll_of
from chalicelib.api.refusals import refusal
from chalicelib.api.rule_texts import rule_of, texts_of
from chalicelib.api.shaped import shaped
from chalicelib.api.shapes.issues import (
    Advice,
    AffectedPage,
    ChangeBatch,
    ChangeItem,
    Issue,
    IssueDetail,
    IssueList,
    LastRecheck,
    RecheckQueued,
    SecondField,
    Suggestion,
    TitleTemplate,
)
from chalicelib.api.shapes.values import instant, instant_or_none, site_link
from chalicelib.domain import ids
from chalicelib.domain import suggestion as stored_suggestions
from chalicelib.domain.audit import issues as stored
from chalicelib.domain.audit.issues import OPEN_STATUSES, STATUSES, is_keyword_task
from chalicelib.domain.audit.records import AffectedPage as AffectedPageRow
from chalicelib.domain.changes.batch import Change
from chalicelib.domain.changes.writability import writability
from chalicelib.domain.connections import Writer
from chalicelib.domain.severity import SEVERITIES
from chalicelib.domain.suggestion import WRITABLE_FIELDS
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import not_found
from chalicelib.http.parameters import NoParameters, integer, tokens
from chalicelib.http.parts import Part, listed
from chalicelib.operations import rechecks
from chalicelib.operations.errors import Refused
from chalicelib.rules.keywords import KeywordTask
from chalicelib.rules.model import Rule
from chalicelib.store import issues
from chalicelib.store.changes import Loaded
from chalicelib.store.websites import Website

group = Group("issues", "Issues, the pages they affect, and how to fix them.")

MOST_PAGES: Final = 1_000


@dataclass(frozen=True, slots=True)
class ListParameters:
    status: tuple[str, ...] | None = tokens(
        f"Comma-separated states. Default: `{','.join(one for one in STATUSES if one in OPEN_STATUSES)}`.", STATUSES
    )


@group.get(
    "/sites/{siteId}/issues",
    scope="issues:read",
    parameters=ListParameters,
    answer=IssueList,
    summary="List a website's issues",
)
def list_issues(call: Call[ListParameters]) -> IssueList:
    """Severe issues first, then those that affect most pages. Keyword tasks (`KW-…`) stand in the action list only."""
    book = issues.load_state(call.website.id)
    wanted = OPEN_STATUSES if call.parameters.status is None else frozenset(call.parameters.status)
    found = [
        (issue, rule)
        for issue in (book.issues if book is not None else [])
        if issue.status in wanted
        and not is_keyword_task(issue.rule_id)
        and (rule := rule_of(issue.rule_id)) is not None
    ]
    found.sort(key=lambda pair: (SEVERITIES.index(pair[1].severity), -pair[0].affected_pages, pair[0].rule_id))
    return IssueList(issues=[shaped(Issue, issue, **_listed(call.website.id, issue, rule)) for issue, rule in found])


def _find(call: Call[Any]) -> tuple[stored.Issue, Rule | KeywordTask]:
    _, issue = _find_for_recheck(call)
    rule = texts_of(issue.rule_id)
    if rule is None:
        raise not_found("issue")
    return issue, rule


def _find_for_recheck(call: Call[Any]) -> tuple[stored.IssueBook, stored.Issue]:
    book = issues.load_state(call.website.id)
    issue = book.by_id(call.path["issueId"]) if book is not None else None
    if book is None or issue is None:
        raise not_found("issue")
    return book, issue


@dataclass(frozen=True, slots=True)
class DetailParameters:
    suggestions_offset: int = integer("Where the suggestions begin.", default=0, minimum=0, also="suggestionsOffset")
    suggestions_limit: int = integer(
        "How many suggestions.", default=100, minimum=1, maximum=100, also="suggestionsLimit"
    )
    pages_offset: int = integer("Where the affected pages begin.", default=0, minimum=0, also="pagesOffset")
    pages_limit: int = integer(
        "How many affected pages.", default=MOST_PAGES, minimum=1, maximum=MOST_PAGES, also="pagesLimit"
    )
    changes_offset: int = integer(
        "Where the changes of `lastChange` begin.", default=0, minimum=0, also="changesOffset"
    )


def _cut_suggestions(answer: IssueDetail, count: int, call: Any) -> None:
    answer.suggestions = (answer.suggestions or [])[:count]
    answer.suggestions_next_offset = (answer.suggestions_offset or 0) + count
    answer.suggestions_truncated = True


def _cut_changes(answer: IssueDetail, count: int, call: Any) -> None:
    batch = answer.last_change
    if batch is not None:
        batch.changes = batch.changes[:count]
        batch.changes_next_offset = batch.changes_offset + count
        batch.changes_truncated = True


@group.get(
    "/sites/{siteId}/issues/{issueId}",
    scope="issues:read",
    parameters=DetailParameters,
    answer=IssueDetail,
    find=_find,
    summary="Read one issue",
    parts=(
        listed("pages", "pages_"),
        Part(lambda answer: answer.suggestions or (), _cut_suggestions),
        Part(lambda answer: answer.last_change.changes if answer.last_change else (), _cut_changes),
    ),
)
def read_issue(call: Call[DetailParameters]) -> IssueDetail:
    """The issue with its affected pages, what was seen on each, and how to fix it.

    Pages, suggestions and the changes of `lastChange` are lists that end early before the answer passes 5 MB: read on
    at `pagesNextOffset`, `suggestionsNextOffset` and `changesNextOffset`.
    """
    issue, rule = call.found
    parameters = call.parameters
    detail = issues.load_detail(
        call.website.id, issue, offset=parameters.suggestions_offset, limit=parameters.suggestions_limit
    )
    pages = detail.affected or _of_website(call.website, issue, rule)
    start = parameters.pages_offset
    shown = pages[start : start + parameters.pages_limit]
    return shaped(
        IssueDetail,
        issue,
        **_listed(call.website.id, issue, rule),
        pages=[
            AffectedPage(page.url, page.page_id, page.evidence, instant(page.first_seen), instant(page.last_seen))
            for page in shown
        ],
        pages_total=len(pages),
        pages_offset=start,
        pages_next_offset=following(start, len(shown), len(pages)),
        pages_truncated=start + len(shown) < len(pages),
        fix=rule.fix,
        writable_field=rule.writable_field,
        last_change=None if detail.approved is None else _last_change(detail.approved, parameters.changes_offset),
        **_suggestions(call.website, issue, rule, detail, parameters),
    )


@group.post(
    "/sites/{siteId}/issues/{issueId}/recheck",
    scope="issues:recheck",
    answer=RecheckQueued,
    find=_find_for_recheck,
    errors=("already_queued", "busy", "cannot_recheck"),
    summary="Recheck one issue",
)
def recheck_issue(call: Call[NoParameters]) -> RecheckQueued:
    """Read every page that the issue lists again, fresh, past page caches and CDNs, and judge this rule alone.

    A page that does not answer stays listed. While another crawl of the website runs, the recheck waits for it. Where
    speed tests found the issue, its pages are tested again first, as far as the day's tests go; that takes twelve
    minutes at most.
    """
    book, issue = call.found
    try:
        header = rechecks.start(call.website, issue.id, person_id=call.auth.person_id, now=call.now, book=book)
    except Refused as refused:
        raise (not_found("issue") if refused.code == "not_found" else refusal(refused)) from refused
    wait = "It starts when the crawl that is running has ended." if call.website.place else "It starts at once."
    if header.due_at > call.now:
        wait = "It starts when the pages have been tested again, twelve minutes from now at the latest."
    return RecheckQueued(
        queued=True,
        crawl_id=header.id,
        poll=poll_of(call, header.id),
        note=f"{wait} Read its state under `poll`.",
        link=site_link(call.website.id, "issues", issue.id),
    )


def _of_website(website: Website, issue: stored.Issue, rule: Rule | KeywordTask) -> list[AffectedPageRow]:
    """The page that stands for the whole website: its home page, with the evidence."""
    if rule.scope != "site" or issue.status == "resolved":
        return []
    summary = website.summary
    url = (summary.home_url if summary is not None else None) or website.url
    first_seen, last_seen = int(issue.first_seen), int(issue.last_seen)
    return [AffectedPageRow(url, ids.page_id(website.id, url), issue.evidence or {}, first_seen, last_seen)]


def _listed(site_id: str, issue: stored.Issue, rule: Rule | KeywordTask) -> dict[str, Any]:
    """The members of an issue in a list that the stored issue does not have as they are shown."""
    return {
        "title": rule.title,
        "category": rule.category,
        "severity": rule.severity,
        "confidence": rule.confidence,
        "last_recheck": None if issue.last_recheck is None else _last_recheck(issue.last_recheck),
        "link": site_link(site_id, "issues", issue.id),
    }


def _suggestions(
    website: Website, issue: stored.Issue, rule: Rule | KeywordTask, detail: issues.Detail, parameters: DetailParameters
) -> dict[str, Any]:
    """The members about suggestions; none for a rule whose field nothing can write."""
    if rule.writable_field not in WRITABLE_FIELDS:
        return {"suggestions": UNSET}
    following = parameters.suggestions_offset + parameters.suggestions_limit
    truncated = following < detail.total
    writer = website.connections.writer
    members: dict[str, Any] = {
        "suggestions": [_suggestion(one, rule.writable_field, detail, writer) for one in detail.suggestions],
        "suggestions_total": detail.total,
        "suggestions_offset": parameters.suggestions_offset,
        "suggestions_limit": parameters.suggestions_limit,
        "suggestions_next_offset": following if truncated else None,
        "suggestions_truncated": truncated,
        "suggestions_note": issue.suggestions.note if issue.suggestions is not None else None,
    }
    if rule.shortens_title:
        template = (issue.evidence or {}).get("titleTemplate")
        members["title_template"] = None if template is None else typed.convert(template, TitleTemplate)
    return members


def _suggestion(
    one: stored_suggestions.Suggestion, field: str, detail: issues.Detail, writer: Writer | None
) -> Suggestion:
    writable, reason = writability(one.url, field, detail.published, writer)
    advice = None if one.advice is None else Advice(*msgspec.structs.astuple(one.advice))
    return shaped(
        Suggestion,
        one,
        suggested_from=one.source,
        suggested_note=one.note,
        writable=writable,
        not_writable_reason=UNSET if reason is None else reason,
        advice=advice if field == "meta_description" else UNSET,
        description=UNSET if one.description is None else SecondField(*msgspec.structs.astuple(one.description)),
    )


def _last_change(approved: Loaded, offset: int) -> ChangeBatch:
    batch = approved.batch
    return ChangeBatch(
        batch_id=batch.id,
        approved_by=batch.approved_by or "",
        approved_at=instant(batch.approved_at),
        changes_total=len(approved.changes),
        changes_offset=offset,
        changes_next_offset=None,
        changes_truncated=False,
        changes=[_change(change) for change in approved.changes[offset:]],
    )


def _change(change: Change) -> ChangeItem:
    look = change.look
    return shaped(
        ChangeItem,
        change,
        applied_at=instant_or_none(change.written_at),
        live=None if look is None else look.live,
        live_value=None if look is None else look.value,
        not_live_reason=None if look is None else look.reason,
        live_note=None if look is None else look.note,
        previous=None if change.outcome is None else change.outcome.before,
    )


def _last_recheck(recheck: stored.LastRecheck) -> LastRecheck:
    return shaped(
        LastRecheck,
        recheck,
        linking_pages=UNSET if recheck.linking_pages is None else recheck.linking_pages,
        not_rechecked=recheck.not_rechecked or UNSET,
        note=UNSET if recheck.note is None else recheck.note,
    )
