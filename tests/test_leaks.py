"""The watch for secrets in logs and exceptions finds what it is there for."""

import logging

import pytest

from chalicelib.domain.accounts import keys
from chalicelib.domain.webhooks import signature
from tests.plugins.leaks import Watch, found_in

KEY = keys.make("workspace", bytes(range(32)))
SECRET = signature.make_secret(bytes(range(32)))


@pytest.mark.parametrize(
    "text", [KEY, f"key={keys.make('website', bytes(32))}", SECRET, signature.sign(SECRET, b"{}"), f"Bearer {'x' * 30}"]
)
def test_every_kind_of_secret_is_detected(text: str) -> None:
    found = found_in(f"before {text} after")
    assert found and text not in str(found)


@pytest.mark.parametrize("text", ["wos_ws_…1234", "sha256=[signature]", "wos_wh_", "Bearer …", "Secret(…)", KEY[:20]])
def test_text_that_only_mentions_a_secret_is_accepted(text: str) -> None:
    assert found_in(text) == []


def test_secrets_are_found_in_messages_extra_fields_and_tracebacks() -> None:
    watch = Watch()
    log = logging.Logger("a test of its own")  # under no root: the watch of this very test does not see it
    log.addHandler(watch)
    log.debug("in the message %s", KEY)
    log.info("beside it", extra={"secret": SECRET})
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        log.exception("with an exception")
        watch.look(error)
    assert len(watch.finds) >= 4
