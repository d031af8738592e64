"""Checks a deployment for the operator: finds problems, says what to do about them, and changes nothing.

If one part of the diagnosis fails with an error, the error is reported, and the other parts still run. Websites,
workspaces and overdue work are checked only up to the limits ``MOST_WEBSITES``, ``MOST_WORKSPACES`` and
``MOST_OVERDUE``, so that the diagnosis is fast on large deployments too.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, get_args

from chalicelib import clock
from chalicelib.domain.accounts import emails
from chalicelib.domain.connections import SOURCE_KINDS, WRITER_KINDS
from chalicelib.operations import drafts, pairing_keys
from chalicelib.settings.assistants import assistant_settings
from chalicelib.settings.core import core_settings
from chalicelib.settings.mail import mail_settings
from chalicelib.settings.speed import speed_settings
from chalicelib.store import (
    accounts,
    assistant_keys,
    client,
    crawls,
    health,
    jobs,
    key_file,
    keys,
    migrating,
    outbox,
    ownership,
    sealed,
    secrets,
    website_names,
    websites,
)
from chalicelib.store.errors import AWS_ERRORS, AWS_NOT_SET_UP
from chalicelib.store.queues import Queue
from chalicelib.store.sealed import Sealed

CLOCK_SECONDS: Final = 30.0  # AWS refuses requests if the clock is five minutes off; leases fail earlier
OUTBOX_SECONDS: Final = 300.0  # how long events may wait; the alarm outbox-old has the same limit
OVERDUE_SECONDS: Final = 900.0  # how long crawls and jobs may wait for a worker: the sweeper comes each minute
MOST_OVERDUE: Final = 100  # checked rows of each shard
MOST_WEBSITES: Final = 1_000
MOST_WORKSPACES: Final = 1_000
MOST_NAMED: Final = 5  # examples of each problem
MOST_OPENED: Final = 20  # tested secrets of each kind
MOST_READ: Final = 5  # workspaces and websites whose rows are checked for older shapes
CURSOR_SECRET_CHARACTERS: Final = 32
_MAKE_WHAT_IS_MISSING: Final = "deploy the template again (without CloudFormation: manage.py store create)"

_PROVIDERS: Final = ("openai", "anthropic", "gemini", "perplexity")


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the diagnosis: the part, the finding, and what to do (None if there is no problem)."""

    part: str
    found: str
    todo: str | None = None


def examine(groups: Iterable[str]) -> list[Finding]:
    """Check every part of the deployment, in order. A problem in one part may cause problems in later parts.
    ``groups``: the names of the existing endpoint groups.

    Raises ``AWS_NOT_SET_UP``.
    """
    known = tuple(groups)
    findings = [_settings(known)]
    for part, look in _PARTS.items():
        try:
            findings.append(look())
        except AWS_NOT_SET_UP:
            raise  # every part would report the same
        except AWS_ERRORS as error:
            findings.append(Finding(part, f"AWS: {' '.join(str(error).split())}", _after(error)))
    return findings


def _after(error: Exception) -> str:
    """Return what to do about an error of AWS. The error names the address that did not answer."""
    named = client.named_by(str(error))
    if named:
        return f"check that the service runs at this address, or correct {', '.join(named)}"
    return "check that the region, the credentials, their rights and the prefixes are those of the deployment"


def look_at_state(folder: Path) -> Finding:
    """Check the folder in which the local service stores its rows and secrets."""
    try:
        exposed = key_file.exposed_in(folder)
    except OSError as error:
        return Finding("state", f"{folder} cannot be read: {error.strerror}", "check that STATE names the right folder")
    if exposed:
        return Finding("state", _some(exposed), "chmod 600 the files: they hold secrets")
    return Finding("state", f"only their owner may read the files of {folder}")


