"""Targets of canonicals, of links beyond the page budget and of external links are checked, and judged."""

from itertools import pairwise
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.page.targets import TARGETS_PER_HOST
from chalicelib.operations import audits
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issues, targets
from chalicelib.workers.audit import checking
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Site, audit, found, html, listed, new_website, start, starts_of, work

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

BROKEN_LINK, DEAD_ADDRESS, TITLE = "SEO-LNK-001", "SEO-TEC-004", "SEO-ONP-001"
BROKEN_CANONICAL, MOVED_CANONICAL, HIDDEN_CANONICAL, CANONICAL_CHAIN = (
    f"SEO-TEC-0{number}" for number in (14, 15, 16, 17)
)


def canonical(target: str) -> str:
    return f'<link rel="canonical" href="{target}">'


def asked(server: WireServer, path: str) -> list[str]:
    return [connection.method for connection in server.requests if connection.path == path]


def other_site(**pages: Any) -> Site:
    return Site({f"/{name}": page for name, page in pages.items()})


def test_a_canonical_address_on_another_host_is_requested_and_judged() -> None:
    other = other_site(
        fine=html("A page on another host"),
        moved=("301 Moved Permanently", {"location": "/fine"}, b""),
        hidden=html("A hidden page", head='<meta name="robots" content="noindex">'),
        header=("200 OK", {"content_type": "text/html", "x_robots_tag": "noindex"}, html("Hidden by its header")),
        third=html("A page with a canonical of its own", head=canonical("/fine")),
    )
    names = ("fine", "moved", "hidden", "header", "third", "gone")
    with WireServer(other) as elsewhere:
        pages: dict[str, Any] = {"/": html("The home page", *(f"/{name}" for name in names))}
        for name in names:
            pages[f"/{name}"] = html(f"The page {name}", "/", head=canonical(elsewhere.url(f"/{name}")))
        with WireServer(Site(pages)) as server:
            website = new_website(server)
            header = audit(website)
        assert asked(elsewhere, "/hidden") == ["GET"]
    assert header.pages_crawled == 7
    assert found(website, BROKEN_CANONICAL) == ["/gone"]
    assert found(website, MOVED_CANONICAL) == ["/moved"]
    assert found(website, HIDDEN_CANONICAL) == ["/header", "/hidden"]
    assert found(website, CANONICAL_CHAIN) == ["/third"]


@pytest.mark.parametrize("status", ["403 Forbidden", "429 Too Many Requests", "999 Request Denied", "503 Busy"])
def test_another_host_that_blocks_crawlers_is_not_reported_as_broken(status: str) -> None:
    with WireServer(other_site(page=(status, {"content_type": "text/html"}, b"no"))) as elsewhere:
        target = elsewhere.url("/page")
        home = html("The home page", target, head=canonical(target))
        with WireServer(Site({"/": home})) as server:
            website = new_website(server)
            header = audit(website)
    assert header.status == "done"
    assert found(website, BROKEN_CANONICAL) == []


def test_another_host_that_does_not_answer_does_not_delay_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "SECONDS_ELSEWHERE", 0.2)
    with WireServer(lambda connection: connection.hang()) as elsewhere:
        links = [elsewhere.url(f"/{number}") for number in range(30)]
        with WireServer(Site({"/": html("The home page", *links, head=canonical(links[0]))})) as server:
            website = new_website(server)
            header = audit(website)
        assert len(elsewhere.requests) <= 4, "not one wait for each of the thirty"
    assert header.status == "done"
    assert found(website, BROKEN_CANONICAL) == []


def budget_site(**changes: Any) -> Site:
    pages: dict[str, Any] = {
        "/": html("The home page of a small website", "/a", "/b", "/c"),
        "/a": html("Everything about the letter A", "/"),
        "/b": html("Everything about the letter B", "/"),
    }
    return Site(pages | {f"/{name}": value for name, value in changes.items()})


def test_links_beyond_the_page_budget_are_checked_but_not_read() -> None:
    with WireServer(budget_site()) as server:
        website = new_website(server)
        header = audit(website, page_budget=2)
        assert (header.pages_crawled, header.partial_reason) == (2, "page_budget")
        assert asked(server, "/b") == ["HEAD"]
        assert asked(server, "/c") == ["HEAD", "GET"]
    assert listed(website) == ["/", "/a"]
    assert found(website, BROKEN_LINK) == ["/"]
    assert found(website, DEAD_ADDRESS) == ["/c"]


def test_a_server_that_refuses_head_requests_gets_a_get_request() -> None:
    def fussy(connection: Connection) -> Any:
        if connection.method == "HEAD":
            return ("405 Method Not Allowed", {"content_type": "text/html"}, b"")
        return html("Everything about the letter C", "/")

    with WireServer(budget_site(c=fussy)) as server:
        website = new_website(server)
        audit(website, page_budget=2)
        assert asked(server, "/c") == ["HEAD", "GET"]
    assert found(website, BROKEN_LINK) == []


