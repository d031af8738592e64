"""Blocks of main texts: what is kept of them, which ones many pages have, and what remains a page's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.page import blocks, shingles
from chalicelib.domain.page.text import HASHES_KEPT, REPEATED_PAGES


def kept(texts: list[str], links: list[str] | None = None) -> bytes:
    words, own = shingles.words_of_both(blocks.END.join(texts), blocks.END.join(links or []), blocks.END)
    return blocks.kept(words, own)


def table(*pages: bytes) -> blocks.Table:
    (one,) = blocks.tables(pages)
    return one


def hash_of(text: str) -> int:
    return int(table(kept([text])).hashes[0])


def hashes_of(texts: set[str]) -> list[int]:
    return sorted(hash_of(text) for text in texts)


def test_for_each_text_block_its_word_count_and_whether_it_is_link_text_are_stored() -> None:
    page = table(kept(["One two three", " ", "", "four", "Contact us", "one two three"], ["contact US", "elsewhere"]))
    assert page.words.tolist() == [3, 1, 2, 3]
    assert page.linked.tolist() == [False, False, True, False]
    assert page.hashes.tolist() == [hash_of(text) for text in ("one two three", "four", "contact us", "one two three")]
    assert len(set(page.hashes.tolist())) == 3
    assert len(kept(["One two three", "four"])) == 10, "five bytes each"


def test_a_text_without_words_has_no_blocks() -> None:
    assert kept([" ", ""], ["a link"]) == b""


def test_the_hash_of_a_text_block_depends_on_its_words_and_their_number() -> None:
    assert len({hash_of(text) for text in ("one", "two", "one two", "one two one", "one two two", "one one")}) == 6


@pytest.mark.parametrize("count", [999, 1_000, 1_001, 1_500])
def test_of_more_than_1000_blocks_the_first_500_and_the_last_500_are_kept(count: int) -> None:
    texts = [f"{number} " + "word " * (number % 7) for number in range(count)]
    page = table(kept(texts))
    wanted = texts if count <= 1_000 else texts[:500] + texts[-500:]
    assert page.words.tolist() == [len(text.split()) for text in wanted]
    assert page.hashes[[0, 499, 500, -1]].tolist() == [hash_of(wanted[at]) for at in (0, 499, 500, -1)]


def test_the_word_count_of_a_block_is_capped_at_its_maximum() -> None:
    page = table(kept(["a " * 40_000, "b"], ["b"]))
    assert page.words.tolist() == [32_767, 1]
    assert page.linked.tolist() == [False, True]


def test_pages_are_processed_in_batches_of_256_in_order() -> None:
    pages = [kept([f"page {number}"] * (1 + number % 3)) for number in range(600)]
    found = list(blocks.tables(pages))
    assert [len(one.starts) for one in found] == [256, 256, 88]
    for first, one in zip((0, 256, 512), found, strict=True):
        ends = [*one.starts.tolist()[1:], len(one.hashes)]
        assert np.diff([0, *ends]).tolist() == [1 + number % 3 for number in range(first, first + len(one.starts))]
        assert one.hashes[one.starts].tolist() == [
            hash_of(f"page {number}") for number in range(first, first + len(one.starts))
        ]


def pages_with(count: int, *times: int) -> list[bytes]:
    """A number of pages. Each further number says how many of them have the next block; one page has it twice."""
    return [
        kept([f"own {number}", *(f"block {time}" for time in times for _ in range(1 + (number == 0)) if number < time)])
        for number in range(count)
    ]


@pytest.mark.parametrize("count", [100, 300])
def test_a_block_on_12_percent_of_the_pages_counts_as_repeated(count: int) -> None:
    some, half = count * 12 // 100, count // 2
    found = blocks.repeated_blocks(pages_with(count, some - 1, some, half - 1, half, count))
    assert found.some.tolist() == hashes_of({f"block {time}" for time in (some, half - 1, half, count)})
    assert found.most.tolist() == hashes_of({f"block {time}" for time in (half, count)})


def test_a_block_is_repeated_only_if_a_minimum_number_of_pages_has_it() -> None:
    least = blocks.REPEATED_PAGES
    assert [len(part) for part in blocks.repeated_blocks(pages_with(least - 1, least - 1))] == [0, 0]
    for count in (least, least + 1):
        found = blocks.repeated_blocks(pages_with(count, least - 1, least))
        assert found.some.tolist() == found.most.tolist() == [hash_of(f"block {least}")]


TEXTS = [
    "a",
    "b",
    "and",
    "two words",
    "three of them",
    "four words of text",
    "five words of some text",
    "menu",
    "menu item",
]
texts = st.lists(st.sampled_from(TEXTS), min_size=1, max_size=12)


def expected(page: list[str], links: list[str], shared: set[str], shared_links: set[str]) -> tuple[int, int, int, int]:
    """What ``own`` says of a page, worked out block by block."""
    found = [text in shared or (text in shared_links and text in links) for text in page]
    repeated = [False] * len(page)
    at = 0
    while at < len(page):
        end = at
        while end < len(page) and found[end] == found[at]:
            end += 1
        if found[at] and sum(len(text.split()) for text in page[at:end]) >= 4:
            repeated[at:end] = [True] * (end - at)
        at = end
    mine = [text for text, other in zip(page, repeated, strict=True) if text in links and not other]
    return (
        sum(len(text.split()) for text in page),
        sum(len(text.split()) for text, other in zip(page, repeated, strict=True) if other),
        len(mine),
        sum(len(text.split()) for text in mine),
    )


@given(
    st.lists(texts, min_size=1, max_size=4),
    st.sets(st.sampled_from(TEXTS)),
    st.sets(st.sampled_from(TEXTS)),
    st.none() | st.sets(st.sampled_from(TEXTS)),
)
def test_each_block_is_classified_as_own_or_repeated_text(
    pages: list[list[str]], links: set[str], shared: set[str], shared_links: set[str] | None
) -> None:
    named = sorted(links)
    found = blocks.own(
        table(*(kept(page, named) for page in pages)),
        np.array(hashes_of(shared), np.uint32),
        None if shared_links is None else np.array(hashes_of(shared_links), np.uint32),
    )
    assert list(zip(*(part.tolist() for part in found), strict=True)) == [
        expected(page, named, shared, shared_links or set()) for page in pages
    ]


def test_the_part_of_a_page_after_the_size_limit_does_not_count_for_repeated_text() -> None:
    """Only the beginning of a cut page is known, so it is unknown whether text after the cut is repeated."""
    low, high = 1_000, 9_000_000
    least = REPEATED_PAGES
    first = list(range(low, low + HASHES_KEPT))
    whole = [shingles.packed(np.array([high], np.uint32))] * least
    known_in_part = [shingles.packed(np.array(first, np.uint32))] * (19 * least)
    found = blocks.repeated_runs([*whole, *known_in_part])
    assert (found.some.tolist(), found.most.tolist()) == ([*first, high], [*first, high])
    others = [shingles.packed(np.array(first[1:], np.uint32))] * (19 * least)
    found = blocks.repeated_runs([*whole, *others])
    assert (found.some.tolist(), found.most.tolist()) == (first[1:], first[1:]), (
        "a twentieth of pages that are all known"
    )


def test_a_sample_of_own_text_lacks_the_runs_that_other_texts_share() -> None:
    some, others = (shingles.packed(np.array(numbers, np.uint32)) for numbers in ([3, 5, 9], [4, 5]))
    samples = blocks.OwnSamples([(some, np.array([5], np.uint32)), (others, None)])
    assert [sample.hashes.tolist() for sample in samples] == [[3, 9], [4, 5]]
    assert len(samples) == 2 and samples[0].hashes.tolist() == [3, 9]
    assert [sample.hashes.tolist() for sample in samples.at([1])] == [[4, 5]]
    assert [sample.hashes.tolist() for sample in samples[1:]] == [[4, 5]]
