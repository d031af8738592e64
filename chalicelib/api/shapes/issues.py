"""Issues, the pages they affect, and suggested values."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.values import (
    Address,
    AffectedPages,
    AppLink,
    ApprovedAt,
    BatchId,
    ChangeKey,
    Count,
    CrawlId,
    FirstSeen,
    IssueId,
    IssueTitle,
    LastSeen,
    NextOffset,
    Offset,
    PageId,
    PageUrl,
    Person,
    Poll,
    RuleId,
    Timestamp,
    Total,
    Truncated,
)
from chalicelib.domain.audit.issue_log import EntryKind
from chalicelib.domain.audit.issues import IssueStatus
from chalicelib.domain.changes.batch import ChangeStatus
from chalicelib.domain.severity import Severity
from chalicelib.domain.suggestion import PageField, SuggestedFrom, WritableField
from chalicelib.http.answers import Shape
from chalicelib.rules.model import Category, Confidence

Evidence = Annotated[dict[str, Any], Meta(description="What was seen: `message` in words, with supporting values.")]


class LastRecheck(Shape):
    """The result of the last recheck."""

    at: Annotated[Timestamp, Meta(description="When it ended.")]
    present: Annotated[Count, Meta(description="The number of read pages that still show the issue.")]
    checked: Annotated[Count, Meta(description="Pages that were read.")]
    crawl_id: CrawlId
    passed: Annotated[
        bool | None,
        Meta(description="Whether the issue is gone. Null: no page shows it, but some pages could not be read."),
    ]
    linking_pages: Annotated[Count, Meta(description="Pages that link to the address.")] | UnsetType = UNSET
    not_rechecked: Annotated[Count, Meta(description="Pages that could not be read; they stay listed.")] | UnsetType = (
        UNSET
    )
    note: Annotated[str, Meta(description="Why the recheck could not judge the issue.")] | UnsetType = UNSET


class IgnoredScope(Shape):
    """The pages on which an issue is ignored."""

    page_ids: Annotated[list[str], Meta(description="Ids of pages.")]
    patterns: Annotated[list[str], Meta(description="Paths; `*` for any characters.")]


class Ignored(Shape):
    """A person's decision to ignore the issue, which still counts in the score."""

    at: Annotated[Timestamp, Meta(description="When the issue was ignored.")]
    by: Person
    reason: Annotated[str | None, Meta(description="The reason that the person gave; null: none.")]
    until: Annotated[Timestamp | None, Meta(description="When the issue opens again; null: never.")]
    scope: Annotated[
        IgnoredScope | None,
        Meta(
            description="The ignored pages; null: all pages. If it is not null, the issue's other members "
            "describe only the pages that are not ignored."
        ),
    ]
    pages: Annotated[Count, Meta(description="How many of the issue's pages `scope` covers now; 0 without `scope`.")]


class Issue(Shape):
    """A rule that a website breaks."""

    id: IssueId
    rule_id: RuleId
    title: IssueTitle
    category: Annotated[Category | Literal["KW"], Meta(description="The group of rules; `KW` for keyword tasks.")]
    severity: Severity
    confidence: Annotated[Confidence, Meta(description="How sure the finding is.")]
    status: IssueStatus
    affected_pages: AffectedPages
    template: Annotated[str | None, Meta(description="The page template that all affected pages share.")]
    summary: Annotated[str, Meta(description="What was found, in a sentence.")]
    first_seen: FirstSeen
    last_seen: LastSeen
    last_recheck: LastRecheck | None
    resolved_at: Annotated[
        Timestamp | None,
        Meta(description="When the issue was resolved. Null: it is not resolved, or the time is not known."),
    ]
    ignored: Annotated[
        Ignored | None,
        Meta(description="What is ignored. Null: nothing is ignored, or the time is not known."),
    ]
    link: AppLink


class IssueFacets(Shape):
    """How many issues have each value of a parameter, among those that match the other parameters."""

    status: Annotated[dict[str, Count], Meta(description="Issues by status.")]
    severity: Annotated[dict[str, Count], Meta(description="Issues by severity.")]
    category: Annotated[dict[str, Count], Meta(description="Issues by category.")]
    template: Annotated[dict[str, Count], Meta(description="Page templates that all affected pages of an issue share.")]


class IssueList(Shape):
    """Issues of a website, by severity and then by affected pages. ``counts`` is null before the first audit."""

    counts: IssueFacets | None
    issues: Annotated[list[Issue], Meta(description="The issues.")]


class AffectedPage(Shape):
    """A page that the issue lists."""

    url: PageUrl
    page_id: PageId
    evidence: Evidence
    first_seen: FirstSeen
    last_seen: LastSeen


