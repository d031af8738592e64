"""The tables of docs/scale.md: 100,000 websites, computed from the units that ``python -m bench units`` counted.

``docs/scale-units.json`` has the counts. This module declares all other assumptions, and the tables show them: the work
of a website in a month, how long functions wait, and list prices of AWS.
"""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from chalicelib.workers import weekly
from documents.blocks import table
from infra.functions import FUNCTIONS

UNITS: Final = Path(__file__).resolve().parent.parent / "docs" / "scale-units.json"
WEBSITES: Final = 100_000
WEEKS, DAYS = 52 / 12, 365 / 12  # of a month
SHARDS: Final = 16
FIRST_WRITES: Final = 4_000  # units a second that a new table on demand takes, and each table of this age at least
PARTITION_WRITES: Final = 1_000  # units a second that one partition takes


class Work(NamedTuple):
    """A kind of work of a website: how often in a month, and the function's seconds and GB of memory."""

    often: float
    seconds: float
    gigabytes: float
    says: str


MONTH: Final = {
    "audit": Work(WEEKS, 60, 1.73, "each Sunday; most of a minute is waiting for the website"),
    "recheck": Work(4, 10, 1.0, "one a week"),
    "event": Work(30, 0.1, 0.5, "one a day, with one endpoint that ticked it"),
    "delivery": Work(30, 0.5, 0.5, "one each"),
    "change written": Work(10, 2, 1.0, "the CMS and the live page are waited for"),
    "day imported": Work(DAYS / 10, 30, 1.0, "every website has a tenth of the 25,000 rows that were counted"),
    "GET website": Work(300, 0.1, 0.5, "ten a day"),
    "GET pages": Work(90, 0.2, 0.5, "three a day, as of the largest website there may be"),
    "GET issue of every page": Work(60, 0.2, 0.5, "two a day, as of the largest website there may be"),
    "GET portfolio of all websites": Work(1.5, 0.4, 0.5, "ten a day of each workspace of 200"),
}


class Price(NamedTuple):
    """A list price in USD. ``each``: the number of units it is for."""

    usd: float
    each: float
    unit: str


PRICES: Final = {
    "write units": Price(0.625, 1e6, "million write request units, DynamoDB on demand"),
    "read units": Price(0.125, 1e6, "million read request units, DynamoDB on demand"),
    "storage": Price(0.25, 1, "GB a month, DynamoDB standard table class"),
    "recovery": Price(0.20, 1, "GB a month, DynamoDB point-in-time recovery"),
    "function time": Price(0.0000166667, 1, "GB-second, Lambda on x86"),
    "function calls": Price(0.20, 1e6, "million requests, Lambda"),
    "queue calls": Price(0.40, 1e6, "million requests, SQS standard"),
    "API calls": Price(3.50, 1e6, "million requests, API Gateway REST, first 333 million"),
    "logs": Price(0.50, 1, "GB taken in, CloudWatch Logs standard"),
    "data out": Price(0.09, 1, "GB to the internet, first 10 TB"),
    "pages read": Price(0.0, 1, "GB from the internet, where there is no NAT gateway"),
}
STORED_MEGABYTES: Final = 10.0  # of a website: two generations of an audit, histories, a tenth of a large archive
LOGGED_KILOBYTES: Final = 1.0  # of a function's call
ANSWER_KILOBYTES: Final = 20.0
IDLE_POLLS: Final = 9 * 5 * 3 * 60 * 24 * DAYS  # queues x pollers x long polls a minute


def parts() -> dict[str, str]:
    """The generated parts of the page."""
    counted = json.loads(UNITS.read_text("utf-8"))
    return {
        "counted": _counted(counted),
        "assumed": _assumed(),
        "prices": table(("Price", "USD", "for a"), [(name, f"{p.usd:g}", p.unit) for name, p in PRICES.items()]),
        "month": _month(counted),
        "sunday": _sunday(counted),
        "partitions": _partitions(counted),
    }


