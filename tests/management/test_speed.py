"""``speed`` and ``imports`` on the command line."""

from collections.abc import Callable

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import jobs
from chalicelib.store import speed as store
from chalicelib.store.websites import Website
from tests import aws
from tests.management.conftest import Run


@pytest.fixture
def website(store: None) -> Website:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "free")
    return websites.add(OPERATOR, workspace.id, "https://acme.example")


def test_weekly_tests_and_a_test_of_one_page_can_be_started(
    run: Run, website: Website, refused: Callable[..., str]
) -> None:
    weekly = run("speed", "run", website.id)
    assert (weekly["kind"], weekly["queued"], weekly["siteId"]) == ("speed_tests", True, website.id)
    one = run("speed", "run", website.id, "--url", "https://acme.example/boots")
    assert one["kind"] == "agentic_run"
    assert [message["jobId"] for message in aws.messages("agentic")] == [weekly["id"], one["id"]]
    assert store.load_state(website.id).used == 1
    assert "acme.example" in refused("speed", "run", website.id, "--url", "https://elsewhere.example/")
    assert "already queued" in refused("speed", "run", website.id, "--url", "https://acme.example/boots")
    refused("speed", "run", "site_unknown")


def test_a_missing_api_key_is_reported_as_soon_as_work_is_queued(
    run: Run, website: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PAGESPEED_API_KEY", "CRUX_API_KEY"):
        monkeypatch.setenv(name, "")
    forget_settings()
    assert "PAGESPEED_API_KEY is not set" in run("speed", "run", website.id)["note"]
    assert "CRUX_API_KEY is not set" in run("imports", "run", website.id, "field-data")["note"]
    for name in ("PAGESPEED_API_KEY", "CRUX_API_KEY"):
        monkeypatch.setenv(name, "a key")
    forget_settings()
    assert run("speed", "run", website.id)["note"] is None
    assert run("imports", "run", website.id, "field-data")["note"] is None
    monkeypatch.undo()
    forget_settings()


def test_field_data_can_be_fetched_immediately(run: Run, website: Website, refused: Callable[..., str]) -> None:
    begun = run("imports", "run", website.id, "field-data")
    assert begun["queued"] is True and jobs.get(website.id, "field_data") is not None
    assert [message["kind"] for message in aws.messages("imports")] == ["field_data"]
    assert "field-data" in refused("imports", "run", website.id, "weather")
