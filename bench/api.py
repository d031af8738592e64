"""Measures the cost of a GET: ``python -m bench.api [pages [websites]]`` sends every GET operation over kept-alive
HTTP.

The API runs in this process behind the local HTTP server, on the embedded store. One client sends one request after the
other. The workspace has 200 websites. The measured website has 10,000 pages, search data, 10,000 landing pages of an
analytics property, and 500 pages with speed tests. It also has an audit's findings about AI assistants, but no answers
of assistants to prompts. Topics, search rows and landing pages are read from the cache, because other benchmarks
(``topics``, ``rows``, ``analytics``) measure the time to compute them. If a request makes the service fetch a file of
the website, the file comes from a server in another process. The run fails if one of the GET operations in the API's
description was not measured.

"Own CPU" is the processor time of this process for a request, without the client and the embedded AWS. It includes
HTTP, Chalice's gateway and router, the checks of key and rate limit, botocore, unpacking, the view, and JSON. The
embedded AWS causes most of the remaining latency.
"""

import gc
import http.client
import json
import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from secrets import token_hex
from statistics import median
from urllib.parse import quote, urlsplit

from bench import measure as measuring
from bench import seed
from bench.embedded_clock import spent
from chalicelib import clock
from chalicelib.http.endpoints import BASE_PATH
from chalicelib.settings.reading import forget_settings
from host.server import ApiServer
from local import embedded

DESCRIPTION = Path(__file__).resolve().parent.parent / "docs" / "openapi.json"
PAGES, WEBSITES = 10_000, 200
SERVED_PAGES = 200  # pages that the live website serves; its llms.txt lists all of them
LOOPBACK = "127.0.0.0/8"
REQUESTS = 60
WARM_UP = 3
PORTFOLIO, SORTED_PORTFOLIO = "portfolio of all websites", "portfolio, most clicks"
MOST_CALLS = 6
# The most store calls of answers that are made from blocks, or from 200 websites.
OTHER_CALLS = {"search summary": 12, "search rows": 12, PORTFOLIO: 8, SORTED_PORTFOLIO: 8}
MOST_OWN_CPU = 15.0  # milliseconds of a request
DIFFERENCE, REPORT, GATE = "difference of two audits", "report of an audit", "gate"
PREVIEW_REPORT, PREVIEW_GATE = "report of a preview", "gate of a preview"
PREVIEW_DIFFERENCE = "difference of a preview"
# The most milliseconds of answers that read every page of one or two audits.
OTHER_OWN_CPU = dict.fromkeys((DIFFERENCE, REPORT, GATE, PREVIEW_REPORT, PREVIEW_DIFFERENCE, PREVIEW_GATE), 250.0)
AGAIN = 5  # how often a request that missed its target is measured again
PAGE_LIST, SEARCHED_PAGES, LAST_PAGES = "pages", "pages, q", "pages, the last ones"
LLMS_TXT, CRAWLER_RULES = "llms.txt", "rules for crawlers"


@dataclass(frozen=True, slots=True)
class Measured:
    """The cost of one endpoint.

    Times are in milliseconds. ``own_cpu`` is the CPU time of the median request. The number of store calls is for one
    request. The size is the size of the answer's body.
    """

    name: str
    p50: float
    p99: float
    own_cpu: float
    calls: float
    kilobytes: float


def targets(house: seed.House, site_pages: int) -> dict[str, str]:
    """Return the paths of the requests that are measured against a target, by name."""
    site = f"/sites/{house.site_id}"
    return {
        "openapi.json": "/openapi.json",
        "websites": "/sites",
        PORTFOLIO: "/portfolio?per=200",
        SORTED_PORTFOLIO: "/portfolio?sort=-clicks",
        "website": site,
        "scores": f"{site}/scores",
        "issues": f"{site}/issues",
        "issue of every page": f"{site}/issues/{house.issue_id}",
        "actions": f"{site}/actions",
        PAGE_LIST: f"{site}/pages",
        LAST_PAGES: f"{site}/pages?per=200&page={-(-site_pages // 200)}",
        SEARCHED_PAGES: f"{site}/pages?q=Lantern",
        "page": f"{site}/pages/{house.page_id}",
        "page by address": f"{site}/pages/findings?url={quote(house.page_url, safe='')}",
        "audits": f"{site}/audits",
        "audit": f"{site}/audits/{seed.AUDIT}",
    }


