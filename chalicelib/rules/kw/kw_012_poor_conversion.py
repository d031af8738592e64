"""KW-012: a page gets many visitors from search, but converts a much smaller share of them than other pages do."""

from typing import Final

from chalicelib.rules.kw.model import Conversion, SearchData, Task, Verdicts

LEAST_SESSIONS: Final = 100
SHARE: Final = 0.4  # of the website's conversion rate; pages below it are reported


def check(data: SearchData) -> Verdicts:
    if data.conversions is None:
        return
    sessions = sum(one.sessions for one in data.conversions.values())
    rate = sum(one.converted for one in data.conversions.values()) / sessions if sessions else 0.0
    for page, one in data.conversions.items():
        if rate and page in data.known and one.sessions >= LEAST_SESSIONS:
            yield page, _task(one, rate) if one.converted / (rate * one.sessions) < SHARE else None


def _task(one: Conversion, rate: float) -> Task:
    own = one.converted / one.sessions
    return Task(
        f"Of {one.sessions:,} visits from search to this page, {own:.1%} had a key event. Of all visits from search "
        f"to the website, {rate:.1%} had one.",
        {"sessions": one.sessions, "conversionRate": round(own, 4), "websiteRate": round(rate, 4)},
        one.sessions * (rate - own),
    )
