"""A worker's lease on the crawl it has claimed: renewed while long steps last, so that nobody takes the crawl over."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.store import crawls
from chalicelib.workers.audit.window import OrderedWindow

LEASE_SECONDS = 240.0  # the fence, not the lease, is what keeps two workers apart
RENEW_SECONDS = 60.0  # the lease is renewed this often, and a person's wish to cancel is heard

T = TypeVar("T")


class Lease:
    """Held from the claim on. ``heeds_cancel`` False: a wish to cancel is known already, and what is left goes on."""

    def __init__(self, header: CrawlHeader) -> None:
        self._header = header
        self._kept_at = clock.monotonic()
        self.heeds_cancel = not header.cancel_requested

    def due(self) -> bool:
        """Whether it is time to renew."""
        return clock.monotonic() - self._kept_at >= RENEW_SECONDS

    def keep(self) -> None:
        """Renew the lease where it is time to. Raises ``FenceLost`` and ``CancelRequested``."""
        if self.due():
            crawls.renew(self._header, clock.now() + LEASE_SECONDS, heed_cancel=self.heeds_cancel)
            self.kept()

    def kept(self) -> None:
        """The lease was just renewed, by ``keep`` or with a checkpoint."""
        self._kept_at = clock.monotonic()


async def during(step: Coroutine[Any, Any, T], keep: Callable[[], None]) -> T:
    """The outcome of a long step, while which ``keep`` is called every few seconds; what that raises ends the step."""

    def go_on() -> bool:
        keep()
        return True

    with OrderedWindow[T]() as window:
        window.ask(step)
        await window.arrives(go_on)
        return cast(T, window.take())
