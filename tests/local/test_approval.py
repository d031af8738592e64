"""The second half of ``make run`` on a running local service: a change goes live and resolves its issue, and what the
terminal and the API tell where the CMS misbehaves."""

import io
import re
import threading
from collections.abc import Iterator
from itertools import accumulate, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rich.console import Console

from chalicelib.workers.writing import live
from local.approval import Approval, NotShown, can_be_resolved, undo_line
from local.options import Options
from local.report import Api, ApiRefusal, Interrupted, Report, paces
from local.run import tour
from local.service import Service
from local.standins.cms import CACHE, REFUSAL
from management import target

PLAN_REQUESTS = 1_200  # that a key may make in an hour


class Running(NamedTuple):
    """A service behind the first session, what that printed, and how it ended."""

    service: Service
    printed: str
    failure: str | None
    asked: int  # requests of the first session with the workspace's key

    @property
    def api(self) -> Api:
        return Api(self.service.base_url, self.service.tenant.workspace_key)

    @property
    def site(self) -> str:
        return f"/sites/{self.service.tenant.site_id}"

    def issue(self, rule_id: str) -> dict[str, Any]:
        issues = self.api.call("GET", f"{self.site}/issues?status=open,resolved,in_progress")["issues"]
        issue_id = next(one["id"] for one in issues if one["ruleId"] == rule_id)
        return self.api.call("GET", f"{self.site}/issues/{issue_id}")

    def changed(self, status: str) -> dict[str, Any]:
        """The open issue with a change of that status."""
        for listed in self.api.call("GET", f"{self.site}/issues")["issues"]:
            issue = self.api.call("GET", f"{self.site}/issues/{listed['id']}")
            if status in {change["status"] for change in (issue["lastChange"] or {}).get("changes", [])}:
                return issue
        raise AssertionError(status)

    def apply(self, rule_id: str) -> None:
        """By hand, as a customer's script does: the values that are suggested."""
        issue = self.issue(rule_id)
        wanted = [{"url": one["url"], "value": one["suggested"]} for one in issue["suggestions"]]
        self.api.call("POST", f"{self.site}/actions/{issue['id']}/apply", {"changes": wanted})


@pytest.fixture(scope="module")
def running(embedded_aws: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("local")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live, "WAITS", (0.0, 0.01, 0.01))
        patch.setenv("LOCAL_DIR", str(folder))
        service = Service(Options(port=0, once=True, folder=folder))
        service.start()
        try:
            asked: list[str] = []
            call = Api.call
            with pytest.MonkeyPatch.context() as counting:
                counting.setattr(Api, "call", lambda api, *given: asked.append(given[1]) or call(api, *given))
                terminal = Console(file=io.StringIO(), width=120)
                failure = tour(terminal, service, Report(terminal, service), threading.Event())
            yield Running(service, terminal.file.getvalue(), failure, len(asked))  # type: ignore[attr-defined]
        finally:
            service.stop()


def faulty(fault: str) -> None:
    """``manage.py standin cms --fault …``"""
    target.control("POST", "/standin", {"name": "cms", "fault": fault})


def pass_time(seconds: float = 1.0) -> None:
    """``manage.py clock advance …``: what is under way ends first."""
    target.control("POST", "/clock/advance", {"seconds": seconds})


@pytest.fixture(autouse=True)
def well(running: Running) -> Iterator[None]:
    yield
    faulty("none")


def approve(running: Running) -> str:
    """Another change, as the terminal approves it. Gives what it printed; raises ``NotShown``."""
    terminal = Console(file=io.StringIO(), width=120)
    Approval(terminal, running.service, threading.Event().wait).show()
    return str(terminal.file.getvalue())  # type: ignore[attr-defined]


def test_the_first_approval_resolves_an_issue_and_raises_the_score_as_estimated(
    running: Running,
) -> None:
    printed, service = running.printed, running.service
    assert running.failure is None, printed
    issue = running.issue("SEO-ONP-001")
    assert issue["status"] == "resolved" and issue["lastRecheck"]["present"] == 0
    changes = issue["lastChange"]["changes"]
    assert [change["status"] for change in changes] == ["applied"] * 2
    assert issue["lastChange"]["approvedBy"] == service.tenant.person_id
    assert sorted(value for _, _, value in service.cms.writes) == sorted(change["value"] for change in changes)
    for change in changes:
        assert f"title now     “{change['value']}”  live" in printed
    assert printed.count("title before  none") == 2
    assert "Score" in printed and "as promised" in printed
    assert undo_line(service, issue["lastChange"]["batchId"]) in printed
    assert re.search(r"webhooks: \d+ delivered, signatures verified", printed)


def test_the_cms_sends_all_its_content_with_the_key_from_pairing(running: Running) -> None:
    cms = running.api.call("GET", running.site)["cms"]
    assert cms["connected"] and cms["writable"]
    assert running.service.content.sent.is_set()
    pairing = running.service.cms.pairing
    assert pairing is not None and pairing.website_key != running.service.tenant.site_key
    assert pairing.website_key not in repr(pairing) and pairing.secret not in repr(pairing)


def test_requests_of_the_terminal_stay_below_the_hourly_limit_of_the_key(running: Running) -> None:
    an_hour = sum(1 for _ in takewhile(lambda passed: passed < 3_600, accumulate(paces())))
    assert an_hour < 0.7 * PLAN_REQUESTS
    assert running.asked < PLAN_REQUESTS / 4


