"""Sends one mail to the operator's own mail server (SMTP), over TLS if the server supports it.

A password is sent only over TLS or to this machine itself. Errors never contain the server's address, since it can
include a password.
"""

import contextlib
import ipaddress
import re
import smtplib
import socket
import ssl
import threading
from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from chalicelib.net.trust import trusting

PORTS: Final = {"smtp": 587, "smtps": 465}
_NO_MAILBOX: Final = (550, 551, 553)
# 5.1.7 and 5.1.8 are about the sender's address (RFC 3463).
_DETAIL: Final = re.compile(rb"5\.(\d{1,3})\.(\d{1,3})\b")
_OF_SENDER: Final = (b"7", b"8")


class BadServer(Exception):
    """Raised if the address of the mail server is invalid. The text gives the reason."""


class NotSent(Exception):
    """Raised if the mail was not accepted. The text gives the reason, in one line.

    - ``passing``: whether a retry may help, possibly after the operator fixed something.
    - ``login``: whether the server rejected the user and password, or the sender's address.
    - ``unknown``: whether the recipient's address does not exist.
    """

    def __init__(self, reason: str, *, passing: bool = True, login: bool = False, unknown: bool = False) -> None:
        super().__init__(reason)
        self.passing = passing
        self.login = login
        self.unknown = unknown


class Server(NamedTuple):
    """The operator's mail server. ``user``: None if the server needs no login."""

    scheme: str
    host: str
    port: int
    user: str | None
    password: str

    def __repr__(self) -> str:
        return f"Server({self.scheme}://{self.host}:{self.port})"


def server(url: str) -> Server:
    """Parse the address of a mail server, such as ``smtp://user:password@mail.example.com:587``. Raises
    ``BadServer``."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadServer("MAIL_URL is no address.") from None
    if parts.scheme not in PORTS or not parts.hostname or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise BadServer(
            "MAIL_URL must be smtp:// or smtps:// and a host, such as smtp://user:password@mail.example.com:587."
        )
    user = None if parts.username is None else unquote(parts.username)
    return Server(parts.scheme, parts.hostname, port or PORTS[parts.scheme], user, unquote(parts.password or ""))


class _Bounded(smtplib.SMTP):
    """An SMTP conversation with a limit on its total time, since a server could send lines slowly forever."""

    def __init__(self, host: str, port: int, seconds: float, **options: Any) -> None:
        self._end = threading.Timer(seconds, self._cut)
        self._end.daemon = True
        self._end.start()
        try:
            super().__init__(host, port, timeout=seconds, **options)
        except BaseException:
            self._end.cancel()
            raise

    def close(self) -> None:
        """Close the connection, and stop the timer."""
        self._end.cancel()
        super().close()

    def _cut(self) -> None:
        if isinstance(self.sock, socket.socket):
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


class _BoundedOverTls(_Bounded, smtplib.SMTP_SSL):
    """An SMTP conversation that uses TLS from its beginning, with a limit on its total time."""


def send(to: Server, sender: str, recipient: str, message: bytes, *, seconds: float, ca_file: str = "") -> None:
    """Send one mail through the server. Raises ``NotSent``.

    ``seconds``: limit from the connection to the server's last answer.
    """
    try:
        with _connected(to, seconds, trusting(ca_file)) as connection:
            _log_in(connection, to)
            connection.sendmail(sender, [recipient], message)
    except smtplib.SMTPAuthenticationError:
        raise NotSent(
            "The mail server refuses the user or the password of MAIL_URL.", passing=False, login=True
        ) from None
    except smtplib.SMTPRecipientsRefused as error:
        code, said = min(error.recipients.values(), default=(500, b""))
        unknown = _is_unknown(code, said)
        raise NotSent(f"The mail server refuses the address ({code}).", passing=code < 500, unknown=unknown) from None
    except smtplib.SMTPSenderRefused as error:
        login = error.smtp_code >= 500
        raise NotSent(
            f"The mail server refuses MAIL_FROM ({error.smtp_code}).", passing=not login, login=login
        ) from None
    except smtplib.SMTPResponseException as error:
        if isinstance(error.smtp_error, str):  # smtplib's own message; messages of the server are bytes
            raise NotSent("The mail server does not speak SMTP.") from None
        refused = error.smtp_code >= 500 and isinstance(error, smtplib.SMTPDataError)  # only this mail is rejected
        raise NotSent(f"The mail server answers {error.smtp_code}.", passing=not refused) from None
    except ssl.SSLCertVerificationError:
        raise NotSent("The mail server's certificate is not trusted.") from None
    except smtplib.SMTPException:
        raise NotSent("The mail server closed the connection, or does not speak SMTP.") from None
    except (OSError, ValueError):  # smtplib raises ValueError for unreadable lines
        raise NotSent("The mail server does not answer.") from None


def _is_unknown(code: int, said: bytes) -> bool:
    """Whether a rejection means that the recipient's address does not exist.
    The enhanced status code, if any (RFC 3463), distinguishes that from a rejection of the sender or of the mail."""
    detail = _DETAIL.match(said)
    of_address = detail is None or (detail[1] == b"1" and detail[2] not in _OF_SENDER)
    return code in _NO_MAILBOX and of_address


@contextlib.contextmanager
def _connected(to: Server, seconds: float, context: ssl.SSLContext) -> Iterator[smtplib.SMTP]:
    connection: smtplib.SMTP
    if to.scheme == "smtps":
        connection = _BoundedOverTls(to.host, to.port, seconds, context=context)
    else:
        connection = _Bounded(to.host, to.port, seconds)
    with connection:
        connection.ehlo_or_helo_if_needed()
        if to.scheme == "smtp" and connection.has_extn("starttls"):
            connection.starttls(context=context)
            connection.ehlo()
        yield connection


def _log_in(connection: smtplib.SMTP, to: Server) -> None:
    if to.user is None:
        return
    if not isinstance(connection.sock, ssl.SSLSocket) and not _is_this_machine(to.host):
        raise NotSent(
            "The mail server has no TLS, and the password is not sent without TLS.", passing=False, login=True
        )
    connection.login(to.user, to.password)


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
