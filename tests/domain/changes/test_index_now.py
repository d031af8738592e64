"""What search engines are told of: which pages, of which host, and what is kept of a website."""

import pytest

from chalicelib.domain.changes.batch import Change
from chalicelib.domain.changes.index_now import APART_SECONDS, MOST_PENDING, IndexNow, location_of, pages_of, why_not
from chalicelib.domain.connections import Connections, Writer, WriterStatus

HOME = "https://www.shop.example/en/"


def change(url: str, status: str = "applied", field: str = "title") -> Change:
    return Change(number=0, url=url, cms_id="1", field=field, value="x", status=status)  # type: ignore[arg-type]


def connected(**status: object) -> Connections:
    told = {"writable": True, "platform": "p", "version": "1", "files": ("indexNowKey",)} | status
    cms = Writer(
        kind="cms",
        base_url="https://a.example",
        connected_at=1.0,
        checked_at=1.0,
        status=WriterStatus(**told),  # type: ignore[arg-type]
    )
    return Connections(cms=cms)


def test_only_live_pages_of_one_host_are_submitted_and_each_only_once() -> None:
    found = [
        change("https://www.shop.example/a"),
        change("https://www.shop.example/a", field="canonical"),
        change("https://www.shop.example/b", "not_live"),
        change("https://www.shop.example/c", "failed"),
        change("https://shop.example/d"),
        change("https://www.shop.example:8443/e"),
        change("https://www.shop.example/llms.txt", field="llms_txt"),
        change("https://www.shop.example/f"),
    ]
    assert pages_of(found, HOME) == ["https://www.shop.example/a", "https://www.shop.example/f"]


def test_the_key_file_is_at_the_root_of_the_home_page_host() -> None:
    assert location_of(HOME, "k" * 8) == "https://www.shop.example/kkkkkkkk.txt"


@pytest.mark.parametrize(
    ("connections", "said"),
    [
        (Connections(), "Connect the website's CMS first"),
        (connected(files=("llmsTxt",)), "Update the connector"),
        (connected(index_now_sender="SEOPress"), "SEOPress already notifies search engines"),
    ],
)
def test_the_reason_why_pages_cannot_be_submitted_is_reported(connections: Connections, said: str) -> None:
    assert said in (why_not(connections) or "")


def test_a_broken_cms_connection_does_not_stop_submissions() -> None:
    working = connected()
    assert why_not(working) is None and working.cms is not None
    broken = working.with_writer("cms", working.cms.refused("The pairing is gone.", 2.0))
    assert why_not(broken) is None


def test_at_most_the_newest_100_batches_wait_to_be_submitted() -> None:
    state = IndexNow().turned_on("key", 5.0)
    for number in range(MOST_PENDING + 3):
        state = state.with_batch(f"batch_{number}")
    assert len(state.pending) == MOST_PENDING and state.pending[-1] == f"batch_{MOST_PENDING + 2}"


def test_each_change_of_the_stored_state_raises_its_version_and_keeps_the_key() -> None:
    state = IndexNow().turned_on("key", 5.0).with_batch("a").with_batch("b").found("https://a.example/key.txt", 6.0)
    sent = state.sent(["a"], 7.0)
    assert (sent.pending, sent.due_at, sent.version) == (("b",), 7.0 + APART_SECONDS, state.version + 1)
    stopped = sent.waits("Later.").stopped("Gone.")
    assert (stopped.pending, stopped.goes, stopped.waiting) == ((), False, None)
    again = stopped.turned_on("another", 8.0)
    assert (again.key, again.goes, again.location, again.version) == ("key", True, None, stopped.version + 1)
    off = again.turned_off()
    assert (off.key, off.goes, off.on_since) == ("key", False, None)
