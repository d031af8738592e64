"""A workspace with something of every kind that is stored of one, beside another workspace that stays."""

from typing import Any, NamedTuple

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.domain.ids import time_ordered
from chalicelib.domain.jobs import Job
from chalicelib.domain.webhooks.events import Event
from chalicelib.domain.webhooks.notices import Notice
from chalicelib.http import idempotency
from chalicelib.http.answers import Answer
from chalicelib.operations import (
    accounts,
    assistant_keys,
    audits,
    endpoints,
    exports,
    notices,
    reports,
    sessions,
    websites,
)
from chalicelib.randomness import random_bytes
from chalicelib.store import exports as stored_exports
from chalicelib.store import items, jobs, keys, live_reads, objects
from chalicelib.store import notices as stored_notices
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import commit
from local import objects as bucket
from tests import aws, webhooks

NAME = "Acme"
SHARED = "shared@agency.example"
ALONE = "ada@acme.example"
STAYS = ("LINK#", "LINKS#")  # what ends by itself and names no workspace


class Leaving(NamedTuple):
    """The workspace that leaves. ``alone``, ``shared``: secrets of sessions; ``key``: an API key."""

    workspace_id: str
    site_id: str
    crawl_id: str
    alone: str
    shared: str
    key: str


def workspace_that_stays() -> str:
    """A workspace with a person who is in the other one too, and its session."""
    workspace = accounts.create_workspace(OPERATOR, "Stays", "agency")
    person = accounts.add_person(OPERATOR, workspace.id, SHARED, "owner")
    site = websites.add(OPERATOR, workspace.id, "https://stays.example").id
    _fill(workspace.id, person.id, site)
    return workspace.id


def signed_in(workspace_id: str, email: str) -> str:
    """The secret of a session that has just begun."""
    person = accounts.person_by(workspace_id, email)
    return sessions.use_link(sessions.make_link(workspace_id, person.id)).secret


def workspace_that_leaves(shared: str) -> Leaving:
    """``shared``: the session of the person who is in both."""
    workspace = accounts.create_workspace(OPERATOR, NAME, "agency")
    person = accounts.add_person(OPERATOR, workspace.id, ALONE, "owner")
    accounts.add_person(OPERATOR, workspace.id, SHARED, "member")
    gone = websites.add(OPERATOR, workspace.id, "https://gone.acme.example").id
    items.put("issues", {"pk": f"SITE#{gone}", "sk": "STATE"})
    websites.remove(OPERATOR, gone, wait=False)  # and its job has not run
    site = websites.add(OPERATOR, workspace.id, "https://acme.example").id
    secret = _fill(workspace.id, person.id, site)
    alone = signed_in(workspace.id, ALONE)
    for session in (alone, shared):
        _answered(session_key(session), f"/app/sites/{site}")
    website = websites.existing(OPERATOR, site, "work")
    started = audits.start(website, 100, page_budget=None, person_id=None, through_api=False, now=clock.now())
    return Leaving(workspace.id, site, started.header.id, alone, shared, secret)


def session_key(secret: str) -> str:
    """Under which name a session's answers are kept."""
    found = sessions.find(secret)
    assert found is not None
    return found.key


