"""Removes a workspace and everything stored of it, when a customer leaves. For the operator only.

Failure policy
- One transaction begins the removal. From then on no person and no website can be added. Then sessions and keys are
  deleted one by one. Each works until it is deleted; changes that people make until then are deleted with the rest.
- The process is killed after that: call ``remove`` again, and it continues. The workspace's own row is deleted last.
- Work in progress ends without effect, because the row of its job or crawl is gone or marked as stopped: the worker's
  next write fails, and a worker that gets a message later finds no row. A webhook that is being sent at that moment
  still reaches its receiver.
- Other workspaces are not touched. A person who also belongs to another workspace keeps that membership and their
  sessions.
"""

from typing import NamedTuple

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.operations import websites
from chalicelib.operations.errors import Refused
from chalicelib.store import (
    accounts,
    api_keys,
    departures,
    endpoints,
    exports,
    objects,
    removals,
    website_names,
)
from chalicelib.store.accounts import Workspace
from chalicelib.store.transactions import commit


class Removed(NamedTuple):
    """How many websites, people, keys and endpoints this call removed."""

    websites: int
    people: int
    keys: int
    endpoints: int


def existing(actor: Actor, workspace_id: str) -> Workspace:
    """Return the workspace, even if its removal has begun. Refused: ``not_found``, ``not_allowed``."""
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator removes workspaces.")
    found = accounts.any_workspace(workspace_id)
    if found is None:
        raise Refused("not_found", f"There is no workspace {workspace_id}.")
    return found


def remove(actor: Actor, workspace_id: str, name: str) -> Removed:
    """Remove a workspace for good, or continue an interrupted removal. ``name``: the workspace's name, which must
    match, so that no other workspace is removed by mistake.

    Refused: ``not_found``, ``not_allowed``, ``wrong_name``. Raises botocore's errors.
    """
    workspace = existing(actor, workspace_id)
    if name != workspace.name:
        raise Refused("wrong_name", f"The name given is not that of the workspace {workspace_id}. Nothing was removed.")
    now = clock.now()
    if workspace.removed_at is None:
        commit(accounts.begin_removal(workspace_id, now))
    of_log, _ = departures.known_before(workspace_id)
    site_ids = of_log | {row.id for row in website_names.list_all(workspace_id)}
    people = accounts.list_people(workspace_id)
    for person in people:
        departures.delete_person(person, {workspace_id, *site_ids}, now)
    keys = api_keys.list_all(workspace_id)
    for key in keys:
        departures.delete_key(key)
    removed_endpoints = _remove_endpoints(workspace_id)
    removed_websites = _remove_websites(workspace_id, site_ids)
    departures.delete_events(workspace_id)
    # Remove what running work has added meanwhile, or what the index did not show yet.
    removed_endpoints += _remove_endpoints(workspace_id)
    departures.delete_rest(workspace_id)
    departures.delete_acts(workspace_id)
    commit(accounts.end_removal(workspace_id))
    return Removed(removed_websites, len(people), len(keys), removed_endpoints)


def _remove_endpoints(workspace_id: str) -> int:
    """Remove the workspace's endpoints with their deliveries, and the remaining deliveries of endpoints removed
    earlier. Returns how many endpoints were removed."""
    found = [endpoint.id for endpoint in endpoints.list_all(workspace_id)]
    _, before = departures.known_before(workspace_id)
    for endpoint_id in found:
        endpoints.switch_off(workspace_id, endpoint_id, clock.now())  # no more deliveries are made
    for endpoint_id in sorted(before.union(found)):
        departures.delete_deliveries(endpoint_id)
        endpoints.remove(workspace_id, endpoint_id)
    return len(found)


def _remove_websites(workspace_id: str, site_ids: set[str]) -> int:
    """Remove the workspace's websites with the files of their exports, and the remaining data of websites removed
    earlier. Returns how many websites were removed."""
    listed = {row.id for row in website_names.list_all(workspace_id)}
    for site_id in sorted(site_ids | listed):
        for name in exports.files(site_id):
            objects.delete(name)
        if site_id in listed or removals.pending(site_id) is not None:
            websites.remove(OPERATOR, site_id, stop=True)
        removals.forget_job(site_id)
        departures.delete_reads(site_id)
    return len(listed)
