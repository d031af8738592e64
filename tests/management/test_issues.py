"""``issues`` on the command line."""

from collections.abc import Callable, Iterator

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.suggestion import Suggestion, SuggestionSet
from chalicelib.operations import accounts, websites
from chalicelib.rules import registry
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issues
from chalicelib.store.transactions import commit
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


def test_issues_are_listed_ignored_and_reopened(run: Run, website: Website) -> None:
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


def test_an_issue_is_shown_with_reason_fix_pages_and_suggestions(run: Run, website: Website) -> None:
    book = issues.load_state(website.id)
    assert book is not None
    rule = next(rule for rule in registry.RULES if rule.writable_field == "title")
    issue = book.issues[0]
    issue.rule_id = rule.id
    page_id = ids.page_id(website.id, seed.url(website, 0))
    suggested = [Suggestion(seed.url(website, 0), page_id, "Old", "New", None, "h1")]
    writes, counts = issues.suggestion_writes(website.id, issue.id, seed.AUDIT, suggested)
    issue.suggestions = SuggestionSet(seed.AUDIT, counts)
    book.version += 1
    commit([*writes, issues.put_state(website.id, book, replaces=book.version - 1)])
    shown = run("issues", "show", "acme.example", issue.id)  # by its host
    assert (shown["id"], shown["siteId"], shown["title"], shown["severity"]) == (
        *(issue.id, website.id),
        *(rule.title, rule.severity),
    )
    assert (shown["what"], shown["why"], shown["fix"], shown["notWhen"]) == (
        *(rule.what, rule.why),
        *(rule.fix, rule.not_when),
    )
    (row,) = run("issues", "list", website.id, "--status", "open")["items"]
    assert {name: shown[name] for name in row} == row and "estimatedScoreGain" in row
    assert shown["pages"] == [{"url": seed.url(website, n), "message": "It is so."} for n in range(2)]
    assert shown["suggestions"] == [{"url": seed.url(website, 0), "current": "Old", "suggested": "New", "note": None}]
    few = run("issues", "show", website.id, issue.id, "--pages", "1")
    assert (few["pagesTotal"], len(few["pages"])) == (2, 1)
    none = run("issues", "show", website.id, issue.id, "--pages", "0")
    assert (none["pagesTotal"], none["pages"], none["suggestions"]) == (2, [], [])


def test_an_issue_of_the_whole_website_is_shown_with_its_home_page(run: Run, website: Website) -> None:
    seed.reopened(website)
    by_rule = {row["ruleId"]: row["id"] for row in run("issues", "list", website.id)["items"]}
    shown = run("issues", "show", website.id, by_rule[seed.SITE_RULE.id])
    assert shown["pages"] == [{"url": website.url, "message": "It is so."}] and shown["suggestions"] == []


def test_an_issue_of_a_removed_rule_is_shown_without_rule_texts(run: Run, website: Website) -> None:
    book = issues.load_state(website.id)
    assert book is not None
    book.issues[0].rule_id = "SEO-GONE-001"
    book.version += 1
    commit([issues.put_state(website.id, book, replaces=book.version - 1)])
    shown = run("issues", "show", website.id, book.issues[0].id)
    assert (shown["title"], shown["why"], shown["pagesTotal"]) == (None, None, 2)


def test_the_history_of_an_issue_is_shown(run: Run, website: Website, refused: Callable[..., str]) -> None:
    (row,) = run("issues", "list", website.id, "--status", "open")["items"]
    run("issues", "ignore", website.id, row["id"], "--reason", "It is meant so")
    ignored, found = run("issues", "history", website.id, row["id"])["items"]
    assert (ignored["kind"], ignored["reason"], ignored["by"]) == ("ignored", "It is meant so", None)
    assert (found["kind"], found["pages"], found["crawlId"]) == ("found", 2, seed.BEFORE)
    assert "has no issue iss_none." in refused("issues", "history", website.id, "iss_none")


def test_two_audits_are_compared(run: Run, website: Website, refused: Callable[..., str]) -> None:
    told = run("audits", "diff", website.id, seed.AUDIT)
    assert (told["audit"]["id"], told["against"]["id"], told["audit"]["score"]) == (seed.AUDIT, seed.BEFORE, 81.4)
    assert told["pages"]["appeared"] == {"count": 1, "urls": [seed.url(website, 0)]}
    assert told["crawlers"] == [{"bot": "GPTBot", "before": True, "after": False}]
    same = run("audits", "diff", website.id, seed.AUDIT, "--against", seed.AUDIT)
    assert same["issues"] == [] and same["pages"]["changed"]["count"] == 0
    assert "No audit before this one is stored" in refused("audits", "diff", website.id, seed.BEFORE)
    assert "has no audit crawl_none." in refused("audits", "diff", website.id, "crawl_none")


def test_an_explanation_is_requested_and_shown(run: Run, website: Website, assistant: Assistants) -> None:
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


def test_a_refusal_is_printed_in_one_line(
    run: Run, refused: Callable[..., str], website: Website, assistant: Assistants, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSISTANT")
    forget_settings()
    by_state = {row["status"]: row["id"] for row in run("issues", "list", website.id)["items"]}
    assert "There is no website site_none." in refused("issues", "list", "site_none")
    assert "has no issue iss_none." in refused("issues", "ignore", website.id, "iss_none")
    assert "has no issue iss_none." in refused("issues", "show", website.id, "iss_none")
    assert "cannot be ignored" in refused("issues", "ignore", website.id, by_state["resolved"])
    assert "cannot be taken back" in refused("issues", "unignore", website.id, by_state["open"])
    assert "cannot be explained" in refused("issues", "explain", website.id, by_state["resolved"])
    assert "No AI assistant is connected" in refused("issues", "explain", website.id, by_state["open"])
    assert "'closed' is not a state" in refused("issues", "list", website.id, "--status", "closed")
