"""Sends the POST of a webhook, over ``net.exchange``, to an address from a user, with one limit on the total time.

Status and headers decide whether a delivery succeeded. The answer's body is read only for the log, for at most a
second, and is never decompressed.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from chalicelib.domain.printable import printable
from chalicelib.domain.webhooks.delivery import Phase
from chalicelib.net import exchange as transport
from chalicelib.net.exchange import BadHeader, Exchange, Failed, request_bytes
from chalicelib.net.guard import Address, AddressRefused, Guard, Target, check_url
from chalicelib.net.http1 import Head, Malformed, framing

SECONDS: Final = 20.0  # the time limit that is documented for receivers
REPLY_BYTES: Final = 8 * 1024  # limit on the answer's body, which is read only for the log
REPLY_SECONDS: Final = 1.0
KEPT_REPLY_BYTES: Final = 1024
_SHOWN_ENCODING: Final = 40
_SHOWN_RETRY_AFTER: Final = 60
# A failure after the headers concerns only the body, and does not fail the delivery.
_PHASES: Final[Mapping[transport.Phase, Phase]] = {
    "dns": "dns",
    "connect": "connect",
    "tls": "tls",
    "write": "write",
    "headers": "headers",
    "body": "headers",
}


class Outcome(NamedTuple):
    """The result of one POST.

    - ``phase``: the phase in which the try failed; None if a 2xx answer came in time.
    - ``error``: the reason of a failure.
    - ``ms``: milliseconds until the headers of the answer were complete, or until the failure.
    - ``reply``: the first KB of the body.
    """

    phase: Phase | None
    status: int | None
    ms: int
    reply: str
    error: str | None


def check_receiver(url: str) -> Target:
    """Check the form of a receiver's URL. Raises ``AddressRefused``.

    The URL must be http or https, and must have no user info and no white space. The port must be 443 or above 1023;
    for http, 80 is also allowed. Whether http is allowed depends on the IP address (``resolve_receiver``).
    """
    if any(character.isspace() or not character.isprintable() for character in url):
        raise AddressRefused("the address must not hold white space or control characters")
    target = check_url(url)
    if target.scheme == "https" and target.port == 80:
        raise AddressRefused("port 80 is not for https; use 443 or a port above 1023")
    if target.scheme == "http" and target.port == 443:
        raise AddressRefused("port 443 is for https")
    return target


def resolve_receiver(guard: Guard, target: Target, seconds: float = SECONDS) -> list[Address]:
    """Return the checked IP addresses of a receiver.

    - Raises ``AddressRefused``, also for http to an address that the operator did not allow.
    - Raises ``ResolveFailed``.
    - Raises ``TimeoutError`` after ``seconds``.
    """
    addresses = guard.resolve_within(target.host, target.port, seconds)
    if target.scheme == "http" and not all(guard.is_exempt(address) for address in addresses):
        raise AddressRefused("the address must begin with https://")
    return addresses


class Sender:
    """Posts to receivers. Thread-safe.

    - ``ca_file``: an additional trusted certificate authority (PEM).
    - ``seconds``: limit on the total time of a post, from the look-up to the end of the answer's headers.
    """

    def __init__(self, guard: Guard, *, ca_file: str = "", seconds: float = SECONDS) -> None:
        self.guard = guard
        self.seconds = seconds
        self._ca_file = ca_file

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Make one try. Failures of a receiver, a name server or the network are returned as outcomes, never raised.

        Raises ``OwnFailure`` if this machine could not make the try, since its failure is not the receiver's fault.
        """
        exchange = Exchange(self.guard, seconds=self.seconds, ca_file=self._ca_file)
        try:
            target = check_receiver(url)
            request = request_bytes("POST", url, target, headers, body)
            with exchange:
                exchange.connect(target, resolve_receiver(self.guard, target, exchange.left))
                head = exchange.ask(request)
                ms = exchange.ms
                reply = _reply(exchange, head)
        except (AddressRefused, BadHeader) as error:
            return Outcome("dns", None, exchange.ms, "", str(error))
        except Failed as failed:
            return Outcome(_PHASES[failed.phase], None, exchange.ms, "", failed.reason)
        if 200 <= head.status <= 299:
            return Outcome(None, head.status, ms, reply, None)
        return Outcome("status", head.status, ms, reply, _refusal(head))


def _reply(exchange: Exchange, head: Head) -> str:
    """Read the start of the answer's body, for the log. The result is already decided, so an error here changes
    nothing."""
    encoding = head.header("content-encoding").lower()
    if encoding not in ("", "identity"):
        return f"({printable(encoding, _SHOWN_ENCODING)}, not unpacked)"
    exchange.limit(REPLY_SECONDS)
    body = bytearray()
    try:
        for piece in _pieces(exchange, head):
            body += piece
            if len(body) >= REPLY_BYTES:
                break
    except (OSError, Malformed):
        pass  # the log has what arrived until then
    return printable(body[:KEPT_REPLY_BYTES].decode("utf-8", "replace"), KEPT_REPLY_BYTES)


def _pieces(exchange: Exchange, head: Head) -> Iterator[bytes]:
    """Yield the pieces of the body. If the headers do not say where the body ends, yield everything until the
    connection ends."""
    try:
        framing(head, "POST")
    except Malformed:
        return exchange.unframed()
    return exchange.body(head, "POST")


def _refusal(head: Head) -> str:
    """Return the reason why an answer counts as failed."""
    if 300 <= head.status <= 399 and "location" in head.fields:
        return f"the answer was {head.status}; redirects are not followed"
    retry_after = printable(head.header("retry-after"), _SHOWN_RETRY_AFTER)
    if retry_after:
        return f"the answer was {head.status} with Retry-After: {retry_after}"
    return f"the answer was {head.status}"
