"""``python -m bench.rows``: compares how the service and DuckDB (from Parquet) read sixteen months of search rows.

The data has 5,000 queries a day, out of 60,000 distinct queries. The benchmark does what the API does if there is no
cached answer: it reads the manifest and the blocks of rows from the embedded store, and ranks all rows. HTTP and
caching are left out. DuckDB has one thread, reads a Parquet file that it wrote itself, and returns all rows in the same
order. The service and DuckDB take turns, and for each, only the run with the least CPU time counts.

The rows are also requested through the API, in this process over kept-alive HTTP. Some requests find no cached answer
(date ranges that were not requested before); others request a page of a cached answer. Store calls include the calls
that read the API key and the website. The limits in seconds are for an idle machine.
"""

import http.client
import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import duckdb
import numpy as np

from bench.api import log_lines_unseen
from bench.measure import cpu_of, read_units, write_units
from chalicelib.settings.reading import forget_settings

QUERIES_A_DAY = int(os.environ.get("BENCH_QUERIES", "5000"))
DISTINCT = 12 * QUERIES_A_DAY
FIRST, LAST = date(2025, 7, 20), date(2026, 11, 19)
TURNS = 5
MOST_TIMES_DUCKDB = 3.0
MOST_CALLS, MOST_CALLS_KEPT = 12, 6
MOST_SECONDS, MOST_SECONDS_KEPT = 1.5, 0.3
WORDS = ("boots", "hiking", "winter", "red", "cheap", "best", "near me", "women", "kids", "waterproof", "size", "trail")


class Asked(NamedTuple):
    """The cost of a request through the API. The request is sent several times: ``seconds`` is the shortest time,
    ``calls`` the highest number of store calls."""

    seconds: float
    calls: int


class Day(NamedTuple):
    """The rows of a day, as columns: each row has the index of its query in the list of all queries, and the query's
    figures."""

    day: date
    keys: Any
    clicks: Any
    impressions: Any
    positions: Any  # sums of positions


def main() -> int:
    """Measure and print. Returns the exit status: 1 if a target is missed."""
    from chalicelib.domain.search.rows import ranked
    from chalicelib.store import search
    from local import embedded

    queries = [f"{WORDS[n % 12]} {WORDS[n // 12 % 12]} {WORDS[n // 144 % 12]} {n}" for n in range(DISTINCT)]
    days = _days(np.random.default_rng(1))
    os.environ.setdefault("CURSOR_SECRET", token_hex(32))
    forget_settings()
    with tempfile.TemporaryDirectory() as folder, embedded.running(), log_lines_unseen():
        site, key = _website()
        sizes = _import(site, queries, days)
        duck = _duck(Path(folder) / "rows.parquet", queries, days)

        def ours() -> list[Any]:
            manifest = search.manifests(site, ["query"])["query"]
            return ranked(search.rows(site, manifest, FIRST, LAST), FIRST, LAST)

        assert [tuple(row) for row in ours()] == duck()
        costs = [(cpu_of(ours), cpu_of(duck)) for _ in range(TURNS)]
        mine, theirs = (min(column) for column in zip(*costs, strict=True))
        anew, kept = _through_api(site, key)
    print(f"{len(days)} days, {sum(len(one.keys) for one in days):,} rows, {DISTINCT:,} distinct queries")
    print(f"{'what':<66}{'CPU s':>8}{'x DuckDB':>10}{'calls':>7}{'read units':>12}{'write units':>13}")
    units = f"{sum(map(read_units, sizes)):>12,.0f}{sum(map(write_units, sizes)):>13,.0f}"
    print(f"{'DuckDB, one thread, Parquet, all rows ordered and fetched':<66}{theirs:>8.3f}{1:>10.2f}")
    print(
        f"{'this service: embedded store, all rows ranked':<66}{mine:>8.3f}{mine / theirs:>10.2f}{anew.calls:>7}{units}"
    )
    print(
        f"{len(sizes)} blocks of {sum(sizes) / 1e6:.1f} MB; units: read units (eventually consistent) and write units"
    )
    print(f"{'through the API, a page of 1,000 rows':<66}{'seconds':>8}{'at most':>10}{'calls':>7}{'at most':>12}")
    missed = [f"{mine / theirs:.2f} times DuckDB"] if mine > MOST_TIMES_DUCKDB * theirs else []
    for what, one, seconds, calls in (
        ("first request: computed, stored and answered", anew, MOST_SECONDS, MOST_CALLS),
        ("of what is kept", kept, MOST_SECONDS_KEPT, MOST_CALLS_KEPT),
    ):
        print(f"{what:<66}{one.seconds:>8.3f}{seconds:>10}{one.calls:>7}{calls:>12}")
        missed += [f"{one.seconds:.2f} s {what}"] if one.seconds > seconds else []
        missed += [f"{one.calls} calls {what}"] if one.calls > calls else []
    if missed:
        print(f"MISSED: {', '.join(missed)}")
    return 1 if missed else 0