def _fill(workspace_id: str, person_id: str, site_id: str) -> str:
    """Store something of every kind. Gives an API key."""
    new = accounts.create_workspace_key(OPERATOR, workspace_id, person_id, ["sites:read", "audits:run"])
    _answered(new.listed.id, f"/api/v1/sites/{site_id}/audits")
    assistant_keys.put(OPERATOR, workspace_id, "openai", Secret("sk-0123456789"))
    removed = endpoints.add(OPERATOR, workspace_id, "https://old.example/hook", ["audit.finished"]).endpoint
    endpoint = endpoints.add(OPERATOR, workspace_id, "https://hooks.example/hook", ["audit.finished"]).endpoint
    for one in (removed, endpoint):
        endpoints.ping(OPERATOR, workspace_id, one.id)
        items.put("webhooks", {"pk": f"END#{one.id}", "sk": "PLACES", "place0": clock.now()})
    endpoints.remove(OPERATOR, workspace_id, removed.id)
    happened = Event(
        f"evt_{random_bytes(8).hex()}", "audit.finished", clock.now(), workspace_id, site_id, "acme.example", None, {}
    )
    webhooks.publish(happened)
    crawl = time_ordered("crawl", clock.now(), random_bytes(10))
    for table, pk, sk in (
        ("crawls", f"SITE#{site_id}", f"AUDIT#{crawl}"),
        ("crawls", f"CRAWL#{crawl}", "STEP#000000"),
        ("crawls", f"SITE#{site_id}#KEPT", "KEPTHEAD#crawl_1"),
        ("pages", f"SITE#{site_id}#GEN#{crawl}", "LIST#0000"),
        ("pages", f"SITE#{site_id}#CONTENT", "BLOCK#00"),
        ("issues", f"SITE#{site_id}", "STATE"),
        ("changes", f"SITE#{site_id}", "BATCH#batch_1"),
        ("search", f"SITE#{site_id}#totals", "MANIFEST"),
        ("ai", f"SITE#{site_id}", "READINESS"),
        ("ops", f"TOPICS#{site_id}", "MINUTE#1"),
        ("crawls", f"WS#{workspace_id}", "SLOTS#crawl"),
        ("jobs", f"WS#{workspace_id}", "SLOTS#imports"),
        ("ai", f"WS#{workspace_id}", "ANSWERS#2026-W48"),
        ("ai", f"WS#{workspace_id}", "DRAFTS#2026-11-25"),
        ("issues", f"SITE#{site_id}", "DRAFTS"),
    ):
        items.put(table, {"pk": pk, "sk": sk})
    reading = live_reads.begin(site_id, workspace_id, "llms_txt", clock.now())
    assert reading is not None
    live_reads.end(reading, b"read", clock.now())
    export = exports.start(websites.existing(OPERATOR, site_id, "read"), now=clock.now())
    objects.put(stored_exports.name_of(site_id, export.id), b"zip", "application/zip")
    now = clock.now()
    sync = Job(
        id="content_sync", kind="content_sync", site_id=site_id, workspace_id=workspace_id, queued_at=now, due_at=now
    )
    commit([jobs.put_new(sync)])
    notices.choose(Actor(workspace_id, person_id, "owner"), "daily")
    subscription = stored_notices.get(workspace_id, person_id)
    assert subscription is not None
    told = Notice("evt_1", now, site_id, "acme.example", None, "An audit is finished", "")
    stored_notices.add(subscription, told, now)
    reports.share(OPERATOR, site_id, 30)
    items.put("webhooks", {"pk": f"SITE#{site_id}", "sk": "RECIPIENT#1"})
    items.put("crawls", {"pk": f"SITE#{site_id}", "sk": "PREVIEW#prev_1", "fence": 0})
    for row in ("PREVIEWACCESS#prev_1", "PREVIEWURLS#prev_1"):
        items.put("crawls", {"pk": f"SITE#{site_id}#KEPT", "sk": row})
    return new.secret


def _answered(asker: str, address: str) -> None:
    """A request that could be sent again."""
    nonce = random_bytes(8).hex()
    idempotency.once((asker, "POST", address, nonce), b"", clock.now(), lambda: Answer(303, "", {"Location": address}))


def everything() -> dict[str, list[Any]]:
    """All that is stored, but for when sessions were used: the rows of every table, and the names in the bucket."""
    found: dict[str, list[Any]] = {
        table: sorted(
            (_unused(row) for row in aws.stored(table) if not row["pk"].startswith((*STAYS, "STATE#"))),
            key=lambda row: (row["pk"], row["sk"]),
        )
        for table in keys.TABLES
    }
    return {**found, "bucket": list(bucket.names())}


def _unused(row: dict[str, Any]) -> dict[str, Any]:
    of_use = ("lastUsedAt", "hour", "used") if row["pk"].startswith("SESSION#") else ()
    return {name: value for name, value in row.items() if name not in of_use}
