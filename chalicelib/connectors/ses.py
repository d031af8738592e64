"""Sends mail with Amazon SES (version 2 of its API), and reads the suppression list: addresses to which SES sends
nothing."""

import logging
import threading
from typing import Any, Final

from chalicelib import clock
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.domain.mails import Mail, Why

_CONNECT_SECONDS: Final = 2
_READ_SECONDS: Final = 5
_TRIES: Final = 2  # a duplicate mail is harmless
_REFUSED: Final[dict[str, tuple[type[OutsideError], str]]] = {
    "AccessDeniedException": (NoAccess, "This service has no permission to use Amazon SES."),
    "MessageRejected": (
        Declined,
        "Amazon SES rejects the mail, or has not verified the address of its sender or recipient.",
    ),
    "MailFromDomainNotVerifiedException": (NotConnected, "Amazon SES has not verified the domain of MAIL_FROM."),
    "BadRequestException": (Declined, "Amazon SES does not accept the mail."),
    "AccountSuspendedException": (NoAccess, "Amazon SES has suspended this account."),
    "SendingPausedException": (Quota, "Amazon SES has paused sending for this account."),
    "ThrottlingException": (Quota, "Amazon SES accepts no more mail for now."),
    "TooManyRequestsException": (Quota, "Amazon SES accepts no more mail for now."),
    "LimitExceededException": (Quota, "Amazon SES accepts no more mail for now."),
}

_NOT_FOUND: Final = "NotFoundException"
# Except for sending, SES accepts one call per second and action for the whole account.
_ASK_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_clients: list[Any] = []
_asked_at: list[float] = []  # when the suppression list was last read (monotonic seconds)


def send(sender: str, mail: Mail) -> None:
    """Send one mail. Amazon chooses its message id. Raises ``OutsideError``."""
    from botocore.exceptions import BotoCoreError, ClientError

    simple: dict[str, Any] = {
        "Subject": _text(mail.subject),
        "Body": {"Text": _text(mail.text), "Html": _text(mail.html)},
    }
    if mail.headers:
        simple["Headers"] = [{"Name": name, "Value": value} for name, value in mail.headers]
    try:
        _client().send_email(
            FromEmailAddress=sender, Destination={"ToAddresses": [mail.to]}, Content={"Simple": simple}
        )
    except ClientError as error:
        refused = error.response.get("Error", {})
        code = refused.get("Code", "")
        if code == "MessageRejected" and _names(refused.get("Message", ""), sender):
            raise NotConnected("Amazon SES has not verified MAIL_FROM.") from None
        kind, said = _REFUSED.get(code, (Unavailable, "Amazon SES could not take the mail."))
        raise kind(said) from None
    except (BotoCoreError, OSError):
        raise Unavailable("Amazon SES did not answer in time.") from None


def suppressed(address: str) -> Why | None:
    """Return why SES has the address on its suppression list: ``bounce`` (mail to it bounced permanently) or
    ``complaint`` (its owner complained). Returns None if it is not on the list.

    Raises ``OutsideError`` if SES does not answer. SES is asked at most once a second by this process. A call that
    comes earlier raises ``Quota`` without a request to SES.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    if not _may_ask():
        raise Quota("This service asks Amazon SES at most once a second.", sent=False)
    try:
        found = _client().get_suppressed_destination(EmailAddress=address)
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code == _NOT_FOUND:
            return None
        kind, _ = _REFUSED.get(code, (Unavailable, ""))
        if kind is not Quota:
            _log.warning("Amazon SES does not say whether it sends to an address")
        raise kind("Amazon SES does not say whether it sends to this address.") from None
    except (BotoCoreError, OSError):
        raise Unavailable("Amazon SES did not answer in time.") from None
    return "complaint" if found["SuppressedDestination"]["Reason"] == "COMPLAINT" else "bounce"


def unsuppress(address: str) -> None:
    """Remove the address from the suppression list, if it is on the list. Raises ``OutsideError``."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        _client().delete_suppressed_destination(EmailAddress=address)
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") != _NOT_FOUND:
            raise Unavailable("Amazon SES could not send to this address again.") from None
    except (BotoCoreError, OSError):
        raise Unavailable("Amazon SES did not answer in time.") from None


def _may_ask() -> bool:
    """Whether a second has passed since the suppression list was last read. If so, the time is recorded, and the caller
    reads the list."""
    now = clock.monotonic()
    with _lock:
        if _asked_at and now - _asked_at[0] < _ASK_SECONDS:
            return False
        _asked_at[:] = [now]
        return True


def _names(said: str, sender: str) -> bool:
    """Whether a mail was rejected because of its sender, not its recipient. SES names the addresses that are not
    verified."""
    return "not verified" in said and sender.casefold() in said.casefold()


def _text(text: str) -> dict[str, str]:
    return {"Data": text, "Charset": "UTF-8"}


def _client() -> Any:
    """Return the process's SES client, created on first use."""
    with _lock:
        if not _clients:
            import botocore.session
            from botocore.config import Config

            config = Config(
                connect_timeout=_CONNECT_SECONDS,
                read_timeout=_READ_SECONDS,
                retries={"total_max_attempts": _TRIES, "mode": "standard"},
            )
            _clients.append(botocore.session.get_session().create_client("sesv2", config=config))
        return _clients[0]


def reset() -> None:
    """Drop the client. The next call creates a new client, for example for another endpoint."""
    with _lock:
        _clients.clear()