def _settings(groups: tuple[str, ...]) -> Finding:
    core, assistants, wrong = core_settings(), assistant_settings(), []
    served = (
        () if core.endpoint_groups in ("all", "none") else (name.strip() for name in core.endpoint_groups.split(","))
    )
    for setting, names, known in (
        ("ENDPOINT_GROUPS", served, groups),
        ("SWITCHED_OFF", core.switched_off_groups, (*groups, "api")),
    ):
        wrong += [f"{setting} names {name!r}, which is no endpoint group" for name in sorted(set(names) - set(known))]
    if 0 < len(core.cursor_secret) < CURSOR_SECRET_CHARACTERS:
        wrong.append(f"CURSOR_SECRET is shorter than {CURSOR_SECRET_CHARACTERS} characters")
    if core.metrics not in ("", "on", "off"):
        wrong.append(f"METRICS is {core.metrics!r}; it must be on or off")
    drafting = assistants.assistant.strip().lower()
    if drafting and drafting not in _PROVIDERS:
        wrong.append(f"ASSISTANT is {drafting!r}; the assistants are {', '.join(_PROVIDERS)}")
    elif drafting and not getattr(assistants, f"{drafting}_api_key"):
        wrong.append(f"ASSISTANT is {drafting}, but {drafting.upper()}_API_KEY is empty")
    if speed_settings().provider not in ("psi", "lighthouse"):
        wrong.append(f"SPEED_PROVIDER is {speed_settings().provider!r}; the providers are psi and lighthouse")
    sender = mail_settings().sender
    if sender and emails.deliverable(sender) is None:
        wrong.append(f"MAIL_FROM is {sender!r}; it must be one e-mail address, without a name")
    if wrong:
        return Finding("settings", _some(wrong), "correct the variables of this process; docs/operating.md lists them")
    off = ", ".join(sorted(core.switched_off_groups))
    return Finding("settings", f"the settings of this process are valid; switched off: {off or 'nothing'}")


def _tables() -> Finding:
    wrong = [fault for table in keys.TABLES for fault in health.table_faults(table)]
    if wrong:
        return Finding("tables", _some(wrong), f"{_MAKE_WHAT_IS_MISSING}, or correct TABLE_PREFIX")
    return Finding("tables", f"{len(keys.TABLES)} tables, {len(keys.INDEXES)} indexes, time to live switched on")


def _stack() -> Finding:
    found = ownership.get()
    if found is None:
        return Finding(
            "stack", "the store belongs to no deployment yet; it will belong to the first one whose schedules run"
        )
    if found.held_since is not None or ownership.is_strange(found):
        at = found.held_since
        since = "" if at is None else f" since {clock.utc(at).strftime('%Y-%m-%d %H:%M UTC')}"
        of = f", and the store belongs to {found.stack}" if found.stack else ""
        todo = "run manage.py store pending, then manage.py store release; see docs/backups.md"
        return Finding("stack", f"workers are held (paused){since}, so nothing is sent{of}", todo)
    return Finding("stack", f"the store belongs to {found.stack}; its workers are not held (paused)")


def _queues() -> Finding:
    names: tuple[Queue, ...] = get_args(Queue)
    wrong = [fault for queue in names for fault in health.queue_faults(queue)]
    if wrong:
        todo = f"{_MAKE_WHAT_IS_MISSING}; for given-up messages see docs/runbooks.md"
        return Finding("queues", _some(wrong), todo)
    return Finding("queues", f"{len(names)} queues with their dead-letter queues, which are empty")


def _key() -> Finding:
    name = core_settings().secrets_key
    if not health.key_works():
        return Finding(
            "key", f"{name} does not decrypt to what was encrypted", "make sure that SECRETS_KEY names one key"
        )
    exposed = key_file.exposed(name) if name.startswith(key_file.PREFIX) else None
    if exposed is not None:
        return Finding("key", exposed, "chmod 600 the file: any reader of it can decrypt every stored secret")
    return Finding("key", f"{name} encrypts and decrypts")


def _bucket() -> Finding:
    wrong = health.bucket_faults()
    if wrong:
        todo = f"{_MAKE_WHAT_IS_MISSING}, set a lifecycle of one day on your own bucket, or correct EXPORTS_BUCKET"
        return Finding("bucket", _some(wrong), todo)
    return Finding("bucket", f"{core_settings().exports_bucket} exists, and deletes its objects after a day")


def _clock() -> Finding:
    ahead = health.clock_difference()
    if ahead is None:
        return Finding("clock", "AWS did not say what time it is")
    if abs(ahead) > CLOCK_SECONDS:
        return Finding("clock", f"this machine's clock is {ahead:+.0f} s off", "synchronise it (NTP)")
    return Finding("clock", f"this machine's clock is right within {CLOCK_SECONDS:.0f} s")


def _outbox() -> Finding:
    now = clock.now()
    first = [next(outbox.overdue(shard, now), None) for shard in keys.shards()]
    waits = max((now - keys.outbox_time(key[1]) for key in first if key is not None), default=0.0)
    if waits > OUTBOX_SECONDS:
        todo = "see the logs of the functions Outbox and Sweeper; docs/runbooks.md#outbox-old"
        return Finding("outbox", f"the oldest events wait for {waits:.0f} s", todo)
    return Finding("outbox", f"the oldest events wait for {waits:.0f} s" if waits else "no events wait")


