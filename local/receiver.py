"""A webhook receiver: answers every POST with 204, checks its signature, and lists the deliveries on GET."""

import threading
from collections import deque
from typing import Any

from chalicelib import clock
from chalicelib.domain.webhooks import signature
from local.serving import Answer, Request, Service

KEPT = 1000


class Receiver(Service):
    """A receiver on a free port. ``received``: the last deliveries, oldest first."""

    name = "receiver"
    methods = ("GET", "POST")

    def __init__(self) -> None:
        self._received: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._secrets: list[str] = []
        self._lock = threading.Lock()
        super().__init__()
        self.url += "/webhooks"

    def know(self, secret: str) -> None:
        """Accept signatures made with this secret, in addition to earlier ones."""
        self._secrets.append(secret)

    def received(self) -> list[dict[str, Any]]:
        """Return the deliveries as ``{at, path, headers, body, verified}``. The body is text.

        ``verified``: whether the signature was made with a secret that the receiver knows. It knows, for example, the
        secret of the endpoint that ``make run`` adds.
        """
        with self._lock:
            return list(self._received)

    def take(self, path: str, headers: dict[str, str], body: bytes) -> None:
        """Store one delivery."""
        given = headers.get(signature.SIGNATURE_HEADER)
        arrival = {
            "at": clock.now(),
            "path": path,
            "headers": headers,
            "body": body.decode("utf-8", "replace"),
            "verified": any(signature.verify(secret, body, given) for secret in self._secrets),
        }
        with self._lock:
            self._received.append(arrival)

    def respond(self, request: Request) -> Answer:
        if request.method == "GET":
            return self.json_answer(200, {"items": self.received()})
        self.take(request.path, dict(request.headers.items()), request.body)
        return Answer(204)
