"""Lighthouse and Chromium in a function of their own (AWS Lambda): the one that the setting ENGINE_FUNCTION names.

The function has no rights on anything of ours, so a page that breaks out of its browser finds nothing. It runs the same
code as an engine in this process (``infra/engine/handler.py``), and is behind the same Protocols. It is asked over
Lambda's Invoke, never twice: what comes of a call that broke off is not known.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import msgspec

from chalicelib import clock
from chalicelib.connectors.answers import decoded, in_one_line
from chalicelib.connectors.engine_messages import Asked, Failed, PagesAnswer, PagesAsked, Problem, TestAnswer, TestAsked
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.connectors.lighthouse import read_engine_report
from chalicelib.connectors.rendering import Source
from chalicelib.domain.speed.agentic import Strategy
from chalicelib.domain.speed.report import SpeedReport
from chalicelib.settings.crawl import crawl_settings
from chalicelib.settings.speed import speed_settings

FUNCTION_SECONDS: Final = 180  # that the function may take (``infra/engine/resources.py``)
PAGES_SECONDS: Final = 140.0  # of pages in one call; the function needs some more to start and to answer
PAGES_AT_ONCE: Final = 10  # in one call: what breaks the function off costs no more
MOST_FAILURES: Final = 2  # calls for pages that broke off, then no more are tried
_LEAST_SECONDS: Final = 15.0  # a browser starts, and shows a page
_MARGIN_SECONDS: Final = 15.0  # that are waited for an answer longer than it may take
_CONNECT_SECONDS: Final = 3
_AT_ONCE: Final = 10  # calls of this process
_ERRORS: Final[Mapping[str, type[OutsideError]]] = {
    error.code: error for error in (Declined, NoAccess, NotConnected, Quota, Unavailable)
}
_NOT_CALLED: Final = "The engine's function could not be called."
# How Lambda refuses a call, in so far as waiting does not help or another word than "unavailable" is right.
_REFUSED: Final[Mapping[str, tuple[type[OutsideError], str]]] = {
    "TooManyRequestsException": (Quota, "The engine's function takes no more calls for now; try again later."),
    "ResourceNotFoundException": (NotConnected, "ENGINE_FUNCTION names a function that is not there."),
    "AccessDeniedException": (NoAccess, "The engine's function may not be called from here."),
    "RequestTooLargeException": (Declined, "The engine's function does not take an address of this length."),
}

_lock = threading.Lock()
_client: Any = None

Answer = TypeVar("Answer", TestAnswer, PagesAnswer)


@dataclass(frozen=True, slots=True)
class EngineFunction:
    """A tester of pages, and a renderer."""

    _name: str
    provider: str = "lighthouse"

    @classmethod
    def connected(cls) -> "EngineFunction":
        """The function of the setting ENGINE_FUNCTION. Raises ``NotConnected``."""
        name = speed_settings().engine_function.strip()
        if not name:
            raise NotConnected("ENGINE_FUNCTION is not set.")
        return cls(name)

    def run(self, url: str, strategy: Strategy) -> SpeedReport:
        """As ``SpeedTester.run``."""
        answer = self._call(TestAsked(url, strategy), TestAnswer)
        if answer.report is None:
            raise Unavailable("The engine's function answered without a report.")
        return read_engine_report(answer.report, url, answer.flags)

    def render(self, urls: Sequence[str], seconds: float, keep: Callable[[], object]) -> Iterator[Source]:
        """As ``Renderer.render``; ``keep`` is called before each call of the function."""
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
        """Raises ``OutsideError``."""
        body = _invoke(self._name, msgspec.json.encode(asked))
        try:
            answer = decoded(body, wire)
        except ValueError:
            raise _unreadable() from None
        if answer.failed is not None:
            raise _failure(answer.failed)
        return answer


def _sources(answer: PagesAnswer, asked: Sequence[str]) -> list[Source]:
    """Raises ``Unavailable``."""
    try:
        return [page.source() for page in answer.pages if page.url in asked]
    except ValueError:
        raise _unreadable() from None


def _invoke(name: str, payload: bytes) -> bytes:
    """What the function answers. Raises ``OutsideError``."""
    from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

    try:
        reply = _lambda().invoke(FunctionName=name, InvocationType="RequestResponse", Payload=payload)
        with closing(reply["Payload"]) as stream:
            body: bytes = stream.read()
    except ClientError as error:
        kind, words = _REFUSED.get(error.response.get("Error", {}).get("Code", ""), (Unavailable, _NOT_CALLED))
        raise kind(words) from None
    except (HTTPClientError, OSError):
        raise Unavailable("The engine's function did not answer in time.") from None
    except BotoCoreError:
        raise Unavailable(_NOT_CALLED) from None
    if reply.get("FunctionError"):
        raise Unavailable(_broke_off(body))
    return body


def _broke_off(body: bytes) -> str:
    """What Lambda says of a function that did not come to its end."""
    try:
        problem = decoded(body, Problem)
    except ValueError:
        problem = Problem()
    if "ResponseSizeTooLarge" in problem.kind:
        return "What the engine found is too large to be answered."
    if "timed out" in problem.message.lower():
        return "The engine's function did not end within its time."
    said = in_one_line(problem.message, ()) if problem.message else "no reason given"
    return f"The engine's function broke off: {said.rstrip('.')}."


def _failure(failed: Failed) -> OutsideError:
    return _ERRORS.get(failed.code, Unavailable)(in_one_line(failed.message, ()))


def _unreadable() -> Unavailable:
    return Unavailable("The answer of the engine's function cannot be read.")


def _lambda() -> Any:
    """The process's client of Lambda, which waits as long as the function may take."""
    global _client
    with _lock:
        if _client is None:
            import botocore.session
            from botocore.config import Config

            config = Config(
                connect_timeout=_CONNECT_SECONDS,
                read_timeout=FUNCTION_SECONDS + _MARGIN_SECONDS,
                retries={"total_max_attempts": 1, "mode": "standard"},
                max_pool_connections=_AT_ONCE,
                tcp_keepalive=True,  # nothing is said for minutes
            )
            _client = botocore.session.get_session().create_client("lambda", config=config)
        return _client


def reset() -> None:
    """Forget the client, so that the next call makes a new one (another endpoint; tests)."""
    global _client
    with _lock:
        _client = None
