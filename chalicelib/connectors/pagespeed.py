"""PageSpeed Insights (API version 5): Google runs Lighthouse on a page.

A whole answer contains screenshots and has several megabytes. So only the parts that are stored are requested
(parameter ``fields``). The names of Lighthouse's checks are not known beforehand, so the same parts of every check are
requested. From the details of a check, only the rows are requested.
"""

import re
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from chalicelib.connectors.answers import decoded
from chalicelib.connectors.errors import Declined, NotConnected, Unavailable
from chalicelib.connectors.google_api import GoogleApi
from chalicelib.domain.agentic import Strategy
from chalicelib.domain.speed.report import PageFailed, SpeedReport, read_speed_report
from chalicelib.net.calls import Reply
from chalicelib.settings.speed import speed_settings

SECONDS: Final = 90.0  # time limit of one test
_PATH: Final = "/pagespeedonline/v5/runPagespeed"
_AUDIT: Final = "id,title,description,score,scoreDisplayMode,displayValue,explanation,errorMessage,numericValue"
FIELDS: Final = (
    "lighthouseResult("
    "lighthouseVersion,finalUrl,finalDisplayedUrl,runtimeError,configSettings/formFactor,"
    "categories/*/auditRefs(id,group),"
    f"audits/*({_AUDIT},details(type,items)))"
)
_NAME: Final = "PageSpeed Insights"
_IN_WORDS: Final = re.compile(r"Lighthouse returned error: (?P<code>[A-Z_]{1,60})\b\.?(?P<words>.*)", re.DOTALL)


class _Error(msgspec.Struct):
    message: str = ""


class _Answer(msgspec.Struct):
    report: dict[str, Any] | None = msgspec.field(name="lighthouseResult", default=None)
    error: _Error | None = None


@dataclass(frozen=True, slots=True)
class PageSpeedInsights:
    """The client of the service at the setting PAGESPEED_URL."""

    _api: GoogleApi
    provider: str = "psi"

    @classmethod
    def connected(cls) -> "PageSpeedInsights":
        """Make the client with the key of the setting PAGESPEED_API_KEY. Raises ``NotConnected``."""
        settings = speed_settings()
        key = settings.pagespeed_api_key.strip()
        if not key:
            raise NotConnected("Speed tests are not connected: PAGESPEED_API_KEY is not set.")
        return cls(GoogleApi(_NAME, settings.pagespeed_url, key))

    def run(self, url: str, strategy: Strategy, *, seconds: float = SECONDS) -> SpeedReport:
        """Test one page. Implements ``SpeedTester.run``. ``seconds``: the time limit, from the look-up of the host name
        to the end of the answer."""
        asked = [
            ("url", url),
            ("strategy", strategy),
            ("category", "performance"),
            ("category", "agentic-browsing"),
            ("fields", FIELDS),
        ]
        reply = self._api.ask("GET", f"{_PATH}?{urlencode(asked)}", seconds=seconds)
        try:
            return self._read(reply, url)
        except PageFailed as failed:
            raise (Declined if failed.of_the_page else Unavailable)(failed.message) from None

    def _read(self, reply: Reply, url: str) -> SpeedReport:
        """Read the report. A page that cannot be tested is reported with status 200, 400 or 500, either in the report
        or only in the message."""
        try:
            answer = decoded(reply.body, _Answer)
            if answer.report is not None:
                return read_speed_report(answer.report, url)
        except ValueError:
            answer = _Answer()
        told = _IN_WORDS.match(answer.error.message) if answer.error else None
        if told is not None:
            raise PageFailed(told["code"], told["words"])
        raise self._api.not_its_own() if reply.status == 200 else self._api.failure(reply)
