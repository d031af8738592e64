"""The command group ``address``: show, set."""

from typing import Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from management.output import show

commands = typer.Typer(help="The public address of this service, for links in mails.", no_args_is_help=True)


def _shown(url: str | None) -> dict[str, Any]:
    from chalicelib.operations import addresses

    return {"id": "address", "url": url, "app": addresses.app_address()}


@commands.command("show")
def show_() -> None:
    """Show the stored address of the service, and the address of the app in links: APP_URL if it is set, otherwise
    ``/app`` below the stored address."""
    from chalicelib.operations import addresses

    show(_shown(addresses.public_address()))


@commands.command("set")
def set_(
    url: Annotated[str, typer.Argument(help="such as https://seo.example.com; the app is at /app below it")],
) -> None:
    """Store the address at which users reach the service."""
    from chalicelib.operations import addresses

    show(_shown(addresses.set_public_address(OPERATOR, url)))
