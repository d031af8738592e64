"""The service under load, with everything around it failing: ``python -m bench soak``.

Thirty websites are audited at once while 16 clients read; approved changes are written through CMS, search data are
imported, speed tests are made, and webhooks go to receivers of which one takes everything, one some of it, one never
answers and one refuses. What is outside of the service (``bench.soak_outside``) fails at random. With ``--kills`` two
processes of the service run side by side, and at random moments one or both are killed and started again; the store is
this process's, and outlives them. Then all becomes calm, and the clock is moved on until nothing is left to do.

In the end no answer was a failure of the service, every audit, change, test and delivery has ended, every event that
was owed has reached the receivers that take it, under one id, no change was written twice, nobody holds a place, a slot
or a job, and, without kills, the service holds hardly more memory than after the first round. Everything happens on the
loopback address, and is drawn from a seed. What cannot be: the same run twice, since threads and processes take turns
as they like.
"""

import argparse
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from bench import soak_checks, soak_outside
from bench.site import path_of

WEBSITES, PAGES, CLIENTS, REQUESTS, ROUNDS = 30, 80, 16, 200, 2
WITH_CMS = 4
MEMORY_GROWTH = 1.15  # of the memory after the first round
REQUESTS_A_KEY = 1_000  # the API lets a key make 1,200 an hour
API_STARTS = 3  # audits of a website in a day that the API starts
START_SECONDS, ROUND_SECONDS, STOP_SECONDS = 120.0, 300.0, 60.0
WORK_SECONDS = 60.0  # how long a round waits for changes, tests and imports beside its audits
POLL_SECONDS = 0.5
SETTLE_SECONDS = 1.0  # until the hints that follow an audit are worked off, before memory is read
KILL_SECONDS, DOWN_SECONDS, BOTH = (
    (4.0, 25.0),
    (0.0, 4.0),
    0.2,
)  # from serving to the kill; until started again; share of both
TRIES, AGAIN_SECONDS = 300, 0.4  # of a request whose process was killed
CHANGES = 8  # in a batch
DESCRIPTION_RULE: Final = "SEO-ONP-010"
UNWRITTEN_PAGES = 20  # of so many pages one is left without a description, so that the issue stays
QUIET_SECONDS, DUE_SECONDS = 5.0, 150.0  # of waiting for what is under way, and for what is due
MINUTE, LEAD_SECONDS = 60.0, 15.0  # the sweeper comes each minute, on the minute; a process starts before it
MOST_STEPS = 40
OK, QUEUED, CONFLICT = 200, 202, 409
NO_ANSWER = 0  # the status of a request whose connection broke
AGAIN_CODE = "idempotency_in_progress"
# What may be answered to one who asks for more at the same moment.
REFUSALS = frozenset({409, 422, 429})


@dataclass
class Soak:
    """What happened. ``seconds`` and ``megabytes``: of each round; ``audits``: how many ended how; ``faults``: what is
    not as it must be; ``done``: how much of what there was; ``broken``: connections that ended with a process."""

    times: dict[str, list[float]] = field(default_factory=dict)  # name of the request -> milliseconds of each
    statuses: Counter[int] = field(default_factory=Counter)
    unexpected: Counter[str] = field(default_factory=Counter)
    audits: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    kills: int = 0
    broken: int = 0
    steps: int = 0

    def problems(self) -> list[str]:
        """What is not as it must be."""
        found = [f"{count} x {what}" for what, count in self.unexpected.items()]
        if not self.audits or set(self.audits) != {"done"}:
            found.append(f"audits ended: {dict(self.audits)}")
        found += self.faults
        if len(self.megabytes) > 1 and self.megabytes[-1] > MEMORY_GROWTH * self.megabytes[0]:
            found.append(f"memory grew from {self.megabytes[0]:.0f} to {self.megabytes[-1]:.0f} MB")
        return found


class Keys:
    """API keys of one workspace: a new one before the hour's requests of the last are used."""

    def __init__(self, workspace_id: str, person_id: str) -> None:
        self._workspace_id, self._person_id = workspace_id, person_id
        self._secret, self._left = "", 0

    def next(self) -> str:
        from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
        from chalicelib.operations import accounts

        if not self._left:
            made = accounts.create_workspace_key(OPERATOR, self._workspace_id, self._person_id, SCOPES)
            self._secret, self._left = made.secret, REQUESTS_A_KEY
        self._left -= 1
        return self._secret


