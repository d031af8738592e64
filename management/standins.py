"""The command ``standin``. It makes a simulated outside service fail, or prints the credentials to connect it. It works
only with the local service."""

from typing import Annotated

import typer

from chalicelib.operations.errors import Refused
from management import target
from management.output import show


def standin(
    name: Annotated[str, typer.Argument(help="assistants, cms, shop, search, psi, crux or indexnow")],
    fault: Annotated[
        str | None,
        typer.Option(
            "--fault",
            help="the fault: access, quota, down or partial and the like; for cms and shop also hide_writes, refuse, "
            "fail; for psi also page_error, broken_page, hollow; or none",
        ),
    ] = None,
    code: Annotated[
        bool, typer.Option("--code", help="for cms, search or shop: print the value for `connections set`")
    ] = False,
) -> None:
    """Make a stand-in fail from now on (``--fault``), or let it answer normally again (``--fault none``). With
    ``--code``, print the value that connects a website to it."""
    if code == (fault is not None) or (code and name not in ("cms", "search", "shop")):
        raise Refused(
            "bad_option", "Give --fault with a fault or `none`. For cms, search or shop, you can give --code instead."
        )
    if code:
        show(target.control("POST", "/standin/code", {"name": name}))
    else:
        show(target.control("POST", "/standin", {"name": name, "fault": fault}))
