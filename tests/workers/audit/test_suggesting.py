"""The suggestions of an audit: stored beside the affected pages, replaced with them."""

from collections.abc import Iterator

import pytest

from chalicelib.domain.suggestion import Suggestion
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issue_details, issues, items, keys
from chalicelib.store.websites import Website
from chalicelib.workers.audit import reading
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Site, audit, html, new_website


@pytest.fixture
def served(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.01)
    forget_settings()
    yield
    forget_settings()


def stored(website: Website, rule_id: str, *, offset: int = 0, limit: int = 100) -> list[Suggestion]:
    book = issues.load_state(website.id)
    assert book is not None
    issue = next(issue for issue in book.issues if issue.rule_id == rule_id)
    return issue_details.load(website.id, issue, offset=offset, limit=limit).suggestions


def blocks(website: Website) -> list[str]:
    return [item["sk"] for item in items.query_all("issues", keys.site_partition(website.id), "SUG#")]


def untitled(heading: str) -> str:
    return html(None, "/").replace("<h1>A page</h1>", f"<h1>{heading}</h1>")


def test_new_suggestions_of_an_audit_replace_the_stored_ones(served: None) -> None:
    site = Site({"/": html("The home page of a small website", "/a", "/b")})
    site.pages["/a"] = untitled("How to repair a torn tent on the trail")
    site.pages["/b"] = untitled("How to wash a sleeping bag at home")
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        assert [one.suggested for one in stored(website, "SEO-ONP-001")] == [
            "How to repair a torn tent on the trail",
            "How to wash a sleeping bag at home",
        ]
        assert [one.suggested for one in stored(website, "SEO-ONP-001", offset=1, limit=1)] == [
            "How to wash a sleeping bag at home"
        ]
        site.pages["/a"] = html("How to repair a torn tent on the trail", "/")
        second = audit(website)
        (left,) = stored(website, "SEO-ONP-001")
        assert left.suggested == "How to wash a sleeping bag at home"
        site.pages["/b"] = html("How to wash a sleeping bag at home", "/")
        audit(website)
    book = issues.load_state(website.id)
    assert book is not None
    issue = next(issue for issue in book.issues if issue.rule_id == "SEO-ONP-001")
    assert issue.status == "resolved" and issue.suggestions is None
    assert issue_details.load(website.id, issue, offset=0, limit=100)[:3] == ([], [], 0)
    replaced = [sk for sk in blocks(website) if issue.id in sk and second.id in sk]
    expiring = {
        sk: item["ttl"] for sk in replaced if (item := items.get("issues", keys.site_partition(website.id), sk))
    }
    assert replaced and expiring.keys() == set(replaced)


def test_a_page_that_does_not_answer_stays_listed_without_a_suggestion(served: None) -> None:
    site = Site({"/": html("The home page of a small website", "/a"), "/a": untitled("How to repair a torn tent")})
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/a"] = ("500 Internal Server Error", {"content_type": "text/html"}, b"")
        audit(website)
    (one,) = stored(website, "SEO-ONP-001")
    assert (one.url.endswith("/a"), one.suggested) == (True, None)
