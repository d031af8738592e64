"""Values that stand in many shapes: how times, scores and links are written."""

import math
from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

from chalicelib.settings.core import core_settings

Timestamp = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Address = Annotated[str, Meta(extra_json_schema={"format": "uri"})]
Score = Annotated[float, Meta(ge=0, le=100, description="0 to 100, one decimal.")]
ScoreDifference = Annotated[float, Meta(description="Difference of two scores, one decimal.")]
Percent = Annotated[float, Meta(ge=0, le=100)]
Count = Annotated[int, Meta(ge=0)]


def instant(seconds: float) -> str:
    """Epoch seconds as a UTC timestamp to the second: ``2026-11-22T02:00:00Z``."""
    return datetime.fromtimestamp(math.floor(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def instant_or_none(seconds: float | None) -> str | None:
    return None if seconds is None else instant(seconds)


def from_tenths(tenths: int) -> float:
    """A score as it is kept (whole tenths) as it is shown."""
    return tenths / 10


def from_tenths_or_none(tenths: int | None) -> float | None:
    return None if tenths is None else tenths / 10


def link(*path: str) -> str:
    """The address of a screen of the app."""
    return "/".join([core_settings().app_url.rstrip("/"), *path])


def site_link(site_id: str, *path: str) -> str:
    """The address of a website's screen of the app."""
    return link("sites", site_id, *path)
