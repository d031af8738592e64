"""llms.txt and the rules for crawlers: written through the CMS, read again, told of, and taken back."""

from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.connectors.live_files import LiveRobots
from chalicelib.domain import ids
from chalicelib.domain.crawl.robots import parse
from chalicelib.domain.readiness.robots_block import block_of, with_block
from chalicelib.operations.errors import Refused
from chalicelib.store import changes as stored
from chalicelib.workers import writes
from chalicelib.workers.writing.files import _Wanted, look_at_robots
from local.standins.undo import Undos
from tests import aws
from tests.changes import House, open_house
from tests.workers.audit.websites import Runtime

TEXT = "# Shop\n\n> All that we sell.\n\n- [Home](https://shop.example/): where to begin\n"
OTHER = "# Shop\n\n> Something else that is long enough to be one.\n\n- [Home](https://shop.example/)\n"
OWN = b"User-agent: *\nDisallow: /private/\nDisallow: /\n\nSitemap: https://shop.example/sitemap.xml\n"
WRITE_EVENTS = ("write.applied", "write.failed", "write.not_live")


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def told(house: House) -> list[str]:
    return sorted(event.kind for event in house.events(*WRITE_EVENTS))


def test_a_text_is_applied_when_the_website_shows_it(house: House) -> None:
    batch = house.publish(TEXT)
    assert (house.last("llms_txt").status, house.last("llms_txt").held) == ("approved", None)
    house.write()
    last = house.last("llms_txt")
    assert (last.batch_id, last.status, last.value, last.previous, last.held) == (batch.id, "applied", TEXT, None, TEXT)
    assert last.applied_at is not None and last.error is None and last.approved_by == house.person_id
    (change,) = house.loaded(batch).changes
    assert (change.status, change.url, change.field) == ("applied", house.url("/llms.txt"), "llms_txt")
    assert house.place() == (None, 0) and house.cms.writes == [("", "llmsTxt", TEXT)]
    (event,) = house.events(*WRITE_EVENTS)
    assert event.kind == "write.applied" and event.link.endswith(f"/sites/{house.site_id}/ai-readiness")
    assert (event.fields["batchId"], event.fields["issueIds"], event.fields["source"]) == (batch.id, [], "cms")
    assert event.fields["changes"] == [
        {
            "url": house.url("/llms.txt"),
            "field": "llms_txt",
            "value": TEXT,
            "status": "applied",
            "error": None,
            "key": None,
        }
    ]


def test_an_empty_text_removes_the_file(house: House) -> None:
    house.publish(TEXT)
    house.work()
    house.publish("")
    house.work()
    last = house.last("llms_txt")
    assert (last.status, last.value, last.previous, last.held) == ("applied", "", TEXT, "")
    assert "llmsTxt" not in house.shop.files and told(house) == ["write.applied"] * 2


def test_a_text_that_the_website_does_not_show_is_not_live_with_a_reason(house: House) -> None:
    house.cms.misbehave("hide_writes")
    batch = house.publish(TEXT)
    house.write()
    last = house.last("llms_txt")
    assert (last.status, last.held) == ("not_live", TEXT)
    assert last.error == "The address answers no file. The page cache was not cleared: Stand-in page cache."
    assert told(house) == ["write.applied", "write.not_live"]
    (event,) = house.events("write.not_live")
    (change,) = event.fields["changes"]  # type: ignore[misc]
    assert (change["status"], change["notLiveReason"], change["liveValue"]) == ("not_live", last.error, None)
    assert event.fields["issueIds"] == [] and house.loaded(batch).batch.not_live_told


def test_the_previous_text_is_kept_if_the_cms_refuses_the_new_text(house: House) -> None:
    house.publish(TEXT)
    house.work()
    house.cms.misbehave("refuse")
    house.publish(OTHER)
    house.work()
    last = house.last("llms_txt")
    assert (last.status, last.value, last.held) == ("refused", OTHER, TEXT)
    assert "refuses every change" in (last.error or "") and told(house) == ["write.applied", "write.failed"]


