"""Notices to people by mail: which events cause notices, when the next mail with notices is sent, and what the mail
says."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from chalicelib.domain.ids import hashed
from chalicelib.domain.legible import fault
from chalicelib.domain.mails import Mail, mail
from chalicelib.domain.printable import printable
from chalicelib.domain.webhooks.events import Event

When = Literal["off", "at_once", "daily", "weekly"]
CHOICES: Final[tuple[When, ...]] = get_args(When)
BETWEEN_SECONDS: Final = 600.0  # between two immediate mails; notices in between are sent together
HOUR_OF_DIGEST: Final = 7  # UTC; the weekly mail is sent on Mondays
MOST_TOLD: Final = 30  # notices in one mail; the rest follows ten minutes later

_DAY: Final = 86_400
_WEEK: Final = 7 * _DAY
_FIRST_MONDAY: Final = 4 * _DAY  # 1970-01-05
_LONGEST_HOST: Final = 100
_LONGEST_TEXT: Final = 300


class Notice(NamedTuple):
    """The message to a person about one event.

    - ``id``: the event's id. For values that wait for approval, it is derived from website and week.
    - ``link``: the address of the screen that the notice is about. It is only a path if the app's address was unknown,
      and None if there is no such screen.
    - ``headline`` and ``detail``: one printable line each.
    """

    id: str
    at: float
    site_id: str
    host: str
    link: str | None
    headline: str
    detail: str


def of_event(event: Event) -> Notice | None:
    """Return the notice of an event; None if the event causes no notice. These events cause one:

    - audit.finished, except if a person cancelled the audit
    - connection.broken
    - write.not_live

    Some other events accompany these, such as issue.resolved after an audit. They cause no further notice.
    """
    if event.site_id is None or event.host is None:
        return None
    made = _worded(event.kind, event.fields)
    if made is None:
        return None
    headline, detail = made
    host = printable(event.host, _LONGEST_HOST)
    return Notice(event.id, event.at, event.site_id, host, event.link, headline, printable(detail, 2 * _LONGEST_TEXT))


def values_wait(event: Event, issues: int, link: str) -> Notice:
    """Make the notice which says that suggested values of an audit wait for a decision.

    - ``event``: the event audit.finished of this audit.
    - ``issues``: how many issues have such values.

    A website gets one such notice a week, counted from Monday (UTC).
    """
    week = int((event.at - _FIRST_MONDAY) // _WEEK)
    said = "Suggested values of 1 issue" if issues == 1 else f"Suggested values of {issues} issues"
    return Notice(
        hashed("wait", str(event.site_id), str(week)),
        event.at,
        str(event.site_id),
        printable(str(event.host), _LONGEST_HOST),
        link,
        "Values wait for approval",
        f"{said} can be written to the website after an approval.",
    )


def _worded(kind: str, fields: Mapping[str, Any]) -> tuple[str, str] | None:
    if kind == "audit.finished":
        return _audit(fields)
    if kind == "connection.broken":
        name = printable(str(fields.get("connection", "")), 30)
        said = printable(str(fields.get("error", "")), _LONGEST_TEXT)
        return "A connection is broken", f"The connection “{name}” stopped working: {said} Connect it again."
    if kind == "write.not_live":
        changes = fields.get("changes") or []
        first = printable(str(changes[0].get("url", "")), _LONGEST_TEXT) if changes else ""
        count = "A written change is" if len(changes) == 1 else f"{len(changes)} written changes are"
        where = f" The first is on {first}" if first else ""
        return (
            "A change is not live",
            f"{count} not on the live page. Look at the live page, and check it again.{where}",
        )
    return None


def _audit(fields: Mapping[str, Any]) -> tuple[str, str] | None:
    status = fields.get("status")
    if status == "failed":
        return "An audit failed", "Score and issues stay as they were. See why it failed, and start it again."
    if status != "done":
        return None  # a person cancelled the audit, and needs no notice
    said = [f"{fields.get('pagesCrawled', 0)} pages were read."]
    score = (fields.get("score") or {}).get("site")
    if score is not None:
        said.append(f"The score is {score}.")
    moves = fields.get("changes")
    if moves:
        said.append(f"Issues: {moves['new']} new, {moves['resolved']} resolved, {moves['reopened']} back.")
    if fields.get("openIssues") is not None:
        said.append(f"{fields['openIssues']} are open.")
    return "An audit is finished", " ".join(said)


def due(when: When, now: float, last_sent: float) -> float | None:
    """Return when a new notice is mailed (epoch seconds); None for never. ``last_sent``: when the previous mail was
    sent."""
    if when == "off":
        return None
    if when == "at_once":
        return max(now, last_sent + BETWEEN_SECONDS)
    first, every = (_FIRST_MONDAY, _WEEK) if when == "weekly" else (0, _DAY)
    first += HOUR_OF_DIGEST * 3_600
    return float(first + (int(now - first) // every + 1) * every)


def notices_mail(to: str, told: Sequence[Notice], more: bool, choose: str, stop: str, message_id: str) -> Mail:
    """Make a mail with one or more notices.

    - ``more``: whether another mail follows.
    - ``choose``: the address of the screen with the settings for notices.
    - ``stop``: the address by which a mail program ends the mails with one click (RFC 8058).
    """
    paragraphs: list[str] = []
    for one in told:
        paragraphs += [f"{one.host}: {one.headline}. {one.detail}", *([one.link] if one.link else [])]
    if more:
        paragraphs.append("There are more notices. Another mail has the rest.")
    paragraphs += ["Choose how often such mails come:", choose, "Turn them off, without signing in:", stop]
    made = mail(to, _subject(told), tuple(paragraphs))
    headers = (("List-Unsubscribe", f"<{stop}>"), ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
    return made._replace(headers=headers, message_id=message_id)


def _subject(told: Sequence[Notice]) -> str:
    if len(told) > 1:
        return f"{len(told)} notices about your websites"
    subject = f"{told[0].headline}: {told[0].host}"
    return subject if fault(subject) is None else told[0].headline
