"""Writes through a CMS that is quick: that the service waits for the pages does not make the CMS slow."""

from collections import Counter
from dataclasses import replace

import pytest

from chalicelib.domain.changes.batch import job_id
from chalicelib.store import jobs
from chalicelib.store.lanes import LANES
from chalicelib.workers import writes
from chalicelib.workers.audit import window
from chalicelib.workers.writing import live
from tests import aws
from tests.changes import open_house
from tests.workers.audit.websites import Runtime

pytestmark = pytest.mark.usefixtures("store")


def test_a_cms_is_not_marked_slow_while_pages_are_not_yet_live(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = tuple(f"/p{number:02}" for number in range(26))  # two blocks
    with open_house(monkeypatch, paths) as house:
        monkeypatch.setattr(live, "WAITS", (0.0, 1.5, 1.5))
        monkeypatch.setattr(window, "WAKE_SECONDS", 0.05)
        monkeypatch.setitem(LANES, "writes", replace(LANES["writes"], patience=2.5))  # type: ignore[index]
        house.cms.misbehave("hide_writes")
        batch = house.apply({path: f"All about {path}" for path in paths})
        (message,) = aws.messages("writes")
        writes.handle(message, Runtime())
        assert Counter(house.statuses(batch).values()) == {"not_live": 26}
        assert len(house.cms.writes) == 26, "each was sent once"
        assert not jobs.find(house.site_id, job_id(batch.id), LANES["writes"]).slow
        assert aws.messages("writes-slow") == []
