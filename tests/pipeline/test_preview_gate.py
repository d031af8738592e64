"""``plugins/ci/gate.sh`` with a preview: a staging server behind a password, judged before it is the website."""

import base64
import json
import threading

from chalicelib.store import crawls
from chalicelib.store import previews as stored
from tests import aws
from tests.pipeline.conftest import Pipeline
from tests.pipeline.test_gate_script import lines
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Site, html

PASSWORD = 'it\'s "5 $HOME\\n" `x` &'
LET_IN = "Basic " + base64.b64encode(f"anna:{PASSWORD}".encode()).decode()
TOKEN = "a: \\\"$b' `c`"


class Locked(Site):
    """A website that nobody sees without the password, or a token."""

    def __call__(self, connection: Connection) -> None:
        if connection.header("authorization") == LET_IN or connection.header("x-bypass") == TOKEN:
            super().__call__(connection)
        else:
            connection.answer(b"who are you?", "401 Unauthorized", content_type="text/plain")


def test_the_gate_result_of_a_preview_is_pass_fail_or_unclear(pipeline: Pipeline) -> None:
    staging = Locked(dict(pipeline.site.pages))
    with WireServer(staging) as server:
        asked = {"WOS_PREVIEW": server.url(), "WOS_NO_NEW": "low", "WOS_REPORTS": "json"}
        keyed = asked | {"WOS_PREVIEW_USER": "anna", "WOS_PREVIEW_PASSWORD": PASSWORD}
        same = pipeline.run(**keyed)
        assert (same.returncode, lines(same)[:2]) == (0, ["pass", "status: done"]), same.stdout
        staging.pages["/a"] = html(None, "/")
        output = pipeline.folder / "output"
        worse = pipeline.run(**keyed, WOS_PAGE_BUDGET="50", GITHUB_OUTPUT=str(output))
        assert (worse.returncode, lines(worse)[0]) == (1, "fail"), worse.stdout
        assert "new: SEO-ONP-001 Title missing or empty (high)" in lines(worse)
        assert output.read_text(encoding="utf-8").startswith("outcome=fail\naudit=prev_")
        report = json.loads((pipeline.folder / "report.json").read_text(encoding="utf-8"))
        assert "SEO-ONP-001" in {one["ruleId"] for one in report["findings"]}
        closed = pipeline.run(**asked)
        assert (closed.returncode, lines(closed)[:2]) == (2, ["unclear", "status: failed"]), closed.stdout
        assert lines(closed)[2].startswith("audit: unclear. The preview failed.")
    assert len(crawls.list_audits(pipeline.website.id, None)) == 1
    assert not [row for row in aws.stored("crawls") if "sealed" in row]


def test_custom_headers_open_a_preview_and_are_never_printed(pipeline: Pipeline) -> None:
    with WireServer(Locked(dict(pipeline.site.pages))) as server:
        asked = {"WOS_PREVIEW": server.url(), "WOS_NO_NEW": "low"}
        done = pipeline.run(**asked, WOS_PREVIEW_HEADERS=f"\nX-Kind:staging\nX-Bypass:  {TOKEN}\n")
        assert (done.returncode, lines(done)[0]) == (0, "pass"), done.stdout
        wrong = pipeline.run(**asked, WOS_PREVIEW_HEADERS=f"Host: {TOKEN}")
    assert wrong.returncode == 2 and '"code":"bad_headers"' in lines(wrong)[1]
    assert TOKEN not in done.stdout + wrong.stdout


def test_only_the_named_pages_of_a_preview_are_read(pipeline: Pipeline) -> None:
    staging = Site({**pipeline.site.pages, "/a": html(None, "/"), "/b": html(None, "/")})
    with WireServer(staging) as server:
        asked = {"WOS_PREVIEW": server.url(), "WOS_NO_NEW": "high"}
        done = pipeline.run(**asked, WOS_PREVIEW_URLS=f"{server.url('/b')}\n  {server.url()}*")
        wrong = pipeline.run(**asked, WOS_PREVIEW_URLS='https://other.example/"')
    assert (done.returncode, lines(done)[0]) == (1, "fail"), done.stdout
    assert f"  {pipeline.server.url()}b" in lines(done) and f"  {pipeline.server.url()}a" not in lines(done)
    assert wrong.returncode == 2 and '"param":"urls[0]"' in lines(wrong)[1]


