"""Sends content to the service, as a CMS does after it was paired (docs/connector.md)."""

import json
import logging
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib.domain.connector.messages import Item

PORTION: Final = 500  # items in one request
AFTER_SECONDS: Final = 1.0  # a CMS sends from a queue, a moment after it has answered the pairing
WAITS: Final = (60.0, 300.0, 900.0, 3_600.0)  # waits before further tries, if the service did not accept the content
SECONDS: Final = 30.0  # the time limit of a request

_log = logging.getLogger(__name__)


class Pairing(NamedTuple):
    """The values that the CMS receives at a pairing: the secret with which the service signs its requests, and the API
    key for the requests of the CMS."""

    site_id: str
    base_url: str
    website_key: str
    secret: str

    def __repr__(self) -> str:
        return f"Pairing({self.site_id})"  # keeps the key and the secret out of logs


class _Refused(Exception):
    """Raised if the service did not accept a portion; the text says why. ``again``: whether it may accept the portion
    later."""

    def __init__(self, reason: str, *, again: bool) -> None:
        super().__init__(reason)
        self.again = again


class ContentQueue:
    """Sends a website's content through the public API in a thread, with the website's key.

    ``sent`` is set when the service has accepted all content. Until then, ``trouble`` says in words why the service has
    not accepted it.
    """

    def __init__(self, after: float = AFTER_SECONDS, waits: Sequence[float] = WAITS) -> None:
        """``after``: seconds from the pairing to the first try. ``waits``: seconds before each further try."""
        self.sent = threading.Event()
        self.trouble: str | None = None
        self._waits = (after, *waits)
        self._stopping = threading.Event()

    def send_all(self, pairing: Pairing, read: Callable[[], Sequence[Item]]) -> None:
        """Begin to send all items that ``read`` returns, and return at once.

        ``read`` is called when the sending begins.
        """
        self.sent.clear()
        self.trouble = None
        threading.Thread(target=self._run, args=(pairing, read), name="cms-content", daemon=True).start()

    def stop(self) -> None:
        """Stop sending."""
        self._stopping.set()

    def _run(self, pairing: Pairing, read: Callable[[], Sequence[Item]]) -> None:
        for wait in self._waits:
            if self._stopping.wait(wait):
                return
            try:
                items = read()
                for start in range(0, len(items), PORTION):
                    _put(pairing, items[start : start + PORTION])
            except _Refused as refused:
                self.trouble = str(refused)
                _log.warning("the service did not accept the content of the CMS's stand-in: %s", refused)
                if not refused.again:
                    return
            else:
                self.trouble = None
                self.sent.set()
                return


def _put(pairing: Pairing, items: Sequence[Item]) -> None:
    """Send one portion. Raises ``_Refused``."""
    request = urllib.request.Request(
        f"{pairing.base_url}/sites/{pairing.site_id}/content",
        method="PUT",
        data=msgspec.json.encode({"items": items}),
        headers={"Authorization": f"Bearer {pairing.website_key}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=SECONDS):
            return
    except urllib.error.HTTPError as error:
        again = error.code in (409, 429) or error.code >= 500
        raise _Refused(_words(error), again=again) from None
    except OSError as error:
        raise _Refused(f"the service did not answer ({error})", again=True) from None


def _words(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"the service answered {error.code}"
