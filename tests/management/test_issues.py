"""``issues`` on the command line."""

from collections.abc import Callable, Iterator

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store.websites import Website
from local.standins.assistants import Assistants
from management.output import timestamp
from tests.api import seed
from tests.management.conftest import Run


@pytest.fixture
def website(store: None) -> Website:
    """A website after an audit: one open issue, one resolved."""
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    website = websites.add(OPERATOR, workspace.id, "https://acme.example")
    seed.audited(website)
    return website


@pytest.fixture
def assistant(monkeypatch: pytest.MonkeyPatch) -> Iterator[Assistants]:
    standin = Assistants()
    for name, value in {**standin.settings({}), "ALLOW_ADDRESSES": "127.0.0.0/8"}.items():
        monkeypatch.setenv(name, value)
    forget_settings()
    yield standin
    standin.stop()
    monkeypatch.undo()
    forget_settings()


def test_issues_are_listed_ignored_and_taken_back(run: Run, website: Website) -> None:
    rows = run("issues", "list", website.id)["items"]
    assert {row["ruleId"]: row["status"] for row in rows} == {
        seed.PAGE_RULE.id: "open",
        seed.SITE_RULE.id: "resolved",
    }
    (row,) = run("issues", "list", website.id, "--status", "open", "--status", "ignored")["items"]
    assert row["affectedPages"] == 2 and row["firstSeen"] < row["lastSeen"] <= timestamp(clock.now())
    ignored = run("issues", "ignore", website.id, row["id"])
    assert (ignored["id"], ignored["siteId"], ignored["status"]) == (row["id"], website.id, "ignored")
    assert run("issues", "list", website.id, "--status", "ignored")["items"][0]["id"] == row["id"]
    assert run("issues", "unignore", website.id, row["id"])["status"] == "open"


def test_an_explanation_is_drafted_and_shown(run: Run, website: Website, assistant: Assistants) -> None:
    (row,) = run("issues", "list", website.id, "--status", "open")["items"]
    assert row["explained"] is False
    explained = run("issues", "explain", website.id, row["id"])
    assert explained["explanation"].startswith("No AI model was asked")
    assert explained["explainedBy"].startswith("openai ") and explained["explainedAt"].endswith("Z")
    assert run("issues", "list", website.id, "--status", "open")["items"][0]["explained"] is True


def test_a_website_without_an_audit_has_no_issues(run: Run) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "free")
    site = run("websites", "add", workspace["id"], "https://example.org")
    assert run("issues", "list", site["id"]) == {"items": []}


def test_what_is_refused_is_said_in_one_plain_line(
    run: Run, refused: Callable[..., str], website: Website, assistant: Assistants, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSISTANT")
    forget_settings()
    by_state = {row["status"]: row["id"] for row in run("issues", "list", website.id)["items"]}
    assert "There is no website site_none." in refused("issues", "list", "site_none")
    assert "has no issue iss_none." in refused("issues", "ignore", website.id, "iss_none")
    assert "cannot be ignored" in refused("issues", "ignore", website.id, by_state["resolved"])
    assert "cannot be taken back" in refused("issues", "unignore", website.id, by_state["open"])
    assert "cannot be explained" in refused("issues", "explain", website.id, by_state["resolved"])
    assert "No AI assistant is connected" in refused("issues", "explain", website.id, by_state["open"])
    assert "'closed' is no state" in refused("issues", "list", website.id, "--status", "closed")
