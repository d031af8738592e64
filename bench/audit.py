"""Measures one full audit by the real service, through the crawl worker: crawl, facts, rules, storing, score.

``python -m bench.audit URL PAGES`` reports its cost. With ``--profile``, it prints the functions that take the most
time instead.

The embedded store runs in the same process. Its cost, ``store_cpu``, is measured separately (see ``EmbeddedClock``).
``graph_cpu`` is the cost of work on the website as a whole: the link graph, templates and redirects, near duplicates,
and the rules that judge the website itself.
"""

import argparse
import cProfile
import os
import pstats
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.embedded_clock import EmbeddedClock
from bench.measure import Meter, report
from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.operations import accounts, audits, websites
from chalicelib.rules.context import Site, SiteBuilder
from chalicelib.rules.engine import Judge
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls
from chalicelib.store.websites import Website
from chalicelib.workers.audit import crawl
from chalicelib.workers.audit import publishing as _publishing
from local import embedded

SLICES = 100
PLAN_LIMIT = 100_000
TOP = 10

assert _publishing  # imported here, so that the audit's cost does not include the import


class Runtime:
    """A Lambda context whose time limit ends ``seconds`` after the context is made."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    def get_remaining_time_in_millis(self) -> int:
        return int(1_000 * (self._ends - time.monotonic()))


class GraphClock:
    """Adds up the CPU time of all work on the website as a whole."""

    def __init__(self) -> None:
        self.cpu = 0.0
        self._inside = False
        for owner, name in ((SiteBuilder, "finish"), (Site, "once"), (Judge, "site"), (Judge, "rule_evidence")):
            setattr(owner, name, self._timed(getattr(owner, name)))

    def _timed(self, inner: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **named: Any) -> Any:
            if self._inside:
                return inner(*arguments, **named)
            self._inside, began = True, time.thread_time()
            try:
                return inner(*arguments, **named)
            finally:
                self._inside = False
                self.cpu += time.thread_time() - began

        return timed


def audit(website: Website, pages: int) -> CrawlHeader:
    """Run a full audit of the website, and wait for its end. Raises ``RuntimeError`` if the audit fails."""
    header = audits.start(
        website,
        PLAN_LIMIT,
        page_budget=pages + pages // 25 + 100,
        person_id=None,
        through_api=False,
        now=clock.now(),
    ).header
    for _ in range(SLICES):
        message = {"workspaceId": website.workspace_id, "siteId": website.id, "crawlId": header.id}
        crawl.handle({**message, "slice": header.slice}, Runtime(900))
        found = crawls.get(website.id, header.id)
        if found is None or found.ended:
            break
        header = found
    if found is None or found.status != "done":
        raise RuntimeError(f"the audit was not completed: {found}")
    return found


def top(profile: cProfile.Profile) -> str:
    """List the functions that take the most time themselves (without the functions that they call), each with its share
    of the total."""
    entries: dict[tuple[str, int, str], Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    everything = sum(own for _, _, own, _, _ in entries.values())
    lines = [f"{'share':>6}{'own s':>8}{'with all s':>12}{'calls':>10}  function"]
    for (path, _, name), (_, calls, own, whole, _) in sorted(entries.items(), key=lambda entry: -entry[1][2])[:TOP]:
        where = "/".join(Path(path).parts[-2:]) + " " if path != "~" else ""
        lines.append(f"{own / everything:>6.1%}{own:>8.2f}{whole:>12.2f}{calls:>10}  {where}{name}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.audit", description="Audit a website, and print the cost.")
    parser.add_argument("url")
    parser.add_argument("pages", type=int)
    parser.add_argument("--profile", action="store_true", help="print the ten functions that took the most time")
    given = parser.parse_args()
    os.environ.update(ALLOW_ADDRESSES="127.0.0.0/8", LOG_LEVEL="ERROR")
    forget_settings()
    with embedded.running():
        workspace = accounts.create_workspace(OPERATOR, "Benchmark", "enterprise")
        website = websites.add(OPERATOR, workspace.id, given.url)
        if given.profile:
            profile = cProfile.Profile()
            profile.runcall(audit, website, given.pages)
            print(top(profile))
            return
        store, graph = EmbeddedClock(), GraphClock()
        meter = Meter()
        found = audit(website, given.pages)
        report(
            meter.cost(
                found.pages_crawled,
                store_cpu=store.cpu,
                store_calls=store.calls,
                graph_cpu=graph.cpu,
                issues=found.issues_found or 0,
                slices=found.slice + 1,
            )
        )


if __name__ == "__main__":
    main()
