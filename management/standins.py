"""``standin``: makes a stand-in misbehave, or tells what it is connected with. Local only."""

from typing import Annotated

import typer

from chalicelib.operations.errors import Refused
from management import target
from management.output import show


def standin(
    name: Annotated[str, typer.Argument(help="assistants or cms")],
    fault: Annotated[
        str | None,
        typer.Option("--fault", help="such as access, down or partial; cms also hide_writes, refuse, fail; or none"),
    ] = None,
    code: Annotated[
        bool, typer.Option("--code", help="cms only: its address and a one-time code, as connections set takes them")
    ] = False,
) -> None:
    """Let the stand-in of an outside service fail in some way from now on, or answer again (none); or connect it."""
    if code == (fault is not None) or (code and name != "cms"):
        raise Refused("bad_option", "Give --fault with a fault or none, or for the CMS --code.")
    if code:
        show(target.control("POST", "/standin/code", {}))
    else:
        show(target.control("POST", "/standin", {"name": name, "fault": fault}))
