"""Previews: a staging server is read as if the website answered there, and nothing of the website moves."""

import base64
import re
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.audit.gate import Asked, Outcome
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.crawl.stand_ins import StandIn
from chalicelib.operations import gates, preview_gates, previews
from chalicelib.operations.errors import Refused
from chalicelib.store import crawls, keys, outbox
from chalicelib.store import previews as kept
from chalicelib.store.previews import Stored
from tests import aws
from tests.servers.wire import Connection, WireServer
from tests.workers.audit import previewing
from tests.workers.audit.websites import Site, audit, html, new_website
from tests.workers.audit.websites import start as start_audit
from tests.workers.audit.websites import work as work_audit

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

TABLES = ("accounts", "sites", "crawls", "pages", "issues", "changes", "search", "ai", "webhooks", "jobs")


def pages() -> dict[str, Any]:
    """Three pages without a fault that the tests look at."""
    return {
        "/": html("The home page of a small shop", "/a", "/b"),
        "/a": html("Everything there is to know about boots", "/"),
        "/b": html("Everything there is to know about tents", "/"),
    }


@pytest.fixture
def live() -> Iterator[tuple[Site, WireServer]]:
    site = Site(pages())
    with WireServer(site) as server:
        yield site, server


ANYTHING = Asked(no_new="low")


def judged(found: Stored, asked: Asked = ANYTHING) -> gates.Gate:
    return preview_gates.judged(found.header.site_id, found, asked, None, now=clock.now())


def new_of(gate: gates.Gate) -> dict[str, list[str]]:
    """The paths of what is new, by rule."""
    return {
        one.rule_id: [re.sub(r"^\w+://[^/]+", "", page.url) for page in one.pages.pages]
        for one in gate.judgement.new or ()
        if one.pages is not None
    }


def of_website() -> list[dict[str, Any]]:
    """All that is stored, without what is a preview's own."""
    marks = ("PREVIEW", "prev_", "SLOTS#")  # what is taken of a workspace for a while is given back
    return [
        row
        for table in TABLES
        for row in aws.stored(table)
        if not any(mark in f"{row['pk']} {row['sk']}" for mark in marks) and row.get("act") != "preview.started"
    ]


def test_a_preview_does_not_change_the_data_of_the_website(live: tuple[Site, WireServer]) -> None:
    _, server = live
    website = new_website(server)
    audit(website)
    before = of_website()
    staging = Site({**pages(), "/b": html(None, "/"), "/new": html("Everything there is to know about lamps", "/")})
    staging.pages["/"] = html("The home page of a small shop", "/a", "/b", "/new")
    with WireServer(staging) as preview:
        found = previewing.work(previewing.start(website, preview.url()))
    assert (found.header.status, found.header.pages_crawled, found.header.error) == ("done", 4, None)
    assert found.kept is not None and found.kept.score is not None
    kept_now, listed = previews.own_with_pages(website.id, found)
    assert listed is not None
    assert {page.url for page in listed if page.read} == {server.url(path) for path in ("/", "/a", "/b", "/new")}
    assert [one.rule_id for one in kept_now.issues if one.rule_id == "SEO-ONP-001"] == ["SEO-ONP-001"]
    gate = judged(found)
    assert gate.judgement.outcome == "fail"
    assert new_of(gate)["SEO-ONP-001"] == ["/b"]
    assert gate.judgement.compared == 4, "a page that the website lacks is new, and compared"
    assert of_website() == before
    assert not [batch for shard in keys.shards() for batch in outbox.pending(shard) if "prev_" in str(batch)]
    assert len(crawls.list_audits(website.id, None)) == 1 and crawls.get(website.id, found.header.id) is None


def outcomes(found: Stored, **asked: Any) -> Outcome:
    return judged(found, Asked(**asked)).judgement.outcome


