"""``standin``: makes a stand-in misbehave. Local only."""

from typing import Annotated

import typer

from management import target
from management.output import show


def standin(
    name: Annotated[str, typer.Argument(help="assistants or cms")],
    fault: Annotated[
        str,
        typer.Option("--fault", help="such as access, down or partial; cms also hide_writes, refuse, fail; or none"),
    ],
) -> None:
    """Let the stand-in of an outside service fail in some way from now on, or answer again (none)."""
    show(target.control("POST", "/standin", {"name": name, "fault": fault}))
