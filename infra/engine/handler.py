"""The handler of the Lambda function that runs the browser engine: each call makes one test or renders pages.

It runs in the image of ``infra/engine/Containerfile``, with the same code as an engine inside a worker's process. The
function's only right is to write its own log. Expected failures are described in the answer. An unexpected exception
ends the call, and Lambda reports the exception to the caller.
"""

import logging
from typing import Any, Final

import msgspec

from chalicelib import clock
from chalicelib.connectors.chromium import Engine
from chalicelib.connectors.engine_messages import (
    MOST_ANSWER,
    Asked,
    Failed,
    PagesAnswer,
    PagesAsked,
    PageSent,
    TestAnswer,
    TestAsked,
)
from chalicelib.connectors.errors import OutsideError, Unavailable
from chalicelib.connectors.lighthouse import Lighthouse
from chalicelib.connectors.rendering import Chromium
from chalicelib.domain.speed.report import reduced

TOO_LARGE: Final = "The engine's result is too large to return."

_log = logging.getLogger(__name__)


def handle(event: dict[str, Any], context: object) -> Any:
    """Answer one call. Call and answer consist of JSON values. Raises ``msgspec.ValidationError`` for an invalid
    call."""
    asked: Asked = msgspec.convert(event, TestAsked | PagesAsked)
    answer: TestAnswer | PagesAnswer
    try:
        answer = _tested(asked) if isinstance(asked, TestAsked) else _rendered(asked)
    except OutsideError as error:
        _log.warning("%s", error.message)
        answer = (TestAnswer if isinstance(asked, TestAsked) else PagesAnswer)(failed=Failed(error.code, error.message))
    return msgspec.to_builtins(answer)


def _tested(asked: TestAsked) -> TestAnswer:
    lighthouse = Lighthouse.connected()
    answer = TestAnswer(reduced(lighthouse.report(asked.url, asked.strategy)), lighthouse.features)
    if len(msgspec.json.encode(answer)) > MOST_ANSWER:
        raise Unavailable(TOO_LARGE)
    return answer


def _rendered(asked: PagesAsked) -> PagesAnswer:
    """Render pages until the time is over or the answer is full.

    Leaves out each page that is too large for any answer.
    """
    until = clock.monotonic() + asked.seconds
    left = list(asked.urls)
    pages: list[PageSent] = []
    size = 0
    renderer = Chromium(Engine.connected(), asked.user_agent)
    for source in renderer.render(asked.urls, asked.seconds, lambda: left.pop(0)):
        page = PageSent.of(source)
        needed = len(msgspec.json.encode(page))
        if needed > MOST_ANSWER:
            continue
        if size + needed > MOST_ANSWER:
            return PagesAnswer(pages, [source.url, *left])
        pages.append(page)
        size += needed
    # If time remains, no browser could show the other pages: they are not returned for another try.
    return PagesAnswer(pages, left if clock.monotonic() >= until else [])
