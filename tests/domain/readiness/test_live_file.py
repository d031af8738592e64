"""What is said of the live llms.txt; the kinds themselves are tried against servers."""

import pytest

from chalicelib.domain.changes.batch import STATUSES
from chalicelib.domain.readiness.live_file import STALE_SECONDS, Fetched, cache_of, kind_of, live_of, same_text
from chalicelib.domain.readiness.written import LlmsWrite

NOW = 1_800_000_000.0
TEXT = Fetched(200, "text/plain", "# New\n", 6)
OLD = Fetched(200, "text/plain", "# Old\n", 6)
GONE = Fetched(404)


def write(value: str, previous: str | None, **changed: object) -> LlmsWrite:
    members = {"batch_id": "batch_1", "status": "applied", "approved_by": None, "approved_at": NOW, "applied_at": NOW}
    return LlmsWrite(**{**members, **changed}, value=value, previous=previous)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({}, None),
        ({"age": "0"}, None),
        ({"age": "000"}, None),
        ({"age": "-5"}, None),
        ({"age": "²"}, None),
        ({"age": " 61 "}, "age: 61"),
        ({"cf-cache-status": "DYNAMIC"}, None),
        ({"cf-cache-status": "MISS", "x-cache": "Miss from cloudfront"}, None),
        ({"cf-cache-status": "HIT", "age": "7"}, "cf-cache-status: HIT, age: 7"),
        ({"x-cache": "Hit from cloudfront"}, "x-cache: Hit from cloudfront"),
        ({"x-cache": "MISS, HIT"}, "x-cache: MISS, HIT"),
        ({"cache-status": '"Cache"; hit; ttl=376'}, 'cache-status: "Cache"; hit; ttl=376'),
        ({"x-vercel-cache": "STALE"}, "x-vercel-cache: STALE"),
        ({"x-litespeed-cache": "hit"}, "x-litespeed-cache: hit"),
        ({"x-cache": "white"}, None),
        ({"x-cache": "y" * 5_000 + " hit"}, None),
    ],
)
def test_an_answer_from_a_cache_is_recognised_by_its_headers(headers: dict[str, str], said: str | None) -> None:
    assert cache_of(headers) == said


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("# A\nb\n", "# A\r\nb", True),
        ("\ufeff# A\n", "# A", True),
        ("# A\rb", "# A\nb\n\n", True),
        ("# A", "# a", False),
        (" # A", "# A", False),
        ("# A\n\nb", "# A\nb", False),
    ],
)
def test_texts_that_differ_only_in_their_line_endings_count_as_equal(one: str, other: str, same: bool) -> None:
    assert same_text(one, other) == same_text(other, one) == same


def test_an_aborted_answer_counts_as_unreachable() -> None:
    assert kind_of(TEXT._replace(error="the connection breaks off")) == "unreachable"
    assert kind_of(Fetched(0)) == "unreachable"


@pytest.mark.parametrize("status", STATUSES)
def test_a_change_counts_as_written_only_in_the_states_applied_and_not_live(status: str) -> None:
    change = write("# New\n", "# Old\n", status=status)
    new, old = (live_of(seen, seen, change, NOW) for seen in (TEXT, OLD))
    written = status in ("applied", "not_live")
    assert (new.matches, old.matches) == (written, not written)
    assert (new.kind, old.kind) == ("text", "stale" if written else "text")


@pytest.mark.parametrize(
    ("seen", "previous", "stale"),
    [
        (OLD, "# Old\r\n", True),
        (OLD, None, False),
        (OLD, "# Older\n", False),
        (GONE, None, True),
        (GONE, "", True),
        (GONE, "# Old\n", False),
        (Fetched(200, "text/plain", " "), "", True),
        (Fetched(200, "text/html", "<html>"), None, True),
        (Fetched(503), None, False),
        (Fetched(0, error="no answer"), "", False),
        (TEXT, "# New\n", False),
    ],
)
def test_a_live_file_with_the_previous_text_is_stale(seen: Fetched, previous: str | None, stale: bool) -> None:
    live = live_of(seen, seen, write("# New\n", previous, status="not_live"), NOW + STALE_SECONDS - 1)
    assert (live.kind == "stale", live.not_visible_yet) == (stale, stale)
    assert live.fetched_kind == kind_of(seen)
    assert live_of(seen, seen, write("# New\n", previous), NOW + STALE_SECONDS).kind == kind_of(seen)


def test_a_removed_file_that_is_still_served_is_stale() -> None:
    live = live_of(OLD, OLD, write("", "# Old\n"), NOW)
    assert (live.kind, live.found, live.matches, live.text) == ("stale", True, False, "# Old\n")


def test_a_live_file_that_was_read_only_partly_never_matches_the_written_text() -> None:
    assert live_of(TEXT._replace(truncated=True), TEXT, write("# New\n", None), NOW).matches is False


def test_the_cached_version_is_returned_only_if_it_differs_from_the_fresh_one() -> None:
    assert live_of(TEXT, TEXT._replace(text="# New", cache="age: 5"), None, NOW).cached is None
    cached = live_of(TEXT, GONE._replace(cache="age: 5"), None, NOW).cached
    assert cached is not None
    assert (cached.status, cached.kind, cached.found, cached.cache) == (404, "missing", False, "age: 5")
    silent = live_of(TEXT, Fetched(0, error="no answer"), None, NOW).cached
    assert silent is not None and (silent.status, silent.kind) == (None, "unreachable")
