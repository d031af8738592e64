"""Metrics: one line each in CloudWatch's embedded format, of which it makes what the template's alarms ask for."""

import io
import json
import re
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from chalice.app import SQSEvent
from chalice.test import Client

from app import app
from chalicelib import clock, metrics
from chalicelib.domain.changes.batch import Change, ChangeStatus
from chalicelib.http import jobs
from chalicelib.net import calls
from chalicelib.settings.reading import forget_settings
from chalicelib.store import ownership
from chalicelib.workers import sweeper
from chalicelib.workers.audit import crawl
from chalicelib.workers.writing import ending
from tests.workers.test_sweeper import header

ROOT = Path(__file__).resolve().parent.parent
UNITS = {"Count", "Seconds", "Milliseconds"}
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process writes metrics."""
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "crawl")


def lines(capsys: Captured) -> list[dict[str, Any]]:
    """The metric lines that were written, without those of the log."""
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    return [line for line in written if "_aws" in line]


def test_a_metric_line_has_namespace_dimensions_metrics_and_units(told: None, capsys: Captured) -> None:
    metrics.put(metrics.REQUESTS, "sites", "2xx", Requests=1, RequestTime=12.5)
    (line,) = lines(capsys)
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "WebsiteOptimization/" + metrics.core_settings().table_prefix
    assert directive["Dimensions"] == [["Group", "Status"]]
    assert directive["Metrics"] == [
        {"Name": "Requests", "Unit": "Count"},
        {"Name": "RequestTime", "Unit": "Milliseconds"},
    ]
    assert (line["Group"], line["Status"], line["Requests"], line["RequestTime"]) == ("sites", "2xx", [1.0], [12.5])
    assert isinstance(line["_aws"]["Timestamp"], int)


def test_metrics_without_dimensions_are_written_too(told: None, capsys: Captured) -> None:
    metrics.put(metrics.OUTBOX, OldestEvents=0.0)
    (line,) = lines(capsys)
    assert line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [[]]
    assert line["OldestEvents"] == [0.0]


@pytest.mark.parametrize(("setting", "written"), [(None, 0), ("off", 0), ("on", 1)])
def test_outside_lambda_metrics_are_written_only_if_switched_on(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured, setting: str | None, written: int
) -> None:
    monkeypatch.delenv("AWS_LAMBDA_FUNCTION_NAME", raising=False)
    if setting is not None:
        monkeypatch.setenv("METRICS", setting)
    forget_settings()
    try:
        metrics.put(metrics.OUTBOX, OldestEvents=1.0)
        assert len(lines(capsys)) == written
    finally:
        forget_settings()


def test_a_closed_output_does_not_raise_an_error(told: None, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stdout", closed)
    metrics.put(metrics.OUTBOX, OldestEvents=1.0)


def test_an_undeclared_dimension_or_metric_is_an_error(told: None) -> None:
    with pytest.raises(ValueError, match="zip"):
        metrics.put(metrics.REQUESTS, "sites", Requests=1)
    with pytest.raises(KeyError):
        metrics.put(metrics.OUTBOX, Oldest=1)


def test_metrics_have_unique_names_and_descriptions() -> None:
    names = [name for line in metrics.LINES for name in line.metrics]
    assert len(names) == len(set(names))
    for line in metrics.LINES:
        assert len(line.dimensions) <= 2, "each combination is paid for"
        for name, metric in line.metrics.items():
            assert metric.unit in UNITS and metric.says and not metric.says.endswith("."), name


def test_every_metric_is_written_by_the_service() -> None:
    places = [path for path in (ROOT / "chalicelib").rglob("*.py") if path.name != "metrics.py"]
    written = "\n".join(path.read_text(encoding="utf-8") for path in places)
    for line in metrics.LINES[: metrics.LINES.index(metrics.USE)]:  # uses have a test of their own
        for name in line.metrics:
            assert re.search(rf"\b{name}=|\"{name}\"", written), name


def test_the_usage_metric_names_the_workspace_outside_its_dimensions(told: None, capsys: Captured) -> None:
    metrics.use("pages", "wsp_1", 12)
    metrics.use("pages", "wsp_1", 0)
    (line,) = lines(capsys)
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert (directive["Dimensions"], directive["Metrics"]) == ([["Use"]], [{"Name": "Used", "Unit": "Count"}])
    assert (line["Use"], line["Used"], line["workspaceId"]) == ("pages", [12.0], "wsp_1")


def test_every_kind_of_usage_is_recorded() -> None:
    assert set(metrics.USES) == set(get_args(metrics.Use))
    written = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "chalicelib" / "workers").rglob("*.py"))
    assert set(re.findall(r'metrics\.use\("([^"]+)"', written)) == set(metrics.USES)


def test_a_message_is_counted_for_its_queue_by_result(told: None, store: None, capsys: Captured) -> None:
    def handle(message: Any, _: Any) -> None:
        if message["n"]:
            raise ValueError

    arn = f"arn:aws:sqs:eu-central-1:123456789012:{metrics.core_settings().queue_prefix}deliveries-failing"
    records = [{"messageId": str(n), "body": json.dumps({"n": n}), "eventSourceARN": arn} for n in (0, 1)]
    jobs.consume(SQSEvent({"Records": records}, None), handle)
    found = [(line["Queue"], line["MessagesHandled"], line["MessagesFailed"]) for line in lines(capsys)]
    assert found == [("deliveries-failing", [1.0], [0.0]), ("deliveries-failing", [0.0], [1.0])]


@pytest.mark.parametrize("fails", [False, True])
def test_a_schedule_is_counted_as_done_or_failed(told: None, store: None, capsys: Captured, fails: bool) -> None:
    def work() -> int:
        if fails:
            raise sweeper.PartsFailed("crawls")
        return 0

    try:
        jobs.run("sweeper", None, work)  # type: ignore[arg-type]
    except sweeper.PartsFailed:
        assert fails
    (line,) = lines(capsys)
    assert (line["Schedule"], line["SchedulesDone"], line["SchedulesFailed"]) == (
        "sweeper",
        [float(not fails)],
        [float(fails)],
    )


def test_a_schedule_of_a_store_on_hold_counts_as_neither_done_nor_failed(
    told: None, store: None, capsys: Captured
) -> None:
    ownership.hold(0.0)
    jobs.run("sweeper", None, lambda: 0)  # type: ignore[arg-type]
    (line,) = lines(capsys)
    assert (line["SchedulesDone"], line["SchedulesFailed"]) == ([0.0], [0.0])


def test_a_request_is_counted_by_group_and_status_class(told: None, store: None, capsys: Captured) -> None:
    with Client(app) as client:
        assert client.http.get("/api/v1/plans").status_code == 200
        assert client.http.get("/api/v1/sites").status_code == 401
        assert client.http.request("DELETE", "/api/v1/plans").status_code == 405
    found = [(line["Group"], line["Status"], line["Requests"]) for line in lines(capsys)]
    assert found == [("public", "2xx", [1.0]), ("sites", "4xx", [1.0]), ("public", "4xx", [1.0])]


def test_an_unanswered_call_is_counted_without_its_address(told: None, capsys: Captured) -> None:
    with pytest.raises(calls.NoAnswer):
        calls.call("GET", "https://10.1.2.3/secret-path", {}, seconds=1.0, service="cms")
    (line,) = lines(capsys)
    assert (line["Service"], line["Outcome"], line["OutsideCalls"]) == ("cms", "unanswered", [1.0])
    assert "10.1.2.3" not in json.dumps(line) and "secret-path" not in json.dumps(line)


def test_the_sweeper_reports_the_age_of_the_oldest_events(told: None, store: None, capsys: Captured) -> None:
    sweeper.run()
    found = lines(capsys)
    assert {line["Part"] for line in found if "SentAgain" in line} == set(sweeper.PARTS)
    assert [line["OldestEvents"] for line in found if "OldestEvents" in line] == [[0.0]]


@pytest.mark.parametrize(("began", "took"), [(None, 0.0), (100.0, 50.0)])
def test_an_ended_audit_is_counted_with_its_pages_and_duration(
    told: None, capsys: Captured, monkeypatch: pytest.MonkeyPatch, began: float | None, took: float
) -> None:
    monkeypatch.setattr(clock, "now", lambda: 150.0)
    crawl._count(header("crawl_1", "site_1", status="failed", started_at=began, pages_crawled=7))
    line, used = lines(capsys)
    assert (used["Use"], used["Used"], used["workspaceId"]) == ("pages", [7.0], header("c", "s").workspace_id)
    assert (line["Status"], line["Audits"], line["PagesRead"], line["AuditTime"]) == ("failed", [1.0], [7.0], [took])


def test_each_change_of_a_batch_is_counted_by_result() -> None:
    statuses: tuple[ChangeStatus, ...] = ("applied", "applied", "not_live", "refused", "reverted")
    found = [
        Change(number=number, url="https://a.example/", cms_id="1", field="title", value="A", status=status)
        for number, status in enumerate(statuses)
    ]
    counted = {"ChangesApplied": 2, "ChangesNotLive": 1, "ChangesFailed": 0, "ChangesRefused": 1}
    assert ending._counted(found) == counted
    assert set(counted) == set(metrics.WRITES.metrics)
