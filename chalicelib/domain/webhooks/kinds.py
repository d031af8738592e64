"""Every webhook event, declared once: when it is sent, the members that its body adds, and an example.

``EVENTS`` is what subscriptions, the checks of bodies, openapi.json and docs/webhooks.md are made from. A new event is
one entry there, and its shape if no other event has it.
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
    """Base of all shapes in this module: camelCase members, unknown values null."""


class CommonMembers(Members, kw_only=True):
    """The members of every body. ``siteId``, ``host`` and ``link`` are left out if an event has none."""

    id: str
    event: str
    at: str
    workspace_id: str
    site_id: str | msgspec.UnsetType = msgspec.UNSET
    host: str | msgspec.UnsetType = msgspec.UNSET
    link: str | msgspec.UnsetType = msgspec.UNSET


class EventIssue(Members):
    """The issue that an event is about. ``pages`` counts the pages that it affects now: 0 once it is resolved.
    ``pagesBefore`` counts those that it affected until it was resolved; null in other events."""

    id: str
    rule_id: str
    title: str
    severity: Severity
    pages: Count
    pages_before: Count | None


class IssueMoved(Members):
    """issue.resolved, issue.reopened."""

    issue: EventIssue
    crawl_id: str


class EventScore(Members):
    """Scores from 0 to 100; null when there is none yet."""

    site: Points | None
    health: Points | None
    aeo: Points | None


class IssueMoves(Members):
    """How many issues an audit found new, resolved and found again."""

    new: Count
    resolved: Count
    reopened: Count


class AuditFinished(Members):
    """audit.finished."""

    crawl_id: str
    status: Literal["done", "failed", "cancelled"]
    pages_crawled: Count
    open_issues: Count | None
    score: EventScore
    duration_seconds: Count | None
    changes: IssueMoves | None


class ScoreChanged(Members):
    """score.changed: the website score as shown before and after, and when the score before was computed."""

    from_: Points = msgspec.field(name="from")
    to: Points
    delta: float
    since: str


class ConnectionBroken(Members):
    """connection.broken."""

    connection: str
    error: str


class RecheckCounts(Members):
    """Pages that still show the issue, of pages read."""

    present: Count
    checked: Count


class RecheckFailed(Members):
    """recheck.failed."""

    issue: EventIssue
    reason: Literal["still_present", "not_live", "error"]
    recheck: RecheckCounts
    crawl_id: str


class EventChange(Members):
    """One change of an approved batch. ``key``: of an alt text the image (address and occurrence), of a
    redirect the path."""

    url: str
    field: str
    value: str
    status: str
    error: str | None
    key: str | None


class ChangesWritten(Members):
    """write.applied, write.failed: one event for each approved batch, at most 50 of its changes."""

    batch_id: str
    issue_ids: list[str]
    source: Source
    changes: Annotated[list[EventChange], msgspec.Meta(max_length=MOST_CHANGES)]


class UnseenChange(EventChange):
    """A change that the live page does not show. ``liveValue`` is what it shows."""

    not_live_reason: str | None
    live_value: str | None


class ChangesNotLive(Members):
    """write.not_live: as the other two, and for each change what the page shows."""

    batch_id: str
    issue_ids: list[str]
    source: Source
    changes: Annotated[list[UnseenChange], msgspec.Meta(max_length=MOST_CHANGES)]


class FailingCheck(Members):
    """A check of the page that failed."""

    id: str
    title: str
    detail: str | None = None


class AgenticFinished(Members):
    """agentic.finished. ``passed`` of ``applicable`` and ``failing`` are null and empty when the run failed."""

    job_id: str
    url: str
    strategy: Literal["mobile", "desktop"]
    status: Literal["done", "failed"]
    passed: Count | None
    applicable: Count | None
    failing: list[FailingCheck]
    error: str | None


class PageChange(Members):
    """The changes of one page. ``status`` is a whole number, the others are texts; null where the page has none."""

    url: str
    field: Literal["status", "title", "canonical", "robots"]
    from_: str | int | None = msgspec.field(name="from")
    to: str | int | None


class PageChanged(Members):
    """page.changed: at most 50 changes of watched pages, those of the home page first."""

    crawl_id: str
    pages: Annotated[list[PageChange], msgspec.Meta(max_length=MOST_CHANGES)]


class CrawlerChange(Members):
    """A crawler whose verdict moved. ``rule``: the line of robots.txt that decides now; null where none does."""

    bot: str
    from_: Verdict = msgspec.field(name="from")
    to: Verdict
    rule: str | None


class CrawlersChanged(Members):
    """crawlers.changed."""

    crawl_id: str
    crawlers: list[CrawlerChange]


class ConnectionStale(Members):
    """connection.stale: ``since``: when it stopped working."""

    connection: str
    since: str


class Ping(Members):
    """ping: sent by Test. It has no ``siteId``."""

    message: str


class EventKind(NamedTuple):
    """One kind of event. ``example`` is an instance of the shape that its bodies have beside the common members."""

    name: str
    sent_when: str
    example: Members

    @property
    def members(self) -> type[Members]:
        return type(self.example)

    def example_body(self) -> dict[str, Any]:
        """The whole body of the example, members in the order in which they are sent."""
        website = {} if self.name == PING else _WEBSITE
        return {**fields(CommonMembers(event=self.name, **_COMMON, **website)), **fields(self.example)}


def fields(members: Members) -> dict[str, Any]:
    """The members as the ``fields`` of an event."""
    built: dict[str, Any] = msgspec.to_builtins(members)
    return built


_COMMON: Final = {
    "id": "dlv_01KB2Z7Q7M8N9P0R1S2T3V4W5X",
    "at": "2026-11-22T02:14:09Z",
    "workspace_id": "wsp_01KA9PZ7T1E2H4D6J8K0M3N5Q7",
}
_WEBSITE: Final = {
    "site_id": "site_01KA9Q0V3NQ5F7Z8Y6X4W2T1R0",
    "host": "shop.example.com",
    "link": "https://app.example.com/sites/site_01KA9Q0V3NQ5F7Z8Y6X4W2T1R0",
}
_CRAWL: Final = "crawl_01KB2Z6A7B8C9D0E1F2G3H4J5K"
_BATCH: Final = "batch_01KB2Z6A7B8C9D0E1F2G3H4J5M"
_ISSUE: Final = EventIssue("iss_3V7ZQK1M9TX4R8D2N6P0WJ5YBC", "SEO-ONP-005", "Title too long", "medium", 4, None)
_URL: Final = "https://shop.example.com/boots"
_TITLE: Final = "Hiking boots for women and men"

EVENTS: Final = (
    EventKind(
        "issue.resolved",
        "A recheck or audit no longer finds an issue: a fix was verified.",
        IssueMoved(msgspec.structs.replace(_ISSUE, pages=0, pages_before=4), _CRAWL),
    ),
    EventKind("issue.reopened", "A resolved issue came back.", IssueMoved(_ISSUE, _CRAWL)),
    EventKind(
        "audit.finished",
        "A full audit finished. A failed one has the current number of open issues and score, null if the website was "
        "never judged. `durationSeconds` runs from start to end, and is null when it never started. "
        "`changes` counts the issues that the audit moved itself, and is null where it published nothing.",
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
        "A recheck ran and the issue is still present, a written fix is not on the live page, or the recheck could "
        "not run.",
        RecheckFailed(_ISSUE, "still_present", RecheckCounts(2, 4), _CRAWL),
    ),
    EventKind(
        "write.applied",
        "An approved change was written. One event for each approved batch, at most 50 of its changes.",
        ChangesWritten(_BATCH, [_ISSUE.id], "cms", [EventChange(_URL, "title", _TITLE, "applied", None, None)]),
    ),
    EventKind(
        "write.failed",
        "An approved change could not be written. One event for each approved batch.",
        ChangesWritten(
            _BATCH, [_ISSUE.id], "cms", [EventChange(_URL, "title", _TITLE, "failed", "The CMS did not answer.", None)]
        ),
    ),
    EventKind(
        "write.not_live",
        "A recheck did not find a written value on the live page. One event for each approved batch.",
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
                    "The page cache was cleared, and the page still shows the old title.",
                    "Boots, hiking boots, winter boots and more boots for everyone",
                )
            ],
        ),
    ),
    EventKind(
        "agentic.finished",
        "An Agentic browsing re-run finished or failed.",
        AgenticFinished(
            "job_01KB2Z6A7B8C9D0E1F2G3H4J5N",
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
        "An audit, or a read that the CMS asked for, saw that the title, canonical address, robots directives or "
        "status of a watched page changed: the home page, the 20 pages with most clicks, and those that people watch.",
        PageChanged(_CRAWL, [PageChange(_URL, "title", _TITLE, "Boots")]),
    ),
    EventKind(
        "crawlers.changed",
        "An audit saw that robots.txt allows or blocks a crawler of AI assistants on the home page that it blocked or "
        "allowed before.",
        CrawlersChanged(_CRAWL, [CrawlerChange("GPTBot", "allowed", "blocked", "Disallow: /")]),
    ),
    EventKind(
        "connection.stale",
        "A connection has been broken for 7 days. Sent once for each time it breaks, after `connection.broken`.",
        ConnectionStale("search", "2026-11-15T02:11:47Z"),
    ),
)
PING_EVENT: Final = EventKind(
    PING, "Test was pressed: sent at once, to see that deliveries arrive. It is about no website.", Ping(PING_MESSAGE)
)
# The events that an endpoint can subscribe to, in the order in which they are listed.
EVENT_KINDS: Final = tuple(event.name for event in EVENTS)
BY_NAME: Final[Mapping[str, EventKind]] = {event.name: event for event in (*EVENTS, PING_EVENT)}
