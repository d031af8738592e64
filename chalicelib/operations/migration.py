"""Converts the stored rows of all websites to the formats of this release, for the operator."""

from collections.abc import Callable, Iterator

from chalicelib.domain.accounts.rights import Actor
from chalicelib.operations.errors import Refused
from chalicelib.store import accounts, migrating, website_names
from chalicelib.store.migrating import Progress


def go_on(actor: Actor, most: int, told: Callable[[Progress], None] = lambda progress: None) -> tuple[Progress, bool]:
    """Continue the migration for ``most`` websites. ``told``: a function that is called with the progress after each
    website.

    Returns the progress, and whether the migration has ended. After a crash, the next call continues with the same
    website. When the migration has ended, the next call begins a new migration, because an earlier release may have run
    meanwhile and written rows in its formats. The lists of people are completed before the first website is converted.
    Raises ``Refused``.
    """
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator migrates the store.")
    progress = migrating.Progress() if migrating.has_ended() else migrating.load()
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
    migrating.keep(progress, ended=True)
    return progress, True


def _websites(after: tuple[str, str] | None) -> Iterator[tuple[str, str]]:
    """Yield the ids of workspace and website, in order, starting after the given pair."""
    for workspace_id in sorted(row.id for row in accounts.list_workspaces()):
        if after is not None and workspace_id < after[0]:
            continue
        for site_id in sorted(row.id for row in website_names.list_all(workspace_id)):
            if after is None or (workspace_id, site_id) > after:
                yield workspace_id, site_id
