"""One full audit by the real service: crawl, facts, rules, storing, score, through the crawl worker.

The embedded store runs in the same process. What it costs is taken apart: ``store_cpu`` is the CPU time spent inside
the embedded AWS, which in production is spent on AWS's machines. Serialising, signing and reading the answers in
botocore is the service's own work and stays counted.
"""

import os
import sys
import threading
import time
from typing import Any

from bench.measure import Meter, report
from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, audits, websites
from chalicelib.settings import get_settings
from chalicelib.store import crawls
from chalicelib.workers import crawl
from chalicelib.workers import judging as _judging
from local import embedded

SLICES = 100
PLAN_LIMIT = 100_000

assert _judging  # imported here, so that importing it is not measured with the audit


class Runtime:
    """A function that starts now and may run for ``seconds``."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    def get_remaining_time_in_millis(self) -> int:
        return int(1_000 * (self._ends - time.monotonic()))


class StoreClock:
    """Adds up the CPU time and the calls inside the embedded AWS."""

    def __init__(self) -> None:
        self.cpu = 0.0
        self.calls = 0
        self._lock = threading.Lock()
        self._inner = embedded.dispatch
        embedded.dispatch = self._timed

    def _timed(self, target: str, body: bytes, url: str) -> Any:
        began = time.thread_time()
        try:
            return self._inner(target, body, url)
        finally:
            with self._lock:
                self.cpu += time.thread_time() - began
                self.calls += 1


def main() -> None:
    url, pages = sys.argv[1], int(sys.argv[2])
    os.environ.update(ALLOW_ADDRESSES="127.0.0.0/8", LOG_LEVEL="ERROR")
    get_settings.cache_clear()
    with embedded.running():
        workspace = accounts.create_workspace(OPERATOR, "Benchmark", "enterprise")
        website = websites.add(OPERATOR, workspace.id, url)
        store = StoreClock()
        meter = Meter()
        header = audits.start(
            website,
            PLAN_LIMIT,
            page_budget=pages + pages // 25 + 100,
            person_id=None,
            through_api=False,
            now=clock.now(),
        ).header
        for _ in range(SLICES):
            message = {"workspaceId": workspace.id, "siteId": website.id, "crawlId": header.id, "slice": header.slice}
            crawl.handle(message, Runtime(900))
            found = crawls.get(website.id, header.id)
            if found is None or found.ended:
                break
            header = found
        if found is None or found.status != "done":
            raise RuntimeError(f"the audit did not end well: {found}")
        report(
            meter.cost(
                found.pages_crawled,
                store_cpu=store.cpu,
                store_calls=store.calls,
                issues=found.issues_found or 0,
                slices=found.slice + 1,
            )
        )


if __name__ == "__main__":
    main()
