"""Websites that behave oddly: none stops an audit, and none is blamed for what is only odd.

What is found is compared with what the same website yields when it behaves, so that each test states the whole
difference.
"""

from itertools import pairwise
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.crawl import frontier
from chalicelib.domain.page.facts import Probe, SiteFacts
from chalicelib.rules.registry import BY_ID
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls, pages
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers.audit import lease, reading, slices, window
from tests.servers.authority import Authority
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Site, audit, findings, found, html, listed, new_website

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

Findings = dict[str, list[str]]
DUPLICATE, SERVER_ERROR, TIMED_OUT, TOO_LARGE = "SEO-CON-002", "SEO-TEC-003", "SEO-TEC-006", "SEO-TEC-026"
UNCOMPRESSED, MANY_ELEMENTS = "SEO-PRF-005", "SEO-PRF-007"
WORDS = "Some words about a letter of the alphabet, how it is written and what it stands for, one after another. " * 8


def article(letter: str, *links: str) -> str:
    return html(f"Everything about the letter {letter}", *(links or ("/",)), body=f"<p>{letter}: {WORDS}</p>")


def plain(**changes: Any) -> Site:
    """A website that behaves; ``changes`` replace or add pages by their names."""
    behaved: dict[str, Any] = {
        "/": html("The home page of a small website", "/a", "/b"),
        "/a": article("A"),
        "/b": article("B"),
    }
    return Site(behaved | {f"/{name}": value for name, value in changes.items()})


def audited(site: Site, **options: Any) -> tuple[Website, CrawlHeader]:
    """A new website that serves ``site``, and its audit."""
    with WireServer(site) as server:
        website = new_website(server)
        return website, audit(website, **options)


def behaved() -> Findings:
    return findings(audited(plain())[0])


def of_rules_there_are(expected: Findings) -> Findings:
    return {rule_id: paths for rule_id, paths in expected.items() if rule_id in BY_ID}


def without(path: str, found: Findings) -> Findings:
    """The findings on all pages but one."""
    kept = {rule_id: [one for one in paths if one != path] for rule_id, paths in found.items()}
    return {rule_id: paths for rule_id, paths in kept.items() if paths}


def site_facts(header: CrawlHeader) -> SiteFacts:
    ended = crawls.get(header.site_id, header.id)
    assert ended is not None
    return crawls.load_site_facts(header.id, ended.site_facts_fence)


# -- websites that move and lose pages --------------------------------------------------------------------


def test_after_a_website_moved_to_another_host_only_pages_there_have_findings() -> None:
    normal = behaved()
    with WireServer(plain()) as target:
        site = plain(b=html(None, "/"))
        with WireServer(site) as server:
            website = new_website(server)
            audit(website)
            assert found(website, "SEO-ONP-001") == ["/b"]
            for path in list(site.pages):
                location = target.url(path, host="localhost")
                site.pages[path] = ("301 Moved Permanently", {"location": location}, b"")
            header = audit(website)
    assert (header.status, header.pages_crawled, header.partial_reason) == ("done", 3, None)
    assert findings(website) == normal
    after = stored.get(website.workspace_id, website.id)
    assert after is not None and after.host == f"localhost:{target.port}"
    rows = pages.load_list(website.id, header.id)
    assert {row.url.split("/")[2] for row in rows} == {after.host}


def test_a_website_that_loses_pages_has_no_findings_on_them() -> None:
    normal = behaved()
    lost = {name: html(None, "/") for name in ("x", "y", "z")}
    site = plain(**{"": html("The home page of a small website", "/a", "/b", "/x", "/y", "/z"), **lost})
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        assert found(website, "SEO-ONP-001") == ["/x", "/y", "/z"]
        site.pages = plain().pages
        header = audit(website)
    assert header.pages_crawled == 3
    assert findings(website) == normal
    assert listed(website) == ["/", "/a", "/b"]


# -- websites that answer everything with 200 -------------------------------------------------------------