def test_the_gate_result_of_a_preview_is_pass_fail_or_unclear(live: tuple[Site, WireServer]) -> None:
    _, server = live
    website = new_website(server)
    with WireServer(Site(pages())) as preview:
        first = previewing.work(previewing.start(website, preview.url()))
        assert outcomes(first, no_new="low") == "unclear", "there is no audit to compare with"
        assert outcomes(first, min_score=0) == "pass"
        audit(website)
        same = previewing.work(previewing.start(website, preview.url()))
    assert outcomes(same, no_new="low", max_loss=0) == "pass"
    assert outcomes(same, min_score=1000) == "fail"
    with WireServer(Site({})) as gone:
        failed = previewing.work(previewing.start(website, gone.url()))
    assert failed.header.status == "failed" and failed.kept is None
    assert failed.header.error is not None and gone.url("/") in failed.header.error
    assert outcomes(failed, min_score=0) == "unclear"
    with pytest.raises(Refused, match="No results of the preview"):
        previews.own_with_pages(website.id, failed)


def test_addresses_of_the_preview_are_replaced_by_addresses_of_the_website(live: tuple[Site, WireServer]) -> None:
    _, server = live
    website = new_website(server)
    audit(website)
    staging = Site({})
    with WireServer(staging) as preview:
        own, other = preview.url(), server.url()
        canonical = (
            f'<link rel="canonical" href="{own}a"><script type="application/ld+json">{{"url": "{own}"}}</script>'
        )
        staging.pages |= {
            "/": html("The home page of a small shop", f"{own}a", f"{other}b", "/old"),
            "/a": html("Everything there is to know about boots", "/", head=canonical),
            "/b": html("Everything there is to know about tents", "/"),
            "/old": lambda connection: connection.answer(b"", "301 Moved Permanently", location=f"{own}a"),
        }
        found = previewing.work(previewing.start(website, preview.url()))
    _, listed = previews.own_with_pages(website.id, found)
    assert listed is not None
    by_url = {page.url: page for page in listed}
    assert set(by_url) == {server.url(path) for path in ("/", "/a", "/b", "/old")}
    assert by_url[server.url("/a")].canonical == server.url("/a")
    assert judged(found, Asked(no_new="high")).judgement.outcome == "pass"


def test_pages_not_reached_by_the_preview_do_not_fail_a_gate(live: tuple[Site, WireServer]) -> None:
    site, server = live
    site.pages["/b"] = html(None, "/")
    website = new_website(server)
    audit(website)
    with WireServer(Site(pages())) as preview:
        found = previewing.work(previewing.start(website, preview.url(), page_budget=1))
    assert found.header.partial_reason == "page_budget"
    gate = judged(found)
    assert gate.judgement.outcome == "unclear" and gate.judgement.compared == 1
    own, listed = previews.own_with_pages(website.id, found)
    assert "SEO-ONP-001" not in [issue.rule_id for issue in own.issues], "that is the website's page, not the preview's"
    assert listed is not None and [page.url for page in listed if page.read] == [server.url("/")]


def test_only_the_named_addresses_are_read_and_compared(live: tuple[Site, WireServer]) -> None:
    site, server = live
    names = [f"/{number}" for number in range(9)]
    of_names = {name: html(f"Everything there is to know about number {name}", "/") for name in names}
    site.pages |= {**of_names, "/": html("The home page of a small shop", *names, "/a", "/b")}
    website = new_website(server)
    audit(website)
    staging = Site({**site.pages, "/7": html(None, "/"), "/8": html(None, "/"), "/hidden": html(None, "/")})
    with WireServer(staging) as preview:
        named = [preview.url("/7"), server.url("/2#part"), preview.url("/7"), preview.url("/hidden"), server.url()]
        found = previewing.work(previewing.start(website, preview.url(), named=named))
        more = previewing.work(previewing.start(website, preview.url(), named=named, page_budget=10))
        less = previewing.work(previewing.start(website, preview.url(), named=named, page_budget=2))
        closed = "User-agent: *\nDisallow: /7\nDisallow: /8\n"
        staging.pages["/robots.txt"] = ("200 OK", {"content_type": "text/plain"}, closed)
        named = [preview.url("/7"), preview.url("/8")]
        unread = previewing.work(previewing.start(website, preview.url(), named=named))
    assert (found.header.page_budget, found.header.partial_reason) == (4, "page_budget")
    _, listed = previews.own_with_pages(website.id, found)
    assert listed is not None
    read = {page.url for page in listed if page.read}
    assert read == {server.url(path) for path in ("/", "/7", "/2", "/hidden")}
    gate = judged(found, Asked(no_new="high"))
    assert gate.judgement.outcome == "fail" and new_of(gate)["SEO-ONP-001"] == ["/7", "/hidden"]
    assert gate.judgement.compared == 4
    assert [one.header.pages_crawled for one in (more, less, unread)] == [4, 2, 1]
    assert outcomes(unread, no_new="critical") == "unclear", "most of what was asked for was not read"


