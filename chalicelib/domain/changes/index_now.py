"""IndexNow (https://www.indexnow.org): notifies search engines of changed pages of a website.

Pages are submitted only if a member of the workspace turned this on for the website. Search engines accept a submission
only if the website serves a key at one of its addresses. The website's connector serves this key as the file
``indexNowKey``.
"""

from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import msgspec

from chalicelib.domain.changes.batch import FILE_FIELDS, Change
from chalicelib.domain.connections import Connections

JOB_ID: Final = "index_now"  # of the job that submits a website's pages
FILE: Final = "indexNowKey"
KEY_BYTES: Final = 16  # 32 characters: 8 to 128 are allowed
MOST_PENDING: Final = 100  # batches that wait; beyond that, the oldest are not submitted
MOST_ADDRESSES: Final = 10_000  # in one request
APART_SECONDS: Final = 600.0  # between two requests for one website, so that no page is submitted more often


class IndexNow(msgspec.Struct, frozen=True, kw_only=True):
    """The stored IndexNow state of a website. Times are epoch seconds.

    - ``key``: the key that proves ownership. It is made once and is public.
    - ``on_since``: when a member turned IndexNow on; None if it is off.
    - ``pending``: batches whose pages are not submitted yet, oldest first. A job submits them.
    - ``seen_at`` and ``location``: when and at which address the key was last found.
    - ``sent_at``: when search engines last accepted addresses.
    - ``problem``: why submitting stopped until a member turns it on again, in words.
    - ``waiting``: why the last try failed. The try will be repeated.
    """

    version: int = 0
    key: str | None = None
    on_since: float | None = None
    pending: tuple[str, ...] = ()
    seen_at: float | None = None
    location: str | None = None
    sent_at: float | None = None
    problem: str | None = None
    waiting: str | None = None

    @property
    def goes(self) -> bool:
        """Whether changes are submitted: IndexNow is on, and no problem has stopped it."""
        return self.on_since is not None and self.problem is None

    @property
    def due_at(self) -> float:
        """The earliest time of the next submission (epoch seconds)."""
        return 0.0 if self.sent_at is None else self.sent_at + APART_SECONDS

    def turned_on(self, key: str, now: float) -> "IndexNow":
        """Return the state after a member turned IndexNow on. ``key``: used if the website has no key yet."""
        return self._next(key=self.key or key, on_since=now, seen_at=None, location=None, problem=None, waiting=None)

    def turned_off(self) -> "IndexNow":
        """Return the state after a member turned IndexNow off. Pages that are still pending will not be submitted."""
        return self._next(on_since=None, pending=(), problem=None, waiting=None)

    def with_batch(self, batch_id: str) -> "IndexNow":
        """Return the state with one more batch to submit."""
        return self._next(pending=(*self.pending, batch_id)[-MOST_PENDING:])

    def found(self, location: str, now: float) -> "IndexNow":
        """Return the state after the key was found at its address."""
        return self._next(seen_at=now, location=location)

    def sent(self, batch_ids: Iterable[str], now: float) -> "IndexNow":
        """Return the state after search engines accepted the addresses of these batches."""
        return self.dropped(batch_ids)._same(sent_at=now, waiting=None)

    def dropped(self, batch_ids: Iterable[str]) -> "IndexNow":
        """Return the state without these pending batches."""
        gone = set(batch_ids)
        return self._next(pending=tuple(one for one in self.pending if one not in gone))

    def stopped(self, problem: str) -> "IndexNow":
        """Return the state after a failure that only people can fix. Pages that are still pending will not be
        submitted."""
        return self._next(pending=(), problem=problem, waiting=None)

    def waits(self, reason: str) -> "IndexNow":
        """Return the state after a failed try that will be repeated."""
        return self._next(waiting=reason)

    def _next(self, **members: Any) -> "IndexNow":
        return self._same(version=self.version + 1, **members)

    def _same(self, **members: Any) -> "IndexNow":
        return msgspec.structs.replace(self, **members)


def why_not(connections: Connections) -> str | None:
    """Return in words why pages of a website with these connections cannot be submitted; None if they can.

    A broken connection is no obstacle, because the website may still serve the key.
    """
    cms = connections.cms
    if cms is None:
        return "Connect the website's CMS first: its connector shows the key to search engines."
    sender = cms.status.index_now_sender
    if sender is not None:
        return f"{sender} already notifies search engines of this website's changes. A second sender would be refused."
    if FILE not in cms.status.files:
        return (
            "The connector cannot show the key to search engines. Update the connector, or see its status in the CMS."
        )
    return None


def location_of(home_url: str, key: str) -> str:
    """Return the address at which search engines look for the key."""
    return urljoin(home_url, f"/{key}.txt")


def pages_of(changes: Iterable[Change], home_url: str) -> list[str]:
    """Return the pages of applied changes on the home page's host, each once, in order. A key is valid for one host
    only."""
    host = urlsplit(home_url).netloc
    urls = (one.url for one in changes if one.status == "applied" and one.field not in FILE_FIELDS)
    return list(dict.fromkeys(url for url in urls if urlsplit(url).netloc == host))
