"""Calls Lighthouse and Chromium in a separate AWS Lambda function, which the setting ENGINE_FUNCTION names.

The function has no rights to the service's resources, so a hostile page that breaks out of the browser can do nothing.
The function (``infra/engine/handler.py``) runs the same code that a process without this setting runs on its own
machine. Callers use both through the same Protocols, ``SpeedTester`` and ``Renderer``. Each call is made once over
Lambda's Invoke and never retried, because the result of an interrupted call is unknown.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from chalicelib import clock
from chalicelib.connectors.answers import in_one_line
from chalicelib.connectors.engine_messages import Asked, Failed, PagesAnswer, PagesAsked, TestAnswer, TestAsked
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.connectors.function_calls import Callee
from chalicelib.connectors.lighthouse import read_engine_report
from chalicelib.connectors.page_source import Source
from chalicelib.domain.agentic import Strategy
from chalicelib.domain.speed.report import SpeedReport
from chalicelib.settings.crawl import crawl_settings
from chalicelib.settings.speed import speed_settings

FUNCTION_SECONDS: Final = 180  # the function's time limit (``infra/engine/resources.py``)
PAGES_SECONDS: Final = 140.0  # for the pages of one call; the function also needs time to start and to answer
PAGES_AT_ONCE: Final = 10  # pages in one call: few, in case the function fails
MOST_FAILURES: Final = 2  # after this many failed calls for pages, no more are tried
_LEAST_SECONDS: Final = 15.0  # time to start a browser and show a page
_MARGIN_SECONDS: Final = 15.0  # how much longer than the function's limit to wait for its answer
_AT_ONCE: Final = 10  # concurrent calls of this process
_ERRORS: Final[Mapping[str, type[OutsideError]]] = {
    error.code: error for error in (Declined, NoAccess, NotConnected, Quota, Unavailable)
}
_ENGINE: Final = Callee(
    "The function that runs the browser", "ENGINE_FUNCTION", FUNCTION_SECONDS + _MARGIN_SECONDS, _AT_ONCE
)

Answer = TypeVar("Answer", TestAnswer, PagesAnswer)


@dataclass(frozen=True, slots=True)
class EngineFunction:
    """Tests and renders pages by calls of the function."""

    _name: str
    provider: str = "lighthouse"

    @classmethod
    def connected(cls) -> "EngineFunction":
        """Make the client of the function that the setting ENGINE_FUNCTION names. Raises ``NotConnected``."""
        name = speed_settings().engine_function.strip()
        if not name:
            raise NotConnected("ENGINE_FUNCTION is not set.")
        return cls(name)

    def run(self, url: str, strategy: Strategy) -> SpeedReport:
        """Test one page. Implements ``SpeedTester.run``."""
        answer = self._call(TestAsked(url, strategy), TestAnswer)
        if answer.report is None:
            raise Unavailable("The function that runs the browser answered without a report.")
        return read_engine_report(answer.report, url, answer.flags)

    def render(self, urls: Sequence[str], seconds: float, keep: Callable[[], object]) -> Iterator[Source]:
        """Render pages. Implements ``Renderer.render``. ``keep``: called before each call of the function, for example
        to renew the lease of the caller's job."""
        until, left, failures, found = clock.monotonic() + seconds, list(urls), 0, 0
        user_agent = crawl_settings().user_agent
        while left and until - clock.monotonic() >= _LEAST_SECONDS:
            keep()
            asked, rest = left[:PAGES_AT_ONCE], left[PAGES_AT_ONCE:]
            most = min(PAGES_SECONDS, until - clock.monotonic())
            try:
                answer = self._call(PagesAsked(asked, most, user_agent), PagesAnswer)
                sources = _sources(answer, asked)
            except OutsideError as error:
                failures += 1
                if isinstance(error, Unavailable) and failures < MOST_FAILURES and rest:
                    left = rest
                    continue
                if found:
                    return
                raise
            found += len(sources)
            yield from sources
            again = [url for url in asked if url in answer.left]
            left = ([] if len(again) == len(asked) else again) + rest

    def _call(self, asked: Asked, wire: type[Answer]) -> Answer:
        """Call the function, and return its answer. Raises ``OutsideError``."""
        answer = _ENGINE.call(self._name, asked, wire)
        if answer.failed is not None:
            raise _failure(answer.failed)
        return answer


def _sources(answer: PagesAnswer, asked: Sequence[str]) -> list[Source]:
    """Decode the rendered pages of an answer. Raises ``Unavailable``."""
    try:
        return [page.source() for page in answer.pages if page.url in asked]
    except ValueError:
        raise _ENGINE.unreadable() from None


def _failure(failed: Failed) -> OutsideError:
    return _ERRORS.get(failed.code, Unavailable)(in_one_line(failed.message, ()))