class Agreeable(Site):
    """Answers whatever is asked for with a page that apologises."""

    def __call__(self, connection: Connection) -> None:
        self.pages.setdefault(connection.path, html("Sorry, there is nothing here", "/", body=f"<p>{WORDS}</p>"))
        super().__call__(connection)


def test_pages_that_do_not_exist_are_not_listed_if_a_website_always_answers_200() -> None:
    robots = ("200 OK", {"content_type": "text/plain"}, b"User-agent: *\nDisallow:\n")
    texts = {"robots.txt": robots, "llms.txt": ("404 Not Found", {"content_type": "text/plain"}, b"")}
    normal = findings(audited(plain(**texts))[0])
    website, header = audited(Agreeable(plain(**texts).pages))
    assert header.pages_crawled == 3
    assert findings(website) == normal
    (probe,) = (probe for probe in site_facts(header).probes if probe.question not in ("agent", "browser"))
    assert (probe.question, probe.status, probe.title) == ("not_found", 200, "Sorry, there is nothing here")
    assert probe.text_hash and probe.words > 100


def test_each_audit_probes_one_new_nonexistent_address() -> None:
    with WireServer(plain()) as server:
        website = new_website(server)
        probes: list[Probe] = []
        for _ in range(2):
            probes += [probe for probe in site_facts(audit(website)).probes if probe.question == "not_found"]
        asked = [connection.path for connection in server.requests]
    assert [(probe.question, probe.status) for probe in probes] == [("not_found", 404)] * 2
    assert len({probe.url for probe in probes}) == 2
    assert all(asked.count("/" + probe.url.rpartition("/")[2]) == 1 for probe in probes)


