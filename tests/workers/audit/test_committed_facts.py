"""The facts of an audit's pages are read from the store as seldom as there is room for them."""

from collections.abc import Iterator

import pytest

from chalicelib.domain.page.facts import PageFacts
from chalicelib.store import crawls
from chalicelib.workers.audit import committed_facts
from chalicelib.workers.audit.committed_facts import CommittedFacts
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Site, audit, findings, html, new_website

CRAWL = "01HZY0000000000000000000CC"


class Store:
    """Three packed blocks of one page each, and how often they were read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.blocks = [crawls.pack_facts([PageFacts(url=f"https://a.example/{number}")])[0].data for number in "123"]
        self.reads = 0
        monkeypatch.setattr(crawls, "load_packed_facts", self.load)

    def load(self, crawl_id: str) -> Iterator[tuple[int, bytes]]:
        assert crawl_id == CRAWL
        self.reads += 1
        yield from enumerate(list(self.blocks), start=7)


def names(facts: CommittedFacts) -> list[tuple[int, str]]:
    return [(number, page.url[-1]) for number, block in facts.blocks() for page in block]


def test_page_facts_that_fit_into_memory_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(monkeypatch)
    monkeypatch.setattr(committed_facts, "MOST_KEPT_BYTES", sum(map(len, store.blocks)))
    facts = CommittedFacts(CRAWL)
    assert names(facts) == names(facts) == names(facts) == [(7, "1"), (8, "2"), (9, "3")]
    assert store.reads == 1
    store.blocks[1] = store.blocks[0]
    facts.forget()
    assert names(facts) == names(facts) == [(7, "1"), (8, "1"), (9, "3")]
    assert store.reads == 2


def test_committed_page_facts_are_not_read_again_until_a_new_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = Store(monkeypatch)
    facts = CommittedFacts(CRAWL)
    facts.begin()
    facts.add(enumerate(store.blocks[:2], start=7))
    assert names(facts) == [(7, "1"), (8, "2")]
    facts.add([(9, store.blocks[2])])
    assert names(facts) == [(7, "1"), (8, "2"), (9, "3")]
    assert store.reads == 0
    store.blocks[0] = store.blocks[1]
    facts.forget()
    assert names(facts) == [(7, "2"), (8, "2"), (9, "3")]
    assert store.reads == 1


def test_page_facts_committed_by_another_worker_are_read_too(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(monkeypatch)
    facts = CommittedFacts(CRAWL)
    facts.add([(9, store.blocks[2])])
    assert names(facts) == [(7, "1"), (8, "2"), (9, "3")]
    facts.add([(10, store.blocks[0])])
    assert names(facts) == [(7, "1"), (8, "2"), (9, "3"), (10, "1")]
    assert store.reads == 1


def test_page_facts_that_do_not_fit_into_memory_are_read_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(monkeypatch)
    monkeypatch.setattr(committed_facts, "MOST_KEPT_BYTES", sum(map(len, store.blocks)) - 1)
    facts = CommittedFacts(CRAWL)
    assert names(facts) == names(facts) == [(7, "1"), (8, "2"), (9, "3")]
    assert store.reads == 2
    assert facts._kept is None
    facts.begin()
    facts.add(enumerate(store.blocks, start=7))
    assert facts._kept is None
    facts.add([(10, b"")])  # nor is a part of them
    assert names(facts) == [(7, "1"), (8, "2"), (9, "3")]


def test_page_facts_that_were_read_only_partly_are_read_again_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(monkeypatch)
    facts = CommittedFacts(CRAWL)
    assert next(facts.blocks())[0] == 7
    assert len(names(facts)) == len(names(facts)) == 3
    assert store.reads == 2


@pytest.mark.usefixtures("audits_of_loopback")
def test_an_audit_reads_its_page_facts_again_only_if_memory_is_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads: list[str] = []
    load = crawls.load_packed_facts

    def counted(crawl_id: str) -> Iterator[tuple[int, bytes]]:
        reads.append(crawl_id)
        return load(crawl_id)

    monkeypatch.setattr(crawls, "load_packed_facts", counted)
    pages = {f"/{number}": html("The same title", "/") for number in range(4)}
    with WireServer(Site({"/": html("The home page", *pages), **pages})) as server:
        website = new_website(server)
        audit(website)
        found = findings(website)
        assert found and reads == []
        monkeypatch.setattr(committed_facts, "MOST_KEPT_BYTES", 0)
        second = audit(website)
        assert reads == [second.id] * 3  # targets, and rules twice
        assert findings(website) == found
