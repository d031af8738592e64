"""Data of a website beside its crawls: audits and rechecks use the same, and read it once."""

from collections.abc import Iterator, Sequence

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.inputs import SiteInputs
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.content import DELETED, ContentFields, ContentItem
from chalicelib.domain.search.figures import Figures
from chalicelib.operations import content, rechecks
from chalicelib.store import content as stored_content
from chalicelib.store import issues, items, keys
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers.audit import judging, recheck
from chalicelib.workers.audit.inputs import load_beside
from tests import aws
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Runtime, Site, audit, found, html, new_website

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

NOINDEX_UNREADABLE, IMPORTANT_NOINDEX, NO_TITLE, LONG_TITLE = "SEO-TEC-010", "SEO-TEC-008", "SEO-ONP-001", "SEO-ONP-005"
NAMES = "abcdef"


def held(
    server: WireServer, path: str, title: str = "A title", status: str = "published", **fields: bool
) -> ContentItem:
    return ContentItem(
        cms_id=f"page:{path}",
        url=server.url(path),
        type="page",
        status=status,
        title=title,
        fields=ContentFields(**fields),  # type: ignore[arg-type]
    )


def current(website: Website) -> Website:
    now = stored.get(website.workspace_id, website.id)
    assert now is not None
    return now


def issue_of(website: Website, rule_id: str) -> Issue:
    book = issues.load_state(website.id)
    assert book is not None
    return next(issue for issue in book.issues if issue.rule_id == rule_id)


def run_recheck(website: Website, rule_id: str) -> Issue:
    rechecks.start(current(website), ids.issue_id(website.id, rule_id), person_id=None, now=clock.now())
    (message,) = aws.messages("recheck")
    aws.purge("recheck")
    recheck.handle(message, Runtime())
    return issue_of(website, rule_id)


@pytest.fixture
def content_reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many content items of the store each call that reads any asks for."""
    calls: list[int] = []
    batch_get = items.batch_get

    def counting(wanted: Sequence[items.Key], consistent: bool = True) -> dict[items.Key, items.Item]:
        wanted = list(wanted)
        count = sum(key[1].endswith("#CONTENT") for key in wanted)
        calls.extend([count] if count else [])
        return batch_get(wanted, consistent)

    monkeypatch.setattr(items, "batch_get", counting)
    return calls


def test_audits_and_rechecks_judge_by_cms_content_that_they_read_in_one_call(content_reads: list[int]) -> None:
    closed = ("200 OK", {"content_type": "text/plain"}, "User-agent: Googlebot\nDisallow: /b")
    pages = {"/": html("The home page of a small website", "/a", "/b"), "/a": html(None, "/"), "/b": html("B", "/")}
    site = Site({**pages, "/b": html("B", "/", head='<meta name="robots" content="noindex">'), "/robots.txt": closed})
    with WireServer(site) as server:
        website = new_website(server)
        content.put(current(website), [held(server, "/b", noindex=True), held(server, "/a")], now=clock.now())
        content_reads.clear()
        audit(website)
        assert content_reads == [stored_content.BLOCKS + 1]
        assert found(website, NOINDEX_UNREADABLE) == ["/b"]
        content_reads.clear()
        after = run_recheck(website, NOINDEX_UNREADABLE)
        assert content_reads == [stored_content.BLOCKS + 1]
        assert after.status == "open" and after.last_recheck is not None and after.last_recheck.present == 1
        site.pages["/robots.txt"] = None
        assert run_recheck(website, NOINDEX_UNREADABLE).status == "resolved"


def test_without_cms_content_an_audit_does_not_list_it_as_used() -> None:
    with WireServer(Site({"/": html("The home page of a small website")})) as server:
        website = new_website(server)
        audit(website)
        assert load_beside(website.id) == SiteInputs()
        summary = current(website).summary
        assert summary is not None and summary.inputs == []


def test_only_published_items_of_the_cms_count() -> None:
    with WireServer(Site({})) as server:
        website = new_website(server)
        sent = [held(server, "/a"), held(server, "/b", status="draft"), held(server, "/c", status=DELETED)]
        content.put(current(website), sent, now=clock.now())
        known = load_beside(website.id).content
        assert known is not None and list(known) == [server.url("/a")]


def test_findings_whose_data_is_missing_are_kept_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = html("Everything about this page", "/", head='<meta name="robots" content="noindex">')
    pages = {f"/{name}": html(f"All there is to say about {name}", "/") for name in NAMES}
    site = Site({"/": html("The home page of a small website", *pages), **pages, "/hidden": hidden})
    site.pages["/a"] = html("All there is to say about a", "/", "/hidden")
    with WireServer(site) as server:
        website = new_website(server)
        shown = SiteInputs(search={server.url("/hidden"): Figures(0, 500, 5_000)})
        with monkeypatch.context() as patch:
            patch.setattr(judging, "load_beside", lambda site_id: shown)
            audit(website)
        assert found(website, IMPORTANT_NOINDEX) == ["/hidden"]
        issue = run_recheck(website, IMPORTANT_NOINDEX)
        assert issue.status == "open" and issue.last_recheck is not None
        last = issue.last_recheck
        assert (last.present, last.checked, last.passed, last.not_rechecked) == (0, 0, None, 1)
        assert last.note == recheck.LACKS.format("search")
        with monkeypatch.context() as patch:
            patch.setattr(recheck, "load_beside", lambda site_id: shown)
            issue = run_recheck(website, IMPORTANT_NOINDEX)
        assert issue.status == "open" and issue.last_recheck is not None and issue.last_recheck.present == 1
        site.pages["/hidden"] = html("Everything about this page", "/")
        with monkeypatch.context() as patch:
            patch.setattr(recheck, "load_beside", lambda site_id: shown)
            assert run_recheck(website, IMPORTANT_NOINDEX).status == "resolved"


@pytest.mark.parametrize("recased", [True, False])
def test_a_note_says_that_the_website_changes_the_case_of_titles(recased: bool) -> None:
    titles = {f"/{name}": f"All There Is To Say About {name.upper() * 3}" for name in NAMES}
    pages = {path: html(title, "/") for path, title in titles.items()}
    pages["/long"] = html("Words that go on and on and never come to an end " * 4, "/")
    with WireServer(Site({"/": html("The home page of a small website", *pages), **pages})) as server:
        website = new_website(server)
        names = {path: title.lower() if recased else title for path, title in titles.items()}
        content.put(current(website), [held(server, path, name) for path, name in names.items()], now=clock.now())
        audit(website)
    suggestions = issue_of(website, LONG_TITLE).suggestions
    assert suggestions is not None
    assert (suggestions.note is not None and "letter case" in suggestions.note) == recased


def test_the_storage_key_of_cms_content_ends_with_content() -> None:
    """The tests above count reads of content by this ending."""
    assert keys.content_partition("site_1").endswith("#CONTENT")
