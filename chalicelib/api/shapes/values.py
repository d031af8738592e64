"""Types of members that many shapes use: times, scores, links and counts."""

import math
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated

from msgspec import Meta

from chalicelib.http.answers import Shape
from chalicelib.settings.core import core_settings
from chalicelib.store import context

Timestamp = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Address = Annotated[str, Meta(extra_json_schema={"format": "uri"})]
Score = Annotated[float, Meta(ge=0, le=100, description="A score from 0 to 100, with one decimal.")]
ScoreDifference = Annotated[float, Meta(description="The later value minus the earlier one, one decimal.")]
Percent = Annotated[float, Meta(ge=0, le=100)]
Count = Annotated[int, Meta(ge=0)]
Day = Annotated[str, Meta(extra_json_schema={"format": "date"})]

# Of lists.
Total = Annotated[Count, Meta(description="The number of all matching items, listed or not.")]
Offset = Annotated[Count, Meta(description="The number of items before the first listed one.")]
NextOffset = Annotated[Count | None, Meta(description="The `offset` of the next part; null at the end.")]
NextCursor = Annotated[str | None, Meta(description="The `cursor` of the next part; null at the end.")]
HasMore = Annotated[bool, Meta(description="Whether another page of the list follows.")]
Truncated = Annotated[bool, Meta(description="Whether the list ends early, because the answer would pass 5 MB.")]

# Ids.
WebsiteId = Annotated[str, Meta(description="The website's id.")]
IssueId = Annotated[str, Meta(description="The issue's id.")]
RuleId = Annotated[str, Meta(description="The rule's id, such as `SEO-ONP-005`.")]
PageId = Annotated[str, Meta(description="The page's id.")]
AuditId = Annotated[str, Meta(description="The audit's id.")]
CrawlId = Annotated[str, Meta(description="The id of the audit or recheck.")]
BatchId = Annotated[str, Meta(description="The id of the batch of changes.")]
JobId = Annotated[str, Meta(description="The run's id.")]
PreviewId = Annotated[str, Meta(description="The preview's id.")]
ExportId = Annotated[str, Meta(description="The export's id.")]
Person = Annotated[str | None, Meta(description="The id of the person; null for the operator.")]
PromptId = Annotated[str, Meta(description="The prompt's id.")]

# Addresses.
AppLink = Annotated[Address, Meta(description="The related screen in the app.")]
PageUrl = Annotated[Address, Meta(description="The page's address.")]
Poll = Annotated[Address, Meta(description="Address for reading the state of the work.")]

# Times.
QueuedAt = Annotated[Timestamp, Meta(description="When it was queued.")]
StartedAt = Annotated[Timestamp | None, Meta(description="When it started; null: not yet.")]
FinishedAt = Annotated[Timestamp, Meta(description="When it ended.")]
EndedAt = Annotated[Timestamp | None, Meta(description="When it ended; null: not yet.")]
Failure = Annotated[str | None, Meta(description="The reason for a failure; null: no failure.")]
ComputedAt = Annotated[Timestamp, Meta(description="When it was computed.")]
ApprovedAt = Annotated[Timestamp, Meta(description="When it was approved.")]
FirstSeen = Annotated[Timestamp, Meta(description="When it was first found.")]
LastSeen = Annotated[Timestamp, Meta(description="When it was last found.")]

# Types of websites, pages, issues and crawls.
Name = Annotated[str, Meta(description="The website's name in the service.")]
Host = Annotated[str, Meta(description="The host of the website's address.")]
Template = Annotated[str | None, Meta(description="The page template; null: not known.")]
IssueTitle = Annotated[str, Meta(description="The issue in a few words.")]
AffectedPages = Annotated[Count, Meta(description="Pages that the issue affects.")]
OpenIssues = Annotated[Count, Meta(description="Open issues of the page.")]
ScoreVersion = Annotated[
    str, Meta(description="The version of the computation. Only scores of equal versions can be compared.")
]
PagesCrawled = Annotated[Count, Meta(description="Pages that were read.")]
MostPages = Annotated[Count, Meta(description="The most pages to read.")]
TimeLimit = Annotated[Count, Meta(description="The longest time for reading pages, in minutes.")]

# Of search.
Clicks = Annotated[Count, Meta(description="Clicks in search results.")]
Impressions = Annotated[Count, Meta(description="Impressions in search results.")]

# Types of crawlers of assistants and search engines.
Bot = Annotated[str, Meta(description="Name of the crawler, as robots.txt addresses it.")]
BotOwner = Annotated[str, Meta(description="The company that runs the crawler.")]
BotPurpose = Annotated[str, Meta(description="The purpose of the crawler.")]
BotKind = Annotated[str, Meta(description="The group of the crawler.")]

ChangeKey = Annotated[
    str | None,
    Meta(
        description="For a redirect: its path. For an alt text: the image's address, a space, and the image's"
        " number among the page's images with that address. Null for all other fields."
    ),
]


class Days(Shape, rename={"from_": "from"}):
    """The days from the first to the last, including both."""

    from_: Annotated[Day, Meta(description="First day.")]
    to: Annotated[Day, Meta(description="Last day.")]


def instant(seconds: float) -> str:
    """Convert epoch seconds to a UTC timestamp in whole seconds: ``2026-11-22T02:00:00Z``."""
    return _instant(math.floor(seconds))


@lru_cache(maxsize=4_096)
def _instant(second: int) -> str:
    """Format the second. Cached, since the pages of an audit share few seconds, and a list has each of them thousands
    of times."""
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%SZ}"


def instant_or_none(seconds: float | None) -> str | None:
    return None if seconds is None else instant(seconds)


def from_tenths(tenths: int) -> float:
    """Convert a stored score (whole tenths) to the score that answers show."""
    return tenths / 10


def from_tenths_or_none(tenths: int | None) -> float | None:
    return None if tenths is None else tenths / 10


def link(*path: str) -> str:
    """Return the address of a screen of the app. It begins with ``APP_URL`` or, if that is not set, with the requested
    host. If neither is known, it is only a path."""
    root = context.app_address.get() or core_settings().app_root
    return "/".join([root, *path])


def site_link(site_id: str, *path: str) -> str:
    """Return the address of a website's screen of the app."""
    return link("sites", site_id, *path)
