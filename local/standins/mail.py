"""A stand-in for Amazon SES and the mailboxes behind it: it stores the latest mails.

moto's SES checks the sender and the addresses like the real one. The embedded AWS recognizes SES by its API path.
"""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import unquote
from uuid import uuid4

import orjson
from moto.core.exceptions import ServiceException
from moto.sesv2.models import SESV2Backend, sesv2_backends

from chalicelib import clock
from local.locking import LOCK

PATH: Final = "/v2/email/outbound-emails"
LIST: Final = "/v2/email/suppression/addresses/"  # followed by the address
SENDER: Final = "service@demo.example"  # the sender, if the user has set none
KEPT: Final = 200  # how many of the latest mails are stored


class Sent(NamedTuple):
    """A mail that was sent. ``at``: epoch seconds. ``headers``: the sender's own headers, by name."""

    to: str
    subject: str
    text: str
    html: str
    at: float
    headers: dict[str, str]


class Mailbox:
    """The latest mails that a process sent through SES. The function ``told`` is called with each new mail."""

    def __init__(self, account: str, region: str) -> None:
        self._account, self._region = account, region
        self._sent: deque[Sent] = deque(maxlen=KEPT)
        self._changing = threading.Lock()
        self._suppressed: dict[str, str] = {}
        self.told: Callable[[Sent], None] | None = None

    def settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that make the service send mail. Returns {} if ``given``, the user's own settings,
        already has a sender."""
        return {} if given.get("MAIL_FROM") else {"MAIL_FROM": SENDER}

    def verify(self, sender: str) -> None:
        """Verify a sender's address, as its owner does with a click."""
        with LOCK:
            self._backend().create_email_identity(sender, None, None, None)

    def sent(self) -> list[Sent]:
        """Return the stored mails, the latest last."""
        with self._changing:
            return list(self._sent)

    def suppress(self, address: str, reason: str) -> None:
        """Put an address on the suppression list, as SES does. ``reason``: ``BOUNCE`` or ``COMPLAINT``."""
        with self._changing:
            self._suppressed[address] = reason

    def clear(self) -> None:
        """Forget all mails, senders and suppressed addresses."""
        with self._changing:
            self._sent.clear()
            self._suppressed.clear()
        with LOCK:
            sesv2_backends[self._account].pop(self._region, None)
            self._backend().core_backend.reset()
        self.told = None

    def answer_path(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Answer a call by its path. Returns status, headers and body."""
        if path == PATH:
            return self.answer(body)
        return self._of_list(method, unquote(path.removeprefix(LIST)))

    def _of_list(self, method: str, address: str) -> tuple[int, dict[str, str], bytes]:
        headers = {"Content-Type": "application/json", "x-amzn-RequestId": str(uuid4())}
        with self._changing:
            reason = self._suppressed.pop(address, None) if method == "DELETE" else self._suppressed.get(address)
        if reason is None:
            said = {"message": f"Email address {address} does not exist on your suppression list."}
            return 404, {**headers, "x-amzn-ErrorType": "NotFoundException"}, orjson.dumps(said)
        if method == "DELETE":
            return 200, headers, b"{}"
        found = {"EmailAddress": address, "Reason": reason, "LastUpdateTime": int(clock.now())}
        return 200, headers, orjson.dumps({"SuppressedDestination": found})

    def answer(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Answer ``SendEmail``. Returns status, headers and body."""
        headers = {"Content-Type": "application/json", "x-amzn-RequestId": str(uuid4())}
        asked: Any = orjson.loads(body)
        simple, destinations = asked["Content"]["Simple"], asked["Destination"]
        text, html = simple["Body"]["Text"]["Data"], simple["Body"]["Html"]["Data"]
        given = {one["Name"]: one["Value"] for one in simple.get("Headers", [])}
        try:
            with LOCK:
                backend = self._backend()
                message = backend.send_email(asked["FromEmailAddress"], destinations, simple["Subject"]["Data"], text)
                backend.core_backend.sent_messages.clear()  # moto would keep every mail for ever
        except ServiceException as error:
            code = getattr(error, "code", None) or "BadRequestException"
            return 400, {**headers, "x-amzn-ErrorType": code}, orjson.dumps({"message": error.message})
        for to in destinations["ToAddresses"]:
            self._keep(Sent(to, simple["Subject"]["Data"], text, html, clock.now(), given))
        return 200, headers, orjson.dumps({"MessageId": message.id})

    def _keep(self, sent: Sent) -> None:
        with self._changing:
            self._sent.append(sent)
        if self.told is not None:
            self.told(sent)

    def _backend(self) -> SESV2Backend:
        backend: SESV2Backend = sesv2_backends[self._account][self._region]
        return backend
