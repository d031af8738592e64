"""The bodies of events: every member of the specification, and nothing made up."""

import json
from typing import Any

import msgspec
import pytest

from chalicelib.domain.audit.crawl_events import CrawlEvents
from chalicelib.domain.audit.issues import Issue, Moved
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.audit.summary import ScoreEntry
from chalicelib.domain.webhooks import bodies
from chalicelib.domain.webhooks.events import Event
from chalicelib.domain.webhooks.kinds import (
    BY_NAME,
    EVENT_KINDS,
    AgenticFinished,
    ConnectionBroken,
    EventChange,
    EventIssue,
    EventKind,
    FailingCheck,
    RecheckCounts,
    RecheckFailed,
    UnseenChange,
    fields,
)

COMMON = {"id", "event", "at", "workspaceId", "siteId", "host", "link"}
ISSUE = {"id", "ruleId", "title", "severity", "pages", "pagesBefore"}
WRITE = {"batchId", "issueIds", "source", "changes"}
# Members whose text is what people, websites or outside services say.
FREE = {"title", "error", "url", "value", "liveValue", "detail", "message", "host", "link"}
MARKUP = "</script><script>alert(1)</script><img src=x onerror=alert(2)> &amp; \"'\u2028\u202e"
# What the specification says that its events add. An event added since is not listed here: its shape says it.
SPECIFIED: dict[str, set[str]] = {
    "issue.resolved": {"issue", "crawlId"},
    "issue.reopened": {"issue", "crawlId"},
    "audit.finished": {"crawlId", "status", "pagesCrawled", "openIssues", "score", "durationSeconds", "changes"},
    "score.changed": {"from", "to", "delta", "since"},
    "connection.broken": {"connection", "error"},
    "recheck.failed": {"issue", "reason", "recheck", "crawlId"},
    "write.applied": WRITE,
    "write.failed": WRITE,
    "write.not_live": WRITE,
    "agentic.finished": {"jobId", "url", "strategy", "status", "passed", "applicable", "failing", "error"},
}


def body(kind: str, fields: dict[str, object]) -> dict[str, Any]:
    event = Event("evt_1", kind, 1_795_312_449.9, "wsp_1", "site_1", "shop.test", "https://app.test/x", fields)
    bodies.check(kind, fields)
    built: dict[str, Any] = json.loads(bodies.build(event, "dlv_1"))
    return built


def test_each_event_has_the_specified_members() -> None:
    assert set(SPECIFIED) <= set(EVENT_KINDS)
    for kind, members in SPECIFIED.items():
        example = BY_NAME[kind].example_body()
        assert set(example) >= COMMON | members, kind


@pytest.mark.parametrize("event", BY_NAME.values(), ids=list(BY_NAME))
def test_the_example_of_each_event_is_a_valid_body(event: EventKind) -> None:
    bodies.check(event.name, fields(event.example))
    delivered = Event("evt_1", event.name, 1_795_313_649.0, "wsp_1", None, None, None, fields(event.example))
    assert list(json.loads(bodies.build(delivered, "dlv_1"))) == [
        name for name in event.example_body() if name not in {"siteId", "host", "link"}
    ]


def marked(value: Any) -> Any:
    """The value with every free text of it replaced by markup; words of fixed lists and numbers stay."""
    if isinstance(value, dict):
        return {name: marked(one) if name in FREE or not isinstance(one, str) else one for name, one in value.items()}
    if isinstance(value, list):
        return [marked(one) for one in value]
    return MARKUP if isinstance(value, str) else value


def test_markup_in_the_texts_of_events_is_not_changed() -> None:
    named = set()
    for kind, declared in BY_NAME.items():
        added = marked(fields(declared.example))
        bodies.check(kind, added)
        event = Event("evt_1", kind, 0.0, "wsp_1", "site_1", MARKUP, MARKUP, added)
        told = json.loads(bodies.build(event, "dlv_1").decode("utf-8", "strict"))
        assert told == told | added | {"host": MARKUP, "link": MARKUP}
        named |= {name for name in FREE if f'"{name}"' in json.dumps(added)}
    assert named == FREE - {"host", "link"}


def test_every_event_begins_with_the_common_members_and_its_delivery_id() -> None:
    built = body("score.changed", {"from": 78.9, "to": 81.4, "delta": 2.5, "since": "2026-11-15T02:11:47Z"})
    assert list(built)[:7] == ["id", "event", "at", "workspaceId", "siteId", "host", "link"]
    assert built["id"] == "dlv_1"
    assert built["at"] == "2026-11-22T01:54:09Z"
    assert (built["from"], built["to"], built["delta"]) == (78.9, 81.4, 2.5)


def test_members_of_an_event_that_have_no_value_are_left_out() -> None:
    built = json.loads(bodies.build(Event("evt_1", "connection.broken", 0, "wsp_1", "site_1", None, None, {}), "dlv_1"))
    assert set(built) == {"id", "event", "at", "workspaceId", "siteId"}


def test_a_field_of_an_event_cannot_replace_a_common_member() -> None:
    assert body("connection.broken", {"connection": "cms", "error": "x"})["event"] == "connection.broken"
    event = Event("evt_1", "connection.broken", 0, "wsp_1", None, None, None, {"id": "x", "workspaceId": "y"})
    assert json.loads(bodies.build(event, "dlv_1"))["id"] == "dlv_1"


