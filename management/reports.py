"""The command group ``reports``: share, list, take-back, brand."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.reports import DEFAULT_LIFE, LIVES, address_of
from management.arguments import LinkId, Site, WorkspaceId
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.store.reports import ReportLink

commands = typer.Typer(
    help="Links to the report that a website's client reads. A link is shown once, when it is made.",
    no_args_is_help=True,
)


def _shown(link: "ReportLink") -> dict[str, Any]:
    return {
        "id": link.key,
        "siteId": link.site_id,
        "madeBy": link.made_by,
        "sentTo": link.sent_to,
        "madeAt": timestamp(link.made_at),
        "endsAt": timestamp(link.ends_at),
    }


@commands.command()
def share(
    site: Site,
    days: Annotated[int, typer.Option(help=f"how long the link is valid, in days: {', '.join(map(str, LIVES))}")] = (
        DEFAULT_LIFE
    ),
) -> None:
    """Make a link that opens a website's report without a sign-in."""
    from chalicelib.operations import addresses, reports

    new = reports.share(OPERATOR, site, days)
    show({**_shown(new.link), "link": address_of(addresses.app_address(), new.token)})


@commands.command("list")
def list_(site: Site) -> None:
    """List the valid links to a website's report, the newest first."""
    from chalicelib.operations import reports, websites

    found = reports.open_links(OPERATOR, websites.existing(OPERATOR, site, "work"))
    show({"items": [_shown(link) for link in found]})


@commands.command("take-back")
def take_back(site: Site, link: LinkId) -> None:
    """Revoke a link to a report. It no longer opens the report."""
    from chalicelib.operations import reports

    reports.take_back(OPERATOR, site, link)
    show({"id": link, "siteId": site, "takenBack": True})


@commands.command()
def brand(
    workspace_id: WorkspaceId,
    name: Annotated[str, typer.Option("--name", help="empty: the workspace's own")],
    colour: Annotated[
        str, typer.Option("--colour", help="#rrggbb, dark enough for white letters; empty: the app's colour")
    ],
) -> None:
    """Choose the name and colour that the reports of a workspace show."""
    from chalicelib.operations import accounts, reports

    reports.brand(OPERATOR, workspace_id, name, colour)
    kept = accounts.existing_workspace(workspace_id)
    show({"id": kept.id, "reportName": kept.report_name, "reportColour": kept.report_colour})
