"""Measures the cost of approved changes: ``python -m bench.writes [changes]`` writes 500 titles and reads each live
page.

It compares two ways to write the titles. In the first, the service approves and writes them. In the second, a small
program sends the same signed requests to the same connector, from 8 threads with Python's own ``http.client``. Each of
these requests uses a new connection, like the service's own requests. Like the service's writer, the threads read each
page twice over a kept-alive connection: once bypassing caches, and once as a visitor. They decompress the page and find
its title.

The website and its CMS run in a separate process, so that their CPU is not counted. Pages are those of ``bench.site``,
about 40 KB each.
"""

import gzip
import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from html import unescape
from secrets import token_hex
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from bench.embedded_clock import EmbeddedClock
from bench.measure import Meter, ended
from bench.site import path_of
from chalicelib.domain.connector import signature

CHANGES, ROUNDS = 500, 3
AT_ONCE = 8
MOST_RATIO, MOST_CALLS = 2.0, 0.3  # the most CPU relative to the bare requests; the most store calls per change
API = "https://api.example/api/v1"
TITLE_RULE = "SEO-ONP-001"
SECONDS = 3_600.0
_TITLE = re.compile(rb"<title>(.*?)</title>")


class Spent(NamedTuple):
    """Wall-clock seconds, and CPU seconds of this process."""

    seconds: float
    cpu: float


class Written(NamedTuple):
    """The cost of ``changes`` changes, from the round in which it was lowest, since other load on the machine only adds
    cost.

    - ``service``: the cost with the service, without the embedded store.
    - ``bare``: the cost of the program without the service.
    - ``store_calls``: calls to tables and queues, from the round with most of them.
    """

    changes: int
    service: Spent
    bare: Spent
    store_calls: int

    @property
    def ratio(self) -> float:
        return self.service.cpu / self.bare.cpu

    @property
    def calls_a_change(self) -> float:
        return self.store_calls / self.changes

    def problems(self) -> list[str]:
        """Describe the costs that are above their targets."""
        found = []
        if self.ratio > MOST_RATIO:
            found.append(
                f"{self.ratio:.2f} times the CPU of the same requests with http.client, more than {MOST_RATIO:.1f}"
            )
        if self.calls_a_change > MOST_CALLS:
            found.append(f"{self.calls_a_change:.2f} store calls per change, more than {MOST_CALLS:.1f}")
        return found


class Site(NamedTuple):
    """The website's home page, the connector's address, and the pairing code."""

    url: str
    address: str
    code: str


