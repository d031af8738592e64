"""The first import of a website, sixteen months at once: what it asks the search service, and in how many turns.

It is over within seconds on one machine because nothing is asked twice and no turn waits for another: both are counted.
"""

import pytest

from chalicelib.domain.search import importing
from chalicelib.domain.search.pairs import WINDOW_DAYS
from chalicelib.workers import imports, search_import
from local.standins import search_console
from tests.searched import searched

KINDS_OF_TOTALS = 6  # all, by country and by device, of web and of images


@pytest.mark.deep
def test_sixteen_months_are_imported_in_one_run_requesting_each_day_once(
    store: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_import, "SLICE_SECONDS", 3_600.0)  # however slow the machine is
    monkeypatch.setattr(search_import, "LAST_SECONDS", 3_600.0)
    turns = []
    handle = imports.handle
    monkeypatch.setattr(imports, "handle", lambda message, context: turns.append(message) or handle(message, context))
    monkeypatch.setattr(search_console, "KEPT_DAYS", 600)
    with searched(monkeypatch, 500) as house:
        house.connect()
        house.search.asked.clear()
        house.work()
        kept = importing.wanted(house.data.final)
        known = {name: manifest.period for name, manifest in house.manifests().items()}
        assert known["query"] == known["page"] == known["totals"] == kept and kept.length > 480
        asked = [tuple(body["dimensions"]) for body in house.search.asked]
        months = len(importing.totals_months(None, kept))
        assert asked.count(("query",)) == asked.count(("page",)) == kept.length
        assert asked.count(("query", "page")) == WINDOW_DAYS
        assert sum(one[0] == "date" for one in asked) <= months * KINDS_OF_TOTALS + 2  # and which day is the last
        assert len(house.search.asked) == len(asked)
    imported = [message for message in turns if message["kind"] == "search_import"]
    assert len(imported) == 1