def _overdue() -> Finding:
    """Find overdue work. Work stays overdue only if the sweeper does not run, or if workers fail or are too few."""
    now = clock.now()
    before = now - OVERDUE_SECONDS
    found = {
        "crawls": sum(1 for shard in keys.shards() for _ in islice(crawls.overdue(shard, before), MOST_OVERDUE)),
        "jobs": sum(1 for shard in keys.job_shards() for _ in islice(jobs.overdue(shard, before), MOST_OVERDUE)),
    }
    wrong = [f"{count} {kind} wait for more than {OVERDUE_SECONDS / 60:.0f} minutes" for kind, count in found.items()]
    if any(found.values()):
        todo = "see the log of the function Sweeper, then those of Crawl and the jobs; docs/runbooks.md#sweeper-failing"
        return Finding("sweeper", ", ".join(wrong), todo)
    return Finding("sweeper", "no crawl and no job is overdue: the sweeper runs, or has nothing to do")


def _connections() -> Finding:
    looked, broken = 0, []
    for workspace in accounts.list_workspaces():
        ids = [row.id for row in website_names.list_all(workspace.id)][: MOST_WEBSITES - looked]
        looked += len(ids)
        for website in websites.get_many(workspace.id, ids).values():
            known = website.connections
            all_of = [*map(known.of, WRITER_KINDS), *map(known.source, SOURCE_KINDS)]
            broken += [
                f"{one.kind} of {website.id} ({website.host}): {one.error}" for one in all_of if one and one.broken
            ]
        if looked >= MOST_WEBSITES:
            break
    if broken:
        todo = "manage.py connections check SITE asks again; docs/operating.md explains how to connect again"
        return Finding("connections", _some(broken), todo)
    return Finding("connections", f"none of the {looked:,} websites checked has a broken connection")


def _pairings() -> Finding:
    """Find keys with too many scopes in customers' CMSs. Anybody who can read the CMS's options can use them."""
    workspaces = list(islice(accounts.list_workspaces(), MOST_WORKSPACES))
    found = [(workspace.id, one) for workspace in workspaces for one in pairing_keys.wide(workspace.id)]
    if found:
        named = [f"{one.key.id} ({one.kind} of {one.site_id}, workspace {workspace})" for workspace, one in found]
        wrong = f"{len(found)} API keys of connectors have more scopes than a connector needs: {_some(named)}"
        return Finding("pairings", wrong, "manage.py keys narrow WORKSPACE reduces them to the scopes that they need")
    return Finding("pairings", f"API keys of connectors may only send content, in {len(workspaces):,} workspaces")


def _assistants() -> Finding:
    """Check that assistants' keys can be read: without a readable key a workspace gets no samples. No assistant is
    called, since a call costs money."""
    looked, wrong = 0, []
    for workspace in islice(accounts.list_workspaces(), MOST_WORKSPACES):
        for kept in assistant_keys.list_all(workspace.id):
            looked += 1
            try:
                kept.key()
            except AWS_ERRORS as error:
                wrong.append(f"{kept.provider} of {workspace.id}: {' '.join(str(error).split())}")
    if wrong:
        todo = "see the part `key`; if only some cannot be read, ask their workspaces to enter them again"
        return Finding("assistants", _some(wrong), todo)
    return Finding("assistants", f"{looked:,} keys of workspaces for AI assistants, which can be read")


def _drafts() -> Finding:
    """Check whether descriptions are drafted. The setting alone does not turn drafts on."""
    if assistant_settings().drafts_a_day.strip() == "0":
        return Finding("drafts", "off: DRAFTS_A_DAY is 0")
    why = drafts.why_off()
    if why is not None:
        return Finding("drafts", why, "read 100 drafts (docs/operating.md), or set DRAFTS_A_DAY to 0")
    return Finding("drafts", f"on: {drafts.drafts_a_day()} a day for each workspace; 100 drafts were read")


