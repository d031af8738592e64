"""Makes the tables of docs/scale.md for 100,000 websites. They are computed from the units that ``python -m bench
units`` counted.

``docs/scale-units.json`` has the counts, ``docs/scale-sunday.json`` the simulated Sundays, and ``docs/aws-prices.json``
the list prices. ``bench.load`` declares the load, and this module declares all other assumptions. The tables show these
assumptions.
"""

import json
from typing import Any, Final

import msgspec

from bench import load, sunday
from bench.load import DAYS, MONTH, PARTITION_WRITES, WEBSITES, WEEKS
from chalicelib.domain import plans
from chalicelib.store import keys
from chalicelib.workers import weekly
from documents.blocks import table

PRICES_FILE: Final = load.UNITS.with_name("aws-prices.json")


class Price(msgspec.Struct, frozen=True):
    """A list price in USD. ``each``: for how many units the price is. ``source``: the page with the price."""

    usd: float
    each: int
    unit: str
    source: str


PRICES: Final = msgspec.convert(json.loads(PRICES_FILE.read_text("utf-8"))["prices"], dict[str, Price])
STORED_MEGABYTES: Final = 10.0  # stored per website: two generations of an audit, histories, a tenth of a large archive
LOGGED_KILOBYTES: Final = 1.0  # log lines of one call of a function
ANSWER_KILOBYTES: Final = 20.0
UNLIMITED: Final = 200  # the assumed number of websites for a plan without a limit
IDLE_POLLS: Final = 9 * 5 * 3 * 60 * 24 * DAYS  # a month's polls: queues x pollers x long polls a minute x minutes


def parts() -> dict[str, str]:
    """Return the generated parts of the page: name -> Markdown."""
    counted, waves = load.counts(), sunday.kept()
    return {
        "counted": _counted(counted),
        "assumed": _assumed(),
        "prices": table(("Price", "USD", "for a"), [(name, f"{p.usd:g}", p.unit) for name, p in PRICES.items()]),
        "month": _month(counted),
        "plans": _plans(counted),
        "hours": _hours(waves[0]),
        "breaks": _breaks(waves[0]),
        "sunday": _sunday(waves),
        "partitions": _partitions(counted),
    }


def _counted(counted: dict[str, Any]) -> str:
    """Leave out the requests that a month does not have."""
    head = ("One", "store calls", "read units", "write units", "KB read", "KB written", "queue calls", "CPU ms")
    names = ("storeCalls", "readUnits", "writeUnits", "readKilobytes", "writtenKilobytes", "queueCalls")
    rows = [
        (what, *(f"{one[name]:,g}" for name in names), f"{one['cpuMilliseconds']:g}")
        for what, one in counted["each"].items()
        if what in MONTH or not what.startswith("GET ")
    ]
    return table(head, rows)


def _hours(wave: sunday.Wave) -> str:
    """Show the first hour of the wave, every fourth hour after it, and the last one."""
    rows = sunday.rows(wave)
    return table(sunday.HEAD, [row for hour, row in enumerate(rows) if hour % 4 == 0 or hour == len(rows) - 1])


def _assumed() -> str:
    rows = [
        (what, f"{work.often:.3g}", f"{work.seconds:g}", f"{work.gigabytes:g}", work.says)
        for what, work in MONTH.items()
    ]
    return table(("A website's", "a month", "seconds of a function", "GB", "because"), rows)


def amounts(
    counted: dict[str, Any], *, websites: int = WEBSITES, pages: int | None = None, requests: float | None = None
) -> dict[str, float]:
    """Return how much of each item in ``PRICES`` these websites use in a month.

    - ``pages``: pages per website; None for the number of pages with which ``python -m bench units`` counted. Audits,
      rechecks and storage grow with the number of pages.
    - ``requests``: API requests of all websites together; None for the number in ``MONTH``. The requests are divided
      among the operations in the proportions of ``MONTH``.
    """
    each, larger = counted["each"], (pages or counted["auditPages"]) / counted["auditPages"]
    asked = sum(work.often for what, work in MONTH.items() if what.startswith("GET "))
    share = 1.0 if requests is None else requests / (websites * asked)
    often = {what: websites * work.often * (share if what.startswith("GET ") else 1) for what, work in MONTH.items()}
    size = {what: larger if what in ("audit", "recheck") else 1.0 for what in MONTH}

    def total(name: str) -> float:
        return float(sum(often[what] * size[what] * each[what][name] for what in MONTH))

    answered, calls = websites * asked * share, sum(often.values())
    stored = websites * larger * STORED_MEGABYTES / 1_000
    return {
        "write units": total("writeUnits"),
        "read units": total("readUnits"),
        "storage": stored,
        "recovery": stored,
        "function time": sum(often[what] * size[what] * work.seconds * work.gigabytes for what, work in MONTH.items()),
        "function calls": calls,
        "queue calls": 3 * total("queueCalls") + IDLE_POLLS,  # each message is sent, received and deleted
        "API calls": answered,
        "logs": calls * LOGGED_KILOBYTES / 1e6,
        "data out": answered * ANSWER_KILOBYTES / 1e6,
        "pages read": websites * larger * WEEKS * counted["auditPages"] * 10 / 1e6,
    }


