"""Runs the service under load while all outside systems fail at random: ``python -m bench soak``.

Thirty websites are audited at once while 16 clients read. Approved changes are written through CMS, search data is
imported, and speed tests are made. There are four webhook receivers: one accepts everything, one accepts some
deliveries, one never answers, and one refuses. All outside systems (``bench.soak_outside``) fail at random. With
``--kills``, two processes of the service run at the same time. At random moments, one or both are killed and started
again. The store is in this process, so no stored data is lost with a killed process. Then the failures end, and the
clock is moved forward until no work is left.

At the end, these conditions are checked:

- No answer was a failure of the service.
- Every audit, change, test and delivery has ended.
- Every expected event has reached the receivers that accept it, under one id.
- No change was written twice.
- No crawl lock, concurrency slot or job is still held.
- If no process was killed, memory has hardly grown since the first round.

Everything happens on the loopback address. Random choices are drawn from a seed, but no two runs are equal, since the
scheduling of threads and processes varies.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench import soak_checks, soak_neighbours, soak_outside
from bench.soak_clients import Client, Keys, read
from bench.soak_neighbours import Tenant
from bench.soak_processes import START_SECONDS, Hosts, killed_at_random
from bench.soak_result import Soak, table
from bench.soak_work import POLL_SECONDS, UNWRITTEN_PAGES, House, Work
from bench.week import UNTIL_AUDIT, place_week

WEBSITES, PAGES, CLIENTS, REQUESTS = 30, 80, 16, 200
WITH_CMS: Final = 4
SETTLE_SECONDS: Final = 1.0  # after the audits, so that their last messages are handled before memory is measured
QUIET_SECONDS, DUE_SECONDS = 5.0, 150.0  # the longest waits without a change, and in all
MINUTE, LEAD_SECONDS = 60.0, 15.0  # the sweeper runs on each full minute; a process is started that long before it
MOST_STEPS: Final = 40
STUCK_STEPS: Final = 3


class Options(NamedTuple):
    """The options of a soak. ``minutes`` 0 means two rounds. ``requests``: the most requests per client and round."""

    websites: int = WEBSITES
    pages: int = PAGES
    clients: int = CLIENTS
    requests: int = REQUESTS
    minutes: float = 0.0
    kills: bool = False
    seed: int = 1


def run(options: Options) -> Soak:
    """Do the rounds, let all remaining work finish, and do the checks.

    This changes this process's environment, clock and store, so call it in a process that does nothing else.
    """
    from chalicelib import clock
    from local import embedded

    soak, lock = Soak(), threading.Lock()
    audits_at = int(clock.now()) + UNTIL_AUDIT
    place_week(audits_at)
    with_cms = min(WITH_CMS, options.websites)
    with (
        tempfile.TemporaryDirectory() as folder,
        soak_outside.running(options.websites, with_cms, options.pages, options.seed) as outside,
        embedded.running(),
    ):
        store = embedded.Endpoint()
        variables = _variables(store.url, outside.told.settings) | {"SOAK_AUDITS_AT": str(audits_at)}
        hosts = Hosts(2 if options.kills else 1, Path(folder), variables)
        try:
            hosts.start()
            house = _settled(outside.told, hosts.urls[0], variables)
            clients = [
                Client(hosts.urls, Keys(house.workspace_id, house.person_id), soak, lock, kills=options.kills)
                for _ in range(1 + options.clients)
            ]
            _until_content(outside)
            neighbours = soak_neighbours.settle(outside.told, hosts.urls[0])
            outside.storm()
            killing = killed_at_random(hosts, soak, random.Random(options.seed)) if options.kills else nullcontext()
            opened = partial(Client, hosts.urls, soak=soak, lock=lock, kills=options.kills)
            with killing, soak_neighbours.at_work(neighbours, opened, soak):
                _load(options, clients, house, hosts, soak)
            soak.peak_megabytes = 0.0 if options.kills else hosts.peak_megabytes()
            outside.calm()
            _drain(hosts, [house, *neighbours.tenants], soak)
            for client in clients:
                client.close()
            reader = Client(hosts.urls, Keys(house.workspace_id, house.person_id), soak, lock, kills=False)
            report = outside.report()
            _check(reader, house, report, soak)
            soak.faults += soak_neighbours.faults(neighbours, report)
            soak.done["answers of connectors spoilt"] += sum(report.spoilt.values())
            reader.close()
            if any(hosts.stop()):
                soak.faults.append("a process did not shut down cleanly")
            soak.faults += _logged_errors(hosts.log())
        finally:
            hosts.stop()
            store.stop()
    return soak


def _variables(store: str, settings: dict[str, str]) -> dict[str, str]:
    from local import embedded

    return {
        **embedded.ENVIRONMENT,
        "AWS_ENDPOINT_URL": store,
        "NO_PROXY": "*",
        "no_proxy": "*",
        "CURSOR_SECRET": "0123456789abcdef" * 4,
        "ALLOW_ADDRESSES": "127.0.0.0/8",
        "POWERTOOLS_TRACE_DISABLED": "1",
        "LOCAL_DIR": "no-local-service",
        "PYTHONUNBUFFERED": "1",
        **settings,
    }


def _settled(told: soak_outside.Outside, base_url: str, variables: dict[str, str]) -> House:
    """Create an Enterprise workspace with all the websites, connected to their outside systems."""
    from chalicelib.domain.accounts.rights import OPERATOR
    from chalicelib.domain.webhooks.kinds import EVENT_KINDS
    from chalicelib.operations import accounts, connections, endpoints, sources
    from chalicelib.operations import websites as operations
    from chalicelib.settings.reading import forget_settings

    os.environ.update({name: value for name, value in variables.items() if not name.startswith("AWS_")})
    forget_settings()
    workspace = accounts.create_workspace(OPERATOR, "Soak", "enterprise")
    person = accounts.add_person(OPERATOR, workspace.id, "owner@soak.example", "owner")
    made = {name: endpoints.add(OPERATOR, workspace.id, url, EVENT_KINDS) for name, url in told.receivers.items()}
    sites = [operations.add(OPERATOR, workspace.id, url).id for url in told.websites]
    for site, cms in zip(sites, told.cms, strict=False):
        connections.pair(OPERATOR, site, url=cms.address, code=cms.code, person_id=person.id, base_url=base_url)
    sources.connect_search(OPERATOR, sites[0], name=told.search["property"], credentials=told.search["credentials"])
    return House(
        workspace.id,
        person.id,
        sites,
        told.websites,
        len(told.cms),
        {name: one.endpoint.id for name, one in made.items()},
        {name: one.secret.reveal() for name, one in made.items()},
    )


def _until_content(outside: soak_outside.Running) -> None:
    """Wait until every CMS has sent its content. Raises ``RuntimeError`` if that takes too long."""
    give_up = time.monotonic() + START_SECONDS
    while not all(outside.report().sent):
        if time.monotonic() > give_up:
            raise RuntimeError("a CMS could not send its content")
        time.sleep(POLL_SECONDS)


def _load(options: Options, clients: list[Client], house: House, hosts: Hosts, soak: Soak) -> None:
    writer, *readers = clients
    work = Work(writer, house, soak, options.pages, time.monotonic() + 60 * options.minutes)
    while not work.is_over:
        began, stopped = time.monotonic(), threading.Event()
        with ThreadPoolExecutor(len(readers) or 1) as pool:
            reading = []
            for number, reader in enumerate(readers):
                first = number % len(house.sites)
                turned = house.sites[first:] + house.sites[:first]
                reading.append(pool.submit(read, reader, turned, options.requests, stopped))
            try:
                work.round()
            finally:
                stopped.set()
            for each in reading:
                each.result()
        soak.seconds.append(time.monotonic() - began)
        time.sleep(SETTLE_SECONDS)
        if not options.kills:
            soak.megabytes.append(hosts.resident_megabytes())


def _drain(hosts: Hosts, tenants: Sequence[House | Tenant], soak: Soak) -> None:
    """Move the clock forward until no work is left, or until some work is stuck.

    Restarts the processes at each step.
    """
    from chalicelib import clock
    from local import embedded

    overdue: list[set[str]] = []
    for soak.steps in range(MOST_STEPS):
        left = _until_later(tenants)
        if not left:
            return
        overdue.append({one.what for one in left if one.due_at <= clock.now()})
        if is_stuck(overdue):
            break
        if any(hosts.stop()):
            soak.faults.append("a process did not shut down cleanly")
        due = max(clock.now() + MINUTE, min(one.due_at for one in left))
        on_the_minute = (due // MINUTE + 1) * MINUTE
        hosts.ahead = on_the_minute - LEAD_SECONDS - clock.machine()
        clock.set_offset(hosts.ahead)
        embedded.wake()
        hosts.start()
    left = _left(tenants)
    soak.faults += [f"left: {one.what}" for one in left]


def is_stuck(overdue: Sequence[set[str]]) -> bool:
    """Whether the same work was due at each of the last ``STUCK_STEPS`` steps and was never done."""
    last = overdue[-STUCK_STEPS:]
    return len(last) == STUCK_STEPS and bool(set.intersection(*last))


def _left(tenants: Sequence[House | Tenant]) -> list[Any]:
    from chalicelib import clock

    now = clock.now()
    found = [one for of in tenants for one in soak_checks.left(of.workspace_id, of.sites, now)]
    return list(dict.fromkeys(found))  # without duplicates: each workspace lists all audits and events


def _until_later(tenants: Sequence[House | Tenant]) -> list[Any]:
    """Wait while work is running or due. Returns the work that is left for later."""
    from chalicelib import clock

    give_up, quiet_since, before = time.monotonic() + DUE_SECONDS, time.monotonic(), None
    while True:
        left = _left(tenants)
        if left != before:
            before, quiet_since = left, time.monotonic()
        due = any(one.due_at <= clock.now() for one in left)
        if not left or time.monotonic() > give_up or (not due and time.monotonic() > quiet_since + QUIET_SECONDS):
            return left
        time.sleep(POLL_SECONDS)


def _check(client: Client, house: House, report: soak_outside.Report, soak: Soak) -> None:

    found = soak_checks.found(house.sites)
    logs = {name: soak_checks.logged(house.workspace_id, one) for name, one in house.endpoints.items()}
    expected = soak_checks.owed(found)
    soak.audits.update(audit.status for audit in found.audits)
    soak.done["changes"] += sum(len(one.changes) for one in found.batches)
    soak.done["changes written"] += sum(map(len, report.writes))
    soak.done["speed tests"] += sum(job.kind == "agentic_run" for job in found.jobs)
    soak.done["events owed"] += len(expected)
    soak.done["deliveries"] += sum(map(len, logs.values()))
    soak.done["tries of deliveries"] += len(report.arrivals)
    soak.done["spells in which an external system failed"] += sum(report.spells.values())
    soak.faults += soak_checks.audit_faults(found.audits)
    soak.faults += soak_checks.write_faults(found.batches, report, house.cms_sites)
    soak.faults += soak_checks.endpoint_faults(house.workspace_id, house.endpoints)
    soak.faults += soak_checks.event_faults(expected, report.arrivals, logs, house.secrets, soak.kills)
    for site in house.sites:
        soak.faults += _issue_faults(client, site)
    portfolio = client.ask("portfolio", "/portfolio?per=200") or {"websites": []}
    soak.faults += [f"{site['id']} still runs something" for site in portfolio["websites"] if site["running"]]


def _issue_faults(client: Client, site: str) -> Iterator[str]:
    """Describe issues that are shown as being worked on although nothing is running, and actions without an open
    issue."""
    issues = (client.ask("issues", f"/sites/{site}/issues") or {"issues": []})["issues"]
    actions = (client.ask("actions", f"/sites/{site}/actions?limit=100") or {"actions": []})["actions"]
    for issue in issues:
        if issue["status"] in ("in_progress", "recheck_queued"):
            yield f"{site}: the issue {issue['id']} is {issue['status']}"
    known = {one["id"] for one in issues}
    # Keyword tasks have no issue and no gain.
    others = {one["issueId"] for one in actions if one["estimatedScoreGain"] is not None}
    if not others <= known <= {one["issueId"] for one in actions}:
        yield f"{site}: the {len(actions)} actions and {len(issues)} issues do not match"


def _logged_errors(log: str) -> list[str]:
    lines = [line for line in log.splitlines() if '"level":"ERROR"' in line or " ERROR " in line or "Traceback" in line]
    return [f"{len(lines)} errors were logged, such as: {line[:1_500]}" for line in lines[:5]]


def main() -> int:
    """Run the soak and print the result. Returns the exit status: 1 if a check fails."""
    parser = argparse.ArgumentParser(prog="python -m bench soak", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--websites", type=int, default=WEBSITES, help="how many websites are audited at once")
    parser.add_argument("--pages", type=int, default=PAGES, help=f"pages of each website, {UNWRITTEN_PAGES} or more")
    parser.add_argument("--clients", type=int, default=CLIENTS, help="how many clients read meanwhile")
    parser.add_argument(
        "--requests", type=int, default=REQUESTS, help="the most requests that one client sends in a round"
    )
    parser.add_argument(
        "--minutes", type=float, default=0.0, help="start new rounds for this many seconds; at least two are run"
    )
    parser.add_argument(
        "--kills", action="store_true", help="run two processes, and kill each of them at random moments"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the random faults and kills")
    given = parser.parse_args()
    if given.pages < UNWRITTEN_PAGES or given.websites < 1 or given.clients < 0:
        parser.error(f"at least one website, of {UNWRITTEN_PAGES} pages or more")
    soak = run(Options(**vars(given)))
    print(f"{given.websites} websites of {given.pages} pages, {given.clients} clients reading, seed {given.seed}.")
    print(table(soak))
    statuses = ", ".join(f"{count} x {status or 'no answer'}" for status, count in sorted(soak.statuses.items()))
    audits = ", ".join(f"{count} {status}" for status, count in soak.audits.items())
    print(f"answers: {statuses}; audits: {audits}")
    print(", ".join(f"{what}: {count}" for what, count in soak.done.items()))
    print(f"processes killed: {soak.kills}; connections that broke: {soak.broken}; steps of the clock: {soak.steps}")
    for number, seconds in enumerate(soak.seconds, start=1):
        held = f"; the service then used {soak.megabytes[number - 1]:.0f} MB of memory" if soak.megabytes else ""
        print(f"round {number}: {seconds:.1f} s{held}")
    if soak.written_seconds and not soak.kills:
        middle, longest = statistics.median(soak.written_seconds), max(soak.written_seconds)
        print(
            f"{len(soak.written_seconds)} batches written while other connectors sent hostile answers: median "
            f"{middle:.1f} s, at most {longest:.1f} s"
        )
        print(f"the service used at most {soak.peak_megabytes:.0f} MB of memory")
    problems = soak.problems()
    for problem in problems:
        print(f"WRONG: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