def test_a_server_that_sends_a_body_to_head_requests_is_tolerated() -> None:
    def careless(connection: Connection) -> None:
        body = html(f"The page {connection.path}", "/").encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.send(head.encode() + body)
        connection.keep_alive = True

    home = html("The home page", *(f"/{number}" for number in range(20)))
    with WireServer(Site({"/": home} | {f"/{number}": careless for number in range(20)})) as server:
        website = new_website(server)
        audit(website, page_budget=1)
    assert found(website, BROKEN_LINK) == []


def test_a_redirect_beyond_the_page_budget_is_followed_to_its_end() -> None:
    moved = ("301 Moved Permanently", {"location": "/old"}, b"")
    old = ("302 Found", {"location": "/gone"}, b"")
    with WireServer(budget_site(c=moved, old=old)) as server:
        website = new_website(server)
        audit(website, page_budget=2)
    assert found(website, BROKEN_LINK) == ["/"]


def test_the_number_of_images_not_requested_is_reported() -> None:
    images = "".join(f'<img src="/{number}.png" alt="A boot" width="9" height="9">' for number in range(200))
    with WireServer(Site({"/": html("The home page", body=images)})) as server:
        header = audit(new_website(server), page_budget=1)
        heads = {connection.path for connection in server.requests if connection.method == "HEAD"}
    assert (header.images_unasked, len(heads)) == (40, 160)
    (note,) = header.notes
    assert note.startswith("40 files that pages load were not requested") and "SEO-IMG-004" in note


def test_link_targets_disallowed_by_robots_txt_are_not_requested() -> None:
    robots = ("200 OK", {"content_type": "text/plain"}, b"User-agent: *\nDisallow: /c\n")
    with WireServer(budget_site(**{"robots.txt": robots})) as server:
        website = new_website(server)
        audit(website, page_budget=2)
        assert asked(server, "/c") == [] and asked(server, "/b") == ["HEAD"]


def test_every_internal_link_is_requested_even_when_there_are_many() -> None:
    home = html("The home page", *(f"/{number}" for number in range(500)))
    with WireServer(budget_site(**{"": home, "499": html("The last page", "/")})) as server:
        website = new_website(server)
        header = audit(website, page_budget=1)
        heads = {connection.path for connection in server.requests if connection.method == "HEAD"}
    assert heads == {f"/{number}" for number in range(500)}
    assert header.links_unasked == 0
    book = issues.load_state(website.id)
    assert book is not None
    (issue,) = [issue for issue in book.issues if issue.rule_id == BROKEN_LINK]
    assert [page.evidence["broken"] for page in issues.load_affected(website.id, issue)] == [499]


def test_the_number_of_external_links_requested_for_each_host_is_limited() -> None:
    with WireServer(lambda connection: connection.answer(b"", content_type="text/html")) as elsewhere:
        links = [elsewhere.url(f"/{number}") for number in range(60)]
        with WireServer(Site({"/": html("The home page", *links)})) as server:
            audit(new_website(server))
        assert len(elsewhere.requests) == TARGETS_PER_HOST


def test_addresses_on_another_host_are_requested_one_by_one_with_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "GAP_ELSEWHERE_SECONDS", 0.1)
    starts = starts_of(0.1, monkeypatch)
    with WireServer(lambda connection: connection.answer(b"", content_type="text/html")) as elsewhere:
        links = [elsewhere.url(f"/{number}") for number in range(4)]
        with WireServer(Site({"/": html("The home page", *links)})) as server:
            audit(new_website(server))
        assert [connection.path for connection in elsewhere.requests] == ["/0", "/1", "/2", "/3"]
    (of_elsewhere,) = starts.values()
    assert len(of_elsewhere) == 4 and all(later - earlier > 0.09 for earlier, later in pairwise(of_elsewhere))


def test_a_removed_page_beyond_the_page_budget_is_not_carried_forward() -> None:
    site = budget_site(b=html(None, "/"), c=html(None, "/"))
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        assert found(website, TITLE) == ["/b", "/c"]
        site.pages["/c"] = None
        audit(website, page_budget=2)
    assert listed(website) == ["/", "/a", "/b"]
    assert found(website, TITLE) == ["/b"]
    assert found(website, BROKEN_LINK) == ["/"]


def test_the_first_date_of_a_fault_is_kept_for_an_address_that_is_not_a_page() -> None:
    with WireServer(budget_site()) as server:
        website = new_website(server)
        first = audit(website, page_budget=2)
        clock.set_offset(clock.offset() + 86_400)
        audit(website, page_budget=2)
    book = issues.load_state(website.id)
    assert book is not None
    (issue,) = [issue for issue in book.issues if issue.rule_id == DEAD_ADDRESS]
    (dead,) = issues.load_affected(website.id, issue)
    assert first.queued_at - 1 <= dead.first_seen <= (first.finished_at or 0) < dead.last_seen