def cost(name: str, amount: float) -> float:
    """Return the list price of an amount, in USD."""
    return amount / PRICES[name].each * PRICES[name].usd


def _month(counted: dict[str, Any]) -> str:
    rows, whole = [], 0.0
    for name, amount in amounts(counted).items():
        whole += cost(name, amount)
        rows.append((name, f"{amount:,.0f}", f"{cost(name, amount):,.0f}"))
    rows.append(("**in all**", "", f"**{whole:,.0f}**"))
    rows.append(("a website", "", f"{whole / WEBSITES:.3f}"))
    return table(("What", "a month", "USD"), rows)


def plan_costs(counted: dict[str, Any], plan: plans.Plan) -> dict[str, float]:
    """Return the monthly cost, in USD, of one workspace at the limits of its plan.

    - ``websites``: the cost of its websites without requests.
    - ``requests``: the cost of one key that always sends as many requests as it may.

    The polls of idle queues are not included.
    """
    websites = plan.websites or UNLIMITED
    asked = plan.api_requests_per_hour * 24 * DAYS
    usage = {
        requests: amounts(counted, websites=websites, pages=plan.pages_per_audit, requests=requests)
        for requests in (0, asked)
    }
    idle = cost("queue calls", IDLE_POLLS)
    alone, whole = (sum(cost(*one) for one in usage[requests].items()) - idle for requests in (0, asked))
    return {"websites": alone, "requests": whole - alone}


def _plans(counted: dict[str, Any]) -> str:
    rows = []
    for plan in plans.catalogue().plans:
        costs = plan_costs(counted, plan)
        rows.append(
            (
                plan.name,
                str(plan.websites) if plan.websites else f"no limit: {UNLIMITED}",
                f"{plan.pages_per_audit:,}",
                *(f"{costs[part]:,.2f}" for part in ("websites", "requests")),
                f"{sum(costs.values()):,.2f}",
                f"{plan.price_monthly:,g} {plans.catalogue().currency}",
            )
        )
    head = ("Plan", "websites", "pages an audit", "USD for the websites", "USD for one key", "USD in all", "its price")
    return table(head, rows)


def _sunday(waves: list[sunday.Wave]) -> str:
    rows = []
    for wave in waves:
        crawls = max(hour.crawls for hour in wave.hours)
        rows.append(
            (
                wave.functions,
                f"{wave.seconds:g}",
                wave.waiting,
                sunday.clock_of(wave.lasts),
                f"{max(hour.waiting for hour in wave.hours):,}",
                f"{max(hour.oldest for hour in wave.hours):,.0f}",
                f"{wave.repeated:,}",
                f"{max(hour.writes for hour in wave.hours):,.0f}",
                f"{crawls:,.0f}",
            )
        )
    head = (
        *("functions `crawl` at once", "seconds an audit", "waiting at most", "last audit ends"),
        *(
            "messages in `crawl`",
            "oldest, seconds",
            "messages sent again",
            "write units a second",
            "of them table `crawls`",
        ),
    )
    return table(head, rows)


def _breaks(wave: sunday.Wave) -> str:
    rows = [(sunday.clock_of(one.at), one.what, one.remedy) for one in wave.breaks]
    return table(("When", "What", "What to do"), rows)


def _partitions(counted: dict[str, Any]) -> str:
    starts = weekly.WAITING / len(keys.shards()) / 60  # the most starts per second and shard
    rows = []
    for name, units in counted["hottest"].items():
        if name.startswith("index "):
            per_second, why = starts * units, "one of 16 shards, at the highest allowed rate of starts"
        else:
            per_second, why = units / MONTH["audit"].seconds, "one audit, all within a minute"
        rows.append((f"`{name}`", f"{units:g}", f"{per_second:.1f}", f"{per_second / PARTITION_WRITES:.1%}", why))
    return table(("Table", "Write units", "Write units a second", "Share of a partition's limit", "Measured for"), rows)
