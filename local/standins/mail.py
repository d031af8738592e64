"""A stand-in for Amazon SES and the mailboxes behind it: it keeps all sent mails.

moto's SES checks the sender and the addresses as the real one does. The embedded AWS recognizes it by SES's API path.
"""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from uuid import uuid4

import orjson
from moto.core.exceptions import ServiceException
from moto.sesv2.models import SESV2Backend, sesv2_backends

from chalicelib import clock
from local.locking import LOCK

PATH: Final = "/v2/email/outbound-emails"
SENDER: Final = "service@demo.example"  # if the user has set none
KEPT: Final = 200  # mails, the latest


class Sent(NamedTuple):
    """A mail that was sent. ``at``: epoch seconds. ``headers``: those that its sender gave, by name."""

    to: str
    subject: str
    text: str
    html: str
    at: float
    headers: dict[str, str]


class Mailbox:
    """Every mail that a process sends by SES, the latest last. ``told`` receives each."""

    def __init__(self, account: str, region: str) -> None:
        self._account, self._region = account, region
        self._sent: deque[Sent] = deque(maxlen=KEPT)
        self._changing = threading.Lock()
        self.told: Callable[[Sent], None] | None = None

    def settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """The settings that make the service send mail; none if a sender is ``given``."""
        return {} if given.get("MAIL_FROM") else {"MAIL_FROM": SENDER}

    def verify(self, sender: str) -> None:
        """Verify a sender's address, as its owner does by a click."""
        with LOCK:
            self._backend().create_email_identity(sender, None, None, None)

    def sent(self) -> list[Sent]:
        """The mails, the latest last."""
        with self._changing:
            return list(self._sent)

    def clear(self) -> None:
        """Forget all mails and senders."""
        with self._changing:
            self._sent.clear()
        with LOCK:
            sesv2_backends[self._account].pop(self._region, None)
            self._backend().core_backend.reset()
        self.told = None

    def answer(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Answer ``SendEmail``: status, headers, body."""
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
