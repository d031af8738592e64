"""Sending a mail by Amazon SES (version 2 of its API)."""

import threading
from typing import Any, Final

from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.domain.mails import Mail

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
    "TooManyRequestsException": (Quota, "Amazon SES takes no more mails for now."),
    "LimitExceededException": (Quota, "Amazon SES takes no more mails for now."),
}

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
