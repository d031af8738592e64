"""Scripts and style sheets are asked for, and faults of theirs are made sure of before anything is said."""

from typing import Any

import pytest

from chalicelib.domain.audit.causes import Cause
from chalicelib.store import issues
from chalicelib.workers.audit import asking_resources, reading
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.rechecking import issue_of, rechecked
from tests.workers.audit.websites import Site, audit, found, html, new_website, status_of

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

MISSING, TYPE_REFUSED = "SEO-TEC-041", "SEO-TEC-042"
NAMES = "abcde"
SCRIPT = ("200 OK", {"content_type": "text/javascript"}, b"start()")
SHEET = ("200 OK", {"content_type": "text/css"}, b"body{}")
GUARDED = {"content_type": "text/plain", "x_content_type_options": "nosniff"}
HEAD = '<link rel="stylesheet" href="/main.css"><script src="/app.js"></script>'


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.0)


def website_of(head: str = HEAD, **files: Any) -> Site:
    """Six pages that load the same files; ``files``: what each answers, with ``_`` for the dot."""
    pages: dict[str, Any] = {"/": html("The home page", *(f"/{name}" for name in NAMES), head=head)}
    pages |= {f"/{name}": html(f"Everything about the letter {name}", "/", head=head) for name in NAMES}
    answers = {"app_js": SCRIPT, "main_css": SHEET, **files}
    return Site(pages | {f"/{name.replace('_', '.')}": answer for name, answer in answers.items()})


def asked(server: WireServer, path: str) -> list[str]:
    return [connection.method for connection in server.requests if connection.path == path]


def test_a_file_used_by_many_pages_is_requested_once() -> None:
    with WireServer(website_of()) as server:
        website = new_website(server)
        audit(website)
        assert (asked(server, "/app.js"), asked(server, "/main.css")) == (["HEAD"], ["GET"])
    assert (found(website, MISSING), found(website, TYPE_REFUSED)) == ([], [])


def test_a_missing_script_used_on_every_page_is_checked_twice_and_reported_once() -> None:
    with WireServer(website_of(app_js=None)) as server:
        website = new_website(server)
        audit(website)
        assert asked(server, "/app.js") == ["HEAD", "GET"]
        order = [connection.path for connection in server.requests]
        assert "/" in order[order.index("/app.js") :], "a page between the two"
    assert found(website, MISSING) == ["/", *(f"/{name}" for name in NAMES)]
    issue = issue_of(website, MISSING)
    assert issue.cause == Cause("layout", "every page")
    evidence = issues.load_affected(website.id, issue)[0].evidence
    assert evidence["files"] == [
        {"url": server.url("/app.js"), "kind": "script", "importedBy": None, "status": 404, "contentType": "text/html"}
    ]


def test_files_that_a_release_replaced_during_the_audit_are_not_reported() -> None:
    site = website_of('<script src="/app-1.js"></script><link rel="stylesheet" href="/main.css">')

    def release(connection: Connection) -> None:
        """The first question for the old file finds the new release in its place."""
        for path, page in list(site.pages.items()):
            if isinstance(page, str):
                site.pages[path] = page.replace("app-1.js", "app-2.js")
        connection.answer(b"", "404 Not Found", content_type="text/html")

    site.pages |= {"/app-1.js": release, "/app-2.js": SCRIPT}
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
    assert found(website, MISSING) == []


def test_a_file_that_answers_at_the_second_request_is_not_reported() -> None:
    def once(connection: Connection) -> Any:
        return ("503 Service Unavailable", {"retry_after": "0"}, b"") if connection.method == "HEAD" else SCRIPT

    with WireServer(website_of(app_js=once)) as server:
        website = new_website(server)
        audit(website)
    assert found(website, MISSING) == []


def test_a_file_that_blocks_the_crawler_is_not_reported() -> None:
    with WireServer(website_of(app_js=("403 Forbidden", {"content_type": "text/html"}, b"no"))) as server:
        website = new_website(server)
        audit(website)
        assert asked(server, "/e") == ["GET"], "no page was read again for it"
    assert found(website, MISSING) == []


def test_nested_style_sheet_imports_are_requested_and_cycles_end() -> None:
    first = ("200 OK", {"content_type": "text/css"}, b'@import url("second.css") screen;')
    second = ("200 OK", {"content_type": "text/css"}, b"@import 'main.css'; @import 'gone.css';")
    with WireServer(website_of(main_css=first, second_css=second)) as server:
        website = new_website(server)
        audit(website)
        assert (asked(server, "/main.css"), asked(server, "/second.css")) == (["GET"], ["GET"])
    assert len(found(website, MISSING)) == 6
    (evidence, *_) = (page.evidence for page in issues.load_affected(website.id, issue_of(website, MISSING)))
    assert evidence["files"][0]["importedBy"] == server.url("/second.css")  # type: ignore[index]


def test_a_wrong_content_type_is_reported_only_with_nosniff() -> None:
    with WireServer(website_of(main_css=("200 OK", GUARDED, b"body{}"))) as server:
        website = new_website(server)
        audit(website)
    assert len(found(website, TYPE_REFUSED)) == 6 and found(website, MISSING) == []
    with WireServer(website_of(main_css=("200 OK", {"content_type": "text/plain"}, b"body{}"))) as server:
        website = new_website(server)
        audit(website)
    assert found(website, TYPE_REFUSED) == []


def test_a_recheck_requests_the_files_again_and_resolves_fixed_ones() -> None:
    site = website_of(app_js=None, main_css=("200 OK", GUARDED, b"body{}"))
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        rechecked(website, MISSING)
        assert status_of(website, MISSING) == "open"
        site.pages["/app.js"] = SCRIPT
        rechecked(website, MISSING)
        assert status_of(website, MISSING) == "resolved"
        site.pages["/main.css"] = SHEET
        rechecked(website, TYPE_REFUSED)
        assert status_of(website, TYPE_REFUSED) == "resolved"


def test_a_smaller_audit_does_not_resolve_issues_of_files_it_did_not_request() -> None:
    site = website_of(app_js=None)
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/app.js"] = ("429 Too Many Requests", {"retry_after": "0"}, b"")
        audit(website, page_budget=2)
    assert status_of(website, MISSING) == "open"


def test_files_disallowed_by_robots_txt_are_not_requested_and_not_judged() -> None:
    site = website_of(app_js=None)
    site.pages["/robots.txt"] = ("200 OK", {"content_type": "text/plain"}, b"User-agent: *\nDisallow: /app.js\n")
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        assert asked(server, "/app.js") == []
    assert found(website, MISSING) == []


@pytest.mark.parametrize(("seconds", "readings"), [(30.0, 1), (-1.0, 3)])
def test_missing_files_of_a_page_are_confirmed_by_reading_the_page_once_more(
    seconds: float, readings: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking_resources, "READING_COUNTS_SECONDS", seconds)
    head = "".join(f'<script src="/gone-{number}.js"></script>' for number in range(3))
    pages = {"/": html("The home page", "/a"), "/a": html("Everything about the letter a", "/", head=head)}
    with WireServer(Site(pages)) as server:
        website = new_website(server)
        audit(website)
        assert len(asked(server, "/a")) == 1 + readings
    assert found(website, MISSING) == ["/a"]


def test_a_missing_script_is_not_reported_without_a_second_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking_resources, "MOST_READINGS", 0)
    with WireServer(website_of(app_js=None)) as server:
        website = new_website(server)
        audit(website)
    assert found(website, MISSING) == []
