"""Checks on the live website whether changes were written to pages and files. A separate AWS Lambda function, named by
the setting LIVE_READER_FUNCTION, reads the pages and files.

The worker that writes changes has the credentials of a website's CMS, so it should not open pages of the website
itself. The function opens them: a hostile page can harm only the function, which has no rights.

Messages are JSON of at most 6 MB either way. Both sides are deployed together, so a message that does not have exactly
the expected members is invalid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib import clock
from chalicelib.connectors.function_calls import Callee
from chalicelib.connectors.live_files import LLMS_BYTES, LiveLlms, LiveRobots
from chalicelib.domain.changes.batch import Change, ChangeOutcome, Look
from chalicelib.domain.changes.redirecting import Answered
from chalicelib.domain.readiness.live_file import Fetched
from chalicelib.domain.suggestion import PageField
from chalicelib.net.files import FILE_BYTES
from chalicelib.settings.writes import write_settings

FUNCTION_SECONDS: Final = 75  # the function's time limit (.chalice/config.json): three answers of twenty seconds
AT_ONCE: Final = 8  # concurrent calls of one worker, which sends as many changes at once
LONGEST_READING: Final = FUNCTION_SECONDS + 5.0  # how long to wait for the function's answer
_READER: Final = Callee("The function that reads live pages", "LIVE_READER_FUNCTION", LONGEST_READING, AT_ONCE)


class PageAsked(msgspec.Struct, tag_field="kind", tag="page", rename="camel", forbid_unknown_fields=True):
    """A request to check whether a page shows one change. ``nonce``: a text that is new for each reading. ``before``:
    the value that the CMS had before the change. The other members are copied from ``Change``."""

    host: str
    url: str
    nonce: str
    field: PageField
    value: str
    before: str | None
    gone: str | None
    caches: tuple[tuple[str, bool], ...]
    key: str | None = None

    @property
    def change(self) -> Change:
        """The change, with only the members that are needed to check its page."""
        outcome = ChangeOutcome(before=self.before)
        return Change(
            number=0,
            url=self.url,
            cms_id="",
            field=self.field,
            value=self.value,
            outcome=outcome,
            gone=self.gone,
            key=self.key,
        )


class AddressesAsked(msgspec.Struct, tag_field="kind", tag="addresses", forbid_unknown_fields=True):
    """A request for the current answers of these addresses."""

    urls: tuple[str, ...]


class LlmsAsked(msgspec.Struct, tag_field="kind", tag="llms", forbid_unknown_fields=True):
    """A request for the /llms.txt at this address."""

    url: str
    nonce: str


class RobotsAsked(msgspec.Struct, tag_field="kind", tag="robots", forbid_unknown_fields=True):
    """A request for the /robots.txt at this address."""

    url: str
    plain: bool


Asked = PageAsked | AddressesAsked | LlmsAsked | RobotsAsked


class PageAnswer(msgspec.Struct, forbid_unknown_fields=True):
    """The result of checking whether a page shows a change: the members of ``domain.changes.batch.Look`` without the
    time, which the caller adds."""

    live: bool
    value: str | None
    reason: str | None
    note: str | None

    @classmethod
    def of(cls, look: Look) -> "PageAnswer":
        return cls(look.live, look.value, look.reason, look.note)


class AddressesAnswer(msgspec.Struct, forbid_unknown_fields=True):
    """The answer to ``AddressesAsked``: the current answer of each address."""

    found: dict[str, Answered]


class LlmsAnswer(msgspec.Struct, forbid_unknown_fields=True):
    """The answer to ``LlmsAsked``, with the members of ``LiveLlms``."""

    fresh: Fetched
    plain: Fetched


class RobotsAnswer(msgspec.Struct, forbid_unknown_fields=True):
    """The answer to ``RobotsAsked``, with the members of ``LiveRobots``."""

    status: int
    body: bytes
    content_type: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class LiveReaderFunction:
    """The client of the function that reads live pages and files. Methods raise ``OutsideError`` if the function could
    not be called or did not answer."""

    _name: str

    @classmethod
    def connected(cls) -> "LiveReaderFunction | None":
        """Make the client of the function that the setting LIVE_READER_FUNCTION names. Returns None if the setting is
        empty."""
        name = write_settings().live_reader_function.strip()
        return cls(name) if name else None

    def page(self, change: Change, caches: Sequence[tuple[str, bool]], host: str, nonce: str) -> Look:
        """Check whether the page of a change shows the change. ``host``: the website's host."""
        before = None if change.outcome is None else change.outcome.before
        field: PageField = change.field  # type: ignore[assignment]  # of a page
        asked = PageAsked(host, change.url, nonce, field, change.value, before, change.gone, tuple(caches), change.key)
        answer = _READER.call(self._name, asked, PageAnswer)
        return Look(live=answer.live, at=clock.now(), value=answer.value, reason=answer.reason, note=answer.note)

    def addresses(self, urls: Sequence[str]) -> dict[str, Answered]:
        """Call the function to request these addresses. Returns the same as ``live_addresses.ask``."""
        answer = _READER.call(self._name, AddressesAsked(tuple(urls)), AddressesAnswer)
        if not answer.found.keys() >= set(urls):
            raise _READER.unreadable()
        return answer.found

    def llms(self, url: str, nonce: str) -> LiveLlms:
        """Call the function to read llms.txt. Returns the same as ``live_files.read_llms``."""
        answer = _READER.call(self._name, LlmsAsked(url, nonce), LlmsAnswer)
        if max(len(answer.fresh.text), len(answer.plain.text)) > LLMS_BYTES:
            raise _READER.unreadable()
        return LiveLlms(answer.fresh, answer.plain)

    def robots(self, url: str, *, plain: bool) -> LiveRobots:
        """Call the function to read robots.txt. Returns the same as ``live_files.robots_at``."""
        answer = _READER.call(self._name, RobotsAsked(url, plain), RobotsAnswer)
        if len(answer.body) > FILE_BYTES:
            raise _READER.unreadable()
        return LiveRobots(answer.status, answer.body, answer.content_type, answer.error)
