"""When a connection counts as broken, and when it is asked again."""

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.connections import (
    BROKEN_CHECK_SECONDS,
    BROKEN_FAILURES,
    BROKEN_SECONDS,
    CHECK_SECONDS,
    FAILING_SECONDS,
    LONGEST_ERROR,
    Connections,
    Writer,
    WriterStatus,
)

STATUS = WriterStatus(writable=True, fields=("title",), platform="wordpress", version="6.1")
WORKING = Writer(kind="cms", base_url="https://example.com/", connected_at=0.0, status=STATUS, checked_at=0.0)


def test_a_connection_is_broken_after_three_failures_over_fifteen_minutes() -> None:
    writer, now, failures = WORKING, 0.0, 0
    while not writer.broken:
        writer = writer.failed("no answer", now)
        failures += 1
        assert failures <= BROKEN_FAILURES
        now += writer.next_check
    assert failures == BROKEN_FAILURES
    assert (writer.writable, writer.next_check) == (False, BROKEN_CHECK_SECONDS)
    assert writer.reason == "The connection does not work: no answer"


def test_many_failures_within_minutes_do_not_break_a_connection() -> None:
    at_once = WORKING
    for _ in range(50):
        at_once = at_once.failed("no answer", 5.0)
    assert at_once.writable
    twice = WORKING.failed("no answer", 0.0).failed("no answer", BROKEN_SECONDS * 10)
    assert twice.writable and twice.next_check == FAILING_SECONDS


def test_a_refused_connection_is_broken_at_once_and_checked_again_soon() -> None:
    refused = WORKING.refused("Connect it again.", 5.0)
    assert (refused.broken, refused.writable, refused.next_check) == (True, False, FAILING_SECONDS)
    assert refused.reason == "The connection does not work: Connect it again."
    later = refused.refused("Connect it again.", 500.0).failed("no answer", 900.0)
    assert (later.failing_since, later.broken, later.next_check) == (5.0, True, BROKEN_CHECK_SECONDS)
    assert later.answered(STATUS, 0.0) == WORKING


@given(st.lists(st.booleans(), max_size=30))
def test_a_successful_answer_resets_all_failures(answers: list[bool]) -> None:
    writer = WORKING
    for number, answered in enumerate([*answers, True]):
        at = number * 1_000.0
        writer = writer.answered(STATUS, at) if answered else writer.failed("x" * 1_000, at)
        assert len(writer.error or "") <= LONGEST_ERROR
    assert (writer.failures, writer.failing_since, writer.error, writer.broken) == (0, None, None, False)
    assert (writer.writable, writer.reason, writer.next_check) == (True, None, CHECK_SECONDS)


def test_a_read_only_connection_shows_its_reason() -> None:
    silent = WORKING.answered(WriterStatus(writable=False, fields=(), platform="x", version="1"), 1.0)
    assert silent.reason == "The connection can be read but not written."
    told = WriterStatus(writable=False, fields=(), platform="x", version="1", reason="The theme is locked.")
    assert WORKING.answered(told, 1.0).reason == "The theme is locked."


def test_if_a_shop_and_a_cms_are_connected_changes_are_written_through_the_cms() -> None:
    shop = Writer(kind="shop", base_url="https://example.com/", connected_at=0.0, status=STATUS, checked_at=0.0)
    both = Connections().with_writer("shop", shop).with_writer("cms", WORKING)
    assert both.writer is both.cms is both.of("cms")
    assert both.with_writer("cms", None).writer is shop
    assert Connections().writer is None
