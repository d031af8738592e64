"""``gate``: its exit status holds in every format."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

import manage
from chalicelib import clock
from chalicelib.domain.audit.summary import ScoreEntry
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls, previews
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from tests import aws
from tests.api import seed
from tests.api.conftest import House, settle
from tests.servers.wire import Connection, WireServer
from tests.workers.audit import previewing
from tests.workers.audit.websites import Runtime, Site, html

Ran = Callable[..., tuple[int, str, str]]


@pytest.fixture
def website(store: None) -> Website:
    house: House = settle()
    score = ScoreEntry(790, 790, None, "1", clock.now(), "crawl_01B")
    for audit_id, affected, members in (("crawl_01A", 1, {}), ("crawl_01B", 3, {"score": score})):
        rows = [msgspec.structs.replace(row, facts_crawl=audit_id) for row in seed.rows(house.site, 4)]
        seed.keep(house.site, audit_id, rows, affected, **members)
    return house.site


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ran:
    monkeypatch.setenv("LOCAL_DIR", str(tmp_path))

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = manage.main(["gate", *arguments])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_the_gate_command_compares_the_newest_audit_with_the_previous_one(website: Website, ran: Ran) -> None:
    status, out, err = ran(website.id)
    assert (status, out.splitlines()[:2], err) == (1, ["fail", "status: done"], "")
    assert f"  {seed.url(website, 1)}" in out.splitlines()
    assert ran(website.host, "--min-score", "79")[0] == 0
    assert ran(website.id, "--max-loss", "2.3")[0] == 1
    assert ran(website.id, "--max-loss", "2.4")[0] == 0
    assert ran(website.id, "--audit", "crawl_01A", "--against", "crawl_01B")[0] == 0


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "markdown", "csv"])
def test_the_gate_command_has_the_same_exit_status_in_every_format(website: Website, ran: Ran, form: str) -> None:
    status, out, err = ran(website.id, "--format", form)
    assert (status, err) == (1, "") and ran(website.id, "--min-score", "1", "--format", form)[0] == 0
    if form in ("json", "sarif"):
        assert isinstance(json.loads(out), dict)
    elif form == "junit":
        assert ElementTree.fromstring(out).get("failures") == "3"
    elif form == "csv":
        assert out.count("\r\n") + out.count("\n") - out.count("\r\n") == 4
    assert json.loads(ran("--json", website.id)[1])["outcome"] == "fail"


def test_an_unclear_result_has_exit_status_2_and_a_reason(website: Website, ran: Ran) -> None:
    status, out, err = ran(website.id, "--audit", "crawl_01A")
    assert (status, out.splitlines()[0]) == (2, "unclear") and err.count("\n") == 1
    assert err.startswith("The gate is unclear: No audit before this one is stored")
    commit([crawls.put_new(seed.header(website, "crawl_runs", status="running", finished_at=None))])
    status, out, err = ran(website.id, "--audit", "crawl_runs")
    assert (status, out.splitlines()[:2]) == (2, ["unclear", "status: running"])
    assert ran(website.id, "--audit", "crawl_runs", "--format", "sarif")[:2] == (2, "")
    assert ran(website.id, "--audit", "crawl_none") == (2, "", "The website has no audit crawl_none.\n")
    for wrong in ("101", "-1", "5.55", "x"):
        assert ran(website.id, f"--min-score={wrong}")[0] == 2


def test_a_website_without_an_audit_has_exit_status_2(ran: Ran, store: None) -> None:
    site = settle().site
    assert ran(site.id) == (2, "", "No audit results of this website are stored.\n")


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The pauses of the command. While it waits, the workers of the deployment work."""
    from chalicelib.workers.audit import crawl

    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    paused: list[float] = []

    def works(seconds: float) -> None:
        paused.append(seconds)
        waiting = aws.messages("crawl")
        aws.purge("crawl")
        for message in waiting:
            crawl.handle(message, Runtime())

    monkeypatch.setattr(clock, "sleep", works)
    yield paused
    monkeypatch.undo()
    forget_settings()


def stored_budget(website: Website, preview_id: str) -> int:
    found = previews.load(website.id, preview_id)
    assert found is not None
    return found.header.page_budget


def test_the_gate_command_creates_a_preview_and_judges_it(website: Website, ran: Ran, waits: list[float]) -> None:
    with WireServer(Site({"/": html("The home page of a small shop")})) as server:
        status, out, err = ran(website.id, "--preview", server.url(), "--min-score", "1")
        assert (status, out.splitlines()[:2], err) == (0, ["pass", "status: done"], "") and waits
        assert (
            ran(website.id, "--preview", server.url(), "--ignore-robots", "--min-score", "100", "--format", "csv")[0]
            == 1
        )
        assert ran(website.id, "--preview", server.url(), "--audit", "crawl_01A")[0] == 2
        assert ran(website.id, "--preview", server.url(), "--url", server.url(), "--min-score", "1")[0] == 0
        last = previews.last(website.id)
        assert last is not None and stored_budget(website, last.preview_id) == 1
    for option in (["--ignore-robots"], ["--url", "http://x/"], ["--wait-minutes", "5"], ["--access", "nowhere"]):
        status, out, err = ran(website.id, "--min-score", "1", *option)
        assert (status, out) == (2, "") and err.startswith("Name the preview")
    status, out, err = ran(website.id, "--preview", server.url("/shop"))
    assert (status, out) == (2, "") and err.startswith("`url` must be the address of a host")
    status, out, err = ran(website.id, "--preview", server.url(), "--url", "http://other.example/")
    assert (status, out) == (2, "") and err.startswith("`urls` must be addresses of the preview's host")
    many = [part for number in range(101) for part in ("--url", server.url(f"/{number}"))]
    status, out, err = ran(website.id, "--preview", server.url(), *many)
    assert (status, out) == (2, "") and err.startswith("At most 100 pages")
    told = json.loads(ran("--json", website.id, "--preview", server.url(), "--min-score", "1")[1])
    assert told["previewId"].startswith("prev_") and "link" not in told
    assert crawls.list_audits(website.id, None) == []