def test_each_link_target_is_requested_once_even_if_many_workers_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "SECONDS_ELSEWHERE", 1.0)
    with WireServer(lambda connection: connection.answer(b"", content_type="text/html")) as elsewhere:
        links = [elsewhere.url(f"/{number}") for number in range(6)]
        with WireServer(Site({"/": html("The home page", *links)})) as server:
            website = new_website(server)
            monkeypatch.setenv("SLICE_SECONDS", "0")
            monkeypatch.setattr("chalicelib.workers.audit.after_reading.TARGETS_AT_ONCE", 1)
            forget_settings()
            header = audit(website)
        assert [connection.path for connection in elsewhere.requests] == [f"/{number}" for number in range(6)]
    assert header.status == "done" and header.slice >= 6
    assert [target.url for target in targets.load(header.id)] == links


def test_an_audit_cancelled_while_checking_links_publishes_its_pages() -> None:
    def cancel(connection: Connection) -> None:
        audits.cancel(website.id, header.id, now=clock.now())
        connection.answer(b"", content_type="text/html")

    with WireServer(cancel) as elsewhere, WireServer(Site({"/": html("Home", elsewhere.url("/x"))})) as server:
        website = new_website(server)
        header = start(website)
        ended = work(header)
    assert (ended.status, ended.partial_reason) == ("cancelled", "cancelled")
    assert listed(website) == ["/"]


def test_checking_links_stops_at_its_time_limit() -> None:
    def slow(connection: Connection) -> None:
        clock.set_offset(clock.offset() + 31 * 60)
        connection.answer(b"", content_type="text/html")

    with WireServer(slow) as elsewhere:
        links = [elsewhere.url(f"/{number}") for number in range(9)]
        with WireServer(Site({"/": html("The home page", *links)})) as server:
            website = new_website(server)
            header = audit(website)
        assert len(elsewhere.requests) <= 2
    assert (header.status, header.partial_reason) == ("done", None)


def test_files_are_checked_without_using_the_page_budget() -> None:
    files = [f"/files/{number}.{ending}" for number, ending in enumerate("png pdf zip mp4 rss jpeg".split())]
    shown = '<img src="/files/gone.png" alt="A tent" width="9" height="9"><a href="/files/gone.png">larger</a>'
    pages = {
        "/": html("The home page of a small website", *files, "/gone.pdf", "/a", "/wiki/Node.js"),
        "/a": html("Everything about the letter A", "/", body=shown),
        "/wiki/Node.js": html("Everything about scripts", "/"),
    } | {path: ("200 OK", {"content_type": "application/octet-stream"}, b"file") for path in files}
    with WireServer(Site(pages)) as server:
        website = new_website(server)
        header = audit(website, page_budget=3)
        methods = {path: asked(server, path) for path in [*files, "/gone.pdf", "/files/gone.png"]}
    assert (header.pages_crawled, header.partial_reason) == (3, None)
    assert listed(website) == ["/", "/a", "/wiki/Node.js"]
    gone = {path: ["HEAD", "GET"] for path in ("/gone.pdf", "/files/gone.png")}
    assert methods == {path: ["HEAD"] for path in files} | gone
    assert found(website, BROKEN_LINK) == ["/", "/a"]
    assert found(website, "SEO-IMG-004") == ["/a"]
    assert found(website, DEAD_ADDRESS) == ["/files/gone.png", "/gone.pdf"]


def test_links_skipped_for_lack_of_time_are_counted_and_reported() -> None:
    def slow(connection: Connection) -> Any:
        clock.set_offset(clock.offset() + 31 * 60)
        return ("404 Not Found", {"content_type": "text/html"}, b"")

    names = [f"/{number}" for number in range(200)]
    with WireServer(Site({"/": html("The home page", *names), "/0": slow})) as server:
        website = new_website(server)
        header = audit(website, page_budget=1)
    assert header.links_unasked is not None and 100 < header.links_unasked <= 200
    assert header.notes == [
        "Little of this website could be judged: 1 page could be read, 199 more are known. "
        "Start an audit of more pages.",
        f"{header.links_unasked} links of the website were not requested, because the time limit of the audit was "
        "reached. SEO-LNK-001 and SEO-TEC-004 do not judge the addresses that these links lead to.",
    ]
    book = issues.load_state(website.id)
    assert book is not None
    (issue,) = [issue for issue in book.issues if issue.rule_id == BROKEN_LINK]
    assert issue.evidence == {"linksNotAsked": header.links_unasked}
