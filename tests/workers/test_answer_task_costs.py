"""KW-011 on a website of ten thousand pages: what it asks of the store, and how many texts it takes apart.

Both grow with the pages and hardly with the questions: each block of pages is read once, and each text split into words
once, however many questions were asked.
"""

from collections.abc import Iterator

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.search.tokens import Vocabulary
from chalicelib.domain.visibility.calendar import week_of
from chalicelib.domain.visibility.citations import Citation
from chalicelib.domain.visibility.names import Names
from chalicelib.domain.visibility.samples import Sample, week_of_samples
from chalicelib.operations import keyword_tasks
from chalicelib.store import blocks, crawls, issues, items, keys, pages, visibility, websites
from chalicelib.store.shapes import SITE_SUMMARY
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.workers import imports
from local.standins.assistants import Assistants
from tests import aws
from tests.api import seed
from tests.visibility import Sampled, sampled

PAGES, IN_BLOCK = 10_000, 100
TEXTS_OF_A_PAGE = 3  # its title and two headings
QUESTIONS = 50  # as many as a website may have asked
BESIDE = 12  # reads beside pages: job, website, issues, their lists, prompts, weeks


@pytest.fixture(scope="module")
def standin() -> Iterator[Assistants]:
    found = Assistants()
    yield found
    found.stop()


@pytest.fixture
def house(store: None, standin: Assistants, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sampled]:
    with sampled(monkeypatch, standin, ("openai",)) as found:
        website = websites.get(found.workspace_id, found.site_id)
        assert website is not None
        audited(website)
        yield found


def subject(number: int) -> str:
    """A word that one page alone has: numbers are no words of a subject."""
    return "".join("bcdfghjklm"[int(digit)] + "o" for digit in f"{number:04d}")


def audited(site: Website) -> None:
    """The published pages of an audit, and what it read of them."""
    seed.audited(site)
    rows, whole = seed.rows(site, PAGES), seed.facts(site)
    for start in range(0, PAGES, IN_BLOCK):
        number = 1 + start // IN_BLOCK
        of_block: list[PageFacts] = []
        for at in range(start, start + IN_BLOCK):
            headings = [(1, f"All about {subject(at)}"), (2, "Sizes")]
            of_block.append(msgspec.structs.replace(whole, url=rows[at].url, title=f"Page {at}", headings=headings))
        packed = crawls.pack_facts(of_block)
        assert len(packed) == 1
        blocks.write(crawls.facts_writes(seed.AUDIT, number, packed))
        (stored_as,) = set(crawls.block_numbers(number, packed))
        for at in range(start, start + IN_BLOCK):
            rows[at] = msgspec.structs.replace(rows[at], facts_crawl=seed.AUDIT, facts_block=stored_as, rules=[])
    writes, partitions = pages.generation_writes(site.id, seed.AUDIT, rows, {})
    blocks.write(writes)
    items.update(
        "sites",
        *keys.website(site.workspace_id, site.id),
        "SET #summary = :summary",
        names={"#summary": "summary"},
        values={":summary": SITE_SUMMARY.pack(seed.summary(PAGES, partitions))},
    )


def answered(house: Sampled) -> None:
    """A week in which each prompt has one answer, which names and cites others."""
    samples = [
        Sample(
            prompt_id=prompt.id,
            prompt=prompt.text,
            locale=None,
            provider="openai",
            attempts=1,
            outcome="answered",
            at=clock.now(),
            text="Others are good.",
            citations=(Citation("https://others.example/", "others.example"),),
        )
        for prompt in visibility.load_prompts(house.site_id).prompts
    ]
    week = week_of_samples(week_of(clock.now()), samples, Names.of("shop.example", []), "shop.example")
    commit(visibility.put_week(house.site_id, week, clock.now()))


def judged(house: Sampled, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int, int, int]:
    """The job done: how many pages the task lists, and what it took: reads, writes, and texts taken apart."""
    job, begins = keyword_tasks.begin(house.site_id, house.workspace_id, clock.now())
    commit([begins])
    split = []
    words = Vocabulary.words
    with monkeypatch.context() as counting, aws.counted_calls() as calls:
        counting.setattr(Vocabulary, "words", lambda *given: split.append(1) or words(*given))
        imports.handle({"siteId": house.site_id, "jobId": job.id, "kind": job.kind}, None)
    book = issues.load_state(house.site_id)
    assert book is not None
    task = next(issue for issue in book.issues if issue.rule_id == "KW-011")
    reads = sum(calls[name] for name in ("GetItem", "BatchGetItem", "Query"))
    return task.affected_pages, reads, calls.total() - reads, len(split)


def test_each_stored_block_is_read_once_and_each_text_is_split_into_words_once(
    house: Sampled, monkeypatch: pytest.MonkeyPatch
) -> None:
    subjects = [subject(number * 197) for number in range(QUESTIONS)]
    for asked in (1, QUESTIONS):
        house.add(*(f"What is {name}?" for name in subjects[1 if asked > 1 else 0 : asked]))
        answered(house)
        listed, reads, writes, split = judged(house, monkeypatch)
        assert listed == asked
        assert reads <= PAGES // IN_BLOCK + BESIDE
        assert writes <= 6
        assert split == PAGES * TEXTS_OF_A_PAGE + asked