def test_named_addresses_are_stored_once_and_deleted_at_the_end(live: tuple[Site, WireServer]) -> None:
    site, server = live
    website = new_website(server)
    audit(website)
    with WireServer(Site(dict(site.pages))) as preview:
        long = [preview.url(f"/{number}?{'x' * 1_900}") for number in range(99)]
        header = previewing.start(website, preview.url(), named=[preview.url("/a"), *long])
        rows = {row["sk"].split("#")[0]: len(str(row)) for row in aws.stored("crawls") if header.id in row["sk"]}
        assert rows["PREVIEWURLS"] > 190_000 and rows["PREVIEW"] < 2_000
        ended = previewing.work(header)
    assert (ended.header.asked_pages, ended.header.asked_known, ended.header.pages_crawled) == (101, 101, 101)
    assert [row for row in aws.stored("crawls") if row["sk"].startswith("PREVIEWURLS")] == []


def test_the_gate_of_named_addresses_passes_even_if_other_pages_are_unread(live: tuple[Site, WireServer]) -> None:
    site, server = live
    names = [f"/{number}" for number in range(9)]
    site.pages |= {name: html(f"Everything there is to know about number {name}", "/") for name in names}
    site.pages["/"] = html("The home page of a small shop", *names, "/a", "/b")
    website = new_website(server)
    audit(website)
    with WireServer(Site(dict(site.pages))) as preview:
        named = previewing.work(previewing.start(website, preview.url(), named=[preview.url("/3")]))
        few = previewing.work(previewing.start(website, preview.url(), page_budget=2))
    assert outcomes(named, no_new="low") == "pass"
    assert outcomes(few, no_new="low") == "unclear"


