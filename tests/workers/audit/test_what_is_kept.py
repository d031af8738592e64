"""Facts that an audit keeps for answers: whole redirect chains, the home page's address, no personal e-mail address."""

import msgspec
import pytest

from chalicelib.domain.audit.difference import KeptDifference, difference
from chalicelib.store import issue_details, issues, kept_audits, pages
from chalicelib.store import websites as stored
from tests.servers.wire import WireServer
from tests.workers.audit.test_unread import robots
from tests.workers.audit.websites import Site, audit, html, new_website

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

ADDRESS = "maximilian.mustermann@example.com"


def to(path: str) -> tuple[str, dict[str, str], bytes]:
    return "301 Moved Permanently", {"location": path}, b""


def test_a_page_row_holds_every_hop_of_its_redirects() -> None:
    site = Site(
        {
            "/": html("The home page", "/a", "/x", "/c"),
            "/a": to("/b"),
            "/b": to("/c"),
            "/c": html("The page at the end", "/"),
            "/x": to("/y"),
            "/y": to("/x"),
        }
    )
    with WireServer(site) as server:
        website = new_website(server)
        header = audit(website)
        rows = {row.url.rpartition("/")[2]: row for row in pages.load_list(website.id, header.id)}
        assert rows["a"].redirects == [server.url("/b"), server.url("/c")]
        assert (rows["a"].redirects_end, rows["b"].redirects_end, rows["c"].redirects_end) == ("answer", "answer", None)
        assert (rows["x"].redirects, rows["x"].redirects_end) == ([server.url("/y"), server.url("/x")], "loop")
        current = stored.get(website.workspace_id, website.id)
        assert current is not None and current.summary is not None
        assert current.summary.home_url == server.url("/")


def test_stored_findings_and_suggestions_show_no_e_mail_address() -> None:
    long = f"Write to {ADDRESS} about boots, tents, lamps, stoves, maps and everything else that we have in our shop"
    described = f'<meta name="description" content="{long}">'
    pages_of = {f"/{number}": html(long, "/", head=described) for number in range(3)}
    with WireServer(Site({"/": html("The home page", *pages_of), **pages_of})) as server:
        website = new_website(server)
        header = audit(website)
    book = issues.load_state(website.id)
    assert book is not None
    kept: list[object] = [book, pages.load_list(website.id, header.id), pages.load_findings(website.id, header.id)]
    kept += [issue_details.load(website.id, issue, offset=0, limit=100) for issue in book.issues]
    text = msgspec.json.encode(kept).decode()
    assert "m***@***" in text
    assert "aximilian" not in text
    suggested = [one for issue in book.issues for one in issue_details.load(website.id, issue, offset=0, limit=100)[1]]
    assert suggested
    assert not any("***" in (one.suggested or "") for one in suggested)


def test_the_difference_between_two_audits_is_stored() -> None:
    described = '<meta name="description" content="What is sold here, and to whom it is of use.">'
    site = Site(
        {
            "/": html("The home page of a small shop", "/a", "/b", "/c"),
            "/a": html("Everything there is to know about /a", "/", head=described),
            "/b": html(None, "/"),
            "/c": html("Everything there is to know about /c", "/"),
            "/robots.txt": robots("User-agent: *\nAllow: /\n"),
        }
    )
    with WireServer(site) as server:
        website = new_website(server)
        first = audit(website)
        site.pages["/a"] = html("Another title that says what /a is about", "/")
        site.pages["/b"] = html("Everything there is to know about /b", "/")
        site.pages["/c"] = ("404 Not Found", {}, b"")
        site.pages["/robots.txt"] = robots("User-agent: GPTBot\nDisallow: /\n")
        second = audit(website)
        home = server.url()
    found = kept_audits.load(website.id, [first.id, second.id])
    before, after = kept_audits.load_pages(website.id, [found[first.id], found[second.id]])
    told = difference(found[first.id], found[second.id], before, after)
    assert told.pages is not None
    stored_of = [kept_audits.load_with_difference(website.id, one.id) for one in (first, second)]
    assert [one and one[1] for one in stored_of] == [None, KeptDifference(first.id, told)], "computed once, at its end"
    changed = {one.page.url.removeprefix(home): {part.field for part in one.fields} for one in told.pages.changed}
    assert {"title", "description"} <= changed["a"] and changed["b"] >= {"title"} and "status" in changed["c"]
    moves = {one.rule_id: one.change for one in told.issues}
    assert moves["SEO-ONP-001"] == "resolved" and told.robots_changed is True
    assert ("GPTBot", True, False) in [tuple(one) for one in told.crawlers or ()]
    assert [one.id for one in kept_audits.newest(website.id, 10)] == [second.id, first.id]
    assert found[second.id].score is not None and found[second.id].counts
    ids_of = {one.url: one.id for one in before or ()}
    history = kept_audits.load_page(website.id, ids_of[home + "a"], kept_audits.newest(website.id, 10))
    assert [None if page is None else page.title for _, page in history] == [
        "Another title that says what /a is about",
        "Everything there is to know about /a",
    ]
