"""The operator's walk over all websites that brings stored rows to the shapes of this release."""

from collections.abc import Callable, Iterator

from chalicelib.domain.accounts.rights import Actor
from chalicelib.operations.errors import Refused
from chalicelib.store import accounts, migrating, website_names
from chalicelib.store.migrating import Progress


def go_on(actor: Actor, most: int, told: Callable[[Progress], None] = lambda progress: None) -> tuple[Progress, bool]:
    """Go on with the walk, for ``most`` websites. ``told`` hears after each of them how far it is.

    Gives how far it is then, and whether that was the end; beyond the end nothing is left to do until a release changes
    a shape. Killed anywhere, the next call goes on at the website that it was at. The people of all
    workspaces are seen before the first website. Raises ``Refused``.
    """
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator migrates the store.")
    progress = migrating.load()
    if progress.after is None:
        for row in accounts.list_workspaces():
            progress = progress._replace(rows=progress.rows + migrating.list_people(row.id))
    for number, (workspace_id, site_id) in enumerate(_websites(progress.after)):
        if number == most:
            return progress, False
        rows = progress.rows + migrating.migrate(workspace_id, site_id)
        progress = Progress((workspace_id, site_id), progress.websites + 1, rows)
        migrating.keep(progress)
        told(progress)
    return progress, True


def _websites(after: tuple[str, str] | None) -> Iterator[tuple[str, str]]:
    """Workspace and website, in the order of their ids, after the one that is named."""
    for workspace_id in sorted(row.id for row in accounts.list_workspaces()):
        if after is not None and workspace_id < after[0]:
            continue
        for site_id in sorted(row.id for row in website_names.list_all(workspace_id)):
            if after is None or (workspace_id, site_id) > after:
                yield workspace_id, site_id
