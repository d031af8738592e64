"""Every webhook event, declared once: when it is sent, the members that its body adds, and an example.

``EVENTS`` is the source for subscriptions, the checks of bodies, openapi.json and docs/webhooks.md. To add an event,
add one entry to ``EVENTS``. If no other event has the same fields, also add a class for them.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec

from chalicelib.domain.severity import Severity

PING = "ping"
PING_MESSAGE = "A test of this endpoint, sent by a person."
MOST_CHANGES = 50

Source = Literal["cms", "shop"]
Verdict = Literal["allowed", "blocked"]
Count = Annotated[int, msgspec.Meta(ge=0)]
Points = Annotated[float, msgspec.Meta(ge=0, le=100)]


class Members(msgspec.Struct, rename="camel"):
    """The base of all types in this module. Members are in camel case, and unknown values are null."""


class CommonMembers(Members, kw_only=True):
    """The members of every body. ``siteId``, ``host`` and ``link`` are left out if an event has none."""

    id: Annotated[str, msgspec.Meta(description="The delivery's id, the same for every attempt.")]
    event: Annotated[str, msgspec.Meta(description="The event's kind.")]
    at: Annotated[str, msgspec.Meta(description="When it happened.")]
    workspace_id: Annotated[str, msgspec.Meta(description="The workspace's id.")]
    site_id: Annotated[str, msgspec.Meta(description="The website's id.")] | msgspec.UnsetType = msgspec.UNSET
    host: Annotated[str, msgspec.Meta(description="The website's host.")] | msgspec.UnsetType = msgspec.UNSET
    link: Annotated[str, msgspec.Meta(description="The related screen in the app.")] | msgspec.UnsetType = msgspec.UNSET


class EventIssue(Members):
    """The issue that an event is about."""

    id: Annotated[str, msgspec.Meta(description="The issue's id.")]
    rule_id: Annotated[str, msgspec.Meta(description="The rule's id.")]
    title: Annotated[str, msgspec.Meta(description="The issue in a few words.")]
    severity: Severity
    pages: Annotated[Count, msgspec.Meta(description="The number of affected pages now; 0: the issue is resolved.")]
    pages_before: Annotated[
        Count | None,
        msgspec.Meta(description="The number of affected pages before the issue was resolved; null in other events."),
    ]


class IssueMoved(Members):
    """The fields of issue.resolved and issue.reopened."""

    issue: EventIssue
    crawl_id: Annotated[str, msgspec.Meta(description="The id of the audit or recheck.")]


class EventScore(Members):
    """Scores from 0 to 100; null if there is no score yet."""

    site: Annotated[Points | None, msgspec.Meta(description="The website score.")]
    health: Annotated[Points | None, msgspec.Meta(description="The score for search engines.")]
    aeo: Annotated[Points | None, msgspec.Meta(description="The score for assistants.")]


class IssueMoves(Members):
    """The numbers of new, resolved and reopened issues of an audit."""

    new: Annotated[Count, msgspec.Meta(description="New issues.")]
    resolved: Annotated[Count, msgspec.Meta(description="Resolved issues.")]
    reopened: Annotated[Count, msgspec.Meta(description="Issues found again.")]


class AuditFinished(Members):
    """The fields of audit.finished."""

    crawl_id: Annotated[str, msgspec.Meta(description="The id of the audit or recheck.")]
    status: Annotated[Literal["done", "failed", "cancelled"], msgspec.Meta(description="How the audit ended.")]
    pages_crawled: Annotated[Count, msgspec.Meta(description="Pages that were read.")]
    open_issues: Annotated[
        Count | None,
        msgspec.Meta(
            description="The number of open issues, also after a failed audit; null: the website was never judged."
        ),
    ]
    score: EventScore
    duration_seconds: Annotated[
        Count | None, msgspec.Meta(description="Seconds from start to end; null: the audit never started.")
    ]
    changes: Annotated[
        IssueMoves | None,
        msgspec.Meta(description="The issues that the audit changed; null: the audit published nothing."),
    ]


class ScoreChanged(Members):
    """The fields of score.changed."""

    from_: Annotated[Points, msgspec.Meta(description="The website score before.")] = msgspec.field(name="from")
    to: Annotated[Points, msgspec.Meta(description="The website score now.")]
    delta: Annotated[float, msgspec.Meta(description="Difference.")]
    since: Annotated[str, msgspec.Meta(description="When the earlier score was computed.")]


class ConnectionBroken(Members):
    """The fields of connection.broken."""

    connection: Annotated[str, msgspec.Meta(description="Which connection.")]
    error: Annotated[str, msgspec.Meta(description="What is wrong.")]


class RecheckCounts(Members):
    """How many of the pages that were read still show the issue."""

    present: Annotated[Count, msgspec.Meta(description="Pages that still show the issue.")]
    checked: Annotated[Count, msgspec.Meta(description="Pages that were read.")]


class RecheckFailed(Members):
    """The fields of recheck.failed."""

    issue: EventIssue
    reason: Annotated[Literal["still_present", "not_live", "error"], msgspec.Meta(description="Why it failed.")]
    recheck: RecheckCounts
    crawl_id: Annotated[str, msgspec.Meta(description="The id of the audit or recheck.")]


class EventChange(Members):
    """One change of an approved batch."""

    url: Annotated[str, msgspec.Meta(description="Address of the page or file.")]
    field: Annotated[str, msgspec.Meta(description="What was changed.")]
    value: Annotated[str, msgspec.Meta(description="The approved value.")]
    status: Annotated[
        str, msgspec.Meta(description="The state after the write: `applied` (live), `not_live`, `failed` or `refused`.")
    ]
    error: Annotated[str | None, msgspec.Meta(description="The reason for a failure; null: no failure.")]
    key: Annotated[
        str | None,
        msgspec.Meta(description="The image (address, number on page) or the redirected path; null: the page itself."),
    ]


class ChangesWritten(Members):
    """The fields of write.applied and write.failed: one event for each approved batch, with at most 50 of its
    changes."""

    batch_id: Annotated[str, msgspec.Meta(description="The batch's id.")]
    issue_ids: Annotated[list[str], msgspec.Meta(description="Ids of the issues.")]
    source: Annotated[Source, msgspec.Meta(description="The system that writes.")]
    changes: Annotated[list[EventChange], msgspec.Meta(description="The changes.", max_length=MOST_CHANGES)]


class UnseenChange(EventChange):
    """A change that the live page does not show."""

    not_live_reason: Annotated[
        str | None, msgspec.Meta(description="Why the page shows another value; null: not known.")
    ]
    live_value: Annotated[str | None, msgspec.Meta(description="What the page shows.")]


class ChangesNotLive(Members):
    """The fields of write.not_live: one event for each approved batch, with what the page shows for each change."""

    batch_id: Annotated[str, msgspec.Meta(description="The batch's id.")]
    issue_ids: Annotated[list[str], msgspec.Meta(description="Ids of the issues.")]
    source: Annotated[Source, msgspec.Meta(description="The system that writes.")]
    changes: Annotated[list[UnseenChange], msgspec.Meta(description="The changes.", max_length=MOST_CHANGES)]


class FailingCheck(Members):
    """A check of the page that failed."""

    id: Annotated[str, msgspec.Meta(description="Lighthouse's id of the check.")]
    title: Annotated[str, msgspec.Meta(description="What is checked.")]
    detail: Annotated[str | None, msgspec.Meta(description="What is wrong; null: no details.")] = None


class AgenticFinished(Members):
    """The fields of agentic.finished. If the run failed, ``passed`` and ``applicable`` are null, and ``failing`` is
    empty."""

    job_id: Annotated[str, msgspec.Meta(description="The run's id.")]
    url: Annotated[str, msgspec.Meta(description="The page's address.")]
    strategy: Annotated[Literal["mobile", "desktop"], msgspec.Meta(description="The device.")]
    status: Annotated[Literal["done", "failed"], msgspec.Meta(description="How the test ended.")]
    passed: Annotated[Count | None, msgspec.Meta(description="Checks that passed.")]
    applicable: Annotated[Count | None, msgspec.Meta(description="Checks that passed or failed.")]
    failing: Annotated[list[FailingCheck], msgspec.Meta(description="Checks that failed.")]
    error: Annotated[str | None, msgspec.Meta(description="The reason for a failure; null: no failure.")]


class PageChange(Members):
    """A change of one page. A status is a whole number, other values are texts; null if the page has no value."""

    url: Annotated[str, msgspec.Meta(description="The page's address.")]
    field: Annotated[Literal["status", "title", "canonical", "robots"], msgspec.Meta(description="What changed.")]
    from_: Annotated[str | int | None, msgspec.Meta(description="Value before.")] = msgspec.field(name="from")
    to: Annotated[str | int | None, msgspec.Meta(description="Value now.")]


class PageChanged(Members):
    """The fields of page.changed: at most 50 changes of watched pages. The changes of the home page come first."""

    crawl_id: Annotated[str, msgspec.Meta(description="The id of the audit or recheck.")]
    pages: Annotated[list[PageChange], msgspec.Meta(description="The changes.", max_length=MOST_CHANGES)]


class CrawlerChange(Members):
    """A crawler whose verdict changed."""

    bot: Annotated[str, msgspec.Meta(description="Name of the crawler.")]
    from_: Annotated[Verdict, msgspec.Meta(description="Verdict before.")] = msgspec.field(name="from")
    to: Annotated[Verdict, msgspec.Meta(description="Verdict now.")]
    rule: Annotated[str | None, msgspec.Meta(description="The line of robots.txt that decides now; null: no line.")]


class CrawlersChanged(Members):
    """The fields of crawlers.changed."""

    crawl_id: Annotated[str, msgspec.Meta(description="The id of the audit or recheck.")]
    crawlers: Annotated[list[CrawlerChange], msgspec.Meta(description="The crawlers.")]


class ConnectionStale(Members):
    """The fields of connection.stale."""

    connection: Annotated[str, msgspec.Meta(description="Which connection.")]
    since: Annotated[str, msgspec.Meta(description="When it stopped working.")]


class Ping(Members):
    """The fields of a ping, which the button or command Test sends. It has no ``siteId``."""

    message: Annotated[str, msgspec.Meta(description="A text for people.")]


class EventKind(NamedTuple):
    """One kind of event. ``example``: example values of the fields that its bodies have in addition to the common
    members."""

    name: str
    sent_when: str
    example: Members

    @property
    def members(self) -> type[Members]:
        return type(self.example)

    def example_body(self) -> dict[str, Any]:
        """Return the whole example body. Its members are in the order in which they are sent."""
        website = {} if self.name == PING else _WEBSITE
        return {**fields(CommonMembers(event=self.name, **_COMMON, **website)), **fields(self.example)}


def fields(members: Members) -> dict[str, Any]:
    """Return the members as a dictionary, for ``fields`` of an event."""
    built: dict[str, Any] = msgspec.to_builtins(members)
    return built


_COMMON: Final = {
    "id": "dlv_1",
    "at": "2026-11-22T02:14:09Z",
    "workspace_id": "wsp_1",
}
_WEBSITE: Final = {
    "site_id": "site_1",
    "host": "shop.example.com",
    "link": "https://app.example.com/sites/site_1",
}
_CRAWL: Final = "crawl_1"
_BATCH: Final = "batch_1"
_ISSUE: Final = EventIssue("iss_1", "SEO-ONP-005", "Title too long", "medium", 4, None)
_URL: Final = "https://shop.example.com/boots"
_TITLE: Final = "Hiking boots for women and men"

EVENTS: Final = (
    EventKind(
        "issue.resolved",
        "A recheck or audit no longer finds an issue: a fix was verified.",
        IssueMoved(msgspec.structs.replace(_ISSUE, pages=0, pages_before=4), _CRAWL),
    ),
    EventKind("issue.reopened", "A resolved issue was found again.", IssueMoved(_ISSUE, _CRAWL)),
    EventKind(
        "audit.finished",
        "A full audit finished.",
        AuditFinished(_CRAWL, "done", 412, 17, EventScore(81.4, 83.0, 76.6), 534, IssueMoves(2, 1, 0)),
    ),
    EventKind(
        "score.changed",
        "The website score moved by 2 points or more after an audit.",
        ScoreChanged(78.9, 81.4, 2.5, "2026-11-15T02:11:47Z"),
    ),
    EventKind(
        "connection.broken",
        "A search-data or CMS connection stopped working.",
        ConnectionBroken("search", "Access was refused: connect the search data again."),
    ),
    EventKind(
        "recheck.failed",
        "A recheck still found the issue, a written fix is not on the live page, or the recheck could not run.",
        RecheckFailed(_ISSUE, "still_present", RecheckCounts(2, 4), _CRAWL),
    ),
    EventKind(
        "write.applied",
        "An approved change was written, live or not yet. One event for each approved batch, with at most 50 changes.",
        ChangesWritten(_BATCH, [_ISSUE.id], "cms", [EventChange(_URL, "title", _TITLE, "applied", None, None)]),
    ),
    EventKind(
        "write.failed",
        "An approved change could not be written. One event for each batch.",
        ChangesWritten(
            _BATCH, [_ISSUE.id], "cms", [EventChange(_URL, "title", _TITLE, "failed", "The CMS did not answer.", None)]
        ),
    ),
    EventKind(
        "write.not_live",
        "A recheck, or another check after a write, found another value on the live page. One event for each batch.",
        ChangesNotLive(
            _BATCH,
            [_ISSUE.id],
            "cms",
            [
                UnseenChange(
                    _URL,
                    "title",
                    _TITLE,
                    "not_live",
                    None,
                    None,
                    "The page shows another title. The page cache was cleared after the write: WP Rocket.",
                    "Boots, hiking boots, winter boots and more boots for everyone",
                )
            ],
        ),
    ),
    EventKind(
        "agentic.finished",
        "An Agentic browsing re-run finished or failed.",
        AgenticFinished(
            "job_1",
            "https://shop.example.com/",
            "mobile",
            "done",
            3,
            4,
            [
                FailingCheck(
                    "agent-accessibility-tree",
                    "Accessibility tree is not well-formed",
                    "Buttons do not have an accessible name.",
                )
            ],
            None,
        ),
    ),
    EventKind(
        "page.changed",
        "An audit, or a read requested by the CMS, found that the title, canonical address, robots directives or "
        "status of a watched page changed. Watched pages: the home page, the 20 pages with most clicks, and pages "
        "that people chose.",
        PageChanged(_CRAWL, [PageChange(_URL, "title", _TITLE, "Boots")]),
    ),
    EventKind(
        "crawlers.changed",
        "An audit found that robots.txt now allows or blocks a crawler of AI assistants on the home page.",
        CrawlersChanged(_CRAWL, [CrawlerChange("GPTBot", "allowed", "blocked", "Disallow: /")]),
    ),
    EventKind(
        "connection.stale",
        "A connection has been broken for 7 days. Sent once for each time it breaks, after `connection.broken`.",
        ConnectionStale("search", "2026-11-15T02:11:47Z"),
    ),
)
PING_EVENT: Final = EventKind(
    PING,
    "A person pressed Test, to check that deliveries arrive. It concerns no website.",
    Ping(PING_MESSAGE),
)
# The events that an endpoint can subscribe to, in the order in which they are listed.
EVENT_KINDS: Final = tuple(event.name for event in EVENTS)
BY_NAME: Final[Mapping[str, EventKind]] = {event.name: event for event in (*EVENTS, PING_EVENT)}
