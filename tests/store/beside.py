"""One release at the store that another release uses too: ``test_side_by_side`` runs this file in both trees.

``PYTHONPATH=TREE AWS_ENDPOINT_URL=STORE python -P beside.py`` imports the service and its tests from TREE, and answers
commands line by line: ``write`` makes a workspace with something of each kind, ``read {…}`` tells what the release finds
of one, ``migrate`` brings the rows to its own shapes. It uses only what both releases have.
"""

import json
import logging
import sys
import traceback
from typing import Any

import pytest

from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.http.endpoints import BASE_PATH
from chalicelib.operations import accounts, endpoints, migration
from chalicelib.store import accounts as stored_accounts
from chalicelib.store import api_keys, changes, client, content, deliveries, issues, secrets
from chalicelib.store import endpoints as stored_endpoints
from local import embedded
from tests import aws
from tests.api.client import send
from tests.changes import open_house

Json = dict[str, Any]


def received(queue: str) -> list[Json]:
    """The messages of a queue, taken out of it: ``aws.messages`` looks into a store of its own process."""
    sqs = client.sqs()
    url = sqs.get_queue_url(QueueName=f"wos-{queue}")["QueueUrl"]
    found: list[Json] = []
    while messages := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        found += [json.loads(message["Body"]) for message in messages]
        for message in messages:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return found


def write() -> Json:
    """A workspace with an audited and connected website, approved changes, a key and an endpoint with a delivery."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aws, "messages", received)
        patch.setattr(aws, "purge", lambda queue: None)
        with open_house(patch) as house:
            workspace_id, site_id = house.website.workspace_id, house.site_id
            batch = house.apply({"/a": "All about A"})
            endpoint = endpoints.add(OPERATOR, workspace_id, "https://hooks.example/", ["audit.finished"])
            ping = endpoints.ping(OPERATOR, workspace_id, endpoint.endpoint.id)
            key = accounts.create_workspace_key(OPERATOR, workspace_id, house.person_id, list(SCOPES))
            return {
                "workspace": workspace_id,
                "site": site_id,
                "person": house.person_id,
                "batch": batch.id,
                "delivery": ping.id,
                "key": key.secret,
            }


def read(written: Json) -> Json:
    """What this release finds of what ``write`` returned: answers of the API, and rows that none of them shows."""
    workspace_id, site_id = written["workspace"], written["site"]
    site = f"/sites/{site_id}"
    found: Json = {}
    for path in ("/sites", "/portfolio", site, *(f"{site}/{name}" for name in LISTS)):
        found[path] = answered(path, written["key"])
    for path, members, name in ((f"{site}/issues", "issues", "id"), (f"{site}/pages", "pages", "id")):
        for one in found[path].get(members, [])[:3]:
            found[f"{path}/{one[name]}"] = answered(f"{path}/{one[name]}", written["key"])
    found |= {name: told(name, look, workspace_id, site_id) for name, look in ROWS.items()}
    found["batch"] = told("batch", lambda *_: changes.load(site_id, written["batch"]).changes, workspace_id, site_id)
    return found


LISTS = ("scores", "issues", "actions", "pages", "audits", "geo", "performance", "ai-visibility", "agentic")


def answered(path: str, key: str) -> Json:
    answer = send("GET", BASE_PATH + path, {"Authorization": f"Bearer {key}"}, None)
    return json.loads(answer.text) if answer.status == 200 else {"status": answer.status, "text": answer.text}


ROWS: Any = {
    "people": lambda workspace_id, site_id: stored_accounts.list_people(workspace_id),
    "keys": lambda workspace_id, site_id: api_keys.list_all(workspace_id),
    "endpoints": lambda workspace_id, site_id: stored_endpoints.list_all(workspace_id),
    "content": lambda workspace_id, site_id: sorted(content.load(site_id).items.items()),
    "issue book": lambda workspace_id, site_id: issues.load_state(site_id).issues,
    "deliveries": lambda workspace_id, site_id: [
        one
        for endpoint in stored_endpoints.list_all(workspace_id)
        for one in deliveries.list_latest(workspace_id, endpoint.id, 5)
    ],
    "secrets": lambda workspace_id, site_id: [
        secrets.unseal(one.secret, **stored_endpoints.context(workspace_id, one.id)).reveal()
        for one in stored_endpoints.list_all(workspace_id)
    ],
}


def told(name: str, look: Any, workspace_id: str, site_id: str) -> Any:
    import msgspec

    try:
        return json.loads(msgspec.json.encode(look(workspace_id, site_id), enc_hook=vars))
    except Exception as error:
        return {"error": "".join(traceback.format_exception_only(error))}


def migrate() -> Json:
    progress, done = migration.go_on(OPERATOR, 100)
    return {"done": done, **progress.rows._asdict()}


def main() -> None:
    logging.disable(logging.CRITICAL)
    embedded.start(keep_endpoints=True)
    commands = {"write": write, "read": read, "migrate": migrate}
    out, sys.stdout = sys.stdout, sys.stderr  # answers alone go there
    for line in sys.stdin:
        name, _, given = line.strip().partition(" ")
        out.write(json.dumps(commands[name](*([json.loads(given)] if given else []))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
