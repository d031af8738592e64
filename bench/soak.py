"""The service under load: ``python -m bench.soak`` audits 30 websites at once while 16 clients read, in two rounds.

The local service (API, queue consumers, embedded store) runs as one process, as ``make run`` starts it; the websites
are served by another. Afterwards it must be true that no answer was a failure, every audit is done, no website's place
is taken, and the service holds hardly more memory after the second round than after the first. Everything happens on
the loopback address, and is bounded in requests and time.
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench import measure

WEBSITES, PAGES, CLIENTS, REQUESTS, ROUNDS = 30, 80, 16, 900, 2
MEMORY_GROWTH = 1.15  # of the memory after the first round
REQUESTS_A_KEY = 1_000  # the API lets a key make 1,200 an hour
START_SECONDS, ROUND_SECONDS, STOP_SECONDS = 120.0, 300.0, 20.0
POLL_SECONDS = 0.5
SETTLE_SECONDS = 1.0  # until the hints that follow an audit are worked off, before memory is read
OK = 200
QUEUED = 202
NO_ANSWER = 0  # the status of a request whose connection broke


@dataclass
class Soak:
    """What happened. ``seconds`` and ``megabytes``: of each round; ``audits``: how many ended how."""

    times: dict[str, list[float]] = field(default_factory=dict)  # name of the request -> milliseconds of each
    statuses: Counter[int] = field(default_factory=Counter)
    unexpected: Counter[str] = field(default_factory=Counter)
    audits: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    taken_places: list[str] = field(default_factory=list)
    logged_errors: list[str] = field(default_factory=list)

    def problems(self, audits: int) -> list[str]:
        """What is not as it must be; ``audits`` is how many were started."""
        found = [f"{count} x {what}" for what, count in self.unexpected.items()]
        if self.audits != {"done": audits}:
            found.append(f"of {audits} audits ended: {dict(self.audits)}")
        found += [f"the place of {site} is still taken" for site in self.taken_places]
        found += [f"the service logged an error: {line[:300]}" for line in self.logged_errors[:5]]
        if self.megabytes[-1] > MEMORY_GROWTH * self.megabytes[0]:
            found.append(f"memory grew from {self.megabytes[0]:.0f} to {self.megabytes[-1]:.0f} MB")
        return found


class Keys:
    """API keys of one workspace for so many requests: the next one before the hour's requests of the last are used."""

    def __init__(self, workspace_id: str, person_id: str, requests: int) -> None:
        from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
        from chalicelib.operations import accounts

        count = -(-requests // REQUESTS_A_KEY)
        made = [accounts.create_workspace_key(OPERATOR, workspace_id, person_id, SCOPES) for _ in range(count)]
        self._secrets = chain.from_iterable([key.secret] * REQUESTS_A_KEY for key in made)

    def next(self) -> str:
        return next(self._secrets)


class Client:
    """One kept-alive connection that notes how long each answer took, and what was not as expected."""

    def __init__(self, base_url: str, keys: Keys, soak: Soak, lock: threading.Lock) -> None:
        parts = urlsplit(base_url)
        self._connection = http.client.HTTPConnection(parts.netloc, timeout=30)
        self._base_path = parts.path
        self._keys = keys
        self._soak = soak
        self._lock = lock

    def ask(self, name: str, path: str, method: str = "GET", expected: int = OK) -> Any:
        """The answer's JSON; None when it is not the expected one."""
        headers = {"Authorization": f"Bearer {self._keys.next()}"}
        began = time.perf_counter()
        try:
            self._connection.request(method, self._base_path + path, headers=headers)
            answer = self._connection.getresponse()
            status, body = answer.status, answer.read()
        except OSError as error:
            self._connection.close()
            status, body = NO_ANSWER, repr(error).encode()
        milliseconds = 1_000 * (time.perf_counter() - began)
        with self._lock:
            self._soak.times.setdefault(name, []).append(milliseconds)
            self._soak.statuses[status] += 1
            if status != expected:
                self._soak.unexpected[f"{method} {name}: {status} {body[:200]!r}"] += 1
                return None
        return json.loads(body)

    def close(self) -> None:
        self._connection.close()


def read(client: Client, sites: list[str], requests: int, stopped: threading.Event) -> None:
    """Read everything there is of one website after the other, until the audits have ended or ``requests`` are made."""
    left = iter(range(requests))
    ids: dict[str, str] = {}  # what the lists of the website at hand have named
    for number, site in enumerate(cycle(sites)):
        ids.clear()
        for name, path in (
            ("portfolio", "/portfolio?per=200"),
            ("website", f"/sites/{site}"),
            ("scores", f"/sites/{site}/scores"),
            ("issues", f"/sites/{site}/issues"),
            ("issue", f"/sites/{site}/issues/{{issues}}"),
            ("actions", f"/sites/{site}/actions"),
            ("pages", f"/sites/{site}/pages"),
            ("pages, q", f"/sites/{site}/pages?q=section-{number % 20}"),
            ("page", f"/sites/{site}/pages/{{pages}}"),
            ("audits", f"/sites/{site}/audits"),
            ("audit", f"/sites/{site}/audits/{{audits}}"),
            ("openapi.json", "/openapi.json"),
        ):
            if stopped.is_set() or next(left, None) is None:
                return
            if "{" in path:
                if name + "s" not in ids:
                    continue
                path = path.format(**ids)
            body = client.ask(name, path)
            if body is not None and body.get(name) and name in ("issues", "pages", "audits"):
                ids[name] = body[name][number % len(body[name])]["id"]


def audit_all(client: Client, sites: list[str], soak: Soak) -> None:
    """Start an audit of every website, and wait for all of them."""
    running = {}
    for site in sites:
        started = client.ask("start an audit", f"/sites/{site}/audits", "POST", QUEUED)
        if started is not None:
            running[site] = started["auditId"]
    give_up = time.monotonic() + ROUND_SECONDS
    while running and time.monotonic() < give_up:
        time.sleep(POLL_SECONDS)
        for site, audit_id in list(running.items()):
            audit = client.ask("audit", f"/sites/{site}/audits/{audit_id}")
            if audit is not None and audit["finishedAt"] is not None:
                soak.audits[audit["status"]] += 1
                del running[site]
    soak.audits.update("not ended" for _ in running)


@contextmanager
def service(folder: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """The local service in a process of its own: what its run.json says, and its process id."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    # With few arenas glibc gives memory back that other threads have freed: what is held is then what is used.
    environment |= {"PORT": "0", "LOCAL_DIR": str(folder), "MALLOC_ARENA_MAX": "2"}
    for name in ("SITE", "STATE", "ONCE", "PAGES"):
        environment.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, "-m", "local.run"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        # It audits its demo website first; from the line "Serving" on it has nothing to do of its own.
        killer = threading.Timer(START_SECONDS, process.kill)
        killer.start()
        printed = ""
        for line in process.stdout:
            printed += line
            if line.startswith("Serving"):
                break
        killer.cancel()
        if "Serving" not in printed:
            log = (folder / "service.log").read_text(encoding="utf-8")
            raise RuntimeError(f"the service did not start in {START_SECONDS:.0f} s:\n{printed}\n{log[-2_000:]}")
        yield json.loads((folder / "run.json").read_text(encoding="utf-8")), process.pid
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def run(websites: int = WEBSITES, pages: int = PAGES, clients: int = CLIENTS, requests: int = REQUESTS) -> Soak:
    """Two rounds of audits with reading clients; ``requests`` is the most that one client makes in a round.

    Points this process at the service that it starts (environment, clock): for a process of its own.
    """
    soak, lock = Soak(), threading.Lock()
    with (
        tempfile.TemporaryDirectory() as folder,
        measure.served_many(pages, websites) as urls,
        service(Path(folder)) as (told, pid),
    ):
        workspace_id, person_id, sites = _settled(Path(folder), urls)
        base_url = told["baseUrl"]
        polls = 1 + ROUNDS * websites * (1 + int(ROUND_SECONDS / POLL_SECONDS))
        writer = Client(base_url, Keys(workspace_id, person_id, polls), soak, lock)
        readers = [
            Client(base_url, Keys(workspace_id, person_id, ROUNDS * requests), soak, lock) for _ in range(clients)
        ]
        for _ in range(ROUNDS):
            began, stopped = time.monotonic(), threading.Event()
            with ThreadPoolExecutor(clients) as pool:
                reading = []
                for number, reader in enumerate(readers):
                    turned = sites[number % len(sites) :] + sites[: number % len(sites)]
                    reading.append(pool.submit(read, reader, turned, requests, stopped))
                try:
                    audit_all(writer, sites, soak)
                finally:
                    stopped.set()
                for each in reading:
                    each.result()
            soak.seconds.append(time.monotonic() - began)
            time.sleep(SETTLE_SECONDS)
            soak.megabytes.append(resident_megabytes(pid))
        soak.taken_places = _taken_places(writer, workspace_id, sites)
        for client in (writer, *readers):
            client.close()
        log = (Path(folder) / "service.log").read_text(encoding="utf-8")
        soak.logged_errors = [line for line in log.splitlines() if '"level":"ERROR"' in line or " ERROR " in line]
    return soak


def _settled(folder: Path, urls: list[str]) -> tuple[str, str, list[str]]:
    """A workspace on the plan Enterprise with a website for each address: its id, its owner's, the websites' ids."""
    os.environ["LOCAL_DIR"] = str(folder)
    from management import target

    target.choose()
    from chalicelib.domain.accounts.rights import OPERATOR
    from chalicelib.operations import accounts
    from chalicelib.operations import websites as operations

    workspace = accounts.create_workspace(OPERATOR, "Soak", "enterprise")
    person = accounts.add_person(OPERATOR, workspace.id, "owner@soak.example", "owner")
    return workspace.id, person.id, [operations.add(OPERATOR, workspace.id, url).id for url in urls]


def _taken_places(client: Client, workspace_id: str, sites: list[str]) -> list[str]:
    """The websites that still run something, by the API or by the store."""
    from chalicelib.store import websites

    portfolio = client.ask("portfolio", "/portfolio?per=200") or {"websites": []}
    running = {site["id"] for site in portfolio["websites"] if site["running"]}
    stored = websites.get_many(workspace_id, sites)
    return sorted(running | {site for site in sites if site not in stored or stored[site].place is not None})


def resident_megabytes(pid: int) -> float:
    """How much memory a process holds now."""
    asked = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(asked.stdout) / 1024


def table(soak: Soak) -> str:
    """How long answers took, by what was asked for."""
    lines = [f"{'request':<20}{'answers':>9}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}"]
    everything = [each for times in soak.times.values() for each in times]
    for name, times in [*sorted(soak.times.items()), ("all", everything)]:
        ordered = sorted(times)
        shown = "".join(f"{ordered[min(len(ordered) - 1, len(ordered) * part // 100)]:>9.1f}" for part in (50, 95, 99))
        lines.append(f"{name:<20}{len(ordered):>9}{shown}")
    return "\n".join(lines)


def main() -> int:
    """Run it and say what came of it. Returns the exit status: 1 when something is not as it must be."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--websites", type=int, default=WEBSITES, help="how many websites are audited at once")
    parser.add_argument("--pages", type=int, default=PAGES, help="pages of each website")
    parser.add_argument("--clients", type=int, default=CLIENTS, help="how many clients read meanwhile")
    parser.add_argument("--requests", type=int, default=REQUESTS, help="the most a client asks for in a round")
    given = parser.parse_args()
    soak = run(given.websites, given.pages, given.clients, given.requests)
    print(f"{given.websites} websites of {given.pages} pages audited at once, {given.clients} clients reading.")
    print(table(soak))
    statuses = ", ".join(f"{count} x {status or 'no answer'}" for status, count in sorted(soak.statuses.items()))
    audits = ", ".join(f"{count} {status}" for status, count in soak.audits.items())
    print(f"answers: {statuses}; audits: {audits}")
    for number, (seconds, megabytes) in enumerate(zip(soak.seconds, soak.megabytes, strict=True), start=1):
        print(f"round {number}: {seconds:.1f} s, then the service holds {megabytes:.0f} MB")
    problems = soak.problems(ROUNDS * given.websites)
    for problem in problems:
        print(f"WRONG: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
