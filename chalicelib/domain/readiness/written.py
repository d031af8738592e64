"""What the service last wrote of llms.txt and of the rules for crawlers: as it is stored, and what holds after it."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from chalicelib.domain.changes.batch import WRITTEN, ChangeStatus
from chalicelib.domain.connector.messages import MOST_FILE

MOST_CHARACTERS: Final = MOST_FILE  # of llms.txt

CrawlerRule = Literal["allow", "deny"]
Rules = Mapping[str, CrawlerRule]  # by the crawler's name


class LlmsWrite(msgspec.Struct, frozen=True, kw_only=True):
    """The last change of llms.txt that a person approved. Times are epoch seconds.

    ``value`` "": the file that the service wrote goes. ``previous``: what the service had written before; "" after a
    removal, None where it never wrote one.
    """

    batch_id: str
    status: ChangeStatus
    value: str
    previous: str | None
    approved_by: str | None
    approved_at: float
    applied_at: float | None = None
    error: str | None = None

    @property
    def held(self) -> str | None:
        """What the CMS holds of the service: "" after a removal, None where nothing was ever written."""
        return self.value if self.status in WRITTEN else self.previous


class RulesWrite(msgspec.Struct, frozen=True, kw_only=True):
    """The last change of the rules for crawlers that a person approved: as ``LlmsWrite``, {} being a removal."""

    batch_id: str
    status: ChangeStatus
    value: dict[str, CrawlerRule]
    previous: dict[str, CrawlerRule] | None
    approved_by: str | None
    approved_at: float
    applied_at: float | None = None
    error: str | None = None

    @property
    def held(self) -> Rules:
        """The rules that the CMS holds of the service."""
        return (self.value if self.status in WRITTEN else self.previous) or {}
