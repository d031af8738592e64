"""A preview that is killed before or after any of its writes ends as if nothing had happened; so does a removal of its
website at any of them, which leaves nothing of it."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.operations import accounts, previews, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import kept_audits, removals
from chalicelib.store import previews as stored
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.audit import checking, crawl
from chalicelib.workers.audit.lease import LEASE_SECONDS
from local import embedded
from tests import aws
from tests.crash.crashing import dies_at, each_step, killed_at, points
from tests.crash.test_crawl_crashes import Runtime, site, take_messages
from tests.servers.wire import WireServer
from tests.workers.audit import previewing

LIVE = "https://shop.example.com/"


@pytest.fixture
def served(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[WireServer]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(checking, "GAP_ELSEWHERE_SECONDS", 0.0)
    monkeypatch.setenv("SLICE_SECONDS", "0")
    forget_settings()
    with WireServer(site) as server:
        yield server
    forget_settings()


def start(server: WireServer) -> tuple[Website, CrawlHeader]:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    website = websites.add(OPERATOR, workspace.id, LIVE)
    access = previews.access_of({"X-Bypass": "open"}, None)
    return website, previewing.start(website, server.url(), access=access)


def outcome(website: Website, header: CrawlHeader) -> dict[str, Any]:
    """Everything that a reader can see of the preview, without times and ids that are made at random."""
    found = stored.load(website.id, header.id)
    assert found is not None and found.kept is not None and found.kept.score is not None
    own, pages = previews.own_with_pages(website.id, found)
    assert pages is not None and kept_audits.newest(website.id, 1) == []
    assert not [row for row in aws.stored("crawls") if "sealed" in row], "what let it in is gone"
    committed = [row for row in aws.stored("crawls") if row["pk"] == f"CRAWL#{header.id}"]
    assert committed and all("ttl" in row for row in committed), "what was read expires"
    return {
        "status": (found.header.status, found.header.pages_crawled, found.header.issues_found, found.header.stage),
        "score": (found.kept.score.site, found.kept.score.health, found.kept.score.aeo),
        "issues": [(one.rule_id, one.status, one.affected_pages) for one in own.issues],
        "pages": sorted((one.url, one.status, one.title, tuple(one.rules)) for one in pages),
    }


@each_step
def test_a_worker_killed_at_any_write_gives_the_same_result(served: WireServer, step: int) -> None:
    website, header = start(served)
    with killed_at(None) as counter:
        previewing.work(header)
    undisturbed = outcome(website, header)
    assert undisturbed["status"][0] == "done" and undisturbed["pages"][0][0] == LIVE
    assert counter.count > 15

    for number, when in points(counter.count, step):
        embedded.clear()
        website, header = start(served)
        with dies_at(number, when):
            previewing.work(header)
        previewing.work(header)
        assert outcome(website, header) == undisturbed, (when, number, counter.operations[number])


@each_step
def test_a_killed_start_of_a_preview_is_all_or_nothing(served: WireServer, step: int) -> None:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    website = websites.add(OPERATOR, workspace.id, LIVE)
    access = previews.access_of({"X-Bypass": "open"}, None)
    for when in ("before", "after"):
        with dies_at(0, when):
            previewing.start(website, served.url(), access=access)
        begun = stored.last(website.id)
        left = [row for row in aws.stored("crawls") if "prev_" in row["sk"]]
        if when == "before":
            assert begun is None and left == []
        else:
            assert begun is not None and {row["sk"].split("#")[0] for row in left} == {"PREVIEW", "PREVIEWACCESS"}
            with pytest.raises(previews.Running):
                previewing.start(website, served.url(), access=access)
            clock.set_offset(clock.offset() + 121)  # its message was lost: the sweeper finds it
            sweeper.run()
            found = stored.load(website.id, begun.preview_id)
            assert found is not None and previewing.work(found.header).header.status == "done"


@each_step
def test_two_workers_on_the_same_part_of_a_preview_give_the_same_result_as_one(served: WireServer, step: int) -> None:
    website, header = start(served)
    with killed_at(None) as counter:
        previewing.work(header)
    undisturbed = outcome(website, header)

    for number in range(0, counter.count, step):
        embedded.clear()
        website, header = start(served)

        def overtake(header: CrawlHeader = header) -> None:
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
            sweeper.run()
            second = threading.Thread(target=previewing.work, args=(header,))
            second.start()
            second.join()

        with killed_at(number, "before", instead=overtake):
            previewing.work(header)
        assert outcome(website, header) == undisturbed, (number, counter.operations[number])


@each_step
def test_removing_a_website_removes_its_preview(served: WireServer, step: int) -> None:
    website, header = start(served)
    with killed_at(None) as counter:
        previewing.work(header)

    for number in range(0, counter.count, step):
        embedded.clear()
        website, header = start(served)

        def remove(website: Website = website) -> None:
            websites.remove(OPERATOR, website.id, wait=False)
            removals.purge(website.id)

        with killed_at(number, "before", instead=remove):
            for _ in range(counter.count):
                for message in take_messages():
                    crawl.handle(message, Runtime())
        left = [row for row in aws.stored("crawls") if header.id in f"{row['pk']} {row['sk']}" and "ttl" not in row]
        assert left == [], (number, counter.operations[number])
        assert stored.load(website.id, header.id) is None