def others(house: seed.House) -> dict[str, str]:
    """Return the paths of the other measured requests, by name. They need a website that ``seed.settle`` has
    prepared."""
    site, today = f"/sites/{house.site_id}", clock.utc(clock.now()).date()
    return {
        "plans": "/plans",
        "changelog": "/changelog",
        "performance": f"{site}/performance",
        "search summary": f"{site}/search/summary",
        "search rows": f"{site}/search/rows?dimension=query&from={today - timedelta(30)}&to={today}",
        "topics": f"{site}/topics",
        "landing pages": f"{site}/analytics/pages",
        "readiness": f"{site}/geo",
        LLMS_TXT: f"{site}/geo/llms-txt",
        CRAWLER_RULES: f"{site}/geo/ai-crawlers",
        "visibility": f"{site}/ai-visibility",
        "gaps of visibility": f"{site}/ai-visibility/gaps",
        "agentic": f"{site}/agentic",
        "agentic run": f"{site}/agentic/runs/{seed.RUN}",
        "export": f"{site}/exports/{seed.EXPORT}",
        DIFFERENCE: f"{site}/audits/{seed.AUDIT}/diff",
        REPORT: f"{site}/audits/{seed.AUDIT}/report",
        GATE: f"{site}/audits/{seed.AUDIT}/gate",
        "preview": f"{site}/previews/{seed.PREVIEW}",
        PREVIEW_REPORT: f"{site}/previews/{seed.PREVIEW}/report",
        PREVIEW_DIFFERENCE: f"{site}/previews/{seed.PREVIEW}/diff",
        PREVIEW_GATE: f"{site}/previews/{seed.PREVIEW}/gate",
        "history of an issue": f"{site}/issues/{house.issue_id}/history",
        "history of a page": f"{site}/pages/{house.page_id}/history",
        "batches of changes": f"{site}/changes",
        "batch of changes": f"{site}/changes/{seed.BATCH}",
    }


def unasked(paths: Iterable[str]) -> list[str]:
    """Return the ids of the GET operations that are in the API's description, but to which no path in ``paths``
    belongs."""
    described = json.loads(DESCRIPTION.read_text("utf-8"))["paths"]
    operations = {path: methods["get"]["operationId"] for path, methods in described.items() if "get" in methods}
    asked = {operations.get(_route(urlsplit(path).path, operations)) for path in paths}
    return sorted(set(operations.values()) - asked)


def _most_own_cpu(name: str) -> float:
    return OTHER_OWN_CPU.get(name, MOST_OWN_CPU)


def _route(path: str, routes: Iterable[str]) -> str:
    """Return the route that a path matches; "" if none matches. If two routes match, the route with fewer parameters is
    returned."""
    fitting = [route for route in routes if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", route), path)]
    return min(fitting, key=lambda route: route.count("{"), default="")


def measure(site_pages: int = PAGES, site_count: int = WEBSITES, requests: int = REQUESTS) -> list[Measured]:
    """Seed the workspace, serve the API, and call every endpoint ``requests`` times."""
    os.environ.setdefault("CURSOR_SECRET", token_hex(32))
    with (
        loopback_allowed(),
        embedded.running(),
        log_lines_unseen(),
        measuring.served(SERVED_PAGES, "--llms-txt") as home,
    ):
        from app import app  # reads the settings that were just made

        house = seed.house(site_pages, site_count, home)
        seed.settle(house, site_pages)
        gc.freeze()  # so that garbage collection of the embedded AWS's objects does not count as the service's
        server = ApiServer(app, 0)
        try:
            connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=30)
            asked = targets(house, site_pages) | others(house)
            forgotten = unasked(asked.values())
            if forgotten:
                raise LookupError(f"this benchmark has no request for {', '.join(forgotten)}")
            found = {name: _measured(connection, name, path, house.new_key(), requests) for name, path in asked.items()}
            # Other load makes a request slower, never faster: a request that missed its target is measured again.
            for name in [name for name in asked if found[name].own_cpu > _most_own_cpu(name)] * AGAIN:
                again = _measured(connection, name, asked[name], house.new_key(), requests)
                found[name] = min(found[name], again, key=lambda one: one.own_cpu)
            return list(found.values())
        finally:
            connection.close()
            server.stop()
            gc.unfreeze()