SECRET = 'correct "horse"'


def test_preview_credentials_are_read_from_a_file_and_never_printed(
    website: Website, ran: Ran, waits: list[float], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    basic = "Basic " + base64.b64encode(f"anna:{SECRET}".encode()).decode()

    class Locked(Site):
        def __call__(self, connection: Connection) -> None:
            if (connection.header("authorization"), connection.header("x-bypass")) == (basic, SECRET):
                super().__call__(connection)
            else:
                connection.answer(b"who are you?", "401 Unauthorized", content_type="text/plain")

    caplog.set_level("DEBUG")
    file = tmp_path / "access.json"
    given = {"basicAuth": {"username": "anna", "password": SECRET}, "headers": {"X-Bypass": SECRET}}
    shown = []
    with WireServer(Locked({"/": html("The home page of a small shop")})) as server:
        asked = [website.id, "--preview", server.url(), "--min-score", "1"]
        file.write_text(json.dumps(given), encoding="utf-8")
        shown.append(ran(*asked, "--access", str(file)))
        assert shown[-1][:2][0] == 0 and shown[-1][1].startswith("pass\n"), shown
        assert not [row for row in aws.stored("crawls") if "sealed" in row], "forgotten at the end"
        assert ran(*asked)[0] == 2, "nobody is let in without it"
        for wrong, code in (
            ({}, "must be JSON"),
            ([SECRET], "must be JSON"),
            ({"basicAuth": {"password": SECRET}}, "must be JSON"),
            ({**given, "url": "http://x/"}, "must be JSON"),
            ({"headers": {"X-Bypass": "x" * 8_000 + SECRET}}, "must be JSON"),
            ({"headers": {"Host": SECRET}}, "cannot set Host"),
            ({"headers": {"X-Bypass": SECRET, "x-bypass": SECRET}}, "names a header twice"),
            ({"basicAuth": {"username": "a:b", "password": SECRET}}, "must be a user name without a colon"),
        ):
            file.write_text(json.dumps(wrong), encoding="utf-8")
            before = len(aws.stored("crawls"))
            shown.append(ran(*asked, "--access", str(file)))
            assert shown[-1][:2] == (2, "") and code in shown[-1][2], shown[-1]
            assert len(aws.stored("crawls")) == before
        file.write_text(f'{{"headers": {{"A": "1", "X-Bypass": "{"x" * 9}", "X-Bypass": "horse"}}}}', encoding="utf-8")
        shown.append(ran(*asked, "--access", str(file)))
        assert shown[-1] == (2, "", f"{file} names 'X-Bypass' twice.\n")
        assert len(aws.stored("crawls")) == before
        shown.append(ran(*asked, "--access", str(tmp_path / "none")))
        assert shown[-1][:2] == (2, "") and "cannot be read" in shown[-1][2]
    assert "horse" not in str(shown) + caplog.text


def test_a_missing_audit_is_reported_before_a_preview_is_created(
    website: Website, ran: Ran, waits: list[float]
) -> None:
    with WireServer(Site({"/": html("The home page of a small shop")})) as server:
        asked = (website.id, "--preview", server.url(), "--min-score", "1")
        status, out, err = ran(*asked, "--against", "crawl_none")
        assert (status, out) == (2, "") and "crawl_none" in err and previews.last(website.id) is None
        assert ran(*asked, "--against", "crawl_01B")[0] == 0 and previews.last(website.id) is not None


def test_the_gate_waits_for_a_running_preview(
    website: Website, ran: Ran, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer(Site({"/": html("The home page of a small shop")})) as server:
        first = previewing.start(website, server.url())
        assert ran(website.id, "--preview", server.url(), "--min-score", "1")[0] == 0
        assert len(waits) == 2
        last = previews.last(website.id)
        assert last is not None and last.preview_id != first.id
        previewing.start(website, server.url())
        with monkeypatch.context() as passing:
            passing.setattr(clock, "sleep", lambda seconds: clock.set_offset(clock.offset() + 61))
            passing.setattr(clock, "monotonic", clock.now)
            status, out, err = ran(website.id, "--preview", server.url(), "--wait-minutes", "1")
    assert (status, out) == (2, "") and err.startswith("A preview of this website is queued or running")
