"""The command group ``pages``: watch, unwatch, list."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from management.arguments import Site
from management.output import show

if TYPE_CHECKING:
    from chalicelib.store.websites import Website

commands = typer.Typer(help="Watched pages: their changes are sent as the event page.changed.", no_args_is_help=True)

Url = Annotated[str, typer.Argument(metavar="URL", help="the page's address, or its path")]


def _shown(website: "Website") -> dict[str, Any]:
    return {"items": [{"id": url, "url": url} for url in website.watched_pages or ()]}


@commands.command()
def watch(site: Site, url: Url) -> None:
    """Watch a page, in addition to the home page and the pages with most clicks."""
    from chalicelib.operations import websites

    show(_shown(websites.watch(OPERATOR, site, url)))


@commands.command()
def unwatch(site: Site, url: Url) -> None:
    """Stop watching a page."""
    from chalicelib.operations import websites

    show(_shown(websites.unwatch(OPERATOR, site, url)))


@commands.command("list")
def list_(site: Site) -> None:
    """List the watched pages that people chose."""
    from chalicelib.operations import websites

    show(_shown(websites.existing(OPERATOR, site, "read")))
