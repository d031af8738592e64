"""The function that reads live pages, with Lambda's own wire format between it and the writer: for tests with the
fixture ``store``."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import app
from chalicelib.connectors import function_calls
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.settings.reading import forget_settings
from tests.plugins import rights
from tests.servers.functions import FunctionService

NAME = "wos-Reader"


def handled(event: Any) -> Any:
    """The answer of the deployed function."""
    return app.reader(event, None)


@contextmanager
def read_by_function(patch: pytest.MonkeyPatch, answer: Callable[[Any], Any] = handled) -> Iterator[FunctionService]:
    """Make the writer call the function from now on."""
    with FunctionService(answer, NAME) as started:
        for name in ("AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "us-east-1")
        patch.setenv("AWS_ENDPOINT_URL_LAMBDA", started.url)
        patch.setenv("LIVE_READER_FUNCTION", NAME)
        forget_settings()
        function_calls.reset()
        try:
            yield started
        finally:
            patch.delenv("LIVE_READER_FUNCTION")
            forget_settings()
            function_calls.reset()


def who_reads(patch: pytest.MonkeyPatch) -> list[tuple[str | None, str]]:
    """From now on, each address of a website that is asked for, and the function of the deployment that asks."""
    found: list[tuple[str | None, str]] = []
    get = Fetcher.get

    async def noted(self: Fetcher, url: str, **options: Any) -> Answer:
        found.append((next(iter(rights._callers(sys._getframe(1))), None), url))
        return await get(self, url, **options)

    patch.setattr(Fetcher, "get", noted)
    return found
