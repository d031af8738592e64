"""Manages reports for clients: links that open a report without a sign-in, and the name and colour of a workspace's
reports.

A link belongs to the workspace: if the person who created it leaves, it still works until it expires or is revoked.
"""

from dataclasses import dataclass, field
from typing import Final

from chalicelib import clock
from chalicelib.domain.accounts import sign_in
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.reports import LEAST_CONTRAST, LIVES, MOST_OPEN, contrast_with_white, read_colour
from chalicelib.operations import accounts, websites
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.permission import require
from chalicelib.randomness import random_bytes
from chalicelib.store import accounts as stored_accounts
from chalicelib.store import acts, recipients, reports
from chalicelib.store import websites as stored_websites
from chalicelib.store.errors import Conflict
from chalicelib.store.reports import ReportLink
from chalicelib.store.transactions import Write, commit, committed
from chalicelib.store.websites import Website

__all__ = ["NewLink", "ReportLink"]

DAY_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link that was just created. ``token`` is not stored, and shown only once."""

    token: str = field(repr=False)
    link: ReportLink


def share(actor: Actor, site_id: str, days: int) -> NewLink:
    """Create a link to a website's report. ``days``: how long the link works.

    Refused: ``not_found``, ``not_allowed``, ``bad_days``, ``too_many_links``, ``busy``.
    """
    for _ in tries():
        website = websites.existing(actor, site_id, "work")
        if days not in LIVES:
            raise Refused("bad_days", f"A link can be valid for {', '.join(map(str, LIVES))} days.")
        if sum(one.sent_to is None for one in reports.list_open(site_id)) >= MOST_OPEN:
            raise Refused("too_many_links", f"A website has at most {MOST_OPEN} valid links: revoke a link first.")
        now = clock.now()
        token = sign_in.written(random_bytes(sign_in.ENTROPY_BYTES))
        ends_at = int(now) + days * DAY_SECONDS
        link = ReportLink(_hash(token), website.workspace_id, site_id, now, actor.email, ends_at)
        about = f"{website.name}: {days} days"
        try:
            # Touching the website makes a removal at the same moment conflict, so that no link is left behind.
            touched = stored_websites.touched(website)
            commit([touched, *reports.put(link), _noted(actor, "report.shared", website, now, about)])
        except Conflict:
            continue
        return NewLink(token, link)
    raise busy("this website")


def open_links(actor: Actor, website: Website) -> list[ReportLink]:
    """List the valid links to a website's report, newest first. Refused: ``not_found``, ``not_allowed``."""
    require(actor, "work", website.workspace_id)
    return reports.list_open(website.id)


def take_back(actor: Actor, site_id: str, key: str) -> None:
    """Revoke a link to a report. If the link came in a monthly mail, the recipient gets no more monthly mails.
    Refused: ``not_found`` (also if the link was revoked before), ``not_allowed``."""
    website = websites.existing(actor, site_id, "work")
    noted = _noted(actor, "report.taken_back", website, clock.now(), website.name)
    link = reports.find(key) if sign_in.is_key(key) else None
    ended = [] if link is None or link.sent_to is None else [recipients.removed(site_id, link.sent_to)]
    if link is None or not committed([*reports.taken_back(site_id, key), *ended, noted]):
        raise Refused("not_found", "There is no such link: it may have expired, or was revoked already.")


def opened(token: str) -> ReportLink | None:
    """Find the link that has this token. Returns None if the link is unknown, expired or revoked. One round trip."""
    sha256 = sign_in.hashed(token)
    return None if sha256 is None else reports.find(sha256)


def brand(actor: Actor, workspace_id: str, name: str, colour: str) -> None:
    """Set the name and colour of the workspace's reports. An empty name selects the workspace's name. An empty colour
    selects the app's colour.

    Refused: ``not_found``, ``not_allowed``, ``bad_name``, ``bad_colour``, ``busy``.
    """
    require(actor, "brand_reports", workspace_id)
    chosen = (accounts.checked_name(name) if name.strip() else None, _checked_colour(colour))
    found = accounts.existing_workspace(workspace_id)
    if chosen == (found.report_name, found.report_colour):
        return
    about = " ".join(one for one in chosen if one is not None)
    noted = acts.done(stored_accounts.TABLE, actor, workspace_id, "reports.branded", clock.now(), workspace_id, about)
    if not committed([stored_accounts.branded(workspace_id, *chosen), noted]):
        raise busy("this workspace")


def _checked_colour(text: str) -> str | None:
    if not text.strip():
        return None
    colour = read_colour(text)
    if colour is None:
        raise Refused("bad_colour", f"{text.strip()[:20]!r} is not a colour: write it as #rrggbb, such as #0b6b5e.")
    contrast = contrast_with_white(colour)
    if contrast < LEAST_CONTRAST:
        raise Refused(
            "bad_colour",
            f"{colour} is too light: white letters on it have a contrast of {contrast:.1f}, and {LEAST_CONTRAST} is "
            "needed to read them. Choose a darker one.",
        )
    return colour


def _hash(token: str) -> str:
    sha256 = sign_in.hashed(token)
    assert sha256 is not None
    return sha256


def _noted(actor: Actor, act: str, website: Website, now: float, about: str) -> Write:
    """Return the write that logs an act on a website's report."""
    return acts.done(stored_accounts.TABLE, actor, website.workspace_id, act, now, website.id, about)
