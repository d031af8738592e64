"""The workspaces that the local service creates: one with the demo website, one for ``SITE``.

With the option ``STATE``, the workspaces and their keys are stored in a file that only the user can read. The next
start then has the same workspace, website and keys.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.domain.webhooks.kinds import EVENT_KINDS
from chalicelib.operations import accounts, endpoints, websites
from chalicelib.store import api_keys
from chalicelib.store import endpoints as stored_endpoints
from chalicelib.store import websites as stored_websites

EMAIL = "owner@example.com"


@dataclass(frozen=True, slots=True)
class Tenant:
    """A workspace with a website, its owner, a workspace key with every scope, and a key of the website."""

    workspace_id: str
    person_id: str
    workspace_key_id: str
    workspace_key: str
    site_id: str
    site_key_id: str
    site_key: str


def create(workspace_name: str, plan: str, url: str, site_name: str | None) -> Tenant:
    """Create workspace, person, website and keys. Raises ``Refused`` if the address cannot be audited."""
    workspace = accounts.create_workspace(OPERATOR, workspace_name, plan)
    person = accounts.add_person(OPERATOR, workspace.id, EMAIL, "owner")
    website = websites.add(OPERATOR, workspace.id, url, name=site_name)
    key = accounts.create_workspace_key(OPERATOR, workspace.id, person.id, SCOPES)
    site_key = accounts.create_website_key(OPERATOR, website.id, person.id)
    return Tenant(
        workspace_id=workspace.id,
        person_id=person.id,
        workspace_key_id=key.listed.id,
        workspace_key=key.secret,
        site_id=website.id,
        site_key_id=site_key.listed.id,
        site_key=site_key.secret,
    )


def still_there(tenant: Tenant) -> bool:
    """Whether the tenant's website still exists and both keys work."""
    if stored_websites.get(tenant.workspace_id, tenant.site_id) is None:
        return False
    keys = [api_keys.get(key_id) for key_id in (tenant.workspace_key_id, tenant.site_key_id)]
    return all(key is not None and key.revoked_at is None for key in keys)


class Memory:
    """Data that is stored across starts: tenants by website address, endpoints, and the demo websites' ports."""

    def __init__(self, path: Path | None) -> None:
        """``path``: the file for the data; None to store nothing."""
        self._path = path
        self._content: dict[str, Any] = {}
        if path is not None and path.exists():
            self._content = json.loads(path.read_text(encoding="utf-8"))

    def tenant(self, workspace_name: str, plan: str, url: str, site_name: str | None = None) -> Tenant:
        """Return the stored tenant whose website has this address. If none is stored, or it no longer exists, create
        one.

        Without ``site_name``, the website is named after its host.
        """
        known = self._content.get("tenants", {}).get(url)
        if known is not None and still_there(tenant := Tenant(**known)):
            return tenant
        tenant = create(workspace_name, plan, url, site_name)
        self._content.setdefault("tenants", {})[url] = asdict(tenant)
        self._save()
        return tenant

    def endpoint(self, workspace_id: str, url: str) -> str:
        """Make the workspace's webhook endpoint send all events to ``url``, and return its secret.

        If the stored endpoint still exists, only its address is changed. Otherwise a new endpoint is added.
        """
        known = self._content.get("endpoints", {}).get(workspace_id)
        if known is not None and stored_endpoints.get(workspace_id, known["id"]) is not None:
            endpoints.edit(OPERATOR, workspace_id, known["id"], url)
            return str(known["secret"])
        new = endpoints.add(OPERATOR, workspace_id, url, EVENT_KINDS)
        kept = {"id": new.endpoint.id, "secret": new.secret.reveal()}
        self._content.setdefault("endpoints", {})[workspace_id] = kept
        self._save()
        return kept["secret"]

    def ports(self) -> dict[str, int]:
        """Return the demo websites' ports at the last start. The ports are part of stored addresses, so they should not
        change from start to start."""
        return dict(self._content.get("ports", {}))

    def keep_ports(self, ports: dict[str, int]) -> None:
        """Store the demo websites' ports for the next start."""
        self._content["ports"] = ports
        self._save()

    def _save(self) -> None:
        if self._path is not None:
            write_private(self._path, self._content)


def write_private(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file atomically. Only the user can read it."""
    beside = path.with_name(path.name + ".new")
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
    beside.replace(path)
