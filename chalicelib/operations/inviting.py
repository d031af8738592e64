"""Invites people into a workspace: adds the person, and sends a mail with a sign-in link.

The end of the invitation is stored before the mail is sent, so that the person of every sent mail counts as invited. If
the process crashes after the person was added, it is not known whether the mail was sent; ``invite_again`` sends
another. If the mail cannot be sent, the person is added anyway, without an invitation, and the answer gives the reason.
"""

from typing import Final, NamedTuple

from chalicelib import clock
from chalicelib.domain.accounts import emails, sign_in
from chalicelib.domain.accounts.rights import Actor
from chalicelib.operations import accounts, addresses, sessions
from chalicelib.operations.errors import Refused
from chalicelib.operations.permission import require
from chalicelib.settings.mail import mail_settings
from chalicelib.store import accounts as store
from chalicelib.store import acts
from chalicelib.store.accounts import Person

_DAYS: Final = sign_in.INVITATION_SECONDS // 86_400
_OPERATOR: Final = "The operator of the service"


class Invited(NamedTuple):
    """A person who was invited. ``problem``: why no mail was sent, in words; None if it was sent."""

    person: Person
    problem: str | None


def sends_mail() -> bool:
    """Whether this service can send invitations by mail."""
    return bool(mail_settings().sender)


def invite(
    actor: Actor, workspace_id: str, email: str, role: str, site_ids: list[str] | None, base_url: str
) -> Invited:
    """Add a person, and mail them a sign-in link that works for 7 days. If the service cannot send mail, the person is
    added anyway, and ``problem`` says so.

    ``base_url``: see ``sessions.request_link``. Refused: the codes of ``accounts.add_person``; ``bad_email`` also for
    an address to which no mail can be sent; ``rate_limited``.
    """
    require(actor, "manage_people", workspace_id)
    if sends_mail():
        address = emails.cleaned(email)
        if address is None or emails.deliverable(address) is None:
            raise Refused("bad_email", f"{email[:100]!r} is not an e-mail address that mail can be sent to.")
        sessions.count_invitation(workspace_id, address)
    until = _end() if sends_mail() else None
    person = accounts.add_person(actor, workspace_id, email, role, site_ids, invited_until=until)
    return Invited(person, _send(actor, person, base_url, before=None))


def invite_again(actor: Actor, workspace_id: str, person_id: str, base_url: str) -> Invited:
    """Mail a person another sign-in link. Earlier links still work. Refused: ``not_found``, ``not_allowed``,
    ``no_mail``, ``rate_limited``."""
    require(actor, "manage_people", workspace_id)
    person = accounts.existing_person(workspace_id, person_id)
    if not sends_mail():
        raise Refused(
            "no_mail", "This service sends no mail. Its operator can make a link with `manage.py people link`."
        )
    sessions.count_invitation(workspace_id, person.email)
    before = person.invited_until
    if before is not None:  # the person has not opened the workspace yet
        store.invited(workspace_id, person_id, _end())
    return Invited(person, _send(actor, person, base_url, before=before))


def _end() -> float:
    return clock.now() + sign_in.INVITATION_SECONDS


def _send(actor: Actor, person: Person, base_url: str, *, before: float | None) -> str | None:
    """Send the mail. Returns why it was not sent, or None if it was sent. ``before``: when the previous invitation
    ends; None if there was none. It is stored again if the mail was not sent."""
    if not sends_mail():
        return "This service sends no mail."
    from chalicelib.connectors import mail  # slow to import; only requests that send mail need it
    from chalicelib.connectors.errors import OutsideError
    from chalicelib.domain.mails import invitation_mail

    workspace = accounts.existing_workspace(person.workspace_id)
    noted = acts.done(
        accounts.TABLE, actor, person.workspace_id, "person.invited", clock.now(), person.id, person.email
    )
    token = sessions.make_invitation(person.email, noted)
    link = sign_in.address_of(addresses.app_address(base_url), token)
    try:
        mail.send(invitation_mail(person.email, workspace.name, actor.email or _OPERATOR, link, _DAYS))
    except OutsideError as error:
        if person.invited_until is not None:
            store.invited(person.workspace_id, person.id, before)
        return error.message
    return None
