"""Pages and files read back by a function of their own: the writer asks it, and no website; it says what the writer
itself would have said; whatever becomes of it, nothing is written again, and the change says why it was not seen."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import live_reader
from chalicelib.connectors.live_files import LLMS_BYTES
from chalicelib.domain.changes.batch import BLOCK, Batch, Change, job_id
from chalicelib.workers import writes
from tests.changes import House, open_house
from tests.reader import handled, read_by_function, who_reads
from tests.servers.functions import MOST_BYTES, FunctionService
from tests.workers.audit.websites import Runtime

TEXT = "# Shop\n\n- [Home](https://shop.example/): where to begin\n"
OWN = b"User-agent: *\nDisallow: /private/\n"
FAULTS = [
    ("throttled", "the function that reads live pages accepts no more calls for now; try again later"),
    ("denied", "the function that reads live pages does not allow calls from this service"),
    ("down", "the function that reads live pages could not be called"),
    ("timeout", "the function that reads live pages did not finish within its time limit"),
    (
        "killed",
        "the function that reads live pages broke off: RequestId: 1 Error: Runtime exited with error: signal: killed",
    ),
    ("too_large", "the function that reads live pages has a result that is too large to return"),
    ("nonsense", "the function that reads live pages gave an answer that cannot be read"),
]


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


@pytest.fixture
def function(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[FunctionService]:
    with read_by_function(monkeypatch) as started:
        yield started


def only(house: House, batch: Batch) -> Change:
    (change,) = house.loaded(batch).changes
    return change


def seen(change: Change) -> tuple[Any, ...]:
    """What was seen of a change, without its time."""
    assert change.look is not None
    return change.status, change.look.live, change.look.value, change.look.reason, change.look.note


# -- who reads -----------------------------------------------------------------------------------------------


def test_only_the_reader_function_reads_written_pages(
    house: House, function: FunctionService, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = who_reads(monkeypatch)
    batch = house.apply({"/a": "All about A", "/b": "All about B"})
    house.write()
    assert house.statuses(batch) == {"/a": "applied", "/b": "applied"}
    assert {who for who, _ in read} == {"reader"} and len(read) == 4, "past caches and as visitors, each page"
    assert {asked["url"] for asked in function.asked} == {house.url("/a"), house.url("/b")}
    assert len(function.asked) == 2


def test_the_reader_function_reads_files_before_and_after_a_write(
    house: House, function: FunctionService, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = who_reads(monkeypatch)
    house.shop.robots = OWN
    house.publish(TEXT)
    house.rule(GPTBot="deny")
    house.write()
    assert [house.last(field).status for field in ("llms_txt", "ai_crawlers")] == ["applied", "applied"]
    assert read and {who for who, _ in read} == {"reader"}
    # robots.txt before the write, past caches, and as visitors get it.
    assert [asked["kind"] for asked in function.asked] == ["llms", "robots", "robots", "robots"]
    assert [asked["plain"] for asked in function.asked[1:]] == [False, False, True]


def test_without_a_reader_function_the_writer_reads_pages_itself(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    read = who_reads(monkeypatch)
    house.apply({"/a": "All about A"})
    house.write()
    assert {who for who, _ in read} == {"writes"}, "what is noted would be noted of the writer too"


def test_a_call_of_the_reader_function_contains_only_the_data_of_one_page(
    house: House, function: FunctionService
) -> None:
    house.apply({"/a": "All about A"})
    house.write()
    (asked,) = function.asked
    assert set(asked) == {"kind", "host", "url", "nonce", "field", "value", "before", "gone", "caches", "key"}
    assert (asked["kind"], asked["field"], asked["value"], asked["gone"]) == ("page", "title", "All about A", None)


# -- what it says --------------------------------------------------------------------------------------------


def fine(house: House) -> None:
    """The page shows it."""


def hidden(house: House) -> None:
    house.cms.misbehave("hide_writes")


def cached(house: House) -> None:
    house.shop.cached["/a"] = {"title": "As it was"}


def silent(house: House) -> None:
    house.shop.silent.add("/a")


@pytest.mark.parametrize("state", [fine, hidden, cached, silent])
def test_the_reader_function_finds_the_same_as_the_writer_that_reads_pages_itself(
    state: Any, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def looked() -> tuple[Any, ...]:
        house.cms.misbehave("none")
        house.cms.edit("page:/a", "title", None)
        house.settle()
        state(house)
        batch = house.apply({"/a": "All about A"})
        house.write()
        return seen(only(house, batch))

    here = looked()
    with read_by_function(monkeypatch) as function:
        assert looked() == here
        assert function.asked


def test_an_undo_is_checked_like_any_other_change(house: House, function: FunctionService) -> None:
    batch = house.apply({"/a": "All about A"})
    house.work()
    undo = house.undo(batch)
    house.write()
    assert house.statuses(undo) == {"/a": "applied"} and house.statuses(batch) == {"/a": "reverted"}
    assert function.asked[-1]["gone"] == "All about A" and function.asked[-1]["value"] == ""


def test_the_longest_readable_file_fits_into_an_answer(
    house: House, function: FunctionService, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    real = function._invoked

    def measured(payload: bytes) -> tuple[int, dict[str, str], bytes]:
        answer = real(payload)
        sizes.append(len(answer[2]))
        return answer

    monkeypatch.setattr(function, "_invoked", measured)
    house.shop.kept_files["/llms.txt"] = b"\x01" * (LLMS_BYTES + 1)
    monkeypatch.setattr(house.shop, "file", lambda path: b"\x01" * (LLMS_BYTES + 1))
    reader = live_reader.LiveReaderFunction.connected()
    assert reader is not None
    found = reader.llms(house.url("/llms.txt"), "nonce")
    assert len(found.fresh.text) == len(found.plain.text) == LLMS_BYTES and found.fresh.truncated
    assert 4_000_000 < max(sizes) < MOST_BYTES, "each character is six of JSON"


# -- what becomes of it --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fault", "words"), FAULTS)
def test_a_page_that_cannot_be_read_is_reported_and_not_written_again(
    fault: str, words: str, house: House, function: FunctionService
) -> None:
    before = house.cms.counts["changes"]
    function.fault = fault
    batch = house.apply({"/a": "All about A"})
    house.write()
    change = only(house, batch)
    assert seen(change) == ("not_live", False, None, f"The page could not be read: {words}.", None)
    assert house.loaded(batch).batch.status == "done" and house.held("/a") == "All about A"
    assert len(function.asked) == 3, "each of the three readings once"
    assert house.cms.counts["changes"] - before == 1 and len(house.cms.writes) == 1
    function.fault = ""
    house.work()
    assert only(house, batch).status == "applied", "the recheck behind the batch has seen it"
    assert [event.kind for event in house.events("write.applied", "write.not_live")] == ["write.applied"]
    assert house.cms.counts["changes"] - before == 1


def test_a_successful_reading_replaces_an_earlier_failed_one(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def once_broken(event: Any) -> Any:
        calls.append(event)
        if len(calls) == 1:
            raise MemoryError("out of memory")
        return handled(event)

    with read_by_function(monkeypatch, once_broken):
        batch = house.apply({"/a": "All about A"})
        house.write()
    assert house.statuses(batch) == {"/a": "applied"} and len(calls) == 2
    assert calls[0]["nonce"] != calls[1]["nonce"]


def test_a_page_that_crashes_the_reader_function_affects_only_its_own_change(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaking(event: Any) -> Any:
        if event["url"] == house.url("/b"):
            raise RuntimeError("the parser is gone")
        return handled(event)

    with read_by_function(monkeypatch, breaking):
        batch = house.apply({path: f"All about {path}" for path in ("/a", "/b", "/c")})
        house.write()
    assert house.statuses(batch) == {"/a": "applied", "/b": "not_live", "/c": "applied"}
    look = house.change(batch, "/b").look
    assert look is not None and look.reason is not None and "broke off: the parser is gone." in look.reason
    assert len(house.cms.writes) == 3


def test_the_writer_does_not_wait_for_a_silent_reader_function(
    house: House, function: FunctionService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_reader._READER, "seconds", 0.2)
    function.fault = "silent"
    batch = house.apply({"/a": "All about A"})
    house.write()
    look = only(house, batch).look
    assert look is not None
    assert look.reason == "The page could not be read: the function that reads live pages did not answer in time."
    assert len(house.cms.writes) == 1


def test_an_unknown_function_name_is_reported(
    house: House, function: FunctionService, monkeypatch: pytest.MonkeyPatch
) -> None:
    function.name = "another"
    batch = house.apply({"/a": "All about A"})
    house.write()
    look = only(house, batch).look
    assert look is not None
    assert look.reason == "The page could not be read: LIVE_READER_FUNCTION names a function that does not exist."


@pytest.mark.parametrize(("fault", "words"), FAULTS)
def test_crawler_rules_wait_while_robots_txt_is_unreadable(
    fault: str, words: str, house: House, function: FunctionService
) -> None:
    house.shop.robots = OWN
    function.fault = fault
    batch = house.rule(GPTBot="deny")
    writes.handle({"siteId": house.site_id, "jobId": job_id(batch.id)}, Runtime())
    change = only(house, batch)
    assert change.status == "approved" and change.error is not None and change.error.endswith(f": {words}.")
    assert house.cms.counts["files"] == 0, "nothing was asked of the CMS"
    function.fault = ""
    clock.set_offset(clock.offset() + 300)
    house.write()
    assert house.last("ai_crawlers").status == "applied" and house.cms.counts["files"] == 1


@pytest.mark.parametrize(("fault", "words"), FAULTS)
def test_a_file_that_cannot_be_read_after_its_write_is_not_live(
    fault: str, words: str, house: House, function: FunctionService
) -> None:
    function.fault = fault
    house.publish(TEXT)
    house.write()
    last = house.last("llms_txt")
    assert (last.status, last.error) == ("not_live", f"The file could not be read: {words}.")
    assert house.cms.counts["files"] == 1 and house.shop.files["llmsTxt"] == TEXT


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        {},
        {"live": "yes", "value": None, "reason": None, "note": None},
        {"live": True, "value": None, "reason": None, "note": None, "more": 1},
        {"live": True, "value": 1, "reason": None, "note": None},
    ],
)
def test_a_malformed_answer_of_the_reader_function_is_rejected(
    answer: Any, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    with read_by_function(monkeypatch, lambda event: answer):
        batch = house.apply({"/a": "All about A"})
        house.write()
    look = only(house, batch).look
    assert look is not None and look.reason is not None and look.reason.endswith("an answer that cannot be read.")


def test_a_compromised_reader_function_cannot_store_large_data(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "x" * 2_000_000

    def lying(event: Any) -> Any:
        if event["kind"] == "llms":
            return {"fresh": [200, None, long, 1, False, None, None], "plain": [200, None, "", 1, False, None, None]}
        if event["kind"] == "robots":
            return {"status": 200, "body": long, "content_type": None, "error": None}
        return {"live": False, "value": long, "reason": long, "note": long}

    with read_by_function(monkeypatch, lying):
        batch = house.apply({"/a": "All about A"})
        house.publish(TEXT)
        house.rule(GPTBot="deny")
        house.write()
    look = house.change(batch, "/a").look
    assert look is not None and len(look.value or "") == 1_000 and len(look.reason or "") == len(look.note or "") == 500
    assert house.last("llms_txt").status == "not_live" and "cannot be read" in house.last("llms_txt").error
    assert house.last("ai_crawlers").status == "failed" and house.cms.counts["files"] == 1


def test_an_invalid_call_of_the_reader_function_reads_no_page(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    read = who_reads(monkeypatch)
    url = house.url("/llms.txt")
    for event in ({}, {"kind": "llms", "url": url}, {"kind": "llms", "url": url, "nonce": "n", "key": "k"}, [], None):
        with pytest.raises(ValueError, match=r"Expected|missing|unknown|Invalid"):
            handled(event)
    assert read == []


def test_the_reader_function_cannot_read_the_private_network(monkeypatch: pytest.MonkeyPatch) -> None:
    page = {"kind": "page", "host": "127.0.0.1", "url": "http://127.0.0.1:8080/", "nonce": "n", "field": "title"}
    answer = handled({**page, "value": "x", "before": None, "gone": None, "caches": []})
    assert answer == {"live": False, "value": None, "reason": "The page did not answer.", "note": None}
    robots = handled({"kind": "robots", "url": "http://127.0.0.1:8080/robots.txt", "plain": False})
    assert robots == {"status": 0, "body": "", "content_type": None, "error": "its address is not a public one"}


def test_at_most_eight_pages_are_read_at_once(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = tuple(f"/page-{number}" for number in range(BLOCK))
    # All are written before the first is read, so that as many as may be wait for the function together.
    together, lock = threading.Barrier(live_reader.AT_ONCE), threading.Lock()
    running: list[int] = [0, 0]

    def counted(event: Any) -> Any:
        with lock:
            running[0] += 1
            running[1] = max(running)
            first = len(function.asked) <= live_reader.AT_ONCE
        if first:
            together.wait(30.0)
        try:
            return handled(event)
        finally:
            with lock:
                running[0] -= 1

    with open_house(monkeypatch, paths) as house, read_by_function(monkeypatch, counted) as function:
        batch = house.apply({path: f"All about {path}" for path in paths})
        house.write()
        assert set(house.statuses(batch).values()) == {"applied"}
        assert len(function.asked) == BLOCK and running == [0, live_reader.AT_ONCE]


def test_no_page_is_read_after_the_time_limit_for_a_block_of_changes(
    house: House, function: FunctionService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writes, "BLOCK_SECONDS", -1.0)
    batch = house.apply({"/a": "All about A"})
    house.write()
    look = only(house, batch).look
    assert look is not None and look.reason == "The page could not be read in time."
    assert function.asked == [] and len(house.cms.writes) == 1


def test_a_page_is_not_read_before_the_cms_has_answered(
    house: House, function: FunctionService, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.cms.misbehave("fail")
    batch = house.apply({"/a": "All about A"})
    writes.handle({"siteId": house.site_id, "jobId": job_id(batch.id)}, Runtime())
    assert only(house, batch).status == "applying" and function.asked == []