def test_preview_credentials_are_sent_only_to_its_host_and_then_deleted(
    live: tuple[Site, WireServer], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    _, server = live
    website = new_website(server)
    seen: list[tuple[str, str | None, str | None]] = []

    def locked(connection: Connection) -> None:
        seen.append((connection.path, connection.header("authorization"), connection.header("x-bypass")))
        if connection.header("authorization") is None:
            connection.answer(b"who are you?", "401 Unauthorized", content_type="text/plain")
        elif connection.path == "/llms.txt":
            connection.answer(b"", "302 Found", location=elsewhere.url("/landed"))
        elif connection.path in ("/", "/a"):
            text = html("The home page of a small shop", "/a", elsewhere.url("/linked"))
            connection.answer(text.encode(), content_type="text/html; charset=utf-8")
        else:
            connection.answer(b"not here", "404 Not Found", content_type="text/html")

    asked: list[tuple[str, str | None, str | None]] = []

    def other(connection: Connection) -> None:
        asked.append((connection.path, connection.header("authorization"), connection.header("x-bypass")))
        connection.answer(b"elsewhere", content_type="text/html")

    access = previews.access_of({"X-Bypass": "open-sesame-4711"}, ("anna", "correct horse"))
    assert access is not None and "sesame" not in repr(access)
    with WireServer(locked) as preview, WireServer(other) as elsewhere:
        header = previewing.start(website, preview.url(), access=access)
        assert "sesame" not in str(aws.stored("crawls")) and "correct horse" not in str(aws.stored("crawls"))
        assert [one["sk"] for one in aws.stored("crawls") if "sealed" in one] == [f"PREVIEWACCESS#{header.id}"]
        found = previewing.work(header)
        assert found.header.status == "done", found.header.error
        without = previewing.work(previewing.start(website, preview.url()))
    basic = "Basic " + base64.b64encode(b"anna:correct horse").decode()
    assert not any(secret in caplog.text for secret in ("sesame", "correct horse", basic[6:]))
    let_in = [one for one in seen if one[1] is not None]
    assert let_in and all(one[1:] == (basic, "open-sesame-4711") for one in let_in)
    assert {path for path, *_ in asked} >= {"/landed", "/linked"}
    assert all(one[1:] == (None, None) for one in asked), "another host is sent nothing of it"
    assert not [one for one in aws.stored("crawls") if "sealed" in one]
    assert without.header.status == "failed" and without.header.error is not None
    assert preview.url() in without.header.error and "401" in without.header.error


def test_a_preview_can_obey_or_ignore_its_robots_rules(live: tuple[Site, WireServer]) -> None:
    _, server = live
    website = new_website(server)
    audit(website)
    closed = '<meta name="robots" content="noindex">'
    staging = Site(
        {
            "/robots.txt": ("200 OK", {"content_type": "text/plain"}, "User-agent: *\nDisallow: /\n"),
            "/": html("The home page of a small shop", "/a", "/b", head=closed),
            "/a": lambda connection: connection.answer(
                html("Everything there is to know about boots", "/").encode(),
                content_type="text/html",
                x_robots_tag="noindex",
            ),
            "/b": html("Everything there is to know about tents", "/"),
        }
    )
    with WireServer(staging) as preview:
        obeyed = previewing.work(previewing.start(website, preview.url()))
        ignored = previewing.work(previewing.start(website, preview.url(), ignores_robots=True))
    assert obeyed.header.pages_crawled == 0
    assert ignored.header.pages_crawled == 3
    assert any("were ignored" in note for note in ignored.header.notes)
    _, listed = previews.own_with_pages(website.id, ignored)
    assert listed is not None and [page.indexable for page in listed if page.read] == [True] * 3
    assert outcomes(ignored, no_new="high") == "pass"


def test_a_preview_runs_at_the_same_time_as_an_audit_of_the_website(live: tuple[Site, WireServer]) -> None:
    _, server = live
    website = new_website(server)
    with WireServer(Site(pages())) as preview:
        running = start_audit(website)
        header = previewing.start(website, preview.url())
        found = previewing.work(header)
        ended: CrawlHeader = work_audit(running)
    assert (found.header.status, ended.status) == ("done", "done")


def test_previews_run_one_at_a_time_and_at_most_twenty_a_day(live: tuple[Site, WireServer]) -> None:
    _, server = live
    website = new_website(server)
    with WireServer(Site(pages())) as preview:
        first = previewing.start(website, preview.url())
        with pytest.raises(previews.Running) as running:
            previewing.start(website, preview.url())
        assert running.value.preview_id == first.id
        previewing.work(first)
        last = kept.last(website.id)
        assert last is not None and len(last.starts) == 1
        begun = clock.now()
        for _ in range(19):
            previewing.work(previewing.start(website, preview.url(), page_budget=1))
        with pytest.raises(previews.TooManyPreviews) as used_up:
            previewing.start(website, preview.url())
        assert used_up.value.retry_at == pytest.approx(last.starts[0] + 86_400)
        clock.set_offset(clock.offset() + 86_400 - (clock.now() - begun) + 60)
        assert previewing.start(website, preview.url()).status == "queued"


@pytest.mark.parametrize(
    ("preview", "written", "told"),
    [
        ("https://staging.example.com", "https://staging.example.com:443/x", "https://example.com/x"),
        ("https://staging.example.com", "//staging.example.com:443", "https://example.com"),
        ("http://staging.example.com", "http://staging.example.com:80/x", "https://example.com/x"),
        ("https://staging.example.com", "https://staging.example.com:4430/x", "https://staging.example.com:4430/x"),
        ("https://staging.example.com", "https://staging.example.com:8443/x", "https://staging.example.com:8443/x"),
        (
            "https://staging.example.com:8443",
            "https://staging.example.com:8443:443",
            "https://staging.example.com:8443:443",
        ),
        ("https://[2001:db8::1]", "https://[2001:db8::1]:443/x", "https://example.com/x"),
    ],
)
def test_an_address_with_its_default_port_written_out_belongs_to_the_preview(
    preview: str, written: str, told: str
) -> None:
    place = StandIn("https://example.com", preview)
    assert place.told(written) == told and place.told_body(written.encode()) == told.encode()
