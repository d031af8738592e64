"""Finds the signed-in person (by the session's cookie), this person's workspaces (by e-mail address), and the workspace
to show."""

from typing import Final

from chalicelib.domain.accounts.rights import Actor
from chalicelib.http import authentication, inside, logs
from chalicelib.http.errors import ApiError
from chalicelib.http.inside import Asker
from chalicelib.operations import sessions
from chalicelib.operations.reports import ReportLink
from chalicelib.operations.sessions import Membership
from chalicelib.store.accounts import Workspace
from chalicelib.store.api_keys import Auth
from chalicelib.store.websites import Website
from chalicelib.web import cookies
from chalicelib.web.page import Page, Signed

_READER: Final = "report"  # the person's id in requests for a report, whose reader is unknown
LIMIT: Final = 5_000  # requests of a session per hour; operations refuse more


def sign(page: Page, base_url: str) -> None:
    """Find the signed-in person and set ``page.signed``. Without a session, it stays None. The first request of an
    invited person accepts the invitation.

    The shown workspace is the workspace of the page's website, or else the workspace that the person chose last. Raises
    ``Refused`` if the session has used up its requests of this hour, and ``ApiError`` for a website that is in no
    workspace.
    """
    _find(page, base_url)
    if page.signed is not None and page.signed.membership is not None:
        sessions.arrive(page.signed.membership)


def _find(page: Page, base_url: str) -> None:
    secret = page.cookie(cookies.SESSION)
    session = None if secret is None else sessions.find(secret)
    if session is None:
        return
    members, read = _read(session.email, page.path.get("siteId"))
    found = sorted(members, key=lambda one: one.workspace_name.casefold())
    chosen = page.cookie(cookies.WORKSPACE)
    ordered = sorted(found, key=lambda one: one.workspace_id != chosen)  # the chosen workspace first
    refused: list[ApiError] = []
    for member in ordered:
        asker = Asker(_auth(member, page.now), base_url)
        if page.signed is None:
            page.signed = Signed(session, found, member, asker)
            logs.add(workspaceId=member.workspace_id, personId=member.person_id)
        if "siteId" not in page.path:
            return
        try:
            asker.take(*read.get(member.workspace_id, (None, None)))
        except ApiError as error:
            refused.append(error)
        else:
            page.signed = Signed(session, found, member, asker)
            logs.add(workspaceId=member.workspace_id, personId=member.person_id)
            return
    if not found:
        page.signed = Signed(session, found, None, None)
    elif refused:  # a workspace refused the website: report that reason
        raise next((error for error in refused if error.status != 404), refused[0])


def _read(email: str, site_id: str | None) -> tuple[list[Membership], dict[str, tuple[Website | None, Workspace]]]:
    """Return the workspaces of the e-mail address and, by workspace id, the website of the path and its workspace."""
    if site_id is None or not authentication.is_id(site_id):
        return sessions.workspaces(email), {}
    return sessions.workspaces_and_website(email, site_id)


def reader(link: ReportLink, now: float) -> Asker:
    """Return the object with which a report's screen calls the API. It has the rights of a client viewer who sees only
    the report's website."""
    actor = Actor(link.workspace_id, _READER, "client_viewer")
    return Asker(inside.of_person(actor, [link.site_id], limit=LIMIT, remaining=LIMIT, now=now))


def _auth(member: Membership, now: float) -> Auth:
    actor = Actor(member.workspace_id, member.person_id, member.role)
    sites = None if member.site_ids is None else sorted(member.site_ids)
    return inside.of_person(actor, sites, limit=LIMIT, remaining=LIMIT, now=now)
