"""Live reads of readiness: one of each file at a time, a few of a workspace, and answers for the others meanwhile."""

import pytest

from chalicelib import clock
from chalicelib.operations import live_reads
from chalicelib.store import live_reads as stored
from chalicelib.store.websites import Website
from tests.api.client import Client
from tests.api.conftest import House, Serve
from tests.api.live import Files, crawlers, llms

MINUTE = 60.0


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_reads, "WAIT_SECONDS", 0.3)
    monkeypatch.setattr(live_reads, "POLL_SECONDS", 0.05)


def held(site: Website, file: str) -> stored.Reading:
    """Another request that reads the file, and goes on doing so."""
    reading = stored.begin(site.id, site.workspace_id, file, clock.now())
    assert reading is not None
    return reading


def passes(seconds: float) -> None:
    clock.set_offset(clock.offset() + seconds)


def test_a_request_during_a_live_read_gets_the_cached_text(house: House, served: Serve) -> None:
    files = Files({"/llms.txt": b"# Boots\n", "/robots.txt": b"User-agent: *\nDisallow: /\n"})
    site = served(files)
    first = llms(house, site), crawlers(house, site)
    passes(MINUTE)
    held(site, "llms_txt"), held(site, "ai_crawlers")
    again = llms(house, site), crawlers(house, site)
    assert again[0]["live"] == first[0]["live"], "fetchedAt too"
    assert again[1]["robotsTxt"] == first[1]["robotsTxt"] and again[1]["crawlers"] == first[1]["crawlers"]


@pytest.mark.parametrize("file", ["llms-txt", "ai-crawlers"])
def test_a_second_request_during_the_first_live_read_gets_the_error_busy(
    house: House, served: Serve, file: str
) -> None:
    site = served(Files({}))
    held(site, file.replace("-", "_"))
    answer = Client(house.key).get(f"/sites/{site.id}/geo/{file}")
    assert (answer.status, answer.json["error"]["code"]) == (409, "busy")
    assert answer.headers["retry-after"] == "1"


def test_a_cached_text_older_than_ten_minutes_is_not_used(house: House, served: Serve) -> None:
    site = served(Files({"/llms.txt": b"# Boots\n"}))
    llms(house, site)
    passes(stored.KEPT_SECONDS + 1)
    held(site, "llms_txt")
    assert Client(house.key).get(f"/sites/{site.id}/geo/llms-txt").status == 409


def test_a_live_read_that_crashed_blocks_others_only_until_its_lease_ends(house: House, served: Serve) -> None:
    site = served(Files({"/llms.txt": b"# Boots\n"}))
    held(site, "llms_txt")
    passes(stored.LEASE_SECONDS + 1)
    assert llms(house, site)["live"]["found"]


def test_a_workspace_reads_a_limited_number_of_files_at_once(house: House, served: Serve) -> None:
    sites = [served(Files({"/llms.txt": b"# Boots\n"})) for _ in range(stored.READS_OF_A_WORKSPACE + 1)]
    readings = [held(site, "llms_txt") for site in sites[:-1]]
    path = f"/sites/{sites[-1].id}/geo/llms-txt"
    assert Client(house.key).get(path).status == 409
    stored.end(readings[0], None, clock.now())
    assert Client(house.key).get(path).status == 200


def test_a_value_cached_in_another_format_is_ignored(house: House, served: Serve) -> None:
    site = served(Files({"/llms.txt": b"# Boots\n"}))
    stored.end(held(site, "llms_txt"), stored.pack({"of": "a later version"}), clock.now())
    held(site, "llms_txt")
    assert Client(house.key).get(f"/sites/{site.id}/geo/llms-txt").status == 409
