"""Mails: plain text and a simple HTML page with the same content."""

import html
import re
from typing import Final, Literal, NamedTuple

from chalicelib.domain.legible import fault

_LINK: Final = re.compile(r"https?://[^\s<>\"]+")


# Why no more mail is sent to an address: a mail bounced permanently, or its recipient reported it as spam.
Why = Literal["bounce", "complaint"]


class Mail(NamedTuple):
    """A mail to one address. ``html`` has the same content as ``text``.

    - ``headers``: additional headers, by name.
    - ``message_id``: the part before the @ of the mail's id, for a mail that may be sent again; None for a random one.
    """

    to: str
    subject: str
    text: str
    html: str
    headers: tuple[tuple[str, str], ...] = ()
    message_id: str | None = None

    def __repr__(self) -> str:
        return f"Mail({self.subject!r})"  # the text may hold the link that signs in


def mail(to: str, subject: str, paragraphs: tuple[str, ...]) -> Mail:
    """Make a mail from paragraphs of plain text. A paragraph that is a web address becomes a link.

    Raises ``ValueError`` if the subject has a line break or another invisible character.
    """
    if fault(subject) is not None:
        raise ValueError("a subject is one line of visible characters")
    body = "".join(f"<p>{_linked(paragraph)}</p>\n" for paragraph in paragraphs)
    page = (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f"<title>{html.escape(subject)}</title></head>\n<body>\n{body}</body>\n</html>\n"
    )
    return Mail(to, subject, "\n\n".join(paragraphs) + "\n", page)


def sign_in_mail(to: str, link: str, minutes: int) -> Mail:
    """Make the mail with a sign-in link."""
    return mail(
        to,
        "Your sign-in link",
        (
            "You, or a person who typed your address, asked to sign in to the website optimization service.",
            f"Open this link within {minutes} minutes. It works once:",
            link,
            "If you did not ask for it, do nothing: without the link nobody can sign in.",
        ),
    )


def invitation_mail(to: str, workspace: str, invited_by: str, link: str, days: int) -> Mail:
    """Make the mail with the link of an invitation. ``invited_by``: the e-mail address of the person who sends it."""
    return mail(
        to,
        "You are invited to a workspace",
        (
            f"{invited_by} invites you to the workspace “{workspace}” of the website optimization service.",
            f"Open this link within {days} days. It works once, and signs you in:",
            link,
            "Later you sign in with your e-mail address only. If you do not know the sender, do nothing.",
        ),
    )


def _linked(paragraph: str) -> str:
    escaped = html.escape(paragraph)
    return f'<a href="{escaped}">{escaped}</a>' if _LINK.fullmatch(paragraph) else escaped