def test_a_text_fails_if_the_cms_answers_none_of_the_tries_to_write_it(house: House) -> None:
    house.cms.misbehave("fail")
    batch = house.publish(TEXT)
    house.write()
    last = house.last("llms_txt")
    assert (last.status, last.held) == ("failed", None) and last.error
    assert house.cms.counts["files"] == 5 and told(house) == ["write.failed"]
    assert house.statuses(batch) == {"/llms.txt": "failed"}


def test_a_text_written_without_an_answer_can_be_removed(house: House) -> None:
    house.cms.misbehave("partial")
    house.publish(TEXT)
    house.write()
    assert house.last("llms_txt").status == "failed" and house.shop.files["llmsTxt"] == TEXT
    house.cms.misbehave("none")
    house.publish("")
    house.write()
    assert house.last("llms_txt").status == "applied" and "llmsTxt" not in house.shop.files
    with pytest.raises(Refused) as refused:
        house.publish("")
    assert refused.value.code == "no_change"


def test_texts_of_maximum_length_are_written_in_order_and_undone(house: House) -> None:
    first, second = ('"\\\n\U0001f3d5é' * 12_000)[:60_000], "# Shop\n" * 8_571
    batches = []
    for text in (first, second):
        batches.append(house.publish(text))
        house.write()
        assert house.last("llms_txt").status == "applied" and house.shop.files["llmsTxt"] == text
    # The CMS has lost what it kept: the service sends the text along.
    house.cms._undos = Undos()
    house.undo(batches[1])
    house.write()
    assert house.shop.files["llmsTxt"] == first == house.last("llms_txt").held
    house.undo(batches[0])
    house.write()
    assert "llmsTxt" not in house.shop.files and house.last("llms_txt").held in (None, "")


def test_a_write_that_waits_for_an_answer_is_shown_as_applying(house: House) -> None:
    house.cms.misbehave("down")
    house.publish(TEXT)
    (message,) = aws.messages("writes")
    writes.handle(message, Runtime())
    assert house.last("llms_txt").status == "applying"


def test_a_cache_that_still_serves_the_old_file_is_noted(house: House) -> None:
    house.shop.kept_files["/llms.txt"] = OTHER.encode()
    batch = house.publish(TEXT)
    house.write()
    (change,) = house.loaded(batch).changes
    assert change.status == "applied" and change.look is not None and "A cache still serves" in (change.look.note or "")


def test_crawler_rules_are_added_after_the_websites_own_lines(house: House) -> None:
    house.shop.robots = OWN
    house.rule(gptbot="allow", CCBot="deny")
    house.work()
    last = house.last("ai_crawlers")
    assert (last.status, last.value, last.previous) == ("applied", {"GPTBot": "allow", "CCBot": "deny"}, None)
    live = house.shop.file("/robots.txt") or b""
    assert live == with_block(OWN, block_of(OWN, last.value))
    assert parse(live).verdict("GPTBot", "/").allowed and not parse(live).verdict("GPTBot", "/private/x").allowed
    (event,) = house.events("write.applied")
    (change,) = event.fields["changes"]  # type: ignore[misc]
    assert (change["url"], change["field"]) == (house.url("/robots.txt"), "ai_crawlers")
    assert change["value"] == '{"CCBot":"deny","GPTBot":"allow"}'
    # The full set: who is left out has no rule any more, and none at all are removed.
    house.rule(CCBot="deny")
    house.work()
    assert not parse(house.shop.file("/robots.txt") or b"").names("GPTBot")
    assert house.last("ai_crawlers").previous == {"GPTBot": "allow", "CCBot": "deny"}
    house.rule()
    house.work()
    assert house.shop.file("/robots.txt") == OWN
    assert (house.last("ai_crawlers").status, dict(house.last("ai_crawlers").held)) == ("applied", {})