@contextmanager
def served(pages: int) -> Iterator[Site]:
    """Serve a website with its CMS in a separate process during the ``with`` block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.cms_site", "--pages", str(pages)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdin is not None
    try:
        yield Site(**json.loads(process.stdout.readline()))
    finally:
        process.stdin.close()
        process.wait(timeout=30)
        process.stdout.close()


def measure(changes: int = CHANGES, rounds: int = ROUNDS) -> Written:
    """In each round, write the titles through the service, and then the same number of titles with direct requests."""
    from chalicelib.settings.reading import forget_settings
    from local import embedded

    before = os.environ.get("ALLOW_ADDRESSES")
    os.environ["ALLOW_ADDRESSES"] = "127.0.0.0/8"
    forget_settings()
    try:
        with served(changes) as site, embedded.running():
            house = House(site, changes)
            services, bares, calls = [], [], []
            for number in range(rounds):
                spent, store_calls, sequence = house.write(f"Written title {number} of")
                services.append(spent)
                calls.append(store_calls)
                bares.append(_bare(site, house.secret, changes, sequence, f"Bare title {number} of"))
    finally:
        if before is None:
            del os.environ["ALLOW_ADDRESSES"]
        else:
            os.environ["ALLOW_ADDRESSES"] = before
        forget_settings()
    cheapest = [min(spent, key=lambda one: one.cpu) for spent in (services, bares)]
    return Written(changes, *cheapest, max(calls))


class House:
    """A workspace with one website, which is audited and connected to its CMS, and whose content is imported.

    ``secret``: the connection's secret.
    """

    def __init__(self, site: Site, count: int) -> None:
        from bench.audit import audit
        from chalicelib.domain.accounts.rights import OPERATOR
        from chalicelib.operations import accounts, connections, content, websites
        from chalicelib.store import connections as credentials

        self._count = count
        self._workspace = accounts.create_workspace(OPERATOR, "Bench", "enterprise").id
        self._person = accounts.add_person(OPERATOR, self._workspace, "owner@bench.example", "owner").id
        website = websites.add(OPERATOR, self._workspace, site.url)
        self._site = website.id
        audit(website, count)
        connections.pair(OPERATOR, website.id, url=site.address, code=site.code, person_id=self._person, base_url=API)
        found = credentials.get(website.id, "cms")
        assert found is not None
        self.secret = found.secret().reveal()
        cms = connections.connect(found.base_url, found.secret())
        told = cms.items()
        content.put(website, told.items, now=time.time())
        while told.next is not None:
            told = cms.items(told.next)
            content.put(website, told.items, now=time.time())

    def write(self, words: str) -> tuple[Spent, int, int]:
        """Approve a title for every page, and write the titles.

        Returns the cost, the store calls, and the batch's sequence.
        """
        from bench.audit import Runtime
        from chalicelib.domain.changes.batch import job_id
        from chalicelib.domain.changes.proposal import Wish
        from chalicelib.operations import changes
        from chalicelib.operations.approvals import Approver
        from chalicelib.store import content, issues, websites
        from chalicelib.workers import writes

        website, book = websites.get(self._workspace, self._site), issues.load_state(self._site)
        assert website is not None and book is not None
        issue = next(one for one in book.issues if one.rule_id == TITLE_RULE)
        items = content.load(self._site).items.values()
        wishes = [Wish(item.url, f"{words} {item.cms_id}") for item in items]
        store = EmbeddedClock()
        meter = Meter()
        try:
            batch = changes.apply(website, issue.id, wishes, by=Approver(self._person), book=book)
            message = {"siteId": self._site, "jobId": job_id(batch.id)}
            writes.handle(message, Runtime(SECONDS))
            cost = meter.cost(self._count)
        finally:
            store.stop()
        self._check(batch.id)
        return Spent(cost.seconds, cost.cpu - store.cpu), store.calls, batch.sequence

    def _check(self, batch_id: str) -> None:
        """Check that every change is live, since the measurement would be wrong otherwise. Raises ``RuntimeError``."""
        from chalicelib.store import changes

        loaded = changes.load(self._site, batch_id)
        live = 0 if loaded is None else sum(change.status == "applied" for change in loaded.changes)
        if live != self._count:
            raise RuntimeError(f"{live} of {self._count} changes are live")


def _bare(site: Site, secret: str, count: int, sequence: int, words: str) -> Spent:
    """Make the same writes and reads without the service.

    ``sequence``: that of the last batch, so that the writes are not superseded.
    """
    threads = threading.local()

    def change(number: int) -> None:
        if not hasattr(threads, "bare"):
            threads.bare = _Bare(site, secret, sequence)
        threads.bare.change(number, f"{words} page {number}")

    meter = Meter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(change, range(count)))
    cost = meter.cost(count)
    return Spent(cost.seconds, cost.cpu)


class _Bare:
    """One thread's connections to the CMS and to the website."""

    def __init__(self, site: Site, secret: str, sequence: int) -> None:
        self._secret, self._sequence = secret, sequence
        self._cms, self._path = urlsplit(site.address).netloc, urlsplit(site.address).path
        self._pages = http.client.HTTPConnection(urlsplit(site.url).netloc, timeout=30)
        self._base = site.url.rstrip("/")

    def change(self, number: int, title: str) -> None:
        """Write one title and read the page twice. Raises ``RuntimeError`` if the page does not show the title."""
        path = path_of(number)
        change = {
            "changeId": f"bare:{title}", "sequence": self._sequence, "cmsId": f"page:{number}",
            "url": self._base + path, "field": "title", "value": title, "restore": None,
        }  # fmt: skip
        outcome = self._ask(json.dumps(change).encode())
        fresh = self._read(f"{path}?fresh={token_hex(6)}", {"Cache-Control": "no-cache", "Pragma": "no-cache"})
        if outcome["state"] != "written" or not title == fresh == self._read(path, {}):
            raise RuntimeError(f"{path} does not show {title!r}")

    def _ask(self, body: bytes) -> Any:
        signed = signature.headers(self._secret, int(time.time()), token_hex(16), "/wos/v1/changes", body)
        headers = {"Content-Type": "application/json", "Connection": "close", **signed}
        connection = http.client.HTTPConnection(self._cms, timeout=30)
        connection.request("POST", f"{self._path}/changes", body, headers)
        answer = connection.getresponse().read()
        connection.close()
        return json.loads(answer)

    def _read(self, path: str, headers: dict[str, str]) -> str:
        self._pages.request("GET", path, headers={"Accept-Encoding": "gzip", **headers})
        page = gzip.decompress(self._pages.getresponse().read())
        found = _TITLE.search(page)
        return unescape(found[1].decode()) if found else ""


def main() -> int:
    """Measure and print. Returns the exit status: 1 when a target is missed."""
    written = measure(int(sys.argv[1]) if len(sys.argv) > 1 else CHANGES)
    print(f"{'what':<58}{'changes':>9}{'seconds':>9}{'CPU-ms each':>13}{'x bare':>8}{'store calls':>13}")
    for what, spent, calls in (
        ("http.client: signed writes and reads on 8 threads", written.bare, ""),
        ("this service: approval and writer, without the store", written.service, f"{written.calls_a_change:.2f}"),
    ):
        each, ratio = 1_000 * spent.cpu / written.changes, spent.cpu / written.bare.cpu
        print(f"{what:<58}{written.changes:>9}{spent.seconds:>9.2f}{each:>13.2f}{ratio:>8.2f}{calls:>13}")
    return ended(written.problems())


if __name__ == "__main__":
    sys.exit(main())