def test_a_ping_has_no_website_members() -> None:
    built = json.loads(bodies.ping("dlv_1", "wsp_1", 0, "https://app.test/settings"))
    assert set(built) == {"id", "event", "at", "workspaceId", "link", "message"}
    assert built["event"] == "ping" and "siteId" not in built


def test_the_recheck_failed_event_has_the_issue_the_counts_and_the_reason() -> None:
    issue = EventIssue("iss_1", "SEO-ONP-005", "Title too long", "medium", 4, None)
    built = body("recheck.failed", fields(RecheckFailed(issue, "still_present", RecheckCounts(2, 4), "crawl_1")))
    assert set(built["issue"]) == ISSUE
    assert built["recheck"] == {"present": 2, "checked": 4} and built["reason"] == "still_present"


def test_the_connection_broken_event_names_the_connection() -> None:
    assert body("connection.broken", fields(ConnectionBroken("search", "gone")))["connection"] == "search"


@pytest.mark.parametrize("kind", ["write.applied", "write.failed"])
def test_a_batch_lists_at_most_fifty_changes(kind: str) -> None:
    changes = [EventChange(f"https://shop.test/{n}", "title", "x", "applied", None, None) for n in range(500)]
    built = body(kind, bodies.changes_written("batch_1", ["iss_1"], "cms", changes))
    assert [change["url"] for change in built["changes"]] == [f"https://shop.test/{n}" for n in range(50)]
    assert set(built["changes"][0]) == {"url", "field", "value", "status", "error", "key"}
    assert (built["batchId"], built["issueIds"], built["source"]) == ("batch_1", ["iss_1"], "cms")


def test_the_write_not_live_event_has_the_reason_and_the_live_value() -> None:
    unseen = UnseenChange("https://shop.test/", "title", "new", "not_live", None, None, "the cache was cleared", "old")
    built = body("write.not_live", bodies.changes_not_live("batch_1", [], "shop", [unseen] * 60))
    assert len(built["changes"]) == 50
    assert built["changes"][0]["liveValue"] == "old" and built["changes"][0]["notLiveReason"] == "the cache was cleared"


def test_the_agentic_finished_event_lists_failing_checks_or_the_error() -> None:
    done = AgenticFinished("job_1", "https://shop.test/", "mobile", "done", 3, 4, [FailingCheck("a", "A", None)], None)
    assert body("agentic.finished", fields(done))["failing"] == [{"id": "a", "title": "A", "detail": None}]
    failed = AgenticFinished("job_1", "https://shop.test/", "desktop", "failed", None, None, [], "out of quota")
    built = body("agentic.finished", fields(failed))
    assert (built["passed"], built["applicable"], built["error"]) == (None, None, "out of quota")


def test_events_of_audits_and_rechecks_have_valid_bodies() -> None:
    header = CrawlHeader(
        id="crawl_1",
        site_id="site_1",
        workspace_id="wsp_1",
        kind="audit",
        status="done",
        stage="finished",
        queued_at=0,
        page_budget=1,
        time_limit_minutes=1,
    )
    issue = Issue("iss_1", "SEO-ONP-005", "resolved", 3, 9, first_seen=0, last_seen=0, summary="")
    told = CrawlEvents(header, "shop.test", "https://app.test", 0, {"SEO-ONP-005": ("Title too long", "medium")})
    events = [
        *told.moved([Moved(issue, "opened", 3), Moved(issue, "resolved", 3), Moved(issue, "reopened", 3)]),
        told.audit_finished(None, None),
        told.audit_finished(2, ScoreEntry(814, 830, None, "1", 0)),
        *told.score_changed(ScoreEntry(789, 800, 700, "1", 0), ScoreEntry(814, 830, 766, "1", 9)),
        told.recheck_failed(issue, "error", 0, 0),
    ]
    assert [event.kind for event in events] == [
        "issue.resolved",
        "issue.reopened",
        "audit.finished",
        "audit.finished",
        "score.changed",
        "recheck.failed",
    ]
    for event in events:
        bodies.check(event.kind, event.fields)
        assert len(bodies.build(event, "dlv_1")) > 0


@pytest.mark.parametrize(
    "fields", [{"connection": "cms"}, {"connection": "cms", "error": 5}, {"connection": "cms", "error": "x", "more": 1}]
)
def test_invalid_fields_of_an_event_are_reported(fields: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        bodies.check("connection.broken", fields)


def test_invalid_unicode_is_refused_and_all_other_text_is_unchanged() -> None:
    odd = 'emoji 👩🏽‍💻, U+2028 \u2028, quote ", back\\slash, \x07, Straße'
    event = Event("evt_1", "connection.broken", 0, "wsp_1", None, None, None, {"error": odd})
    built = bodies.build(event, "dlv_1")
    assert json.loads(built)["error"] == odd and "👩🏽‍💻".encode() in built
    with pytest.raises(ValueError, match="surrogates"):
        bodies.build(Event("evt_1", "connection.broken", 0, "wsp_1", None, None, None, {"error": "\ud800"}), "dlv_1")