class IssueOnPage(Shape):
    """A row of the CSV file with `rows=pages`: one issue on one affected page."""

    issue_id: str
    rule_id: str
    title: str
    category: Category
    severity: Severity
    status: IssueStatus
    url: Address
    page_id: str
    evidence: Evidence
    first_seen: Timestamp
    last_seen: Timestamp


class ChangeItem(Shape):
    """A value that was approved for a page, and its result."""

    url: PageUrl
    field: Annotated[PageField, Meta(description="The field of the page that was changed.")]
    key: ChangeKey
    value: Annotated[
        str,
        Meta(
            description="The approved value. Empty: the CMS value is removed; for alt texts: the image is decorative."
        ),
    ]
    status: ChangeStatus
    applied_at: Annotated[Timestamp | None, Meta(description="When the CMS wrote the value; null: it did not.")]
    live: Annotated[bool | None, Meta(description="Whether the live page showed the value when it was last read.")]
    live_value: Annotated[str | None, Meta(description="The live page's value when it was last read.")]
    not_live_reason: Annotated[
        str | None, Meta(description="Why the live page shows another value, and which page caches were cleared.")
    ]
    live_note: Annotated[
        str | None,
        Meta(description="Says how the live value differs in form, or that a cache serves the old page."),
    ]
    error: Annotated[str | None, Meta(description="Why it was not written.")]
    previous: Annotated[str | None, Meta(description="The earlier value in the CMS; null: it had no value of its own.")]


class ChangeGain(Shape):
    """Points of the website's score that the changes were to gain, and have gained."""

    promised: Annotated[
        float | None, Meta(description="The issue's `estimatedScoreGain` at approval; null: not known.")
    ]
    seen: Annotated[
        float | None,
        Meta(description="What rechecks gained since, until a full audit; null: nothing yet, or an audit came first."),
    ]


class ChangeBatch(Shape):
    """The last approved changes of the issue."""

    batch_id: BatchId
    approved_by: Annotated[str, Meta(description="The id of the person.")]
    approved_at: ApprovedAt
    gain: ChangeGain
    changes_total: Annotated[Count, Meta(description="The number of all changes in the batch, listed or not.")]
    changes_offset: Annotated[Count, Meta(description="The number of changes before the first listed one.")]
    changes_next_offset: Annotated[
        Count | None, Meta(description="Pass it as `changes_offset`; null after the last change.")
    ]
    changes_truncated: Annotated[
        bool, Meta(description="Whether changes are left out because the answer would pass 5 MB.")
    ]
    changes: Annotated[list[ChangeItem], Meta(description="The changes.")]


class Advice(Shape):
    """Advice on the description of a special page. Kind `account`: log-in, basket or checkout."""

    page_kind: Annotated[Literal["legal", "archive", "empty_archive", "account"], Meta(description="Kind of the page.")]
    legal_kind: Annotated[
        str | None, Meta(description="Only for legal pages: the kind, such as `imprint`, `privacy` or `terms`.")
    ]
    recommended: Annotated[
        Literal["leave_or_noindex", "add_posts_or_noindex", "noindex"],
        Meta(description="What to do with the page's description."),
    ]
    message: Annotated[str, Meta(description="The advice in words.")]


class SecondField(Shape):
    """A meta description with the words of the keyword task's query, suggested together with a title. Only the title
    can be written."""

    current: Annotated[str | None, Meta(description="The current description of the page; null: none.")]
    suggested: Annotated[
        str | None, Meta(description="Sentences of the page with the words of the query; null: there are none.")
    ]
    suggested_from: Annotated[
        SuggestedFrom | None, Meta(description="The source of the sentences; null without a suggestion.")
    ]
    suggested_note: Annotated[
        str | None, Meta(description="Why there is no suggestion, in a sentence; null if there is one.")
    ]


class DescriptionDraft(Shape):
    """A description that an assistant drafted at a person's request. It is deleted when the page changes."""

    text: Annotated[str | None, Meta(description="The draft; null: there is none, and `note` says why.")]
    note: Annotated[str | None, Meta(description="Why there is no draft, in a sentence; null if there is one.")]
    rests_on: Annotated[list[str], Meta(description="The sentences of the page on which the draft is based.")]
    by: Annotated[str, Meta(description="The assistant's provider and model.")]
    at: Annotated[Timestamp, Meta(description="When it was drafted.")]


class Suggestion(Shape):
    """The current and the suggested value of the issue's field on one affected page."""

    url: PageUrl
    page_id: PageId
    current: Annotated[str | None, Meta(description="The current value of the page; null: none.")]
    suggested: Annotated[str | None, Meta(description="The suggested value; null: no value passed all checks.")]
    suggested_from: Annotated[
        SuggestedFrom | None,
        Meta(description="The source of `suggested`; null if there is no suggestion."),
    ]
    suggested_note: Annotated[
        str | None, Meta(description="Why there is no suggestion, in a sentence; null if there is one.")
    ]
    writable: Annotated[bool, Meta(description="Whether the value can be written.")]
    not_writable_reason: Annotated[str, Meta(description="Why the value cannot be written.")] | UnsetType = UNSET
    advice: Annotated[Advice | None, Meta(description="Advice, only for meta descriptions.")] | UnsetType = UNSET
    description: (
        Annotated[
            SecondField,
            Meta(description="A new description that could also solve a keyword task."),
        ]
        | UnsetType
    ) = UNSET
    draft: Annotated[DescriptionDraft, Meta(description="A draft, if a person asked for one.")] | UnsetType = UNSET