class Hosts:
    """Processes of the service, each on a port of its own, on the store of this process. ``urls``: where they are."""

    def __init__(self, count: int, folder: Path, variables: dict[str, str]) -> None:
        self.ports = [_free_port() for _ in range(count)]
        self.urls = [f"http://127.0.0.1:{port}/api/v1" for port in self.ports]
        self.ahead = 0.0  # seconds by which their clocks are
        self._folder, self._variables = folder, variables
        self._processes: list[subprocess.Popen[bytes] | None] = [None] * count

    def start(self) -> None:
        """Starts those that do not run, and waits until all serve. Raises ``RuntimeError``."""
        for number in range(len(self.ports)):
            self._begin(number)
        give_up = time.monotonic() + START_SECONDS
        while not all(self._serves(port) for port in self.ports):
            if time.monotonic() > give_up:
                raise RuntimeError(f"the service did not start in {START_SECONDS:.0f} s:\n{self.log()[-4_000:]}")
            time.sleep(0.1)

    def _begin(self, number: int) -> None:
        """Starts one of them, unless it runs."""
        running = self._processes[number]
        if running is not None and running.poll() is None:
            return
        # With few arenas glibc gives memory back that other threads have freed: what is held is then what is used.
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
            **self._variables,
            "MALLOC_ARENA_MAX": "2",
            "SOAK_SECONDS_AHEAD": str(self.ahead),
        }
        with (self._folder / f"host-{number}.log").open("ab") as log:
            self._processes[number] = subprocess.Popen(
                [sys.executable, "-m", "bench.soak_host", "--port", str(self.ports[number])],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip

    def kill(self, number: int) -> bool:
        """Ends one of them without a word. False: it did not run."""
        process = self._processes[number]
        if process is None or process.poll() is not None:
            return False
        process.kill()
        process.wait()
        return True

    def stop(self) -> list[int]:
        """Ends all of them in order, and gives how: 0 each."""
        running = [process for process in self._processes if process is not None and process.poll() is None]
        for process in running:
            process.send_signal(signal.SIGTERM)
        try:
            return [process.wait(STOP_SECONDS) for process in running]
        finally:
            for process in running:
                if process.poll() is None:
                    process.kill()
                    process.wait()

    def log(self) -> str:
        """What all of them have written."""
        return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in self._folder.glob("host-*.log"))

    def resident_megabytes(self) -> float:
        """How much memory the first one holds now."""
        process = self._processes[0]
        assert process is not None
        with open(f"/proc/{process.pid}/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))

    @staticmethod
    def _serves(port: int) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("GET", "/api/v1/plans")
            return connection.getresponse().status == OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


class Client:
    """One kept-alive connection that notes how long each answer took, and what was not as expected. Where processes are
    killed it goes to the next one and asks again."""

    def __init__(self, urls: Sequence[str], keys: Keys, soak: Soak, lock: threading.Lock, *, kills: bool) -> None:
        self._urls = cycle(urls)
        self._keys, self._soak, self._lock = keys, soak, lock
        self._tries = TRIES if kills else 1
        self._connection, self._base_path = self._opened()

    def ask(
        self,
        name: str,
        path: str,
        method: str = "GET",
        body: Any = None,
        *,
        expected: int = OK,
        or_refused: bool = False,
    ) -> Any:
        """The answer's JSON; None when it is not the expected one. ``or_refused``: it may be refused, too."""
        headers = {"Authorization": f"Bearer {self._keys.next()}"}
        content = None if body is None else json.dumps(body).encode()
        if method == "POST":
            headers |= {"Idempotency-Key": os.urandom(12).hex(), "Content-Type": "application/json"}
        status, answer = NO_ANSWER, b""
        for _ in range(self._tries):
            began = time.perf_counter()
            status, answer = self._once(method, path, content, headers)
            if status != NO_ANSWER and not (status == CONFLICT and AGAIN_CODE.encode() in answer):
                break
            if self._tries > 1:
                time.sleep(AGAIN_SECONDS)
        with self._lock:
            self._soak.times.setdefault(name, []).append(1_000 * (time.perf_counter() - began))
            self._soak.statuses[status] += 1
            if status != expected:
                if not (or_refused and status in REFUSALS):
                    self._soak.unexpected[f"{method} {name}: {status} {answer[:200]!r}"] += 1
                return None
        return json.loads(answer)

    def _once(self, method: str, path: str, content: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        try:
            self._connection.request(method, self._base_path + path, content, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            with self._lock:
                self._soak.broken += 1
            self._connection.close()
            self._connection, self._base_path = self._opened()
            return NO_ANSWER, repr(error).encode()

    def _opened(self) -> tuple[http.client.HTTPConnection, str]:
        parts = urlsplit(next(self._urls))
        return http.client.HTTPConnection(parts.netloc, timeout=60), parts.path

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
            ("agentic", f"/sites/{site}/agentic"),
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


class House(NamedTuple):
    """A workspace with a website for each address: the websites' ids, their addresses and those with a CMS first."""

    workspace_id: str
    person_id: str
    sites: list[str]
    urls: list[str]
    with_cms: int
    endpoints: dict[str, str]  # receiver: endpoint's id
    secrets: dict[str, str]

    @property
    def cms_sites(self) -> list[str]:
        return self.sites[: self.with_cms]


class Work:
    """One round after the other: what is asked of the service beside reading."""

    def __init__(self, client: Client, house: House, soak: Soak, pages: int, over: float) -> None:
        """``over``: when no round begins any more, by ``time.monotonic``."""
        self._client, self._house, self._soak = client, house, soak
        self._pages, self._over = pages, over
        self._rounds = 0

    @property
    def is_over(self) -> bool:
        return self._rounds >= ROUNDS and time.monotonic() >= self._over

    def round(self) -> None:
        """Audits of every website; meanwhile speed tests and an import, and changes where an audit has ended."""
        self._rounds += 1
        running = {site: self._audit(site) for site in self._house.sites}
        runs = [
            run for site, url in zip(self._house.sites, self._house.urls, strict=True) if (run := self._test(site, url))
        ]
        self._import()
        batches: list[tuple[str, str]] = []
        give_up = self._until(ROUND_SECONDS)
        while running and time.monotonic() < give_up:
            time.sleep(POLL_SECONDS)
            for site, audit_id in list(running.items()):
                if audit_id is not None and not self._ended(f"/sites/{site}/audits/{audit_id}", "audit", "finishedAt"):
                    continue
                del running[site]
                if site in self._house.cms_sites:
                    batches += self._approve(site)
        give_up = self._until(WORK_SECONDS)
        while (runs or batches) and time.monotonic() < give_up:
            time.sleep(POLL_SECONDS)
            runs = [path for path in runs if not self._ended(path, "agentic run", "finishedAt")]
            batches = [one for one in batches if not self._written(*one)]

    def _until(self, seconds: float) -> float:
        """So many seconds from now; not longer than the rounds last, once there were enough of them."""
        end = time.monotonic() + seconds
        return end if self._rounds <= ROUNDS else min(end, self._over)

    def _audit(self, site: str) -> str | None:
        """The id of an audit that was started; None where another runs."""
        from chalicelib import clock
        from chalicelib.operations import audits
        from chalicelib.operations.errors import Refused
        from chalicelib.store import websites

        if self._rounds <= API_STARTS:
            started = self._client.ask(
                "start an audit", f"/sites/{site}/audits", "POST", expected=QUEUED, or_refused=True
            )
            return None if started is None else str(started["auditId"])
        website = websites.get(self._house.workspace_id, site)
        assert website is not None
        try:
            begun = audits.start(
                website, self._pages, page_budget=None, person_id=None, through_api=False, now=clock.now()
            )
        except Refused:
            return None
        return begun.header.id

    def _test(self, site: str, url: str) -> str | None:
        """The path of a speed test's run."""
        queued = self._client.ask(
            "run a speed test", f"/sites/{site}/agentic/run", "POST", {"url": url}, expected=QUEUED, or_refused=True
        )
        return None if queued is None else f"/sites/{site}/agentic/runs/{queued['jobId']}"

    def _import(self) -> None:
        from chalicelib.domain.accounts.rights import OPERATOR
        from chalicelib.operations import sources
        from chalicelib.operations.errors import Refused

        with suppress(Refused):  # one that runs goes on
            sources.run(OPERATOR, self._house.sites[0], "search")
            self._soak.done["imports begun"] += 1

    def _approve(self, site: str) -> list[tuple[str, str]]:
        """Approve descriptions of some pages. One page is left without, so that there is an issue in each round."""
        listed = self._client.ask("issues", f"/sites/{site}/issues") or {"issues": []}
        issue = next((one for one in listed["issues"] if one["ruleId"] == DESCRIPTION_RULE), None)
        if issue is None:
            self._soak.unexpected[f"no issue {DESCRIPTION_RULE}"] += 1
            return []
        base = self._house.urls[self._house.sites.index(site)].rstrip("/")
        wanted = [number for number in range(self._pages) if number % UNWRITTEN_PAGES != UNWRITTEN_PAGES - 1]
        changes = [
            {
                "url": base + path_of(number),
                "value": f"What page {number} is about, as it was approved in round {self._rounds} of many rounds.",
            }
            for number in wanted[:CHANGES]
        ]
        path = f"/sites/{site}/actions/{issue['id']}/apply"
        answer = self._client.ask("approve changes", path, "POST", {"changes": changes}, or_refused=True)
        return [] if answer is None else [(site, str(answer["batchId"]))]

    def _written(self, site: str, batch_id: str) -> bool:
        from chalicelib.store import changes

        batch = changes.get(site, batch_id)
        return batch is None or batch.status == "done"

    def _ended(self, path: str, name: str, member: str) -> bool:
        found = self._client.ask(name, path)
        return found is not None and found[member] is not None


@contextmanager
def killed_at_random(hosts: Hosts, soak: Soak, draw: random.Random) -> Iterator[None]:
    """While the block runs one or all of the processes are killed now and then, and started again."""
    over, numbers = threading.Event(), list(range(len(hosts.ports)))

    def kill() -> None:
        while not over.wait(draw.uniform(*KILL_SECONDS)):
            chosen = numbers if draw.random() < BOTH else [draw.choice(numbers)]
            soak.kills += sum(hosts.kill(number) for number in chosen)
            over.wait(draw.uniform(*DOWN_SECONDS))
            hosts.start()

    killer = threading.Thread(target=kill, name="killer", daemon=True)
    killer.start()
    try:
        yield
    finally:
        over.set()
        killer.join()
        hosts.start()


class Options(NamedTuple):
    """What a soak is made of. ``minutes`` 0: two rounds; ``requests``: the most that one client makes in a round."""

    websites: int = WEBSITES
    pages: int = PAGES
    clients: int = CLIENTS
    requests: int = REQUESTS
    minutes: float = 0.0
    kills: bool = False
    seed: int = 1


def run(options: Options) -> Soak:
    """The rounds, then the draining, then the checks. Sets this process's environment and clock, and its store: for a
    process of its own."""
    from local import embedded

    soak, lock = Soak(), threading.Lock()
    with_cms = min(WITH_CMS, options.websites)
    with (
        tempfile.TemporaryDirectory() as folder,
        soak_outside.running(options.websites, with_cms, options.pages, options.seed) as outside,
        embedded.running(),
    ):
        store = embedded.Endpoint()
        variables = _variables(store.url, outside.told.settings)
        hosts = Hosts(2 if options.kills else 1, Path(folder), variables)
        try:
            hosts.start()
            house = _settled(outside.told, hosts.urls[0], variables)
            clients = [
                Client(hosts.urls, Keys(house.workspace_id, house.person_id), soak, lock, kills=options.kills)
                for _ in range(1 + options.clients)
            ]
            _until_content(outside)
            outside.storm()
            killing = killed_at_random(hosts, soak, random.Random(options.seed)) if options.kills else nullcontext()
            with killing:
                _load(options, clients, house, hosts, soak)
            outside.calm()
            _drain(hosts, house, soak)
            for client in clients:
                client.close()
            reader = Client(hosts.urls, Keys(house.workspace_id, house.person_id), soak, lock, kills=False)
            _check(reader, house, outside.report(), soak)
            reader.close()
            if any(hosts.stop()):
                soak.faults.append("a process did not stop in order")
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
    """A workspace on the plan Enterprise with all the websites, connected to what there is of them outside."""
    from chalicelib.domain.accounts.rights import OPERATOR
    from chalicelib.domain.webhooks.documentation import SENT_WHEN
    from chalicelib.operations import accounts, connections, endpoints, sources
    from chalicelib.operations import websites as operations
    from chalicelib.settings.reading import forget_settings

    os.environ.update({name: value for name, value in variables.items() if not name.startswith("AWS_")})
    forget_settings()
    workspace = accounts.create_workspace(OPERATOR, "Soak", "enterprise")
    person = accounts.add_person(OPERATOR, workspace.id, "owner@soak.example", "owner")
    made = {
        name: endpoints.add(OPERATOR, workspace.id, url, [event for event in SENT_WHEN if event != "ping"])
        for name, url in told.receivers.items()
    }
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
    """Waits until every CMS has sent what it holds. Raises ``RuntimeError``."""
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


def _drain(hosts: Hosts, house: House, soak: Soak) -> None:
    """Moves the clock on, with the processes stopped in order at each step, until nothing is left or it was tried
    often enough."""
    from chalicelib import clock
    from local import embedded

    for soak.steps in range(MOST_STEPS):
        left = _until_later(house)
        if not left:
            return
        if any(hosts.stop()):
            soak.faults.append("a process did not stop in order")
        due = max(clock.now() + MINUTE, min(one.due_at for one in left))
        on_the_minute = (due // MINUTE + 1) * MINUTE
        hosts.ahead = on_the_minute - LEAD_SECONDS - clock.machine()
        clock.set_offset(hosts.ahead)
        embedded.wake()
        hosts.start()
    left = soak_checks.left(house.workspace_id, house.sites, clock.now())
    soak.faults += [f"left: {one.what}" for one in left]


def _until_later(house: House) -> list[Any]:
    """Waits while something is under way or due; what is left to do later."""
    from chalicelib import clock

    give_up, quiet_since, before = time.monotonic() + DUE_SECONDS, time.monotonic(), None
    while True:
        left = soak_checks.left(house.workspace_id, house.sites, clock.now())
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
    soak.done["times something outside began to fail"] += sum(report.spells.values())
    soak.faults += soak_checks.audit_faults(found.audits)
    soak.faults += soak_checks.write_faults(found.batches, report, house.cms_sites)
    soak.faults += soak_checks.endpoint_faults(house.workspace_id, house.endpoints)
    soak.faults += soak_checks.event_faults(expected, report.arrivals, logs, house.secrets, soak.kills)
    for site in house.sites:
        soak.faults += _issue_faults(client, site)
    portfolio = client.ask("portfolio", "/portfolio?per=200") or {"websites": []}
    soak.faults += [f"{site['id']} still runs something" for site in portfolio["websites"] if site["running"]]


def _issue_faults(client: Client, site: str) -> Iterator[str]:
    """Issues that are under way although nothing is, and actions that are no open issues."""
    issues = (client.ask("issues", f"/sites/{site}/issues") or {"issues": []})["issues"]
    actions = (client.ask("actions", f"/sites/{site}/actions?limit=100") or {"actions": []})["actions"]
    for issue in issues:
        if issue["status"] in ("in_progress", "recheck_queued"):
            yield f"{site}: the issue {issue['id']} is {issue['status']}"
    known = {one["id"] for one in issues}
    # Keyword tasks are actions only, and no points are told of them.
    others = {one["issueId"] for one in actions if one["estimatedScoreGain"] is not None}
    if not others <= known <= {one["issueId"] for one in actions}:
        yield f"{site}: {len(actions)} actions and {len(issues)} issues are not of the same"


def _logged_errors(log: str) -> list[str]:
    lines = [line for line in log.splitlines() if '"level":"ERROR"' in line or " ERROR " in line or "Traceback" in line]
    return [f"{len(lines)} errors were logged, such as: {line[:1_500]}" for line in lines[:5]]


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
    parser = argparse.ArgumentParser(prog="python -m bench soak", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--websites", type=int, default=WEBSITES, help="how many websites are audited at once")
    parser.add_argument("--pages", type=int, default=PAGES, help=f"pages of each website, {UNWRITTEN_PAGES} or more")
    parser.add_argument("--clients", type=int, default=CLIENTS, help="how many clients read meanwhile")
    parser.add_argument("--requests", type=int, default=REQUESTS, help="the most a client asks for in a round")
    parser.add_argument("--minutes", type=float, default=0.0, help="begin rounds for so long; at least two are made")
    parser.add_argument("--kills", action="store_true", help="two processes, of which each is killed at random moments")
    parser.add_argument("--seed", type=int, default=1, help="what faults and kills are drawn from")
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
        held = f", then the service holds {soak.megabytes[number - 1]:.0f} MB" if soak.megabytes else ""
        print(f"round {number}: {seconds:.1f} s{held}")
    problems = soak.problems()
    for problem in problems:
        print(f"WRONG: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
