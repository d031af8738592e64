"""``python -m bench.analytics``: landing pages of a large property, joined with search data and put in order.

10,000 rows of landing pages, two key events of each, and search figures of as many paths. Beside it stands what nobody
can do without: decoding the property's two answers as the client does. Both are done in turns, and the least CPU of
each counts.
"""

import json
import sys
from datetime import date
from typing import Any, Final

from bench.measure import cpu_of

ROWS = 10_000
TURNS = 15
MOST_TIMES = 3.0
EVENTS: Final = ("purchase", "sign_up")


def main() -> int:
    """Returns 1 when the target is missed."""
    import pytest

    from chalicelib.connectors.analytics import Analytics
    from chalicelib.connectors.answers import decoded
    from chalicelib.connectors.google import GoogleApi, ServiceAccount
    from chalicelib.domain.analytics.landing_pages import SORTS, by_path, joined, ordered
    from chalicelib.domain.search.figures import Figures
    from chalicelib.operations.sources import GivenAccount

    told = [json.dumps(answer).encode() for answer in _answers()]
    wires: list[type] = []

    def answered(_: object, path: str, wire: type, body: object, *, seconds: float) -> Any:
        wires.append(wire)
        return decoded(told[len(wires) - 1], wire)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GoogleApi, "ask", answered)
        property_ = Analytics("1", ["acme.example"], GivenAccount(ServiceAccount(client_email="a@b", private_key="")))
        report = property_.landing_pages(date(2026, 11, 1), date(2026, 11, 28), "organic")
    searched = [(f"acme.example{_path(number)}", Figures(number % 50, 900, 4_500)) for number in range(0, 2 * ROWS, 2)]

    def decode() -> None:
        for one, wire in zip(told, wires, strict=True):
            decoded(one, wire)

    def work() -> None:
        found = joined(report, by_path(searched))
        assert len(found) == ROWS
        assert len(ordered(found, next(sorts), descending=True)) == ROWS

    sorts = iter(SORTS * TURNS)
    costs = [(cpu_of(work), cpu_of(decode)) for _ in range(TURNS)]
    mine, least = (min(column) for column in zip(*costs, strict=True))
    met = mine <= MOST_TIMES * least
    print(f"{ROWS:,} landing pages, {len(report.events):,} key events, {sum(map(len, told)) / 1e6:.1f} MB of JSON")
    print(f"{'what':<66}{'CPU s':>8}{'x':>8}")
    print(f"{'decoding both answers, as the client does':<66}{least:>8.3f}{1:>8.2f}")
    print(f"{'joined with search data and put in order':<66}{mine:>8.3f}{mine / least:>8.2f}")
    print(f"at most {MOST_TIMES:g} times the decoding: {'met' if met else 'MISSED'}")
    return 0 if met else 1


def _answers() -> tuple[dict[str, Any], dict[str, Any]]:
    """The answers of a property to what is asked of it, in the form of the service."""
    pages = [
        ([_path(number)], [200 + number % 97, 90, 12, 0.04, number % 3, 19.5 * (number % 3), 19.5 * (number % 3)])
        for number in range(ROWS)
    ]
    events = [([_path(number), name], [1 + number % 7]) for number in range(ROWS) for name in EVENTS]
    return _answer(pages), _answer(events)


def _answer(rows: list[tuple[list[str], list[float]]]) -> dict[str, Any]:
    return {
        "rows": [
            {
                "dimensionValues": [{"value": value} for value in dimensions],
                "metricValues": [{"value": str(value)} for value in metrics],
            }
            for dimensions, metrics in rows
        ],
        "rowCount": len(rows),
        "metadata": {"currencyCode": "EUR", "timeZone": "Europe/Berlin"},
        "kind": "analyticsData#runReport",
    }


def _path(number: int) -> str:
    return f"/section-{number % 40}/a-page-of-the-shop-{number}"


if __name__ == "__main__":
    sys.exit(main())
