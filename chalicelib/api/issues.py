"""Issues that audits found: lists them, reads one in full, and queues its recheck."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple, get_args

import msgspec
from msgspec import UNSET

from chalicelib import typed
from chalicelib.api import files
from chalicelib.api.paging import following
from chalicelib.api.polling import poll_of
from chalicelib.api.refusals import refusal
from chalicelib.api.rule_texts import rule_of, texts_of
from chalicelib.api.shaped import shaped
from chalicelib.api.shapes.issues import (
    Advice,
    AffectedPage,
    ChangeBatch,
    ChangeGain,
    ChangeItem,
    DescriptionDraft,
    Ignored,
    IgnoredScope,
    Issue,
    IssueDetail,
    IssueEvent,
    IssueFacets,
    IssueHistory,
    IssueList,
    IssueOnPage,
    LastRecheck,
    RecheckQueued,
    SecondField,
    Suggestion,
    TitleTemplate,
)
from chalicelib.api.shapes.values import from_tenths_or_none, instant, instant_or_none, site_link
from chalicelib.domain import suggestion as stored_suggestions
from chalicelib.domain.audit import ignoring
from chalicelib.domain.audit import issues as stored
from chalicelib.domain.audit.issues import OPEN_STATUSES, STATUSES, is_keyword_task
from chalicelib.domain.changes.batch import Change
from chalicelib.domain.changes.writability import writability
from chalicelib.domain.connections import Writer
from chalicelib.domain.page import search
from chalicelib.domain.severity import SEVERITIES
from chalicelib.domain.suggestion import WRITABLE_FIELDS
from chalicelib.http.answers import Answer
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import not_found
from chalicelib.http.parameters import Check, NoParameters, choice, integer, text, tokens
from chalicelib.http.parts import Part, listed
from chalicelib.operations import rechecks
from chalicelib.operations.affected import home_page_of
from chalicelib.operations.errors import Refused
from chalicelib.rules.keywords import KeywordTask
from chalicelib.rules.model import Category, Rule
from chalicelib.store import issue_details, issues
from chalicelib.store.changes import Loaded
from chalicelib.store.websites import Website

group = Group("issues", "Issues, the pages they affect, and how to fix them.")

MOST_PAGES: Final = 1_000
CATEGORIES: Final[tuple[str, ...]] = get_args(Category)


@dataclass(frozen=True, slots=True)
class ListParameters:
    status: tuple[str, ...] | None = tokens(
        f"Comma-separated states. Default: `{','.join(one for one in STATUSES if one in OPEN_STATUSES)}`.", STATUSES
    )
    severity: tuple[str, ...] | None = tokens("Comma-separated severities.", SEVERITIES)
    category: tuple[str, ...] | None = tokens("Comma-separated categories.", CATEGORIES)
    template: str | None = text(
        "The page template of all affected pages, as in an issue's `template`.", maximum=200, minimum=1
    )
    q: str | None = text("Part of the title, the rule's id or the summary; letter case does not matter.", maximum=500)
    format: str = files.file_format()
    rows: str = choice(
        "Rows of a file: one per issue, or one per affected page of each issue.",
        ("issues", "pages"),
        default="issues",
    )

    CHECKS: ClassVar = (
        Check(
            "bad_rows",
            lambda sent: sent.rows == "issues" or sent.format == "csv",
            "{rows} is only for files: send `format=csv` with it.",
            "rows",
        ),
    )

    @property
    def wanted(self) -> "Wanted":
        """The filter that these parameters ask for."""
        return Wanted(
            OPEN_STATUSES if self.status is None else frozenset(self.status),
            None if self.severity is None else frozenset(self.severity),
            None if self.category is None else frozenset(self.category),
            None if self.template is None else frozenset({self.template}),
        )


class Wanted(NamedTuple):
    """The filter of the list of issues. Each field has the values that are accepted; None accepts every value."""

    status: frozenset[str]
    severity: frozenset[str] | None
    category: frozenset[str] | None
    template: frozenset[str] | None


class Found(NamedTuple):
    """An issue and its rule. ``tokens``: the issue's status, severity, category and template, by which the list is
    filtered and counted.
    """

    issue: stored.Issue
    rule: Rule
    tokens: tuple[str, str, str, str | None]  # as in Wanted; None: its pages share no template


@group.get(
    "/sites/{siteId}/issues",
    scope="issues:read",
    parameters=ListParameters,
    answer=IssueList,
    files=(files.CSV,),
    errors=(files.TOO_LARGE,),
    summary="List a website's issues",
)
def list_issues(call: Call[ListParameters]) -> IssueList | Answer:
    """Issues by severity, then by number of affected pages. Keyword tasks (`KW-…`) are only in the action list.

    `counts` has numbers by `status`, `severity`, `category` and `template`. For example, `counts.severity.high` is the
    number of issues with `severity=high` and the other parameters as sent.

    `format=csv` gives the list as a file. With `rows=pages` the file has a row for each affected page of each issue.
    """
    sent, site = call.parameters, call.website
    book = issues.load_state(site.id)
    wanted, matching = sent.wanted, [] if book is None else _matching(book, sent)
    chosen = _chosen(matching, wanted)
    if sent.rows == "pages":
        return files.of_shapes("issues-pages", site.host, IssueOnPage, _on_pages(site, chosen))
    listed = [shaped(Issue, one.issue, **_listed(site.id, one.issue, one.rule)) for one in chosen]
    if sent.format == "csv":
        return files.of_shapes("issues", site.host, Issue, listed)
    return IssueList(counts=None if book is None else _facets(matching, wanted), issues=listed)


def _on_pages(website: Website, chosen: Sequence[Found]) -> Iterator[IssueOnPage]:
    """Yield each issue once for each of its affected pages."""
    rules = {one.issue.id: one.rule for one in chosen}
    for issue, affected in issues.load_affected_of(website.id, [one.issue for one in chosen]):
        rule = rules[issue.id]
        for page in affected or home_page_of(website, issue, rule.scope):
            yield IssueOnPage(
                issue_id=issue.id,
                rule_id=issue.rule_id,
                title=rule.title,
                category=rule.category,
                severity=rule.severity,
                status=issue.status,
                url=page.url,
                page_id=page.page_id,
                evidence=page.evidence,
                first_seen=instant(page.first_seen),
                last_seen=instant(page.last_seen),
            )


def _matching(book: stored.IssueBook, sent: ListParameters) -> list[Found]:
    """Return the issues that contain the search text, ignoring the filters."""
    looked_for = search.wanted(sent.q)
    return [
        Found(issue, rule, (issue.status, rule.severity, rule.category, issue.template))
        for issue in book.issues
        if not is_keyword_task(issue.rule_id)
        and (rule := rule_of(issue.rule_id)) is not None
        and looked_for.finds(f"{issue.rule_id} {issue.summary}", rule.title)
    ]


def _chosen(found: Iterable[Found], wanted: Wanted) -> list[Found]:
    """Return the issues that pass the filter, the most severe first, then by number of affected pages."""
    chosen = [one for one in found if all(_lets(wanted, one).values())]
    chosen.sort(key=lambda one: (SEVERITIES.index(one.rule.severity), -one.issue.affected_pages, one.issue.rule_id))
    return chosen


def _lets(wanted: Wanted, one: Found) -> dict[str, bool]:
    """Return for each member whether the filter accepts the issue."""
    return {
        member: tokens is None or token in tokens
        for member, tokens, token in zip(Wanted._fields, wanted, one.tokens, strict=True)
    }


def _facets(found: Iterable[Found], wanted: Wanted) -> IssueFacets:
    """Return how many issues each token of a member would list, ignoring the filter of that member. For templates, only
    those that an issue has."""
    counted: dict[str, Counter[str]] = {member: Counter() for member in Wanted._fields}
    for one in found:
        lets = _lets(wanted, one)
        for member, token in zip(Wanted._fields, one.tokens, strict=True):
            if token is not None and all(let for other, let in lets.items() if other != member):
                counted[member][token] += 1
    every = {
        "status": STATUSES,
        "severity": SEVERITIES,
        "category": CATEGORIES,
        "template": sorted(counted["template"]),
    }
    return IssueFacets(**{member: {token: counted[member][token] for token in every[member]} for member in every})


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
    suggestions_offset: int = integer("First suggestion to list.", default=0, minimum=0, also="suggestionsOffset")
    suggestions_limit: int = integer(
        "How many suggestions.", default=100, minimum=1, maximum=100, also="suggestionsLimit"
    )
    pages_offset: int = integer("First affected page to list.", default=0, minimum=0, also="pagesOffset")
    pages_limit: int = integer(
        "Number of affected pages to list.", default=MOST_PAGES, minimum=1, maximum=MOST_PAGES, also="pagesLimit"
    )
    changes_offset: int = integer("First change to list in `lastChange`.", default=0, minimum=0, also="changesOffset")


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

    The lists of pages, of suggestions and of the changes in `lastChange` are cut if the answer would pass 5 MB. The
    rest begins at `pagesNextOffset`, `suggestionsNextOffset` and `changesNextOffset`.
    """
    issue, rule = call.found
    parameters = call.parameters
    detail = issue_details.load(
        call.website.id, issue, offset=parameters.suggestions_offset, limit=parameters.suggestions_limit
    )
    pages = detail.affected or home_page_of(call.website, issue, rule.scope)
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