def test_the_certificate_of_an_https_website_is_noted(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = Authority(tmp_path)
    monkeypatch.setenv("EXTRA_CA_FILE", authority.ca_file)
    forget_settings()
    with WireServer(plain(), tls=authority.server_context("localhost")) as server:
        failed = audit(new_website(server))  # the address by number: the certificate is of another name
        website = new_website(server, host="localhost")
        header = audit(website)
    assert (
        failed.status == "failed" and failed.error is not None and "its certificate is for another name" in failed.error
    )
    facts = site_facts(header)
    assert facts.certificate_error is None
    assert facts.certificate_not_after is not None and facts.certificate_not_after > clock.now()


# -- websites that throttle -------------------------------------------------------------------------------


class Throttling:
    """Turns requests away while it is tired, and notes when each came and how many were there at once."""

    def __init__(self, body: str, status: str, refusals: int, retry_after: str) -> None:
        self.body, self.status, self.retry_after = body, status, retry_after
        self.refusals = refusals
        self.refused_at: list[float] = []
        self.came_at: list[float] = []

    def __call__(self, connection: Connection) -> Any:
        self.came_at.append(clock.monotonic())
        if len(self.refused_at) < self.refusals:
            self.refused_at.append(clock.monotonic())
            return (self.status, {"retry_after": self.retry_after}, b"")
        return self.body


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_a_retry_after_header_of_a_throttling_website_is_respected(status: str) -> None:
    normal = behaved()
    throttling = Throttling(article("A"), status, refusals=2, retry_after="1")
    website, header = audited(plain(a=throttling))
    assert (header.status, header.pages_crawled) == ("done", 3)
    assert findings(website) == normal
    assert len(throttling.came_at) == 3
    assert all(later - earlier >= 0.95 for earlier, later in pairwise(throttling.came_at))


def test_after_overload_errors_requests_pause_and_continue_more_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRAWL_CONCURRENCY", "4")
    forget_settings()
    running: list[str] = []
    most: list[int] = []
    pauses: dict[int, list[float]] = {0: [], 1: [], 2: []}  # refusals so far -> seconds since the last one
    tired = Throttling(article("A"), "429 Too Many Requests", refusals=2, retry_after="1")

    def noted(name: str) -> Any:
        def answer(connection: Connection) -> str:
            pause = clock.monotonic() - tired.refused_at[-1] if tired.refused_at else 0.0
            pauses[len(tired.refused_at)].append(pause)
            running.append(name)
            if len(tired.refused_at) == 2 and pause >= 0.95:
                most.append(len(running))
            connection.server.ending.wait(0.03)
            running.remove(name)
            return article(name)

        return answer

    names = [f"p{number}" for number in range(12)]
    home = html("The home page of a small website", "/a", *(f"/{name}" for name in names))
    website, header = audited(plain(**{"": home, "a": tired, **{name: noted(name) for name in names}}))
    assert header.pages_crawled == 14
    # The three that were under way already may still arrive; all others wait for the second that was asked for.
    assert all(sum(pause < 0.95 for pause in pauses[refusals]) <= 3 for refusals in (1, 2))
    assert most and max(most) <= 2
    assert found(website, SERVER_ERROR) == []


def test_pages_that_always_answer_429_are_not_reported_as_broken() -> None:
    refusal = ("429 Too Many Requests", {"retry_after": "0"}, b"")
    site = plain(a=refusal, b=refusal)
    website, header = audited(site)
    assert (header.status, header.refused) == ("done", 2)
    assert site.asked.count("/a") == reading.TRIES_WHEN_THROTTLED
    page_findings = {path for rule_id, paths in findings(website).items() if rule_id in BY_ID for path in paths}
    assert page_findings <= {"/", "SITE"}


# -- websites without end ---------------------------------------------------------------------------------


def test_an_endless_calendar_is_not_followed_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier, "MAX_DATE_VARIANTS", 20)

    class Calendar(Site):
        def __call__(self, connection: Connection) -> None:
            year, _, month = connection.path.removeprefix("/events/").partition("/")
            if month.isdigit():
                number = int(year) * 12 + int(month) - 1
                around = (f"/events/{m // 12}/{m % 12 + 1:02d}" for m in (number - 1, number + 1))
                self.pages[connection.path] = html(f"What happens in month {month} of {year}", "/", *around)
            super().__call__(connection)

    home = html("The home page of a small website", "/a", "/b", "/events/2026/11")
    website, header = audited(Calendar(plain(**{"": home}).pages))
    assert (header.status, header.partial_reason) == ("done", None)
    assert header.pages_crawled == 3 + 20
    assert {path for path in listed(website) if "/events/" not in path} == {"/", "/a", "/b"}


def test_endless_numbered_pages_stop_at_the_page_budget() -> None:
    class Numbered(Site):
        def __call__(self, connection: Connection) -> None:
            path, _, number = connection.path.partition("?page=")
            if path == "/list":
                following = int(number or 1) + 1
                self.pages[connection.path] = html(f"The list, part {number or 1}", "/", f"/list?page={following}")
            super().__call__(connection)

    home = html("The home page of a small website", "/a", "/b", "/list")
    _, header = audited(Numbered(plain(**{"": home}).pages), page_budget=30)
    assert (header.status, header.pages_crawled, header.partial_reason) == ("done", 30, "page_budget")


# -- slow websites ----------------------------------------------------------------------------------------


def test_a_slow_website_has_the_same_findings_as_a_fast_one() -> None:
    normal = behaved()

    def slow(body: str) -> Any:
        def answer(connection: Connection) -> None:
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
            for start in range(0, len(head + body), 400):
                connection.send((head + body).encode()[start : start + 400])
                connection.server.ending.wait(0.05)

        return answer

    website, header = audited(plain(a=slow(article("A")), b=slow(article("B"))))
    assert (header.status, header.pages_crawled) == ("done", 3)
    assert findings(website) == normal


