"""Actions: open issues by priority, and the approval of changes."""

from typing import Annotated

from msgspec import Meta

from chalicelib.api.shapes.values import (
    Address,
    AffectedPages,
    AppLink,
    BatchId,
    Count,
    FirstSeen,
    IssueId,
    IssueTitle,
    NextOffset,
    Offset,
    Truncated,
)
from chalicelib.domain.audit.causes import CauseKind
from chalicelib.domain.audit.issues import IssueStatus
from chalicelib.domain.changes.batch import MOST_CHANGES
from chalicelib.domain.severity import Severity
from chalicelib.domain.suggestion import WritableField
from chalicelib.http.answers import Shape
from chalicelib.http.bodies import Body
from chalicelib.rules.model import Effort


class ActionCause(Shape):
    """The common cause of several actions, which one change fixes. `key`, by `kind`:

    - `template`: the name of the page template.
    - `layout`: a part of the layout that every page has.
    - `header`, `robots_tag`: the value as sent.
    - `robots_line`: the line of robots.txt, with its number.
    - `address`: the one address that all actions are about.
    - `file`: `llms.txt` or `sitemap`.
    - `scripts`: `content`, if scripts add content that the server should send.
    - `slash`: `added` or `removed`, if the host redirects to addresses with or without a last slash.
    """

    kind: Annotated[CauseKind, Meta(description="The kind of cause.")]
    key: Annotated[str, Meta(description="The cause within its kind, such as the template's name.")]
    issue_ids: Annotated[list[str], Meta(description="The ids of all issues with this cause, highest priority first.")]
    gain: Annotated[
        float | None,
        Meta(description="Points that the score gains when all issues with this cause are fixed."),
    ]


class Action(Shape):
    """An open issue in the list of actions."""

    rank: Annotated[int, Meta(ge=1, description="The place in the list, from 1.")]
    issue_id: IssueId
    title: IssueTitle
    severity: Severity
    effort: Annotated[Effort, Meta(description="The work to fix it.")]
    priority: Annotated[
        float,
        Meta(
            ge=0,
            description="Higher is more urgent. Two decimals, but actions are ordered by the unrounded value.",
        ),
    ]
    estimated_score_gain: Annotated[
        float | None,
        Meta(description="Points that the website's score gains when the issue is fixed."),
    ]
    importance: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="The affected pages' share of the website's clicks, or of its internal links if "
            "there is no search data.",
        ),
    ]
    status: IssueStatus
    affected_pages: AffectedPages
    first_seen: FirstSeen
    age_days: Annotated[Count, Meta(description="Days since the issue was first seen.")]
    waiting_weeks: Annotated[Count, Meta(description="Full weeks that the action has been open.")]
    writable_field: Annotated[
        WritableField | None, Meta(description="The page field that can be written as a fix; null: none.")
    ]
    cause: Annotated[
        ActionCause | None, Meta(description="The cause that this issue shares with other issues; null: none.")
    ]
    link: AppLink


class ActionList(Shape):
    """Issues ordered by priority."""

    waiting: Annotated[Count, Meta(description="Actions that have been open 14 days or more.")]
    total: Annotated[Count, Meta(description="The number of all actions, listed or not.")]
    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    actions: Annotated[list[Action], Meta(description="The actions of this page of the list.")]


class WantedChange(Body):
    """A value for the issue's field on one page."""

    url: Annotated[str, Meta(description="A published content item that the CMS has sent to the service.")]
    value: Annotated[
        str,
        Meta(
            description="Title: one line, at most 300 characters; meta description: at most 1,000. Canonical: an "
            "absolute address of the website; empty to remove the one that was written. Noindex: `true` or `false`."
        ),
    ]


class ApplyChanges(Body):
    """The values to write, one for each page."""

    changes: Annotated[
        list[WantedChange], Meta(description="One value for each page.", extra_json_schema={"maxItems": MOST_CHANGES})
    ]


class ChangesApproved(Shape):
    """The batch that writes the changes: perhaps an earlier batch with the same changes. `lastChange` and events give
    its ``batchId``."""

    approved: Annotated[
        Count,
        Meta(
            description="The number of changes in the batch. Values that pages already have, or that an earlier "
            "batch will write, are left out."
        ),
    ]
    batch_id: BatchId
    poll: Annotated[
        Address, Meta(description="The address of the issue. Its `lastChange` has the result of the changes.")
    ]
    note: Annotated[str, Meta(description="What happens next, in a sentence.")]
    link: AppLink