def _counted(counted: dict[str, Any]) -> str:
    head = ("One", "store calls", "read units", "write units", "KB read", "KB written", "queue calls", "CPU ms")
    names = ("storeCalls", "readUnits", "writeUnits", "readKilobytes", "writtenKilobytes", "queueCalls")
    rows = [
        (what, *(f"{one[name]:,g}" for name in names), f"{one['cpuMilliseconds']:g}")
        for what, one in counted["each"].items()
    ]
    return table(head, rows)


def _assumed() -> str:
    rows = [
        (what, f"{work.often:.3g}", f"{work.seconds:g}", f"{work.gigabytes:g}", work.says)
        for what, work in MONTH.items()
    ]
    return table(("A website's", "a month", "seconds of a function", "GB", "because"), rows)


def amounts(counted: dict[str, Any]) -> dict[str, float]:
    """The usage of ``WEBSITES`` websites in a month, by the names of ``PRICES``."""
    each = counted["each"]

    def total(name: str) -> float:
        return float(WEBSITES * sum(work.often * each[what][name] for what, work in MONTH.items()))

    requests = WEBSITES * sum(work.often for what, work in MONTH.items() if what.startswith("GET "))
    calls = WEBSITES * sum(work.often for work in MONTH.values())
    stored = WEBSITES * STORED_MEGABYTES / 1_000
    return {
        "write units": total("writeUnits"),
        "read units": total("readUnits"),
        "storage": stored,
        "recovery": stored,
        "function time": WEBSITES * sum(work.often * work.seconds * work.gigabytes for work in MONTH.values()),
        "function calls": calls,
        "queue calls": 3 * total("queueCalls") + IDLE_POLLS,  # each is sent, received and removed
        "API calls": requests,
        "logs": calls * LOGGED_KILOBYTES / 1e6,
        "data out": requests * ANSWER_KILOBYTES / 1e6,
        "pages read": WEBSITES * WEEKS * counted["auditPages"] * 10 / 1e6,
    }


def _month(counted: dict[str, Any]) -> str:
    rows, whole = [], 0.0
    for name, amount in amounts(counted).items():
        price = PRICES[name]
        cost = amount / price.each * price.usd
        whole += cost
        rows.append((name, f"{amount:,.0f}", f"{cost:,.0f}"))
    rows.append(("**in all**", "", f"**{whole:,.0f}**"))
    rows.append(("a website", "", f"{whole / WEBSITES:.3f}"))
    return table(("What", "a month", "USD"), rows)


def _sunday(counted: dict[str, Any]) -> str:
    seconds, writes = MONTH["audit"].seconds, counted["each"]["audit"]["writeUnits"]
    at_once = next(function.concurrency for function in FUNCTIONS if function.name == "crawl")
    assert at_once is not None
    starts = SHARDS * weekly.STARTS_A_SHARD * 60  # an hour
    rows = []
    for functions in (at_once, 2 * at_once, round(starts * seconds / 3_600)):
        an_hour = min(starts, functions * 3_600 / seconds)
        crawls = an_hour / 3_600 * counted["tables"]["crawls"]
        rows.append(
            (
                functions,
                f"{an_hour:,.0f}",
                f"{WEBSITES / an_hour:.1f}",
                f"{an_hour / 3_600 * writes:,.0f}",
                f"{crawls:,.0f}",
                "yes" if crawls <= FIRST_WRITES else "no",
            )
        )
    head = (
        *("functions `crawl` at once", "audits an hour", "hours for all", "write units a second"),
        *("of them table `crawls`", f"within the first {FIRST_WRITES:,}"),
    )
    return table(head, rows)


def _partitions(counted: dict[str, Any]) -> str:
    starts = weekly.STARTS_A_SHARD / 60  # a second and shard, at most
    rows = []
    for name, units in counted["hottest"].items():
        if name.startswith("index "):
            per_second, why = starts * units, "a shard of 16, while all starts are made that may be"
        else:
            per_second, why = units / MONTH["audit"].seconds, "one audit, over its minute"
        rows.append((f"`{name}`", f"{units:g}", f"{per_second:.1f}", f"{per_second / PARTITION_WRITES:.1%}", why))
    return table(("Table", "write units of an audit", "a second", "of what a partition takes", "where"), rows)
