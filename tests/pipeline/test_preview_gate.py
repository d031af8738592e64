"""``plugins/ci/gate.sh`` with a preview: a staging server behind a password, judged before it is the website."""

import base64
import json

from chalicelib.store import crawls
from tests import aws
from tests.pipeline.conftest import Pipeline
from tests.pipeline.test_gate_script import lines
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Site, html

PASSWORD = 'it\'s "5 $HOME\\n" `x` &'
LET_IN = "Basic " + base64.b64encode(f"anna:{PASSWORD}".encode()).decode()


class Locked(Site):
    """A website that nobody sees without the password."""

    def __call__(self, connection: Connection) -> None:
        if connection.header("authorization") == LET_IN:
            super().__call__(connection)
        else:
            connection.answer(b"who are you?", "401 Unauthorized", content_type="text/plain")


def test_a_preview_passes_fails_or_cannot_be_judged(pipeline: Pipeline) -> None:
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


def test_an_invalid_preview_is_unclear_with_a_reason(pipeline: Pipeline) -> None:
    for wrong, said in (
        ({"WOS_PREVIEW": pipeline.server.url()}, "No preview was started. The API answered 400: "),
        ({"WOS_PREVIEW": "http://10.0.0.7/"}, "No preview was started. The API answered 400: "),
        ({"WOS_PREVIEW": "http://10.0.0.7/", "WOS_AUDIT": "crawl_1"}, "WOS_AUDIT and WOS_PREVIEW do not"),
        ({"WOS_PREVIEW": "http://10.0.0.7/\n"}, "WOS_PREVIEW has other characters than text of one line."),
        ({"WOS_PREVIEW": "", "WOS_PREVIEW_USER": "anna"}, "WOS_PREVIEW is empty, and other WOS_PREVIEW"),
        ({"WOS_PREVIEW": "x", "WOS_PREVIEW_PASSWORD": "p"}, "WOS_PREVIEW_PASSWORD needs WOS_PREVIEW_USER."),
        ({"WOS_PREVIEW": "x", "WOS_PREVIEW_ROBOTS": 'a", "b'}, "WOS_PREVIEW_ROBOTS is missing, or has other"),
    ):
        done = pipeline.run(**wrong)
        assert (done.returncode, lines(done)[0]) == (2, "unclear"), wrong
        assert lines(done)[1].startswith(said), done.stdout
