"""Metrics in CloudWatch's embedded metric format: log lines from which CloudWatch extracts the numbers itself.

They need no calls to AWS. Deployed functions write these lines. Other processes write them only if the setting
``METRICS`` is ``on``. Each combination of dimensions is billed as a separate metric. So there are few dimensions, and
their values do not grow with users, websites or addresses. Ids of users, websites and addresses are in other log lines.
A line that says how much a workspace used the service also contains the workspace's id, but not as a dimension.
"""

import json
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from chalicelib.settings.core import core_settings

NAMESPACE: Final = "WebsiteOptimization/"  # followed by the prefix of the deployment's tables

_log = logging.getLogger(__name__)


class Metric(NamedTuple):
    """A reported number. ``says``: what it counts or measures, and when it is written."""

    unit: Literal["Count", "Seconds", "Milliseconds"]
    says: str


class Line(NamedTuple):
    """Metrics that are written together, with the same dimensions."""

    dimensions: tuple[str, ...]
    metrics: dict[str, Metric]


MESSAGES: Final = Line(
    ("Queue",),
    {
        "MessagesHandled": Metric("Count", "messages that a queue's worker has processed"),
        "MessagesFailed": Metric("Count", "messages that failed and will be retried"),
        "MessageTime": Metric("Seconds", "how long a message took, failed or not"),
    },
)
SCHEDULES: Final = Line(
    ("Schedule",),
    {
        "SchedulesDone": Metric("Count", "runs of a schedule that completed all of their work"),
        "SchedulesFailed": Metric("Count", "runs of a schedule in which a part failed"),
        "ScheduleTime": Metric("Seconds", "how long a run took"),
    },
)
REQUESTS: Final = Line(
    ("Group", "Status"),
    {
        "Requests": Metric("Count", "requests that were answered, by group of endpoints and class of status (`2xx`)"),
        "RequestTime": Metric("Milliseconds", "how long an answer took"),
    },
)
AUDITS: Final = Line(
    ("Status",),
    {
        "Audits": Metric("Count", "audits that ended `done`, `failed` or `cancelled`"),
        "PagesRead": Metric("Count", "pages that these audits read"),
        "AuditTime": Metric("Seconds", "how long audits took from their first request to their end"),
    },
)
DELIVERIES: Final = Line(
    (),
    {
        "Delivered": Metric("Count", "attempts of webhook deliveries that the receiver accepted"),
        "TriesFailed": Metric("Count", "attempts of webhook deliveries that the receiver did not accept"),
        "EndpointsSwitchedOff": Metric("Count", "endpoints switched off because they kept failing"),
    },
)
WRITES: Final = Line(
    (),
    {
        "ChangesApplied": Metric("Count", "approved values that were written and seen on the live page"),
        "ChangesNotLive": Metric("Count", "approved values that were written, but not seen on the live page"),
        "ChangesFailed": Metric("Count", "approved values that could not be written"),
        "ChangesRefused": Metric("Count", "approved values that the CMS or shop refused"),
    },
)
IMPORTS: Final = Line(
    ("Outcome",),
    {
        "Imports": Metric(
            "Count",
            "imports of search data by result: `done`, `refused` (no access), `limited` (quota used up) or `failed`",
        ),
        "RowsImported": Metric("Count", "rows of completed imports"),
    },
)
SWEEPER: Final = Line(
    ("Part",),
    {
        "SentAgain": Metric(
            "Count", "messages that a part of the sweeper sent for overdue work, or weekly audits that it started"
        )
    },
)
OUTBOX: Final = Line(
    (),
    {"OldestEvents": Metric("Seconds", "age of the oldest events that wait in the outbox; 0: none waits")},
)
CALLS: Final = Line(
    ("Service", "Outcome"),
    {
        "OutsideCalls": Metric(
            "Count", "requests to outside services: `answered`, `limited` (429), `failed` (5xx) or `unanswered`"
        ),
        "OutsideCallTime": Metric("Milliseconds", "how long these requests took"),
    },
)
Use = Literal["pages", "answers", "speed tests", "changes", "deliveries", "imported rows"]
# What workspaces use, if plans limit it or it costs money. Requests are only in their log lines.
USES: Final[dict[Use, str]] = {
    "pages": "(of audits, previews, rechecks, alerts)",
    "answers": "(of assistants)",
    "speed tests": "(also failed ones)",
    "changes": "(written)",
    "deliveries": "(each try)",
    "imported rows": "(of search data)",
}
USE: Final = Line(
    ("Use",),
    {
        "Used": Metric(
            "Count",
            "what workspaces use: " + ", ".join(f"`{use}` {says}" for use, says in USES.items()),
        )
    },
)

LINES: Final = (MESSAGES, SCHEDULES, REQUESTS, AUDITS, DELIVERIES, WRITES, IMPORTS, SWEEPER, OUTBOX, CALLS, USE)


def wanted() -> bool:
    """Whether this process writes metrics."""
    return bool(os.environ.get("AWS_LAMBDA_FUNCTION_NAME")) or core_settings().metrics == "on"


def use(what: Use, workspace_id: str, count: int) -> None:
    """Record what a workspace used (one of ``USES``). Call it after the commit.

    If the worker is killed between the commit and this call, the use is not recorded.
    """
    if count:
        _write(USE, (what,), {"Used": count}, workspaceId=workspace_id)


def put(line: Line, *dimensions: str, **values: float) -> None:
    """Write a line: the values of its dimensions in their order, and some of its metrics.

    If the line cannot be written, it is dropped without an exception.
    """
    _write(line, dimensions, values)


def _write(line: Line, dimensions: Sequence[str], values: Mapping[str, float], **beside: str) -> None:
    """Write a line. ``beside``: members that are not a dimension, so that each of their values costs nothing."""
    if not wanted():
        return
    # In deployed functions the logger has already imported it; other processes save the import.
    from aws_lambda_powertools.metrics import EphemeralMetrics

    told = EphemeralMetrics(namespace=NAMESPACE + core_settings().table_prefix)
    for name, dimension in zip(line.dimensions, dimensions, strict=True):
        told.add_dimension(name, dimension)
    for name, value in values.items():
        told.add_metric(name, line.metrics[name].unit, value)
    for name, text in beside.items():
        told.add_metadata(name, text)
    try:
        sys.stdout.write(json.dumps(told.serialize_metric_set(), separators=(",", ":")) + "\n")
        sys.stdout.flush()
    except (OSError, ValueError):  # the process that reads the standard output has ended
        _log.warning("metrics were not written")
