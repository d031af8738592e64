"""Monthly reports to clients by mail: the limit of addresses, the time of the next mail, and the texts of the mails."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Final

from chalicelib.domain.legible import fault
from chalicelib.domain.mails import Mail, mail
from chalicelib.domain.printable import printable
from chalicelib.domain.report_figures import Figure

MOST_RECIPIENTS: Final = 10  # addresses of a website
CONFIRM_DAYS: Final = 7
LINK_DAYS: Final = 35  # the link in a mail is valid until after the next mail
HOUR: Final = 7  # UTC, on the first day of a month

_LONGEST_NAME: Final = 100


def next_mail(now: float) -> float:
    """Return when the next report is mailed: on the first day of the month after ``now`` (epoch seconds)."""
    today = datetime.fromtimestamp(now, UTC)
    years, month = divmod(today.month, 12)
    return datetime(today.year + years, month + 1, 1, HOUR, tzinfo=UTC).timestamp()


def confirmation_mail(to: str, workspace: str, host: str, link: str) -> Mail:
    """Make the mail that asks the owner of an address to confirm that they want the report."""
    return mail(
        to,
        "Confirm your monthly report",
        (
            f"{printable(workspace, _LONGEST_NAME)} wants to send the report on {printable(host, _LONGEST_NAME)} to "
            "this address once a month.",
            f"To get it, open this link within {CONFIRM_DAYS} days. It works once:",
            link,
            "If you do not want it, do nothing: no report is sent to an address that is not confirmed.",
        ),
    )


def report_mail(
    to: str,
    workspace: str,
    host: str,
    figures: Sequence[Figure],
    last: date,
    link: str,
    ends: date,
    stop: str,
    message_id: str,
) -> Mail:
    """Make the monthly mail with the report.

    - ``last``: the last day of the four weeks.
    - ``link``: the address that opens the whole report until ``ends``.
    - ``stop``: the address by which a mail program ends the mails with one click (RFC 8058).
    """
    shown = printable(host, _LONGEST_NAME)
    subject = f"Monthly report: {shown}"
    paragraphs = (
        f"{printable(workspace, _LONGEST_NAME)} sends you the report on {shown}: four weeks until {last:%Y-%m-%d}, "
        "compared with the four weeks before.",
        *(_figure(one) for one in figures),
        f"The whole report, without signing in, until {ends:%Y-%m-%d}:",
        link,
        "You get this report once a month, because this address was confirmed. To stop it, without signing in:",
        stop,
    )
    made = mail(to, subject if fault(subject) is None else "Monthly report", paragraphs)
    headers = (("List-Unsubscribe", f"<{stop}>"), ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
    return made._replace(headers=headers, message_id=message_id)


def _figure(one: Figure) -> str:
    return f"{one.label}: {_number(one.now)} (four weeks before: {_number(one.before)})"


def _number(value: float | None) -> str:
    if value is None:
        return "not known"
    return f"{value:,}" if isinstance(value, int) else f"{value:.1f}"
