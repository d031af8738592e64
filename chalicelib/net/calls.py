"""Makes one HTTP call for a connector over ``net.exchange``, with a total time limit and a limit on bytes.

Credentials are sent in headers only. Errors never contain credentials: an error names the phase that failed, never the
request.

Use ``call`` for every address from outside. It checks each of the host's IP addresses, and connects to a checked
address, never to the name. Use ``call_operators_address`` for addresses that the operator configured for the service,
which may be private. Both functions send credentials. They therefore use plain http only for addresses that the
operator trusts (``ALLOW_ADDRESSES``).

Answers are requested uncompressed. Calls with ``most_bytes``, for services with large answers, are an exception. Their
answers may be gzipped, and the limit then applies to the uncompressed size.
"""

import email.utils
import re
import ssl
from collections.abc import Mapping
from typing import Final, NamedTuple, cast

from chalicelib import clock, metrics
from chalicelib.net.decoding import BodyReader, DecodingError
from chalicelib.net.exchange import BadHeader, Exchange, Failed, request_bytes
from chalicelib.net.failures import OwnFailure
from chalicelib.net.guard import AddressRefused, Guard, check_url
from chalicelib.net.http1 import Malformed

MOST_BYTES: Final = 4 * 1024 * 1024  # limit on an answer's body
OTHER: Final = "other"  # the name in the metrics if a call names no service
_PACKING_BYTES: Final = 64 * 1024  # a compressed body may be this much larger than its uncompressed size
_BEFORE_SENDING: Final = ("dns", "connect", "tls")  # phases in which nothing of the request was sent yet
_LONGEST_DATE: Final = 40  # characters of a date in a header
_EVERYWHERE: Final = "0.0.0.0/0,::/0"


class NoAnswer(Exception):
    """Raised if no complete answer arrived. The text gives the reason. ``sent``: whether a part of the request may have
    been sent."""

    def __init__(self, reason: str, *, sent: bool = True) -> None:
        super().__init__(reason)
        self.sent = sent


class Reply(NamedTuple):
    """An answer. ``headers``: names in lower case; of a repeated header, only the first value. ``body``:
    uncompressed."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def retry_after(self) -> float | None:
        """Return how many seconds the outside service asks to wait before a retry; None if the answer gives no readable
        value."""
        given = self.headers.get("retry-after", "")
        if re.fullmatch(r"\d{1,6}", given, re.ASCII):
            return float(given)
        try:
            at = email.utils.parsedate_to_datetime(given[:_LONGEST_DATE])
            return max(0.0, at.timestamp() - clock.machine()) if at.tzinfo is not None else None
        except (ValueError, TypeError, IndexError, OverflowError):
            return None


def call(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes = b"",
    *,
    seconds: float,
    allow_addresses: str = "",
    extra_hosts: str = "",
    ca_file: str = "",
    service: str = OTHER,
) -> Reply:
    """Make one request to a public address, and return the answer, whatever its status.

    - ``seconds``: time limit from the look-up of the name to the end of the answer.
    - ``service``: the name of the outside service for the metrics; it is one of a few fixed names, never an address.
    - ``allow_addresses``, ``extra_hosts``, ``ca_file``: the settings ALLOW_ADDRESSES, EXTRA_HOSTS and EXTRA_CA_FILE.

    Raises ``NoAnswer`` if no complete answer comes, or if the service may not reach one of the host's IP addresses.
    Raises ``OwnFailure`` if this machine cannot make the call.
    """
    guard = Guard(allow_addresses, extra_hosts)
    return _counted(_Asked(method, url, headers, body, seconds), guard, guard, ca_file, service)


def call_operators_address(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes = b"",
    *,
    seconds: float,
    allow_addresses: str = "",
    extra_hosts: str = "",
    ca_file: str = "",
    most_bytes: int | None = None,
    service: str = OTHER,
) -> Reply:
    """Make one request to an address from the operator's own settings, even a private one.

    Never use it for a URL from a user, a website or an answer. ``most_bytes``: allow a compressed answer of at most
    this uncompressed size. None means an uncompressed answer with the usual limit. Other parameters and exceptions are
    as in ``call``.
    """
    everywhere = Guard(_EVERYWHERE, extra_hosts)
    asked = _Asked(method, url, headers, body, seconds, most_bytes)
    return _counted(asked, everywhere, Guard(allow_addresses), ca_file, service)


def certificate(
    url: str, *, seconds: float, allow_addresses: str = "", extra_hosts: str = "", ca_file: str = ""
) -> bytes | None:
    """Return the verified certificate (DER) of an https address; None if it cannot be obtained."""
    exchange = Exchange(Guard(allow_addresses, extra_hosts), seconds=seconds, ca_file=ca_file)
    try:
        target = check_url(url, schemes=("https",))
        with exchange:
            connection = exchange.connect(target, exchange.resolve(target))
            return cast(ssl.SSLSocket, connection).getpeercert(binary_form=True)
    except (AddressRefused, Failed):
        return None


class _Asked(NamedTuple):
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    seconds: float
    most_bytes: int | None = None  # limit on an answer that may be compressed


def _counted(asked: _Asked, guard: Guard, trusted: Guard, ca_file: str, service: str) -> Reply:
    """Make a call and record its metrics. A call that fails because of this machine is not counted for the service."""
    started, outcome = clock.monotonic(), "unanswered"
    try:
        reply = _call(asked, guard, trusted, ca_file)
        outcome = "limited" if reply.status == 429 else "failed" if reply.status >= 500 else "answered"
        return reply
    except OwnFailure:
        outcome = "own_failure"
        raise
    finally:
        milliseconds = (clock.monotonic() - started) * 1000
        metrics.put(metrics.CALLS, service, outcome, OutsideCalls=1, OutsideCallTime=milliseconds)


def _call(asked: _Asked, guard: Guard, trusted: Guard, ca_file: str) -> Reply:
    """Make a call without metrics. ``guard``: which addresses may be reached. ``trusted``: which of them may be reached
    over http."""
    exchange = Exchange(guard, seconds=asked.seconds, ca_file=ca_file)
    host = "the address"
    try:
        target = check_url(asked.url)
        host = target.host
        packed = {} if asked.most_bytes is None else {"Accept-Encoding": "gzip"}
        request = request_bytes(asked.method, asked.url, target, {**asked.headers, **packed}, asked.body)
        with exchange:
            addresses = exchange.resolve(target)
            if target.scheme == "http" and not all(trusted.is_exempt(address) for address in addresses):
                raise AddressRefused(f"credentials are not sent to {host} over http: the address must begin with https")
            exchange.connect(target, addresses)
            return _reply(exchange, asked, request)
    except (AddressRefused, BadHeader) as error:
        raise NoAnswer(str(error), sent=False) from None
    except Failed as failed:
        reason = failed.reason if host in failed.reason else f"{failed.reason} ({host})"
        raise NoAnswer(reason, sent=failed.phase not in _BEFORE_SENDING) from None


def _reply(exchange: Exchange, asked: _Asked, request: bytes) -> Reply:
    head = exchange.ask(request)
    most = MOST_BYTES if asked.most_bytes is None else asked.most_bytes
    reader = BodyReader(None if asked.most_bytes is None else head.header("content-encoding"), most)
    for piece in exchange.body(head, asked.method):
        if not reader.add(piece) or reader.transfer_bytes > most + _PACKING_BYTES:
            raise Malformed(f"the answer is longer than {most / 1024 / 1024:.3g} MB")
    if not reader.ended:
        raise DecodingError("it breaks off")
    return Reply(head.status, {name: values[0] for name, values in head.fields.items()}, reader.body())
