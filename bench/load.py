"""The assumed load of a large deployment: 100,000 websites, what each does in a month, and how long functions take.

``docs/scale-units.json`` has the counts of one operation of each kind (``python -m bench.units``). ``docs/scale.md`` is
computed from both the load and the counts, and ``bench.sunday`` uses both to simulate the wave of weekly audits.
"""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

UNITS: Final = Path(__file__).resolve().parent.parent / "docs" / "scale-units.json"
WEBSITES: Final = 100_000
WEEKS, DAYS = 52 / 12, 365 / 12  # of a month
FIRST_WRITES: Final = 4_000  # write units a second that every on-demand table takes at least, even a new table
PARTITION_WRITES: Final = 1_000  # write units a second that one partition takes


class Work(NamedTuple):
    """A kind of work that the service does for a website.

    - ``often``: how many times a month a website has this work.
    - ``seconds``: how long a function runs for it.
    - ``gigabytes``: that function's memory.
    - ``says``: the reason for the assumption.
    """

    often: float
    seconds: float
    gigabytes: float
    says: str


MONTH: Final = {
    "audit": Work(WEEKS, 60, 1.73, "once each Sunday; most of the minute is spent waiting for the website"),
    "recheck": Work(4, 10, 1.0, "one a week"),
    "event": Work(30, 0.1, 0.5, "one event a day, which one endpoint has subscribed to"),
    "delivery": Work(30, 0.5, 0.5, "one for each event"),
    "change written": Work(10, 2, 1.0, "includes waiting for the CMS and the live page"),
    "day imported": Work(DAYS / 10, 30, 1.0, "every website has a tenth of the 25,000 measured rows"),
    "GET website": Work(300, 0.1, 0.5, "ten a day"),
    "GET pages": Work(90, 0.2, 0.5, "three a day, at the cost for the largest website"),
    "GET issue of every page": Work(60, 0.2, 0.5, "two a day, at the cost for the largest website"),
    "GET portfolio of all websites": Work(1.5, 0.4, 0.5, "ten per day for each workspace of 200 websites"),
}


def counts() -> dict[str, Any]:
    """Read the stored counts. They have the same members as the result of ``bench.units.everything``."""
    content: dict[str, Any] = json.loads(UNITS.read_text("utf-8"))
    return content
