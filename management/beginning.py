"""The command ``init``, which makes the first workspace, person, website and key."""

from typing import Annotated

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from management import people
from management.output import show


def init(
    name: Annotated[str, typer.Argument(metavar="NAME", help="what the workspace is called")],
    email: Annotated[str, typer.Argument(metavar="EMAIL", help="the e-mail address of the workspace's owner")],
    url: Annotated[str, typer.Argument(metavar="URL", help="address of the first website's home page")],
    plan: Annotated[str, typer.Option(help="plan of a new workspace: free, starter, agency or enterprise")] = "agency",
) -> None:
    """Make the first workspace, its owner, a website and a key with every scope, and a link that signs the owner in.

    Parts that exist already do not change. The key is shown only once, when it is made. To get another key, revoke this
    one and run the command again. No audit is started.
    """
    from chalicelib.operations import beginning

    found = beginning.begin(OPERATOR, name, email, url, plan)
    parts = {
        "workspace": found.workspace_id,
        "person": found.person.id,
        "website": found.site_id,
        "key": found.key.id,
    }
    show(
        {
            "id": found.workspace_id,
            "personId": found.person.id,
            "email": found.person.email,
            "siteId": found.site_id,
            "keyId": found.key.id,
            "key": found.secret,
            "made": [part for part, one in parts.items() if one in found.made],
            "thereBefore": [part for part, one in parts.items() if one not in found.made],
            **people.new_link(found.person),
        }
    )
