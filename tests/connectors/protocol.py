"""What docs/connector.md says and only somebody inside can see: who makes codes, edits, and reads what is stored.

Each check takes a ``Subject``: a connector with a website behind it. It leaves the item's values as it found them. What
can be seen from outside is checked by ``conformance``.
"""

import json
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

import pytest

from chalicelib.connectors.cms import HttpCms
from chalicelib.connectors.errors import NoAccess, OutsideError
from chalicelib.domain.connector import signature
from chalicelib.domain.connector.messages import Field, FileChange, FileOutcome
from chalicelib.randomness import random_bytes
from conformance.checks import VALUES
from tests.connectors import writing
from tests.connectors.writing import change, sequence, undo  # noqa: F401 - for those who take all from here

BASE_URL = "https://api.service.example/api/v1"


class Subject(Protocol):
    """A connector that can be asked, and what its website shows. ``item`` and ``url``: a published item that has no
    values of its own."""

    address: str
    item: str
    url: str

    def code(self) -> str:
        """A new code, as a person makes one."""

    def disconnect(self) -> None:
        """The person ends the connection."""

    def edit(self, field: Field, value: str | None) -> None:
        """An editor writes the item's own value by himself."""

    def shown(self, field: Field) -> str | None:
        """What a visitor of ``url`` sees; None where the website makes the value by itself, or shows none."""

    def file(self, name: str) -> str | None:
        """What a visitor sees at /llms.txt or /robots.txt; None: not found."""

    def closed(self) -> AbstractContextManager[None]:
        """Until the block ends, robots.txt is a file that the connector cannot replace."""

    def stored(self) -> Any:
        """Everything that a write could change, for comparison."""


def connect(subject: Subject) -> HttpCms:
    """A pairing made anew."""
    cms = HttpCms(subject.address, signature.make_secret(random_bytes(32)))
    cms.pair(subject.code(), "site_1", BASE_URL, "wos_site_key")
    return cms


def ask(
    subject: Subject, operation: str, body: bytes, headers: dict[str, str], method: str = "POST"
) -> tuple[int, Any]:
    """Status and JSON of a request made by hand."""
    request = urllib.request.Request(f"{subject.address}/{operation}", body, headers, method="POST")
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=30) as found:
            return found.status, json.load(found)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def signed(cms: HttpCms, operation: str, body: bytes, at: float | None = None) -> dict[str, str]:
    moment = int(time.time() if at is None else at)
    return signature.headers(cms.secret, moment, secrets.token_hex(16), signature.ROOT + operation, body)


# -- pairing -----------------------------------------------------------------------------------------------


def check_a_code_pairs_once_and_is_answered_again_to_the_same(subject: Subject) -> None:
    code = subject.code()
    first = HttpCms(subject.address, signature.make_secret(random_bytes(32)))
    status = first.pair(code, "site_1", BASE_URL, "wos_site_key")
    assert status == first.pair(code, "site_1", BASE_URL, "wos_site_key") == first.status()
    other = HttpCms(subject.address, signature.make_secret(random_bytes(32)))
    with pytest.raises(NoAccess, match="code"):
        other.pair(code, "site_1", BASE_URL, "wos_site_key")
    assert first.status() == status
    with pytest.raises(NoAccess, match="a different secret"):
        other.status()


def check_a_wrong_code_changes_nothing(subject: Subject) -> None:
    cms = connect(subject)
    subject.code()
    stranger = HttpCms(subject.address, signature.make_secret(random_bytes(32)))
    for code in ("", "0" * 16, "ABCD-EFGH-JKLM"):
        with pytest.raises(OutsideError):
            stranger.pair(code, "site_1", BASE_URL, "wos_site_key")
    assert cms.status().writable


def check_a_new_pairing_ends_the_old_one(subject: Subject) -> None:
    old, new = connect(subject), connect(subject)
    with pytest.raises(NoAccess):
        old.status()
    assert new.status().writable
    subject.disconnect()
    with pytest.raises(NoAccess, match="no longer paired"):
        new.status()


