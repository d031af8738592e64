"""``plugins/ci/gate.sh`` in a scripted pipeline: passes, fails on a regression, and says where it cannot say."""

import json
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from chalicelib.http import idempotency
from chalicelib.http.answers import Answer
from chalicelib.http.errors import ApiError
from chalicelib.store import crawls
from tests.pipeline.conftest import Pipeline
from tests.workers.audit.websites import html

BROKEN = ("500 Internal Server Error", {"content_type": "text/html"}, "<html><body>An error</body></html>")


def lines(done: "subprocess.CompletedProcess[str]") -> list[str]:
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_gate_passes_an_unchanged_website_and_fails_on_new_issues(pipeline: Pipeline) -> None:
    same = pipeline.run(WOS_MIN_SCORE="1", WOS_NO_NEW="low", WOS_MAX_LOSS="0")
    assert (same.returncode, lines(same)[:2]) == (0, ["pass", "status: done"]), same.stdout
    pipeline.change("/a", html(None, "/"))
    summary, output = pipeline.folder / "summary", pipeline.folder / "output"
    worse = pipeline.run(
        WOS_NO_NEW="high",
        WOS_REPORTS="json sarif junit markdown csv pdf",
        GITHUB_STEP_SUMMARY=str(summary),
        GITHUB_OUTPUT=str(output),
    )
    told = lines(worse)
    assert (worse.returncode, told[0]) == (1, "fail"), worse.stdout
    assert "new: SEO-ONP-001 Title missing or empty (high)" in told
    assert f"  {pipeline.server.url()}a" in told
    assert told[-1] == "There is no report as pdf."
    newest = crawls.list_audits(pipeline.website.id, 1)[0]
    assert output.read_text(encoding="utf-8") == f"outcome=fail\naudit={newest.id}\n"
    assert "### Title missing or empty" in summary.read_text(encoding="utf-8")
    report = json.loads((pipeline.folder / "report.sarif").read_text(encoding="utf-8"))
    assert "SEO-ONP-001" in {one["ruleId"] for one in report["runs"][0]["results"]}
    assert ElementTree.parse(pipeline.folder / "report.xml").getroot().tag == "testsuites"
    assert json.loads((pipeline.folder / "report.json").read_text(encoding="utf-8"))["total"] > 0
    assert (pipeline.folder / "report.csv").read_text(encoding="utf-8").startswith("fingerprint,ruleId,")
    assert pipeline.run(WOS_AUDIT=newest.id, WOS_MIN_SCORE="99.9").returncode == 1, "judged again without an audit"


def test_a_page_that_no_longer_answers_fails_the_gate(pipeline: Pipeline) -> None:
    pipeline.change("/a", BROKEN)
    broken = pipeline.run()
    assert (broken.returncode, lines(broken)[0]) == (1, "fail"), broken.stdout
    assert any(line.startswith("new: SEO-TEC-003") for line in lines(broken))


def test_the_gate_result_is_unclear_if_the_website_is_down(pipeline: Pipeline) -> None:
    pipeline.stop()
    down = pipeline.run(WOS_REPORTS="sarif")
    assert (down.returncode, lines(down)[:2]) == (2, ["unclear", "status: failed"]), down.stdout
    assert lines(down)[2].startswith("audit: unclear. The audit failed.")
    assert not (pipeline.folder / "report.sarif").exists()


def test_the_gate_result_is_unclear_with_a_reason_if_the_api_refuses_a_request(pipeline: Pipeline) -> None:
    for refused, said in (
        ({"WOS_KEY": "wos_ws_nobody"}, "No audit was started. The API answered 401: "),
        ({"WOS_SITE": "site_none"}, "No audit was started. The API answered 404: "),
        ({"WOS_PAGE_BUDGET": "9999999"}, "No audit was started. The API answered 400: "),
        ({"WOS_AUDIT": "crawl_none"}, "The API answered 404: "),
        ({"WOS_URL": "http://127.0.0.1:9/api/v1"}, "No audit was started. The API does not answer: "),
    ):
        done = pipeline.run(**refused)
        assert done.returncode == 2 and lines(done)[0] == "unclear"
        assert lines(done)[1].startswith(said), done.stdout
        assert pipeline.key not in done.stdout


def test_the_gate_result_is_unclear_if_a_crawl_is_still_running_at_the_time_limit(pipeline: Pipeline) -> None:
    from tests.api import seed

    seed.running(pipeline.website)
    for minutes in ("0", "1"):  # without a pause between two questions, a minute is 60 of them
        done = pipeline.run(WOS_WAIT_MINUTES=minutes)
        assert done.returncode == 2 and '"code":"already_running"' in lines(done)[1]


def test_a_value_that_contains_shell_or_curl_syntax_is_not_executed(pipeline: Pipeline, tmp_path: Path) -> None:
    harm = tmp_path / "harm"
    for name in ("WOS_KEY", "WOS_SITE", "WOS_AUDIT", "WOS_PAGE_BUDGET", "WOS_WAIT_MINUTES", "WOS_URL"):
        for value in (f"$(touch {harm})", f'x"\noutput = "{harm}"', "a b", "../../x?", "1;id"):
            done = pipeline.run(**{name: value})
            assert (done.returncode, lines(done)[0]) == (2, "unclear"), (name, value)
    assert not harm.exists()
    newest = crawls.list_audits(pipeline.website.id, 1)[0]
    odd = pipeline.run(WOS_AUDIT=newest.id, WOS_NO_NEW="high&format=json")
    assert odd.returncode == 2 and "bad_no_new" in odd.stdout


@pytest.mark.parametrize("kept", [False, True])
def test_starting_an_audit_is_retried_after_a_server_error(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """``kept``: the error comes after the audit was started and its answer stored, so only the answer is lost."""
    once, scopes = idempotency.once, []
    before = len(crawls.list_audits(pipeline.website.id, None))

    def failing(scope: tuple[str, str, str, str], *more: Any) -> Answer:
        scopes.append(scope)
        if len(scopes) > 2:
            return once(scope, *more)
        if kept and len(scopes) == 1:
            once(scope, *more)
        raise RuntimeError("A failure that nobody expects.")

    monkeypatch.setattr(idempotency, "once", failing)
    done = pipeline.run(WOS_NO_NEW="low")
    assert (done.returncode, lines(done)[0]) == (0, "pass"), done.stdout
    assert len(scopes) == 3 and len(set(scopes)) == 1
    assert len(crawls.list_audits(pipeline.website.id, None)) == before + 1


def test_the_gate_result_is_unclear_after_three_server_errors(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def failing(*scope: Any) -> Answer:
        tried.append(scope)
        raise RuntimeError("A failure that nobody expects.")

    monkeypatch.setattr(idempotency, "once", failing)
    done = pipeline.run(WOS_NO_NEW="low")
    assert (done.returncode, lines(done)[0], len(tried)) == (2, "unclear", 3)
    assert lines(done)[1].startswith("No audit was started. The API answered 500: ")


def test_a_start_still_in_progress_is_retried_with_the_same_key(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    once, keys = idempotency.once, []

    def slow(scope: tuple[str, str, str, str], *more: Any) -> Answer:
        keys.append(scope[3])
        if len(keys) == 1:
            raise ApiError("idempotency_in_progress", "It still runs.")
        return once(scope, *more)

    monkeypatch.setattr(idempotency, "once", slow)
    done = pipeline.run(WOS_NO_NEW="low")
    assert (done.returncode, lines(done)[0]) == (0, "pass"), done.stdout
    assert len(keys) == 2 and len(set(keys)) == 1