def _secrets() -> Finding:
    """Decrypt some secrets of endpoints and of each kind of connection. A key that works may still not open secrets
    that another key encrypted. The assistants' keys are checked by ``_assistants``."""
    opened: Counter[str] = Counter()
    older, wrong, filed = 0, list[str](), core_settings().secrets_key.startswith(key_file.PREFIX)
    for one in _some_secrets(opened):
        opened[one.kind] += 1
        try:
            secrets.unseal(one.value, **one.context)
        except AWS_ERRORS as error:
            wrong.append(f"{one.of}: {' '.join(str(error).split())}")
            continue
        older += filed and not secrets.is_newest(one.value, one.context)
    looked = ", ".join(f"{count} {kind}" for kind, count in sorted(opened.items())) or "there are none"
    if wrong:
        todo = "manage.py secrets reencrypt --older KEY, with the earlier key; or connect their systems again"
        return Finding(
            "secrets", f"{len(wrong)} of the tested secrets ({looked}) cannot be decrypted: {_some(wrong)}", todo
        )
    behind = (
        f"; {older} are encrypted with an older line of the key file: see manage.py secrets reencrypt" if older else ""
    )
    return Finding("secrets", f"some secrets of each kind were decrypted: {looked}{behind}")


def _some_secrets(opened: Counter[str]) -> Iterator[Sealed]:
    """Yield at most ``MOST_OPENED`` secrets of each kind, from the first workspaces and websites. ``opened``: how many
    of each kind the caller has decrypted."""
    looked = 0
    for workspace in islice(accounts.list_workspaces(), MOST_WORKSPACES):
        yield from (one for one in sealed.of_endpoints(workspace.id) if opened[one.kind] < MOST_OPENED)
        ids = [row.id for row in website_names.list_all(workspace.id)][: MOST_WEBSITES - looked]
        looked += len(ids)
        for website in websites.get_many(workspace.id, ids).values():
            known = website.connections
            all_of = [*map(known.of, WRITER_KINDS), *map(known.source, SOURCE_KINDS)]
            if any(opened[one.kind] < MOST_OPENED for one in all_of if one):
                yield from sealed.of_connections(workspace.id, website.id)


def _shapes() -> Finding:
    """Find rows in the shape of an older release, which the next release may not read. Checks the oldest workspaces and
    websites, since newer websites have only new rows. After ``store migrate``, an older release may have run again and
    written old shapes."""
    ended, walk = migrating.has_ended(), migrating.load()
    todo = "run manage.py store migrate before the next release is deployed; the workers may keep running"
    if walk.after is not None and not ended:
        return Finding("shapes", f"store migrate was interrupted after {walk.websites:,} websites", todo)
    workspaces = sorted(row.id for row in accounts.list_workspaces())
    websites = [
        (workspace, row.id) for workspace in workspaces[:MOST_READ] for row in website_names.list_all(workspace)
    ]
    older = [workspace for workspace in workspaces[:MOST_READ] if migrating.unlisted_people(workspace)]
    older += [
        site_id for workspace, site_id in sorted(websites)[:MOST_READ] if migrating.holds_older(workspace, site_id)
    ]
    if older:
        return Finding("shapes", f"an earlier release has stored rows of {_some(older)}", todo)
    if ended:
        left = walk.rows.left
        but = f", except {left:,} rows that store migrate did not change" if left else ""
        return Finding("shapes", f"all stored rows have the form of this release{but}")
    return Finding(
        "shapes", "the oldest workspaces and websites, which were checked, have no rows of an earlier release"
    )


def _removals() -> Finding:
    unfinished = [f"{row.id} is being removed" for row in accounts.list_workspaces() if row.removed]
    if unfinished:
        return Finding(
            "removals", _some(unfinished), "run manage.py workspaces remove again: it continues where it stopped"
        )
    return Finding("removals", "no removal of a workspace was interrupted")


def _alarms() -> Finding:
    topic = core_settings().alarm_topic
    if not topic:
        return Finding("alarms", "ALARM_TOPIC is empty: alarm recipients were not checked")
    wrong = health.topic_faults(topic)
    if wrong:
        return Finding("alarms", _some(wrong), "subscribe to the topic and confirm it, or correct ALARM_TOPIC")
    return Finding("alarms", f"{topic} has a confirmed subscription")


_PARTS: Final[dict[str, Callable[[], Finding]]] = {
    "tables": _tables,
    "stack": _stack,
    "queues": _queues,
    "key": _key,
    "bucket": _bucket,
    "clock": _clock,
    "outbox": _outbox,
    "sweeper": _overdue,
    "connections": _connections,
    "pairings": _pairings,
    "assistants": _assistants,
    "drafts": _drafts,
    "secrets": _secrets,
    "shapes": _shapes,
    "removals": _removals,
    "alarms": _alarms,
}


def _some(wrong: list[str]) -> str:
    """Name the first problems, and say how many more there are."""
    more = len(wrong) - MOST_NAMED
    return "; ".join(wrong[:MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
