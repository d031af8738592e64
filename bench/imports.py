"""``python -m bench.imports``: compares the CPU of importing one day of 25,000 search rows with the CPU of only
decoding the JSON of these rows.

The import starts from the bytes of the search service's answer. It decodes them to typed rows, makes columns, packs the
columns, and writes them and a list of them (the manifest) to the embedded store. The decoding alone uses the standard
library. The import and the decoding take turns, and for each only the run with the least CPU time counts. The import's
CPU includes the embedded store. The import's own decoder takes a fifth of the standard library's time. The table also
compares the import with this decoder; there is no target for that.
"""

import json
import os
import sys
from datetime import date
from typing import Any, NamedTuple

import msgspec
import numpy as np

from bench.measure import cpu_of, read_units, write_units

ROWS = int(os.environ.get("BENCH_ROWS", "25000"))
DAY = date(2026, 11, 19)
TURNS = 7
MOST_TIMES_DECODING = 5.0
SITE = "site_bench"
WORDS = ("boots", "hiking", "winter", "red", "cheap", "best", "near me", "women", "kids", "waterproof", "size", "größe")


class Measured(NamedTuple):
    """The CPU seconds of each part, the bytes of each written item, and the store calls of the import."""

    decoding: float
    own_decoding: float
    importing: float
    written: list[int]
    calls: int


def main() -> int:
    """Measure and print. Returns the exit status: 1 if a target is missed."""
    from local import embedded

    print(f"one day of {ROWS:,} rows")
    heads = f"{'CPU s':>8}{'decoding':>10}{'times':>7}{'own':>8}{'times':>7}"
    heads += f"{'calls':>7}{'read units':>12}{'write units':>13}{'KB':>8}"
    print(f"{'what':<32}{heads}")
    missed = []
    with embedded.running():
        for dataset in ("query", "page", "pairs"):
            body = _answer(np.random.default_rng(1), dataset)
            one = _measured(dataset, body)
            times = one.importing / one.decoding
            units = f"{sum(map(read_units, one.written)):>12,.1f}{sum(map(write_units, one.written)):>13,}"
            size = f"{sum(one.written) / 1e3:>8,.0f}"
            what = f"by {dataset}, {len(body) / 1e6:.1f} MB of JSON"
            own = f"{one.own_decoding:>8.3f}{one.importing / one.own_decoding:>7.2f}"
            print(f"{what:<32}{one.importing:>8.3f}{one.decoding:>10.3f}{times:>7.2f}{own}{one.calls:>7}{units}{size}")
            if times > MOST_TIMES_DECODING:
                missed.append(f"importing a day by {dataset} takes {times:.2f} times as long as decoding it")
    print("units: eventually consistent reads of the day and of its manifest, and the writes of both")
    if missed:
        print(f"MISSED: {', '.join(missed)}; the target is at most {MOST_TIMES_DECODING} times")
    return 1 if missed else 0


def _answer(random: Any, dataset: str) -> bytes:
    """Make the search service's answer: rows in descending order of clicks."""
    impressions = random.geometric(0.05, ROWS)
    clicks = np.sort(random.binomial(impressions, 0.04))[::-1]
    positions = random.uniform(1, 60, ROWS)
    queries = [f"{WORDS[n % 12]} {WORDS[n // 12 % 12]} {WORDS[n // 144 % 12]} {n}" for n in range(ROWS)]
    pages = [f"https://www.shop.example/{WORDS[n % 7]}/{WORDS[n // 7 % 5]}-{n % 7919}?variant={n}" for n in range(ROWS)]
    keys = {"query": zip(queries), "page": zip(pages), "pairs": zip(queries, pages, strict=True)}[dataset]
    shown = np.maximum(impressions, clicks).tolist()
    rows = [
        {"keys": list(key), "clicks": one, "impressions": many, "ctr": one / many, "position": position}
        for key, one, many, position in zip(keys, clicks.tolist(), shown, positions.tolist(), strict=True)
    ]
    random.shuffle(rows)  # rows with equal clicks come in any order, so the import must sort its columns
    return msgspec.json.encode({"rows": rows, "responseAggregationType": "byProperty"})


def _measured(dataset: Any, body: bytes) -> Measured:
    from chalicelib.connectors import search_console
    from chalicelib.connectors.answers import decoded
    from chalicelib.domain.search import parsing
    from chalicelib.domain.search.manifest import Manifest
    from chalicelib.domain.search.periods import Period
    from chalicelib.store import search
    from chalicelib.store.transactions import commit
    from tests import aws

    class Canned:
        """A stand-in for the search service: answers with the day's rows, then with an empty page."""

        def ask(self, path: str, wire: type[Any], asked: Any, *, seconds: float) -> Any:
            return decoded(b'{"rows":[]}' if asked["startRow"] else body, wire)

    console = search_console.SearchConsole("sc-domain:shop.example", lambda: None)  # type: ignore[arg-type]
    console._api = Canned()  # type: ignore[assignment]
    dimensions: Any = ("query", "page") if dataset == "pairs" else (dataset,)
    make = parsing.day_pairs if dataset == "pairs" else parsing.day_rows

    def brought() -> list[int]:
        blocks = search.NewBlocks(SITE, dataset)
        stored = {DAY: blocks.add_day(make(DAY, console.rows(DAY, dimensions)))}
        manifest = Manifest(dataset=dataset, version="").with_days(search.new_token(), stored, Period(DAY, DAY))
        search.write([blocks])
        named = search.put_manifest(SITE, manifest)
        commit([named])
        return [*(len(put.item["data"]) for put in blocks.puts), len(named.item["data"])]

    with aws.counted_calls() as calls:
        written = brought()
    count = calls.total()
    turns = [
        (cpu_of(lambda: json.loads(body)), cpu_of(lambda: decoded(body, search_console._Rows)), cpu_of(brought))
        for _ in range(TURNS)
    ]
    return Measured(*(min(column) for column in zip(*turns, strict=True)), written, count)


if __name__ == "__main__":
    sys.exit(main())