def test_the_gate_waits_for_another_preview_of_the_website(pipeline: Pipeline) -> None:
    held = threading.Event()
    home = pipeline.site.pages["/"]

    def holds(connection: Connection) -> None:
        assert held.wait(60)
        connection.answer(home.encode(), content_type="text/html; charset=utf-8")

    with WireServer(Site({**pipeline.site.pages, "/": holds})) as server:
        asked = {"WOS_PREVIEW": server.url(), "WOS_NO_NEW": "low"}
        first = pipeline.run(**asked, WOS_WAIT_MINUTES="0")
        assert first.returncode == 2 and "has not ended within 0 minutes" in lines(first)[1]
        before = stored.last(pipeline.website.id)
        second = pipeline.run(**asked, WOS_WAIT_MINUTES="0")
        assert second.returncode == 2 and '"code":"preview_running"' in lines(second)[1]
        assert before is not None and stored.last(pipeline.website.id) == before
        threading.Timer(1.5, held.set).start()
        third = pipeline.run(**asked, WOS_POLL_SECONDS="1", WOS_WAIT_MINUTES="2")
    assert (third.returncode, lines(third)[0]) == (0, "pass"), third.stdout
    last = stored.last(pipeline.website.id)
    assert last is not None and len(last.starts) == 2


def test_the_gate_result_is_unclear_with_a_reason_if_the_preview_is_invalid(pipeline: Pipeline) -> None:
    for wrong, said in (
        ({"WOS_PREVIEW": pipeline.server.url()}, "No preview was started. The API answered 400: "),
        ({"WOS_PREVIEW": "http://10.0.0.7/"}, "No preview was started. The API answered 400: "),
        ({"WOS_PREVIEW": "http://10.0.0.7/", "WOS_AUDIT": "crawl_1"}, "WOS_AUDIT and WOS_PREVIEW do not"),
        ({"WOS_PREVIEW": "http://10.0.0.7/\n"}, "WOS_PREVIEW has other characters than text of one line."),
        ({"WOS_PREVIEW": "", "WOS_PREVIEW_USER": "anna"}, "WOS_PREVIEW is empty, and other WOS_PREVIEW"),
        ({"WOS_PREVIEW": "x", "WOS_PREVIEW_PASSWORD": "p"}, "WOS_PREVIEW_PASSWORD needs WOS_PREVIEW_USER."),
        ({"WOS_PREVIEW": "", "WOS_PREVIEW_HEADERS": "A: b"}, "WOS_PREVIEW is empty, and other WOS_PREVIEW"),
        ({"WOS_PREVIEW": "", "WOS_PREVIEW_URLS": "http://a/"}, "WOS_PREVIEW is empty, and other WOS_PREVIEW"),
        ({"WOS_PREVIEW": "x", "WOS_PREVIEW_URLS": "http://a/\t"}, "A line of WOS_PREVIEW_URLS has other"),
        ({"WOS_PREVIEW": "x", "WOS_PREVIEW_HEADERS": "A: b\nnothing"}, "WOS_PREVIEW_HEADERS has a line that"),
        ({"WOS_PREVIEW": "x", "WOS_PREVIEW_HEADERS": "A: b\r"}, "A line of WOS_PREVIEW_HEADERS has other"),
        (
            {"WOS_PREVIEW": "x", "WOS_PREVIEW_HEADERS": "X-Bypass: 1\n\nA: b\nx-bypass:2"},
            "WOS_PREVIEW_HEADERS names the header x-bypass twice.",
        ),
        ({"WOS_PREVIEW": "x", "WOS_PREVIEW_ROBOTS": 'a", "b'}, "WOS_PREVIEW_ROBOTS is missing, or has other"),
    ):
        done = pipeline.run(**wrong)
        assert (done.returncode, lines(done)[0]) == (2, "unclear"), wrong
        assert lines(done)[1].startswith(said), done.stdout


def test_the_preview_password_works_even_if_sed_appends_a_newline(pipeline: Pipeline) -> None:
    sed = pipeline.folder / "sed"  # as on macOS
    sed.write_text('#!/bin/sh\n/usr/bin/env -i /bin/sed "$@" | awk 1\n', encoding="utf-8")
    sed.chmod(0o755)
    with WireServer(Locked(dict(pipeline.site.pages))) as server:
        asked = {"WOS_PREVIEW": server.url(), "WOS_PREVIEW_USER": "anna", "WOS_PREVIEW_PASSWORD": PASSWORD}
        done = pipeline.run(**asked, WOS_NO_NEW="low", PATH=f"{pipeline.folder}:/usr/bin:/bin")
    assert (done.returncode, lines(done)[0]) == (0, "pass"), done.stdout
