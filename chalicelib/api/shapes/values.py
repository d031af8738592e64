"""Values of many shapes: how times, scores and links are written."""

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
Score = Annotated[float, Meta(ge=0, le=100, description="0 to 100, one decimal.")]
ScoreDifference = Annotated[float, Meta(description="Difference of two scores, one decimal.")]
Percent = Annotated[float, Meta(ge=0, le=100)]
Count = Annotated[int, Meta(ge=0)]
Day = Annotated[str, Meta(extra_json_schema={"format": "date"})]
Offset = Annotated[Count, Meta(description="Items before the first one shown.")]
NextOffset = Annotated[Count | None, Meta(description="The `offset` of what follows; null at the end.")]
Truncated = Annotated[bool, Meta(description="Whether the list ends early, at 5 MB.")]

ChangeKey = Annotated[
    str | None,
    Meta(
        description="Of an alt text the image: its address, a space, and its number among the page's images with that "
        "address. Of a redirect its path. Null for all other fields."
    ),
]


class Days(Shape, rename={"from_": "from"}):
    """Days from the first to the last, both included."""

    from_: Day
    to: Day


def instant(seconds: float) -> str:
    """Epoch seconds as a UTC timestamp to the second: ``2026-11-22T02:00:00Z``."""
    return _instant(math.floor(seconds))


@lru_cache(maxsize=4_096)
def _instant(second: int) -> str:
    """Cached: the pages of an audit share its seconds, and a list names each of them thousands of times."""
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%SZ}"


def instant_or_none(seconds: float | None) -> str | None:
    return None if seconds is None else instant(seconds)


def from_tenths(tenths: int) -> float:
    """A score as it is kept (whole tenths) as it is shown."""
    return tenths / 10


def from_tenths_or_none(tenths: int | None) -> float | None:
    return None if tenths is None else tenths / 10


def link(*path: str) -> str:
    """The address of a screen of the app: below ``APP_URL``, else where the request was asked; else only its path."""
    root = context.app_address.get() or core_settings().app_root
    return "/".join([root, *path])


def site_link(site_id: str, *path: str) -> str:
    """The address of a website's screen of the app."""
    return link("sites", site_id, *path)
