"""Checks arguments that many commands take, before a command calls the service."""

import re
from typing import Annotated, Final

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations.errors import Refused

KEY_BEGINNINGS: Final = ("wos_ws_", "wos_site_")
_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
_SITE_ID: Final = re.compile(r"site_[A-Za-z0-9_-]{1,95}")


def identifier(text: str) -> str:
    """Return an id unchanged. Raises ``Refused`` with ``bad_id`` if the text cannot be an id."""
    if text.startswith(KEY_BEGINNINGS):
        raise Refused("bad_id", "This is an API key itself, not its id. `keys list WORKSPACE` shows the ids of keys.")
    if not _ID.fullmatch(text):
        raise Refused("bad_id", f"{text[:100]!r} is not an id: ids have 1 to 100 letters, digits and the marks _ . : -")
    return text


def website(text: str) -> str:
    """Return a website's id, given its id or its host.

    Raises ``Refused``, for example with ``not_found`` if no website has this host, or with ``ambiguous_host`` if
    several websites have it.
    """
    if _SITE_ID.fullmatch(text):
        return text
    from chalicelib.operations import websites

    return websites.id_of_host(OPERATOR, text)


Site = Annotated[str, typer.Argument(metavar="SITE", parser=website, help="the website's id or host")]
Sites = Annotated[
    list[str] | None,
    typer.Option(
        "--site", parser=website, metavar="SITE", help="id or host of a website to give access to (may be repeated)"
    ),
]
WorkspaceId = Annotated[str, typer.Argument(metavar="WORKSPACE", parser=identifier, help="the workspace's id")]
PersonId = Annotated[str, typer.Argument(metavar="PERSON", parser=identifier, help="the person's id")]
KeyId = Annotated[str, typer.Argument(metavar="KEY_ID", parser=identifier, help="the key's id (not the key)")]
AuditId = Annotated[str, typer.Argument(metavar="AUDIT", parser=identifier, help="the audit's id")]
BatchId = Annotated[str, typer.Argument(metavar="BATCH", parser=identifier, help="the batch's id")]
IssueId = Annotated[str, typer.Argument(metavar="ISSUE", parser=identifier, help="the issue's id")]
JobId = Annotated[str, typer.Argument(metavar="JOB", parser=identifier, help="the job's id")]
PromptId = Annotated[str, typer.Argument(metavar="PROMPT", parser=identifier, help="the prompt's id")]
LinkId = Annotated[str, typer.Argument(metavar="LINK", parser=identifier, help="the link's id (not the link)")]
EndpointId = Annotated[str, typer.Argument(metavar="ENDPOINT", parser=identifier, help="the endpoint's id")]
DeliveryId = Annotated[str, typer.Argument(metavar="DELIVERY", parser=identifier, help="the delivery's id")]
