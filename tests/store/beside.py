"""One release at a store that another release uses at the same time.

``test_side_by_side`` runs this file with the released tree and with this one: ``PYTHONPATH=TREE python -P beside.py``
takes the service and its tests from TREE. It answers each line of standard input, a command and its argument as JSON,
with a line of JSON. It uses only what both releases have, but for the commands of sessions, which only this one knows.
"""

import json
import logging
import sys
from collections.abc import Callable
from typing import Any, get_args

import msgspec
import pytest

from app import app
from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.domain.jobs import Job, JobKind
from chalicelib.http.endpoints import BASE_PATH
from chalicelib.operations import accounts, endpoints, issues, migration
from chalicelib.store import accounts as stored_accounts
from chalicelib.store import api_keys, changes, client, content, deliveries, jobs, secrets
from chalicelib.store import endpoints as stored_endpoints
from chalicelib.store import issues as stored_issues
from chalicelib.workers import sweeper
from host.jobs import Jobs
from local import embedded
from tests import aws
from tests.api.client import send
from tests.changes import open_house

Json = dict[str, Any]
LISTS = ("scores", "issues", "actions", "pages", "audits", "geo", "performance", "ai-visibility", "agentic")
DETAILS = 3  # of each list
WORKED = ("outbox", "deliveries", "writes", "imports", "recheck")  # queues whose messages are worked off, in this order