@dataclass(frozen=True, slots=True)
class HistoryParameters:
    offset: int = integer("First item to list.", default=0, minimum=0)
    limit: int = integer("How many entries.", default=100, minimum=1, maximum=1_000)


@group.get(
    "/sites/{siteId}/issues/{issueId}/history",
    scope="issues:read",
    parameters=HistoryParameters,
    answer=IssueHistory,
    find=_find,
    summary="Read what happened to one issue",
    parts=(listed("events"),),
)
def read_issue_history(call: Call[HistoryParameters]) -> IssueHistory:
    """The events of the issue in the last 400 days, newest first: found, rechecked, changed, resolved, reopened,
    ignored. Older events are deleted, so the history of an old issue lacks its beginning.
    """
    issue, _ = call.found
    log, start = issues.load_log(call.website.id, issue.id), call.parameters.offset
    shown = log[start : start + call.parameters.limit]
    return IssueHistory(
        issue_id=issue.id,
        total=len(log),
        offset=start,
        next_offset=following(start, len(shown), len(log)),
        truncated=False,
        events=[shaped(IssueEvent, entry) for entry in shown],
        link=site_link(call.website.id, "issues", issue.id),
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
    """Read every page of the issue again, bypassing page caches and CDNs, and judge them by the issue's rule only.

    A page that does not answer stays listed. While another crawl of the website runs, the recheck waits for its end. If
    speed tests found the issue, its pages are tested again first, within the day's limit of tests and in at most twelve
    minutes.
    """
    book, issue = call.found
    try:
        header = rechecks.start(call.website, issue.id, person_id=call.auth.person_id, now=call.now, book=book)
    except Refused as refused:
        raise (not_found("issue") if refused.code == "not_found" else refusal(refused)) from refused
    wait = "The recheck starts after the running crawl." if call.website.place else "The recheck starts at once."
    if header.due_at > call.now:
        wait = "The recheck starts after the pages have been tested again, in twelve minutes at the latest."
    return RecheckQueued(
        queued=True,
        crawl_id=header.id,
        poll=poll_of(call, header.id),
        note=f"{wait} Read its state at the address in `poll`.",
        link=site_link(call.website.id, "issues", issue.id),
    )


def _listed(site_id: str, issue: stored.Issue, rule: Rule | KeywordTask) -> dict[str, Any]:
    """Return the members of a listed issue that the stored issue lacks, or has in another form."""
    return {
        "title": rule.title,
        "category": rule.category,
        "severity": rule.severity,
        "confidence": rule.confidence,
        "resolved_at": instant_or_none(issue.resolved_at) if issue.status == "resolved" else None,
        "last_recheck": None if issue.last_recheck is None else _last_recheck(issue.last_recheck),
        "ignored": None if issue.ignored is None else _ignored(issue.ignored),
        "link": site_link(site_id, "issues", issue.id),
    }


def _ignored(ignored: ignoring.Ignored) -> Ignored:
    scope, aside = ignored.scope, ignored.aside
    return shaped(
        Ignored,
        ignored,
        scope=None if scope is None else IgnoredScope(page_ids=list(scope.pages), patterns=list(scope.patterns)),
        pages=0 if aside is None else aside.pages,
    )


def _suggestions(
    website: Website,
    issue: stored.Issue,
    rule: Rule | KeywordTask,
    detail: issue_details.Detail,
    parameters: DetailParameters,
) -> dict[str, Any]:
    """Return the members about suggestions; none for a rule whose field cannot be written."""
    if rule.writable_field not in WRITABLE_FIELDS:
        return {"suggestions": UNSET}
    following = parameters.suggestions_offset + parameters.suggestions_limit
    truncated = following < detail.total
    writer = website.connections.writer
    drafts = _drafts(website, rule, detail)
    members: dict[str, Any] = {
        "suggestions": [
            _suggestion(one, rule.writable_field, detail, writer, drafts.get(one.page_id)) for one in detail.suggestions
        ],
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


def _drafts(
    website: Website, rule: Rule | KeywordTask, detail: issue_details.Detail
) -> dict[str, stored_suggestions.Draft]:
    """Return the drafts for shown pages without a suggestion, by page id."""
    found = {} if rule.writable_field != "meta_description" else detail.drafts
    shown = {one.page_id for one in detail.suggestions if one.suggested is None}
    wanted = {page_id: draft for page_id, draft in found.items() if page_id in shown}
    if not wanted:
        return {}
    # Most issues have none, and are read without loading what drafts need.
    from chalicelib.operations import drafts

    return drafts.current(website, wanted)


def _suggestion(
    one: stored_suggestions.Suggestion,
    field: str,
    detail: issue_details.Detail,
    writer: Writer | None,
    draft: stored_suggestions.Draft | None,
) -> Suggestion:
    writable, reason = writability(one.url, field, detail.published_by(writer), writer)
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
        draft=UNSET if draft is None else shaped(DescriptionDraft, draft),
    )


def _last_change(approved: Loaded, offset: int) -> ChangeBatch:
    batch = approved.batch
    return ChangeBatch(
        batch_id=batch.id,
        approved_by=batch.approved_by or "",
        approved_at=instant(batch.approved_at),
        gain=ChangeGain(from_tenths_or_none(batch.gain_promised), from_tenths_or_none(batch.gain_seen)),
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
