"""Runs two more workspaces in a soak: one with hostile connectors, and one without.

During the rounds, texts of llms.txt are approved for websites of both workspaces. In the workspace without hostile
connectors, they must be written in time.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final, NamedTuple

from bench.soak_clients import Client, Keys
from bench.soak_hostile import DRIP, LIES
from bench.soak_outside import Neighbour, Outside, Report
from bench.soak_result import Soak
from bench.soak_work import POLL_SECONDS, QUEUED

EVERY_SECONDS: Final = 2.0  # seconds between alerts of a hostile website, and between approvals of texts
LONGEST_SECONDS: Final = 300.0  # the longest wait for a batch

Open = Callable[[Keys], Client]


class Tenant(NamedTuple):
    """One of the two workspaces, with its websites."""

    workspace_id: str
    person_id: str
    sites: list[str]


class Neighbours(NamedTuple):
    """The workspace with hostile connectors, and the workspace without."""

    hostile: Tenant
    other: Tenant

    @property
    def tenants(self) -> Sequence[Tenant]:
        return (self.hostile, self.other)


def settle(told: Outside, base_url: str) -> Neighbours:
    """Create both workspaces, and connect each website to its CMS."""
    return Neighbours(_tenant("Hostile", told.hostile, base_url), _tenant("Other", told.others, base_url))


def _tenant(name: str, websites: Sequence[Neighbour], base_url: str) -> Tenant:
    from chalicelib.domain.accounts.rights import OPERATOR
    from chalicelib.operations import accounts, connections
    from chalicelib.operations import websites as operations

    workspace = accounts.create_workspace(OPERATOR, name, "enterprise")
    person = accounts.add_person(OPERATOR, workspace.id, f"{name.lower()}@soak.example", "owner")
    sites = []
    for website in websites:
        site = operations.add(OPERATOR, workspace.id, website.url).id
        cms = website.cms
        connections.pair(OPERATOR, site, url=cms.address, code=cms.code, person_id=person.id, base_url=base_url)
        sites.append(site)
    return Tenant(workspace.id, person.id, sites)


@contextmanager
def at_work(neighbours: Neighbours, opened: Open, soak: Soak) -> Iterator[None]:
    """During the ``with`` block, approve texts of llms.txt for websites of both workspaces, and send alerts (reports of
    changed pages) for the hostile websites."""
    over = threading.Event()
    parts = (_hostile, neighbours.hostile), (_other, neighbours.other)
    threads = []
    for part, tenant in parts:
        client = opened(Keys(tenant.workspace_id, tenant.person_id))
        threads.append(threading.Thread(target=part, args=(tenant, client, soak, over), name=part.__name__))
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _hostile(tenant: Tenant, client: Client, soak: Soak, over: threading.Event) -> None:
    # One batch for each website: a second batch would only wait for retries of the first.
    for site in tenant.sites:
        _approve(client, site, "# Hostile\n")
    while not over.is_set():
        for site in tenant.sites:
            alert = {"kind": "settings_changed", "at": datetime.now(UTC).isoformat()}
            client.ask("alert", f"/sites/{site}/alerts", "POST", alert, expected=QUEUED)
        over.wait(EVERY_SECONDS)
    client.close()


def _other(tenant: Tenant, client: Client, soak: Soak, over: threading.Event) -> None:
    from chalicelib.store import changes

    number = 0
    while not over.is_set() or not number:
        for site in tenant.sites:
            began = time.monotonic()
            batch_id = _approve(client, site, f"# Text {number}\n")
            if batch_id is None:
                continue
            give_up = began + LONGEST_SECONDS
            while time.monotonic() < give_up:
                batch = changes.get(site, batch_id)
                if batch is not None and batch.status == "done":
                    break
                time.sleep(POLL_SECONDS)
            soak.written_seconds.append(time.monotonic() - began)
        number += 1
        over.wait(EVERY_SECONDS)
    client.close()


def _approve(client: Client, site: str, text: str) -> str | None:
    path = f"/sites/{site}/geo/llms-txt"
    answer = client.ask("approve llms.txt", path, "POST", {"value": text}, or_refused=True)
    return None if answer is None else str(answer["batchId"])


def faults(neighbours: Neighbours, report: Report) -> Iterator[str]:
    """Describe batches that have not ended, and texts that were written twice."""
    from chalicelib.store import changes

    for tenant in neighbours.tenants:
        for site in tenant.sites:
            for batch in changes.list_all(site):
                if batch.status != "done":
                    yield f"batch {batch.id} of a website beside hostile connectors is {batch.status}"
    for writes in report.texts:
        yield from (f"{text!r} was written {count} times" for text, count in Counter(writes).items() if count > 1)
    for manner in {DRIP, *LIES} - report.spoilt.keys():
        yield f"the fault {manner} never damaged a connector's answer"
