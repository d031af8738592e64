"""The command ``sampling run``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from management.arguments import Site
from management.output import show

if TYPE_CHECKING:
    from chalicelib.operations.sampling import Estimate

commands = typer.Typer(help="Samples of what AI assistants answer.", no_args_is_help=True)


@commands.callback()
def group() -> None:
    """Samples of AI assistants' answers."""


def _shown(site: str, found: "Estimate", queued: bool) -> dict[str, Any]:
    planned = found.plan
    return {
        "id": site,
        "queued": queued,
        "week": planned.week,
        "answers": len(planned.pairs),
        "leftOut": planned.wanted - len(planned.pairs),
        "askedThisWeek": planned.taken,
        "limit": planned.limit,
        "currency": found.currency,
        "estimatedCost": None if found.total is None else round(found.total, 2),
        "providers": [
            {
                "provider": cost.provider,
                "model": cost.model,
                "answers": cost.answers,
                "estimatedCost": None if cost.cost is None else round(cost.cost, 2),
            }
            for cost in found.costs
        ],
    }


@commands.command()
def run(
    site: Site,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="only show which questions would be asked, and the cost")
    ] = False,
) -> None:
    """Send a website's prompts to AI assistants now. Prints the number of questions and their expected cost."""
    from chalicelib.operations import sampling

    found = (sampling.estimate if dry_run else sampling.run)(OPERATOR, site)
    show(_shown(site, found, queued=not dry_run))
