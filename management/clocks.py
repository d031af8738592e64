"""The command ``clock advance``. It works only with the local service."""

from typing import Annotated

import typer

from chalicelib.operations.errors import Refused
from management import durations, target
from management.output import show

commands = typer.Typer(help="The local service's clock.", no_args_is_help=True)


@commands.callback()
def group() -> None:
    """The local service's clock."""


@commands.command()
def advance(duration: Annotated[str, typer.Argument(help="such as 90s, 15m, 2h or 8d")]) -> None:
    """Move the local service's clock forward. First the running jobs end. Then all work that becomes due is done at its
    own time, in order."""
    seconds = durations.seconds(duration)
    if not seconds:
        raise Refused("bad_duration", f"{duration!r} is not a duration; write 90s, 15m, 2h or 8d.")
    show(target.control("POST", "/clock/advance", {"seconds": seconds}))