def check_it_says_what_it_can_do(subject: Subject) -> None:
    status = connect(subject).status()
    assert status.writable and status.reason is None and subject.url.startswith(status.site_url.rstrip("/"))
    assert (
        status.fields == [*VALUES, "alt"]
        and status.redirects
        and status.files == ["llmsTxt", "robotsBlock", "indexNowKey"]
    )
    assert status.robots_file == "virtual" and status.platform and status.version


# -- files -------------------------------------------------------------------------------------------------


def check_a_file_that_cannot_be_replaced_is_said_and_refused(subject: Subject) -> None:
    cms = connect(subject)
    stored = subject.stored()
    with subject.closed():
        robots, status = subject.file("robots.txt"), cms.status()
        assert status.robots_file == "readonly" and status.files == ["llmsTxt", "indexNowKey"]
        for value in ("User-agent: GPTBot\nDisallow: /\n", None):
            asked = FileChange(
                change_id=secrets.token_hex(8), sequence=sequence(), file="robotsBlock", value=value, restore=None
            )
            outcome = cms.change_file(asked)
            assert outcome.state == "refused" and outcome.reason and "/home" not in outcome.reason
        assert subject.file("robots.txt") == robots
    assert subject.stored() == stored and cms.status().robots_file == "virtual"


def check_a_text_of_full_length_is_undone_byte_for_byte(subject: Subject) -> None:
    cms = connect(subject)
    stored = subject.stored()
    # Characters that JSON writes as two, six or twelve, and ones of four bytes.
    first, second = ('"\\\n\t\u2028🏕é' * 10_000)[:60_000], "# Shop\n" * 8_571

    def write(value: str | None, restore: str | None = None) -> FileOutcome:
        return cms.change_file(
            FileChange(
                change_id=secrets.token_hex(8), sequence=sequence(), file="llmsTxt", value=value, restore=restore
            )
        )

    outcomes = [write(first), write(second), write(first), write(None)]
    assert [outcome.state for outcome in outcomes] == ["written"] * 4
    assert [outcome.before for outcome in outcomes] == [None, first, second, first]
    assert all(len(outcome.undo or "") <= 8_000 for outcome in outcomes)
    for expected in (first, second, first):
        back = write(None, outcomes.pop().undo)
        assert (back.state, back.after) == ("written", expected) and subject.file("llms.txt") == expected
        assert len(back.undo or "") <= 8_000
    assert write(None, outcomes.pop().undo).after is None and subject.file("llms.txt") is None
    assert subject.stored() == stored


def check_an_undo_comes_with_the_text_that_it_brings_back(subject: Subject) -> None:
    """The service sends what it keeps; where the connector keeps it too, its own is written."""
    cms = connect(subject)
    long = "# Shop\n" * 5_000
    for value in ("# First\n", long):
        first = FileChange(change_id=secrets.token_hex(8), sequence=sequence(), file="llmsTxt", value=value)
        second = FileChange(change_id=secrets.token_hex(8), sequence=sequence(), file="llmsTxt", value="# Second\n")
        tokens = [cms.change_file(asked).undo for asked in (first, second)]
        for text, token, expected in (("# Forged\n", tokens[1], value), (None, tokens[0], None)):
            asked = FileChange(
                change_id=secrets.token_hex(8), sequence=sequence(), file="llmsTxt", value=text, restore=token
            )
            assert cms.change_file(asked).after == expected == subject.file("llms.txt")


class _Written:
    """A subject as what values are written through."""

    values = VALUES

    def __init__(self, subject: Subject) -> None:
        self.item, self.url = subject.item, subject.url
        self.edit, self.shown, self.stored = subject.edit, subject.shown, subject.stored
        self._subject = subject

    def connect(self) -> HttpCms:
        return connect(self._subject)


def _of_writing(check: Callable[[writing.Subject], None]) -> Callable[[Subject], None]:
    def checked(subject: Subject) -> None:
        check(_Written(subject))

    checked.__name__ = check.__name__
    return checked


each_field_is_written_seen_and_undone = _of_writing(writing.check_each_field_is_written_seen_and_undone)

CHECKS: list[Callable[[Subject], None]] = [
    *(value for name, value in list(globals().items()) if name.startswith("check_")),
    *map(_of_writing, writing.OF_EDITORS),
]
each = pytest.mark.parametrize("check", CHECKS, ids=[check.__name__.removeprefix("check_") for check in CHECKS])
