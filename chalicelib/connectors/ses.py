"""Sending a mail by Amazon SES (version 2 of its API), and the list of addresses that it sends nothing to."""

import logging
import threading
from typing import Any, Final

from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.domain.mails import Mail, Why

_CONNECT_SECONDS: Final = 2
_READ_SECONDS: Final = 5
_TRIES: Final = 2  # a duplicate mail is harmless
_REFUSED: Final[dict[str, tuple[type[OutsideError], str]]] = {
    "AccessDeniedException": (NoAccess, "Amazon SES may not be used from here."),
    "MessageRejected": (Declined, "Amazon SES rejects the mail, or has not verified its address."),
    "MailFromDomainNotVerifiedException": (NotConnected, "Amazon SES has not verified the domain of MAIL_FROM."),
    "BadRequestException": (Declined, "Amazon SES does not take the mail."),
    "AccountSuspendedException": (NoAccess, "Amazon SES has suspended this account."),
    "SendingPausedException": (Quota, "Amazon SES has paused sending for this account."),
    "TooManyRequestsException": (Quota, "Amazon SES accepts no more mail for now."),
    "LimitExceededException": (Quota, "Amazon SES accepts no more mail for now."),
}

_NOT_FOUND: Final = "NotFoundException"

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_clients: list[Any] = []


def send(sender: str, mail: Mail) -> None:
    """Hand one mail over. Its id is of Amazon's choosing. Raises ``OutsideError``."""
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
    """Why SES has the address on its suppression list: mail to it bounced for good, or its owner complained. None: it
    is not on it, or SES does not tell."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        found = _client().get_suppressed_destination(EmailAddress=address)
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") != _NOT_FOUND:
            _log.warning("Amazon SES does not tell whether it sends to an address")
        return None
    except (BotoCoreError, OSError):
        return None
    return "complaint" if found["SuppressedDestination"]["Reason"] == "COMPLAINT" else "bounce"


def unsuppress(address: str) -> None:
    """Take the address off the suppression list, if it is on it. Raises ``OutsideError``."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        _client().delete_suppressed_destination(EmailAddress=address)
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") != _NOT_FOUND:
            raise Unavailable("Amazon SES could not send to this address again.") from None
    except (BotoCoreError, OSError):
        raise Unavailable("Amazon SES did not answer in time.") from None


def _names(said: str, sender: str) -> bool:
    """Whether a rejection is because of the sender, not of the address: SES names those that are not verified."""
    return "not verified" in said and sender.casefold() in said.casefold()


def _text(text: str) -> dict[str, str]:
    return {"Data": text, "Charset": "UTF-8"}


def _client() -> Any:
    """The process's client, made when the first mail is sent."""
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
    """Forget the client, so that the next mail makes a new one (another endpoint; tests)."""
    with _lock:
        _clients.clear()
