"""What a workspace used is told once, with its workspace: every worker that does what a plan limits or what costs."""

from collections.abc import Iterator

import pytest

from chalicelib import metrics
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, websites
from chalicelib.store.websites import Website
from chalicelib.workers import agentic
from local.standins.assistants import Assistants
from tests import speed as speed_tests
from tests import webhooks
from tests.changes import open_house
from tests.searched import searched
from tests.servers.receiver import Receiver
from tests.servers.wire import WireServer
from tests.visibility import sampled
from tests.workers.audit import previewing
from tests.workers.audit.alerting import alerted, small_site
from tests.workers.audit.rechecking import TITLE, rechecked, untitled_site
from tests.workers.audit.websites import Site, audit, html, new_website
from tests.workers.test_agentic import queue

Used = list[tuple[str, str, int]]


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> Used:
    """What was used since the test began."""
    found: Used = []

    def use(what: str, workspace_id: str, count: int) -> None:
        if count:
            found.append((what, workspace_id, count))

    monkeypatch.setattr(metrics, "use", use)
    return found


@pytest.fixture
def site(audits_of_loopback: None) -> Iterator[tuple[Website, Site]]:
    made = untitled_site()
    with WireServer(made) as server:
        website = new_website(server)
        audit(website)
        for name in "bcd":
            made.pages[f"/{name}"] = html(f"Everything about the letter {name.upper()}", "/")
        yield website, made


def test_pages_fetched_by_audits_rechecks_and_previews_count_as_usage(used: Used, site: tuple[Website, Site]) -> None:
    website, made = site
    (of_audit,) = used
    assert of_audit[:2] == ("pages", website.workspace_id) and of_audit[2] > 3
    assert rechecked(website, TITLE).status == "done"
    with WireServer(made) as staging:
        found = previewing.work(previewing.start(website, staging.url()))
    assert used == [of_audit, ("pages", website.workspace_id, 3), ("pages", website.workspace_id, of_audit[2])]
    assert found.header.pages_crawled == of_audit[2]


def test_pages_fetched_because_of_an_alert_count_as_usage(used: Used, audits_of_loopback: None) -> None:
    made = small_site()
    with WireServer(made) as server:
        website = new_website(server)
        audit(website)
        made.pages["/b"] = html("Everything about the letter B", "/")
        alerted(website, server, "/b")
    assert used[1:] == [("pages", website.workspace_id, 1)]


def test_only_answers_that_an_assistant_really_gave_are_counted_as_usage(
    used: Used, monkeypatch: pytest.MonkeyPatch, store: None
) -> None:
    standin = Assistants()
    try:
        with sampled(monkeypatch, standin) as house:
            house.add("Which boots?")
            standin.misbehave("refuse")
            house.next_week()
            workspace_id = websites.existing(OPERATOR, house.site_id, "read").workspace_id
    finally:
        standin.stop()
    assert used == [("answers", workspace_id, 1)] * 3, "a refusal is an answer; no answer costs nothing"


def test_each_speed_test_is_counted_as_usage(used: Used, monkeypatch: pytest.MonkeyPatch, store: None) -> None:
    speed_tests.engine(monkeypatch)
    workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
    queue(websites.add(OPERATOR, workspace.id, "https://shop.example/"))
    assert speed_tests.work("agentic", agentic.handle) == 1
    assert used == [("speed tests", workspace.id, 1)]


def test_written_changes_are_counted_as_usage(used: Used, monkeypatch: pytest.MonkeyPatch, store: None) -> None:
    with open_house(monkeypatch) as house:
        house.apply({"/a": "All about A", "/b": "All about B"})
        house.write()
        # Its audit counted pages, unless the rows of an equal one were put back.
        assert [one for one in used if one[0] != "pages"] == [("changes", house.website.workspace_id, 2)]


def test_each_delivery_attempt_is_counted_as_usage(used: Used, audits_of_loopback: None) -> None:
    with Receiver() as receiver:
        endpoint = webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        webhooks.deliver()
        assert len(receiver.arrivals) == 1
    assert used == [("deliveries", endpoint.workspace_id, 1)]


def test_all_rows_of_an_import_are_counted_as_usage(used: Used, monkeypatch: pytest.MonkeyPatch, store: None) -> None:
    with searched(monkeypatch, 10) as house:
        house.connect()
        house.work()
        source = house.source()
        assert source is not None
        assert used == [("imported rows", house.website().workspace_id, source.imported_rows)]
