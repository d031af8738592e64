"""Any bytes of an outside system end in an answer of the right form or in one of the five failures, within time."""

import dataclasses
import math
import re
import time
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chalicelib import clock
from chalicelib.connectors import google, shop
from chalicelib.connectors.errors import Declined, NoAccess, OutsideError, Quota, Unavailable
from chalicelib.net.send import Outcome
from chalicelib.settings.reading import forget_settings
from tests.connectors.any_answer import CLIENTS, SECRET, answers
from tests.servers.wire import Connection, WireServer

LONGEST_MESSAGE = 500
SECONDS = 10.0  # of one call whose answer comes at once
_TOKEN = b'{"access_token": "token", "expires_in": 3600}'
_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_VARIABLES = ("ANALYTICS_DATA_URL", "SEARCH_CONSOLE_URL", "CRUX_URL", "PAGESPEED_URL", "SHOP_ADMIN_URL")


class Liar:
    """Sends the same bytes to whatever is asked, but an access token where the client needs one first."""

    def __init__(self) -> None:
        self.sent = b""
        self.gives_tokens = True
        self.server = WireServer(self._answer)

    def _answer(self, connection: Connection) -> None:
        if self.gives_tokens and connection.path == "/token":
            connection.answer(_TOKEN)
        else:
            connection.send(self.sent)


@pytest.fixture(scope="module")
def liar() -> Iterator[Liar]:
    found = Liar()
    patch = pytest.MonkeyPatch()
    with found.server:
        url = found.server.url().rstrip("/")
        patch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
        patch.setenv("GOOGLE_TOKEN_URL", f"{url}/token")
        for name in _VARIABLES:
            patch.setenv(name, url)
        for provider in ("ANTHROPIC", "GEMINI", "OPENAI", "PERPLEXITY"):
            patch.setenv(f"{provider}_BASE_URL", url)
        for name in ("CRUX_API_KEY", "PAGESPEED_API_KEY"):
            patch.setenv(name, SECRET)
        patch.setattr(clock, "sleep", lambda _: None)
        patch.setattr(shop, "LEAST_WAIT", 0.0)
        forget_settings()
        google.forget_tokens()
        yield found
        patch.undo()
        forget_settings()
        google.forget_tokens()


@pytest.mark.parametrize("client", CLIENTS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_arbitrary_bytes_from_a_service_give_an_answer_or_a_defined_error(
    client: str, liar: Liar, data: st.DataObject
) -> None:
    ask, whole = CLIENTS[client]
    liar.sent = data.draw(answers(whole))
    liar.gives_tokens = client != "google token"
    began = time.monotonic()
    try:
        found = ask(liar.server.url().rstrip("/"))
    except OutsideError as failure:
        check_failure(failure)
    else:
        check_value(found)
    assert time.monotonic() - began < SECONDS


def check_failure(failure: OutsideError) -> None:
    assert isinstance(failure, NoAccess | Quota | Unavailable | Declined)
    assert SECRET not in failure.message
    assert 0 < len(failure.message) <= LONGEST_MESSAGE and not _HIDDEN.search(failure.message), failure.message
    wait = failure.retry_after
    assert wait is None or (0 <= wait <= 86_400), wait


def check_value(found: Any) -> None:
    """Numbers are finite and in a range that can be added up; texts can be stored, and shown but for ``_RAW``."""
    if isinstance(found, Outcome):
        assert found.error is None or (len(found.error) <= 200 and not _HIDDEN.search(found.error))
        assert len(found.reply) <= 1024
        return
    for name, value in _leaves(found):
        if isinstance(value, float | int):
            assert math.isfinite(value) and abs(value) < 1e16, value
        if isinstance(value, str):
            value.encode()
            assert len(value) <= 400_000
            assert name in _RAW or not _HIDDEN.search(value), (name, value)


# Compared with what is written or searched for, and cleaned where it is shown.
_RAW = {
    *("title", "meta_description", "canonical", "before", "after", "undo", "site_url", "next", "cms_id", "modified_at"),
    *("keys", "text"),
}


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every number and text inside a value, with the name of the member that holds it."""
    if isinstance(value, msgspec.Struct):
        value = msgspec.structs.asdict(value)
    elif isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = vars(value)
    if isinstance(value, dict):
        for key, part in value.items():
            yield "", key
            yield from _leaves(part, key if isinstance(key, str) else name)
    elif isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from _leaves(part, name)
    else:
        yield name, value