def test_a_write_that_a_page_cache_hides_is_reported_as_not_live(running: Running) -> None:
    faulty("hide_writes")
    with pytest.raises(NotShown, match="is not_live: ") as told:
        approve(running)
    assert f"The page cache was not cleared: {CACHE}." in str(told.value)
    issue = running.changed("not_live")
    faulty("none")
    running.api.call("POST", f"{running.site}/issues/{issue['id']}/recheck")
    pass_time()
    issue = running.api.call("GET", f"{running.site}/issues/{issue['id']}")
    assert issue["status"] == "resolved"
    assert {change["status"] for change in issue["lastChange"]["changes"]} == {"applied"}


def test_a_refusal_shows_the_message_of_the_cms_and_reopens_the_issue(running: Running) -> None:
    faulty("refuse")
    before = list(running.service.cms.writes)
    with pytest.raises(NotShown, match="is refused: ") as told:
        approve(running)
    assert REFUSAL in str(told.value)
    assert running.service.cms.writes == before


def test_changes_fail_after_the_cms_has_not_answered_for_half_an_hour(running: Running) -> None:
    faulty("fail")
    running.apply("SEO-TEC-015")
    pass_time()
    issue = running.issue("SEO-TEC-015")
    assert issue["status"] == "in_progress"
    assert {change["status"] for change in issue["lastChange"]["changes"]} == {"applying"}
    pass_time(3_600)
    issue = running.issue("SEO-TEC-015")
    assert issue["status"] == "open"
    assert {change["status"] for change in issue["lastChange"]["changes"]} == {"failed"}
    assert "500" in issue["lastChange"]["changes"][0]["error"]


def test_a_missing_cms_connection_is_explained(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running.service, "not_connected", "The code is wrong.")
    with pytest.raises(NotShown, match="is not connected to its CMS: The code is wrong"):
        approve(running)


def test_content_that_the_service_refuses_is_explained(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running.service.content, "sent", threading.Event())
    monkeypatch.setattr(running.service.content, "trouble", "the service answered 500")
    with pytest.raises(NotShown, match="has not sent its content: the service answered 500"):
        approve(running)


def test_a_score_change_that_differs_from_the_estimate_is_a_failure(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = iter([50.0, 50.1])
    monkeypatch.setattr(Approval, "_score", lambda _: next(scores))
    call = Api.call

    def promising(api: Api, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = call(api, method, path, body)
        for action in answer.get("actions", []):
            if isinstance(action, dict):
                action["estimatedScoreGain"] = 7.0
        return answer

    monkeypatch.setattr(Api, "call", promising)
    with pytest.raises(NotShown, match=r"moved from 50\.0 to 50\.1, which is not the promised \+7\.0"):
        approve(running)


def test_an_issue_already_resolved_by_another_audit_is_explained(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = Api.call

    def unread(api: Api, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = call(api, method, path, body)
        return {**answer, "lastRecheck": None} if "lastRecheck" in answer else answer

    monkeypatch.setattr(Api, "call", unread)
    with pytest.raises(NotShown, match="another audit found the issue resolved before its recheck"):
        approve(running)


def test_a_refused_approval_shows_the_message_of_the_api(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    call = Api.call

    def refusing(api: Api, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        if path.endswith("/apply"):
            raise ApiRefusal({"code": "busy", "message": "Try again in a moment."})
        return call(api, method, path, body)

    monkeypatch.setattr(Api, "call", refusing)
    with pytest.raises(NotShown, match=r"no change was approved: Try again in a moment\."):
        approve(running)


def test_interrupting_the_approval_does_not_wait_for_the_cms(running: Running) -> None:
    terminal = Console(file=io.StringIO(), width=120)
    faulty("fail")
    with pytest.raises(Interrupted):
        Approval(terminal, running.service, lambda _: True).show()
    faulty("none")
    pass_time(3_600)


def issue_with(*suggestions: dict[str, Any], total: int | None = None, pages: int | None = None) -> dict[str, Any]:
    count = len(suggestions)
    return {
        "suggestions": list(suggestions),
        "suggestionsTotal": count if total is None else total,
        "affectedPages": count if pages is None else pages,
    }


GOOD: dict[str, Any] = {"writable": True, "suggested": "A title"}


@pytest.mark.parametrize(
    ("issue", "expected"),
    [
        (issue_with(GOOD, GOOD), True),
        (issue_with(), False),
        (issue_with(GOOD, {**GOOD, "writable": False}), False),
        (issue_with(GOOD, {**GOOD, "suggested": None}), False),
        (issue_with(GOOD, total=101, pages=101), False),
        (issue_with(GOOD, pages=2), False),
    ],
)
def test_an_issue_is_chosen_only_if_every_page_has_a_writable_suggestion(issue: dict[str, Any], expected: bool) -> None:
    assert can_be_resolved(issue) is expected


def test_only_the_demo_website_is_connected_to_the_stand_in_for_a_cms(embedded_aws: None, tmp_path: Path) -> None:
    service = Service(Options(port=0, folder=tmp_path, site="http://127.0.0.1:9/"))
    service.start()
    try:
        assert service.cms.pairing is None and not service.cms.counts
        api = Api(service.base_url, service.tenant.workspace_key)
        assert not api.call("GET", f"/sites/{service.tenant.site_id}")["cms"]["connected"]
    finally:
        service.stop()
