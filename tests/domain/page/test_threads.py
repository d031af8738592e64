"""Several workers of one process read pages at once, each in a thread of its own."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from chalicelib.domain.page import shingles
from chalicelib.domain.page.facts import PageFacts
from chalicelib.workers.audit.page_process import fill

THREADS, ROUNDS, WORDS = 8, 150, 60
HEADERS = {"content-type": "text/html"}


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads take turns all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def facts_of(page: tuple[str, bytes]) -> bytes:
    url, html = page
    facts = PageFacts(url=url, status=200, is_html=True)
    fill(facts, html, HEADERS, "a.test")
    return msgspec.msgpack.encode(facts)


def test_reading_pages_in_parallel_gives_the_same_facts_as_reading_one_by_one(
    hasty_threads: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " ".join(f"word{number}" for number in range(WORDS))
    pages = [
        (f"http://a.test/{number}", f"<title>Page {number}</title><h1>{number}</h1><p>{text} {number}.</p>".encode())
        for number in range(THREADS)
    ]
    expected = list(map(facts_of, pages))
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(ROUNDS):
            monkeypatch.setattr(shingles, "_POWERS", shingles._Powers())  # as in a process that has just begun
            assert list(pool.map(facts_of, pages)) == expected
