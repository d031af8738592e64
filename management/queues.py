"""The command group ``queues``: list, show, redrive."""

from typing import Annotated

import typer

from management.output import show, timestamp

commands = typer.Typer(help="The queues, and the messages that were given up.", no_args_is_help=True)

QueueName = Annotated[str, typer.Argument(metavar="QUEUE", help="the queue's name, without the deployment's prefix")]


@commands.command("list")
def list_() -> None:
    """List the queues, each with the number of its waiting, running, delayed and dead messages."""
    from chalicelib.operations import queues

    rows = [
        {
            "id": name,
            "waiting": depth.waiting,
            "inFlight": depth.in_flight,
            "delayed": depth.delayed,
            "givenUp": depth.dead,
        }
        for name, depth in queues.depths()
    ]
    show({"items": rows})


@commands.command("show")
def show_(
    queue: QueueName,
    limit: Annotated[int, typer.Option(min=1, max=100, help="how many to show")] = 10,
) -> None:
    """Show messages of a queue's dead-letter queue. The messages stay there."""
    from chalicelib.operations import queues

    rows = [
        {"id": one.id, "sentAt": timestamp(one.sent_at), "tries": one.received, "message": one.body}
        for one in queues.given_up(queue, limit)
    ]
    show({"items": rows})


@commands.command()
def redrive(queue: QueueName) -> None:
    """Send the messages of a queue's dead-letter queue to the queue's worker again."""
    from chalicelib.operations import queues

    show({"id": queue, "sent": queues.send_again(queue)})
