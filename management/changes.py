"""The command group ``changes``: list, undo, cancel."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations.errors import Refused
from management.arguments import BatchId, Site, identifier
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.domain.changes.batch import Batch, Change

commands = typer.Typer(help="Changes that were approved for a website.", no_args_is_help=True)


def _shown(batch: "Batch") -> dict[str, Any]:
    return {
        "id": batch.id,
        "kind": batch.kind,
        "status": batch.status,
        "issueId": batch.issue_id,
        "field": batch.field,
        "approvedBy": batch.approved_by,
        "approvedKey": batch.approved_key,
        "approvedAt": timestamp(batch.approved_at),
        "endedAt": timestamp(batch.ended_at),
        "undoes": batch.undoes,
    }


def _change(change: "Change") -> dict[str, Any]:
    return {
        "number": change.number,
        "url": change.url,
        "value": change.value,
        "previous": None if change.outcome is None else change.outcome.before,
        "status": change.status,
        "live": None if change.look is None else change.look.live,
        "error": change.error,
        "alsoUndoes": [batch_id for batch_id, _ in change.through],
    }


@commands.command("list")
def list_(site: Site) -> None:
    """List the batches of a website, newest first, with the outcome of each change."""
    from chalicelib.operations import changes

    found = changes.list_all(OPERATOR, site)
    show({"items": [{**_shown(batch), "changes": [_change(one) for one in of_batch]} for batch, of_batch in found]})


@commands.command()
def undo(
    site: Site,
    batch: BatchId,
    change: Annotated[
        list[int] | None, typer.Option(min=0, help="the number of a change in the list (may be repeated; default: all)")
    ] = None,
) -> None:
    """Undo a batch, or some of its changes: write the values that each page had before. This is possible for 30
    days."""
    from chalicelib.operations import changes

    show(_shown(changes.undo(OPERATOR, site, batch, frozenset(change) if change else None)))


@commands.command()
def cancel(
    site: Site,
    batch: Annotated[str | None, typer.Argument(metavar="[BATCH]", parser=identifier, help="the batch's id")] = None,
    waiting: Annotated[bool, typer.Option("--waiting", help="every batch that waits for another batch")] = False,
) -> None:
    """Cancel a batch, or all waiting batches. No more changes are sent, except at most 25 that are being sent at this
    moment. If a change was sent and got no answer, it fails. Its error says that it may have been written."""
    from chalicelib.operations import cancelling

    if (batch is None) != waiting:
        raise Refused("bad_option", "Name one batch, or give --waiting for all waiting batches.")
    if batch is None:
        show({"items": [{"id": one} for one in cancelling.cancel_waiting(OPERATOR, site)]})
    else:
        show({"items": [{"id": cancelling.cancel(OPERATOR, site, batch).id}]})