@contextmanager
def loopback_allowed() -> Iterator[None]:
    """Let the service read websites on the loopback address of this machine during the ``with`` block."""
    before = os.environ.get("ALLOW_ADDRESSES", "")
    os.environ["ALLOW_ADDRESSES"] = LOOPBACK
    forget_settings()
    try:
        yield
    finally:
        os.environ["ALLOW_ADDRESSES"] = before
        forget_settings()


@contextmanager
def log_lines_unseen() -> Iterator[None]:
    """During the ``with`` block, format log lines, whose cost counts, but do not write them."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        handlers = [
            each for each in logging.getLogger("chalicelib").handlers if isinstance(each, logging.StreamHandler)
        ]
        before = [handler.setStream(nowhere) for handler in handlers]
        try:
            yield
        finally:
            for handler, stream in zip(handlers, before, strict=True):
                if stream is not None:
                    handler.setStream(stream)


def _measured(connection: http.client.HTTPConnection, name: str, path: str, key: str, requests: int) -> Measured:
    headers = {"Authorization": f"Bearer {key}"}

    def ask() -> int:
        connection.request("GET", BASE_PATH + path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"GET {path} answered {answer.status}: {body[:300]!r}")
        return len(body)

    found = spent(ask, requests, WARM_UP)
    return Measured(
        name,
        p50=1_000 * found.times[requests // 2],
        p99=1_000 * found.times[requests * 99 // 100],
        own_cpu=1_000 * median(found.own),
        calls=found.calls,
        kilobytes=found.size / 1_000,
    )


def table(rows: list[Measured]) -> str:
    lines = [f"{'GET':<28}{'p50 ms':>9}{'p99 ms':>9}{'own CPU ms':>12}{'store calls':>13}{'KB':>8}"]
    lines += [
        f"{row.name:<28}{row.p50:>9.1f}{row.p99:>9.1f}{row.own_cpu:>12.1f}{row.calls:>13.0f}{row.kilobytes:>8.1f}"
        for row in rows
    ]
    return "\n".join(lines)


def problems(rows: list[Measured]) -> list[str]:
    """Describe the measurements that miss their targets."""
    found = []
    for row in rows:
        most = _most_own_cpu(row.name)
        if row.own_cpu > most:
            found.append(f"GET {row.name} takes {row.own_cpu:.1f} ms of its own CPU, more than {most:g}")
        calls = OTHER_CALLS.get(row.name, MOST_CALLS)
        if row.calls > calls:
            found.append(f"GET {row.name} takes {row.calls:.0f} store calls, more than {calls}")
    return found


def main() -> int:
    """Measure and print. Returns the exit status: 1 when a target is missed."""
    site_pages = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    site_count = int(sys.argv[2]) if len(sys.argv) > 2 else WEBSITES
    rows = measure(site_pages, site_count)
    print(f"The API over kept-alive HTTP: a workspace of {site_count} websites, one with {site_pages:,} pages.")
    print(table(rows))
    print(
        "Own CPU: the CPU that this process spends on a request (HTTP server, gateway, view, botocore), without the "
        "client and the embedded AWS."
    )
    return measuring.ended(problems(rows))


if __name__ == "__main__":
    sys.exit(main())