def _website() -> tuple[str, str]:
    """Create a website that is connected to search data. Returns its id, and an API key that may read its data."""
    from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
    from chalicelib.operations import accounts, websites
    from tests import stored_search

    workspace = accounts.create_workspace(OPERATOR, "Benchmark", "enterprise")
    person = accounts.add_person(OPERATOR, workspace.id, "owner@bench.example", "owner")
    site = websites.add(OPERATOR, workspace.id, "https://shop.example/")
    stored_search.connect(site)
    return site.id, accounts.create_workspace_key(OPERATOR, workspace.id, person.id, SCOPES).secret


def _through_api(site: str, key: str) -> tuple[Asked, Asked]:
    """Request the whole range without a cached answer, and then a page of a cached answer."""
    from app import app  # reads the settings that were just made
    from chalicelib.http.endpoints import BASE_PATH
    from host.server import ApiServer
    from tests import aws

    server = ApiServer(app, 0)
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60)

    def asked(first: date) -> Asked:
        path = f"{BASE_PATH}/sites/{site}/search/rows?dimension=query&from={first}&to={LAST}&limit=1000"
        with aws.counted_calls() as calls:
            begun = time.perf_counter()
            connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
            answer = connection.getresponse()
            answer.read()
            seconds = time.perf_counter() - begun
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}")
        return Asked(seconds, calls.total())

    try:
        asked(LAST)  # so that one-time work of the process is not measured
        # Each request has a day less than the one before, so that its answer is not cached.
        anew = [asked(FIRST + timedelta(number)) for number in range(TURNS)]
        kept = [asked(FIRST) for _ in range(TURNS)]
    finally:
        connection.close()
        server.stop()
    return tuple(Asked(min(one.seconds for one in some), max(one.calls for one in some)) for some in (anew, kept))  # type: ignore[return-value]


def _days(random: Any) -> list[Day]:
    """Make up the days' rows. Every query is about as likely as any other."""
    weights = 1 / (np.arange(DISTINCT) + DISTINCT / 2)
    found = []
    for number in range((LAST - FIRST).days + 1):
        keys = np.sort(random.choice(DISTINCT, QUERIES_A_DAY, replace=False, p=weights / weights.sum()))
        impressions = random.geometric(0.05, QUERIES_A_DAY)
        clicks = random.binomial(impressions, 0.04)
        positions = np.rint(impressions * random.uniform(1, 60, QUERIES_A_DAY)).astype(np.int64)
        found.append(Day(FIRST + timedelta(number), keys, clicks, impressions, positions))
    return found


def _import(site: str, queries: list[str], days: list[Day]) -> list[int]:
    """Store the days as an import leaves them, with finished months archived. Returns the bytes of each block."""
    from chalicelib.domain.search.archive import EMPTY, extended
    from chalicelib.domain.search.columns import day_rows
    from chalicelib.domain.search.manifest import Manifest
    from chalicelib.domain.search.periods import Period
    from chalicelib.store import search
    from chalicelib.store.transactions import commit

    packed = {
        one.day: day_rows(
            one.day, [queries[key] for key in one.keys], one.clicks, one.impressions, one.positions / one.impressions
        )
        for one in days
    }
    archived = [rows for day, rows in packed.items() if day < LAST.replace(day=1)]
    archive = extended(EMPTY, archived, date.min)
    blocks = search.NewBlocks(site, "query")
    keys = blocks.add_keys(archive.keys).chunks
    months = {month: blocks.add_month(month, parts).chunks for month, parts in archive.months.items()}
    own = {day: blocks.add_day(rows) for day, rows in packed.items() if day >= LAST.replace(day=1)}
    period = Period(FIRST, LAST)
    empty = Manifest(dataset="query", version=search.new_token())
    with_archive = empty.with_archive(search.new_token(), blocks.token, keys, months, kept=(), period=period)
    search.write([blocks])
    commit([search.put_manifest(site, with_archive.with_days(search.new_token(), own, period))])
    return [len(put.item["data"]) for put in blocks.puts]


def _duck(file: Path, queries: list[str], days: list[Day]) -> Callable[[], list[Any]]:
    """Write the same rows as Parquet, by day. Returns a function that reads all of them."""
    database = duckdb.connect()
    database.execute("SET threads = 1")
    names = np.array(queries, object)
    columns = {
        "number": np.repeat(np.arange(len(days)), QUERIES_A_DAY),
        "query": np.concatenate([names[one.keys] for one in days]),
        **{
            name: np.concatenate([getattr(one, name) for one in days]).astype(np.int64)
            for name in ("clicks", "impressions", "positions")
        },
    }
    database.register("given", columns)
    database.execute(
        f"COPY (SELECT DATE '{FIRST}' + number::INTEGER AS day, * EXCLUDE number FROM given) "
        f"TO '{file}' (FORMAT parquet)"
    )
    database.unregister("given")
    question = (
        f"SELECT query, sum(clicks)::BIGINT AS c, sum(impressions)::BIGINT, sum(positions)::BIGINT FROM '{file}' "
        f"WHERE day BETWEEN DATE '{FIRST}' AND DATE '{LAST}' GROUP BY query ORDER BY c DESC, query"
    )
    return lambda: database.execute(question).fetchall()


if __name__ == "__main__":
    sys.exit(main())