def test_crawler_rules_fail_if_robots_txt_stays_unreadable(house: House) -> None:
    house.shop.robots = OWN
    house.shop.silent.add("/robots.txt")
    house.rule(GPTBot="allow")
    house.write()
    last = house.last("ai_crawlers")
    assert last.status == "failed" and (last.error or "").startswith("robots.txt could not be read")
    assert house.cms.counts["files"] == 0
    house.shop.silent.clear()
    house.rule(GPTBot="allow")
    house.write()
    assert house.last("ai_crawlers").status == "applied"


def test_crawler_rules_that_do_not_fit_into_robots_txt_are_refused(house: House) -> None:
    house.shop.robots = b"User-agent: *\n" + b"".join(b"Disallow: /folder-%d/\n" % one for one in range(3_000))
    house.rule(GPTBot="allow")
    house.write()
    last = house.last("ai_crawlers")
    assert last.status == "refused" and "too long" in (last.error or "") and house.cms.writes == []


def test_a_rule_contradicted_by_other_lines_is_not_live() -> None:
    """A CDN added lines to the file after the block was written."""
    block = block_of(b"", {"GPTBot": "deny", "CCBot": "deny"})
    live = b"User-agent: GPTBot\nAllow: /\n" + with_block(b"", block)
    answer = LiveRobots(200, live, "text/plain", None)
    look = look_at_robots(answer, _Wanted(block, None, ()), {"GPTBot": "deny", "CCBot": "deny"}, "https://a.example/")
    assert not look.live and (look.reason or "").endswith("other lines of the file allow GPTBot to read the home page.")
    look = look_at_robots(answer, _Wanted(block, None, ()), {"CCBot": "deny"}, "https://a.example/")
    assert look.live
    for said in (LiveRobots(503, b"", None, None), LiveRobots(0, b"", None, "no answer")):
        look = look_at_robots(said, _Wanted(block, None, ()), {}, "https://a.example/")
        assert not look.live and "could not be read" in (look.reason or "")


def test_changes_of_files_and_fields_are_written_in_order(house: House) -> None:
    first = house.publish(TEXT)
    field = house.apply({"/a": "All about A"})
    second = house.publish(OTHER)
    assert house.publish(OTHER).id == second.id, "asked for again before it is done"
    assert house.last("llms_txt").previous is None
    assert first.sequence < field.sequence < second.sequence and house.place() == (first.id, 2)
    house.work()
    assert [write[2] for write in house.cms.writes] == [TEXT, "All about A", OTHER]
    last = house.last("llms_txt")
    assert (last.batch_id, last.status, last.previous, last.held) == (second.id, "applied", TEXT, OTHER)


def test_the_previous_value_is_never_one_whose_write_failed(house: House) -> None:
    house.cms.misbehave("refuse")
    house.publish(TEXT)
    house.publish(OTHER)
    (message,) = aws.messages("writes")
    writes.handle(message, Runtime())
    house.cms.misbehave("none")
    house.work()
    assert (house.last("llms_txt").status, house.last("llms_txt").previous) == ("applied", None)


def test_an_undo_restores_the_previous_text(house: House) -> None:
    house.shop.robots = OWN
    for batch in (house.publish(TEXT), house.rule(GPTBot="deny")):
        house.work()
        assert batch
    text, rules = house.publish(OTHER), house.rule(CCBot="allow")
    house.work()
    before = told(house)
    house.undo(text)
    house.undo(rules)
    house.work()
    last = house.last("llms_txt")
    assert (last.batch_id, last.status, last.value, last.held) == (text.id, "reverted", OTHER, TEXT)
    assert house.shop.files["llmsTxt"] == TEXT
    last = house.last("ai_crawlers")
    assert (last.status, last.value, dict(last.held)) == ("reverted", {"CCBot": "allow"}, {"GPTBot": "deny"})
    assert house.shop.file("/robots.txt") == with_block(OWN, block_of(OWN, {"GPTBot": "deny"}))
    assert house.statuses(text) == {"/llms.txt": "reverted"}
    assert told(house) == before == ["write.applied"] * 4, "an undo tells nothing"
    with pytest.raises(Refused, match="none of this batch"):
        house.undo(text)