class TitleTemplate(Shape):
    """An ending that the template adds to every title."""

    suffix: Annotated[str, Meta(description="The ending.")]
    count: Annotated[Count, Meta(description="Titles that are too long only because of this ending.")]
    note: Annotated[str, Meta(description="The advice in words.")]


class IssueDetail(Issue):
    """An issue with its affected pages and how to fix it."""

    pages: Annotated[list[AffectedPage], Meta(description="The affected pages.", max_length=1000)]
    pages_total: Annotated[Count, Meta(description="The number of all affected pages, listed or not.")]
    pages_offset: Annotated[Count, Meta(description="The number of affected pages before the first listed one.")]
    pages_next_offset: Annotated[Count | None, Meta(description="Pass it as `pages_offset`; null after the last page.")]
    pages_truncated: Annotated[bool, Meta(description="More affected pages follow.")]
    evidence: Evidence | None
    explanation: Annotated[str | None, Meta(description="The drafted explanation; null until there is one.")]
    fix: Annotated[str, Meta(description="What to do, in words.")]
    writable_field: Annotated[
        WritableField | None, Meta(description="The page field that can be written as a fix; null: none.")
    ]
    last_change: ChangeBatch | None
    suggestions: (
        Annotated[
            list[Suggestion],
            Meta(
                max_length=100,
                description="One suggestion for each affected page. Absent if no field can be written.",
            ),
        ]
        | UnsetType
    ) = UNSET
    suggestions_total: (
        Annotated[Count, Meta(description="The number of all suggestions, listed or not.")] | UnsetType
    ) = UNSET
    suggestions_offset: (
        Annotated[Count, Meta(description="The number of suggestions before the first listed one.")] | UnsetType
    ) = UNSET
    suggestions_limit: Annotated[int, Meta(description="Most suggestions of an answer.", ge=1, le=100)] | UnsetType = (
        UNSET
    )
    suggestions_next_offset: (
        Annotated[Count | None, Meta(description="Pass it as `suggestions_offset`; null after the last page.")]
        | UnsetType
    ) = UNSET
    suggestions_truncated: Annotated[bool, Meta(description="More suggestions follow this page.")] | UnsetType = UNSET
    suggestions_note: (
        Annotated[
            str | None,
            Meta(description="Only for titles: a remark if the website changes the letter case of every title."),
        ]
        | UnsetType
    ) = UNSET
    title_template: (
        Annotated[
            TitleTemplate | None, Meta(description="The ending that makes titles too long. Only for `SEO-ONP-005`.")
        ]
        | UnsetType
    ) = UNSET


class IssueEvent(Shape):
    """One event in an issue's history. Members that do not belong to its kind are null.

    - `found`, `reopened`: the audit or recheck `crawlId` (null: new data) found the issue on `pages` pages.
    - `resolved`: the issue listed `pages` pages until then.
    - `rechecked`: `present` of `checked` pages still have the issue. `reason` says why some pages could not be judged.
    - `changed`: values for `pages` pages were approved, in the batch `batchId`.
    - `ignored`, `unignored`: `by` is the person (null: the operator). `reason` says why. The issue reopens at `until`.
    """

    at: Annotated[Timestamp, Meta(description="When it happened.")]
    kind: Annotated[EntryKind, Meta(description="What happened.")]
    pages: Annotated[Count | None, Meta(description="Pages concerned.")]
    crawl_id: CrawlId | None
    present: Annotated[Count | None, Meta(description="Pages that still showed the issue.")]
    checked: Annotated[Count | None, Meta(description="Pages that were read.")]
    batch_id: BatchId | None
    by: Person
    reason: Annotated[str | None, Meta(description="Why, in words.")]
    until: Annotated[Timestamp | None, Meta(description="When the issue opens again.")]


class IssueHistory(Shape):
    """The events of the issue in the last 400 days, newest first."""

    issue_id: IssueId
    total: Total
    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    events: Annotated[list[IssueEvent], Meta(description="The entries.")]
    link: AppLink


class RecheckQueued(Shape):
    """The recheck that was queued."""

    queued: Annotated[bool, Meta(description="Always true.")]
    crawl_id: CrawlId
    poll: Poll
    note: Annotated[str, Meta(description="What the recheck reads, in words.")]
    link: AppLink