def test_a_page_that_never_ends_is_reported_and_delays_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PAGE_SECONDS", 2.0)  # far more than the other pages take
    normal = behaved()

    def stalled(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10000\r\n\r\n<title>")
        connection.hang()

    website, header = audited(plain(b=stalled))
    assert (header.status, header.pages_crawled) == ("done", 3)
    assert without("/b", findings(website)) == without("/b", normal)
    on_page = {rule_id for rule_id, paths in findings(website).items() if "/b" in paths}
    assert on_page == {TIMED_OUT} & BY_ID.keys()


def test_the_lease_is_renewed_while_an_answer_is_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEW_SECONDS", 0.05)
    monkeypatch.setattr(window, "WAKE_SECONDS", 0.02)
    seen: list[tuple[float, int]] = []

    def slow(connection: Connection) -> str:
        while len(seen) < 3:
            header = crawls.list_audits(seen_website[0].id, 1)[0]
            if not seen or header.lease_until > seen[-1][0]:
                seen.append((header.lease_until, header.checkpoint))
            if connection.server.ending.wait(0.02):
                break
        return article("A")

    seen_website: list[Website] = []
    with WireServer(plain(a=slow)) as server:
        seen_website.append(new_website(server))
        header = audit(seen_website[0])
    assert header.status == "done"
    leases, checkpoints = zip(*seen, strict=True)
    assert leases[0] < leases[1] < leases[2]
    assert len(set(checkpoints)) == 1  # a sign of life is no progress


def test_a_worker_at_its_time_limit_does_not_wait_for_a_page_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "GRACE_SECONDS", 3.0)  # an answer that comes at all comes sooner, on a busy machine too
    monkeypatch.setattr(window, "WAKE_SECONDS", 0.05)
    monkeypatch.setenv("SLICE_SECONDS", "0")
    forget_settings()
    asked: list[str] = []

    def hangs_once(connection: Connection) -> str | None:
        asked.append(connection.path)
        if len(asked) == 1:
            connection.hang()
            return None
        return article("A")

    with WireServer(plain(a=hangs_once)) as server:
        header = audit(new_website(server))
    assert (header.status, header.pages_crawled) == ("done", 3)
    assert len(asked) == 2 and server.waited_out == 0


# -- odd pages --------------------------------------------------------------------------------------------


def test_a_page_of_five_megabytes_is_read_completely() -> None:
    normal = behaved()
    paragraphs = "".join(f"<p>Paragraph {number}: {WORDS}</p>\n" for number in range(6_000))
    body = html("Everything about the letter A", "/", "/b", body=paragraphs)
    assert len(body) > 5_000_000
    website, header = audited(plain(a=body))
    assert header.status == "done"
    heavy = {TOO_LARGE: ["/a"], UNCOMPRESSED: ["/a"], MANY_ELEMENTS: ["/a"]}
    assert findings(website) == normal | of_rules_there_are(heavy)
    (block,) = [block for _, block in crawls.load_facts(header.id) if any(facts.url.endswith("/a") for facts in block)]
    (facts,) = [facts for facts in block if facts.url.endswith("/a")]
    assert not facts.truncated and facts.bytes == len(body)
    assert [link.url.rpartition("/")[2] for link in facts.links] == ["", "b"]


def test_malformed_html_is_parsed_as_browsers_parse_it() -> None:
    normal = behaved()
    broken = (
        f"<html lang=en><head><title>Everything about the letter A</TITLE><body><h1>Everything about the letter A"
        f"</h2></h1><table><tr><td><p>A: {WORDS}<div></span><a href='/'>To /<a href=\"/b>\">x</p></html></html>"
        "</body>\0<b><i></b></i><!-- never closed <p>"
    )
    website, header = audited(plain(a=broken))
    assert (header.status, header.pages_crawled) == ("done", 3 + 1)  # the link with a stray > is an address too
    assert without("/a", without("/b%3E", findings(website))) == without("/a", normal)
    row = next(row for row in pages.load_list(website.id, header.id) if row.url.endswith("/a"))
    assert (row.title, row.indexable) == ("Everything about the letter A", True)