def test_an_undo_of_the_first_text_removes_the_file(house: House) -> None:
    batch = house.publish(TEXT)
    house.work()
    back = house.undo(batch)
    house.work()
    assert house.statuses(back) == {"/llms.txt": "applied"} and "llmsTxt" not in house.shop.files
    assert house.last("llms_txt").held is None
    house.publish(TEXT)  # it is a change again
    house.work()
    assert house.last("llms_txt").status == "applied"


def test_an_undo_that_the_website_refuses_changes_nothing(house: House) -> None:
    batch = house.publish(TEXT)
    house.work()
    house.cms.edit("", "llmsTxt", "# Edited by hand\n")
    back = house.undo(batch)
    house.work()
    assert house.statuses(back) == {"/llms.txt": "refused"} and house.last("llms_txt").status == "applied"


def test_a_change_approved_during_an_undo_is_written_after_the_undo(house: House) -> None:
    house.rule(GPTBot="deny")
    house.work()
    batch = house.rule(CCBot="deny")
    house.work()
    house.undo(batch)
    house.rule(ClaudeBot="deny")
    house.work()
    last = house.last("ai_crawlers")
    assert (last.status, last.previous, last.value) == ("applied", {"GPTBot": "deny"}, {"ClaudeBot": "deny"})


def test_a_batch_can_be_undone_if_the_batch_after_it_failed(house: House) -> None:
    house.rule(GPTBot="deny")
    house.work()
    batch = house.rule(CCBot="deny")
    house.work()
    house.cms.misbehave("refuse")
    house.rule(ClaudeBot="deny")
    house.work()
    house.cms.misbehave("none")
    house.undo(batch)
    house.work()
    assert dict(house.last("ai_crawlers").held) == {"GPTBot": "deny"}


def test_open_issues_about_the_file_are_rechecked(house: House) -> None:
    missing = ids.issue_id(house.site_id, "SEO-AEO-005")
    assert house.issue(missing).status == "open"
    house.publish(TEXT)
    house.write()
    assert house.issue(missing).status == "recheck_queued" and house.issue(missing).pending_recheck
    house.work()
    assert house.issue(missing).status == "resolved"
    assert [event.kind for event in house.events("issue.resolved")] == ["issue.resolved"]


def test_removing_the_file_reopens_its_resolved_issue(house: House) -> None:
    missing = ids.issue_id(house.site_id, "SEO-AEO-005")
    for text, status in ((TEXT, "resolved"), ("", "reopened"), (TEXT, "resolved")):
        house.publish(text)
        house.write()
        house.work()
        assert (house.issue(missing).status, house.issue(missing).pending_recheck) == (status, None)
    assert len(house.events("issue.reopened")) == 1


def test_undoing_a_file_reopens_its_resolved_issue(house: House) -> None:
    missing = ids.issue_id(house.site_id, "SEO-AEO-005")
    batch = house.publish(TEXT)
    house.write()
    house.work()
    assert house.issue(missing).status == "resolved"
    house.undo(batch)
    house.work()
    assert house.issue(missing).status == "reopened"


def test_no_recheck_starts_if_no_value_was_written(house: House) -> None:
    house.cms.misbehave("refuse")
    house.publish(TEXT)
    house.write()
    assert house.issue(ids.issue_id(house.site_id, "SEO-AEO-005")).status == "open" and not aws.messages("recheck")


def test_a_batch_for_a_file_changes_no_content_items(house: House) -> None:
    before = house.known()
    house.publish(TEXT)
    house.work()
    assert house.known() == before
    (batch,) = stored.list_all(house.site_id)
    assert (batch.kind, batch.issue_id, batch.status) == ("llms_txt", None, "done")
    assert batch.ended_at is not None and batch.ended_at <= clock.now()