def write(_: Json) -> Json:
    """A workspace with an audited and connected website, approved changes, a key, and an endpoint with a delivery."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aws, "messages", _received)
        patch.setattr(aws, "purge", lambda queue: None)
        with open_house(patch) as house:
            workspace_id, site_id = house.website.workspace_id, house.site_id
            batch = house.apply({"/a": "All about A"})
            made = endpoints.add(OPERATOR, workspace_id, "https://hooks.example/", ["audit.finished"])
            endpoints.ping(OPERATOR, workspace_id, made.endpoint.id)
            key = accounts.create_workspace_key(OPERATOR, workspace_id, house.person_id, list(SCOPES))
            return {
                "workspace": workspace_id,
                "site": site_id,
                "batch": batch.id,
                "key": key.secret,
                "person": house.person_id,
                "kinds": [job.kind for job in jobs.list_all(site_id)],
            }


def _received(queue: str) -> list[Json]:
    """The messages of a queue, taken out of it. ``aws.messages`` looks into a store of its own process."""
    sqs = client.sqs()
    url = sqs.get_queue_url(QueueName=f"wos-{queue}")["QueueUrl"]
    found = []
    while messages := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        for message in messages:
            found.append(json.loads(message["Body"]))
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return found


def read(written: Json) -> Json:
    """What this release finds of what ``write`` made: answers of the API, and rows that no answer shows. What cannot
    be read is told as ``failed``."""
    workspace_id, site = written["workspace"], f"/sites/{written['site']}"

    def answer(path: str) -> Any:
        received = send("GET", BASE_PATH + path, {"Authorization": f"Bearer {written['key']}"})
        return received.json if received.status == 200 else {"failed": received.text}

    found = {path: answer(path) for path in ("/sites", "/portfolio", site, *(f"{site}/{name}" for name in LISTS))}
    for members in ("issues", "pages"):
        for one in found[f"{site}/{members}"].get(members, [])[:DETAILS]:
            path = f"{site}/{members}/{one['id']}"
            found[path] = answer(path)
    hooks = stored_endpoints.list_all(workspace_id)
    rows: dict[str, Callable[[], Any]] = {
        "people": lambda: stored_accounts.list_people(workspace_id),
        "keys": lambda: api_keys.list_all(workspace_id),
        "endpoints": lambda: hooks,
        "secrets of endpoints": lambda: [
            secrets.unseal(one.secret, **stored_endpoints.context(workspace_id, one.id)).reveal() for one in hooks
        ],
        "deliveries": lambda: [one for hook in hooks for one in deliveries.list_latest(workspace_id, hook.id, 5)],
        "content": lambda: sorted(content.load(written["site"]).items.items()),
        "changes": lambda: _changes(written),
        "jobs": lambda: jobs.list_all(written["site"]),
        "issues": lambda: _statuses(written["site"]),
    }
    return found | {name: _told(look) for name, look in rows.items()}


def _changes(written: Json) -> Any:
    loaded = changes.load(written["site"], written["batch"])
    assert loaded is not None
    return loaded.changes


def _statuses(site_id: str) -> dict[str, str]:
    book = stored_issues.load_state(site_id)
    assert book is not None
    return {one.id: one.status for one in book.issues}


def _told(look: Callable[[], Any]) -> Any:
    try:
        return json.loads(msgspec.json.encode(look(), enc_hook=vars))
    except Exception as error:  # whatever it is, the test shows it
        return {"failed": repr(error)}


def ignore(chosen: Json) -> Json:
    """Ignore an issue: all issues of the website and its summary are written again."""
    issues.ignore(OPERATOR, chosen["site"], chosen["issue"])
    return {}


def work(_: Json) -> Json:
    """Hand the messages that lie in the queues to this release's functions, once. Tells how many of each queue there
    were, and how many came to no good end."""
    told = {}
    for queue in WORKED:
        records = [
            {"messageId": str(number), "body": json.dumps(body), "eventSourceARN": f"arn:aws:sqs:::wos-{queue}"}
            for number, body in enumerate(_received(queue))
        ]
        answers = [app.handler_map[queue]({"Records": [record]}, Jobs().context(queue)) for record in records]
        told[queue] = {"messages": len(records), "failed": sum(len(one["batchItemFailures"]) for one in answers)}
    return told


def kinds(_: Json) -> Json:
    """The kinds of jobs that this release knows."""
    return {"kinds": get_args(JobKind)}


def queue(wanted: Json) -> Json:
    """Jobs of the given kinds, due now, whose messages were lost."""
    now = clock.now()
    for kind in wanted["kinds"]:
        jobs.create(
            Job(
                id=f"job_{kind}",
                kind=kind,
                site_id=wanted["site"],
                workspace_id=wanted["workspace"],
                queued_at=now,
                due_at=now,
            )
        )
    return {}


def sweep(asked: Json) -> Json:
    """Run the sweeper as if so many seconds had passed, and take what it sent. Tells the ids of the jobs among it."""
    clock.set_offset(asked["after"])
    try:
        sweeper.run()
        bodies = [body for name in asked["queues"] for body in _received(name)]
    finally:
        clock.set_offset(0.0)
    return {"jobs": sorted(body["jobId"] for body in bodies if "jobId" in body)}


def set_role(wanted: Json) -> Json:
    """Change a person's role: the person's row is written again."""
    accounts.set_role(OPERATOR, wanted["workspace"], wanted["person"], wanted["role"])
    return {}


def add_person(wanted: Json) -> Json:
    """Somebody more in the workspace."""
    return {"person": accounts.add_person(OPERATOR, wanted["workspace"], wanted["email"], "admin").id}


def remove_person(wanted: Json) -> Json:
    accounts.remove_person(OPERATOR, wanted["workspace"], wanted["person"])
    return {}


def known(wanted: Json) -> Json:
    """Whether a sign-in link would be mailed to an e-mail address."""
    from chalicelib.store import sessions as stored_sessions

    return {"known": stored_sessions.known_address(wanted["email"]) is not None}


def sign_in(wanted: Json) -> Json:
    """A session of an e-mail address, by a link that the operator makes."""
    from chalicelib.operations import sessions

    link = sessions.make_link(wanted["workspace"], wanted["person"])
    return {"session": sessions.use_link(link).secret}


def session(begun: Json) -> Json:
    """What a session may see: the address, and its roles by workspace."""
    from chalicelib.operations import sessions

    found = sessions.find(begun["session"])
    return {} if found is None else {one.workspace_id: one.role for one in sessions.workspaces(found.email)}


def migrate(_: Json) -> Json:
    """Bring all rows to the shapes of this release."""
    progress, done = migration.go_on(OPERATOR, 100)
    return {"done": done, "left": progress.rows.left}


def main() -> None:
    logging.disable(logging.CRITICAL)
    embedded.start(keep_endpoints=True)
    answers, sys.stdout = sys.stdout, sys.stderr  # nothing else may print there
    people = (set_role, add_person, remove_person, known, sign_in, session)
    named = (write, read, ignore, work, kinds, queue, sweep, migrate, *people)
    commands = {command.__name__: command for command in named}
    for line in sys.stdin:
        name, argument = json.loads(line)
        answers.write(json.dumps(commands[name](argument)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