def test_the_frames_of_a_frameset_are_read() -> None:
    normal = behaved()
    frameset = (
        '<html lang="en"><head><title>The home page of a small website</title></head>'
        '<frameset cols="20%,80%"><frame src="/a"><frame src="b"></frameset></html>'
    )
    website, header = audited(plain(**{"": frameset}))
    assert (header.status, header.pages_crawled) == ("done", 3)
    assert without("/", findings(website)) == without("/", normal)


def test_a_home_page_that_refreshes_to_another_page_is_followed() -> None:
    normal = behaved()
    refresh = (
        '<html lang="en"><head><title>The home page of a small website</title>'
        '<meta http-equiv="refresh" content="0; URL=/a"></head><body></body></html>'
    )
    website, header = audited(plain(**{"": refresh, "a": article("A", "/", "/b")}))
    assert (header.status, header.pages_crawled) == ("done", 3)
    found = findings(website)
    assert found.pop("SEO-TEC-040") == ["SITE"]
    assert without("/", found) == without("/", normal)


SHELL = (
    '<!doctype html><html lang="en"><head><title>Tents of {name}</title></head><body><div id="root"></div>'
    '<script type="module" src="/app.js"></script></body></html>'
)


def test_a_page_that_scripts_fill_has_one_finding_for_this_cause() -> None:
    pages = {name: SHELL.format(name=name or "Example") for name in ("", "a", "b")}
    site = plain(**pages)
    with WireServer(site) as server:
        entries = "".join(f"<url><loc>{server.url(f'/{name}')}</loc></url>" for name in pages)
        urlset = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
        site.pages["/sitemap.xml"] = ("200 OK", {"content_type": "application/xml"}, urlset)
        website = new_website(server)
        header = audit(website)
    current = stored.get(website.workspace_id, website.id)
    assert current is not None
    found, summary = findings(website), current.summary
    assert header.pages_crawled == 3 and summary is not None and summary.score is not None
    assert found["SEO-AEO-017"] == ["/", "/a", "/b"]
    assert found.keys().isdisjoint({"SEO-CON-001", "SEO-ONP-015", "SEO-LNK-006"})
    assert (summary.score.coverage, summary.score.confidence) == (0.0, "low")
    assert summary.score.entry.aeo is not None and summary.score.entry.aeo <= 600
    assert summary.notice is not None and summary.notice == header.notes[0]
    assert "3 of 3 pages have neither words nor links until scripts run" in summary.notice


CHARSETS = {
    "euc-kr": "한국어로 작성된 문서입니다. 오늘의 뉴스와 날씨를 확인하세요. 내일은 비가 오겠습니다. ",
    "shift_jis": "これは日本語で書かれた文書です。今日のニュースと天気をご覧ください。明日は雨でしょう。",
    "windows-1252": "Über den Wäldern hängt schwärzlicher Nebel, „schön“ sagte die Bäuerin – für größere Straßen. ",
}


@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("declared", ["nowhere", "in the header", "in the page"])
def test_pages_in_other_charsets_are_decoded(charset: str, declared: str) -> None:
    text = CHARSETS[charset]
    title = text[:30].strip()

    def page(head: str) -> str:
        return html(title, "/", head=head, body=f"<p>{text * 12}</p>")

    in_utf8, _ = audited(plain(a=page('<meta charset="utf-8">')))
    head = f'<meta charset="{charset}">' if declared == "in the page" else ""
    header = {"content_type": "text/html" + (f"; charset={charset}" if declared == "in the header" else "")}
    website, ended = audited(plain(a=("200 OK", header, page(head).encode(charset))))
    assert findings(website) == findings(in_utf8)
    row = next(row for row in pages.load_list(website.id, ended.id) if row.url.endswith("/a"))
    assert row.title == title


def test_identical_pages_are_reported_only_as_duplicates() -> None:
    normal = behaved()
    website, _ = audited(plain(b=article("A")))
    changed = {rule_id for rule_id, paths in findings(website).items() if normal.get(rule_id) != paths}
    assert changed == {DUPLICATE}  # not of the title, which would be the same cause again
