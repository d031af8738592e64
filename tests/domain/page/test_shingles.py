"""Near-duplicates: sketches of texts, and the pairs that are alike."""

import random
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.page import shingles
from chalicelib.domain.page.shingles import pairs, sample_of, shared, sketch
from chalicelib.domain.page.text import HASHES_KEPT
from tests.lengths import examples
from tests.reference import loop_seconds

VOCABULARY = [
    f"{word}{number}" for word in "tent pole hill river stove rope map boot rain".split() for number in range(99)
]


def words(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [draw.choice(VOCABULARY) for _ in range(count)]


def with_changes(text: list[str], count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    changed = list(text)
    for _ in range(count):
        changed[draw.randrange(len(changed))] = f"changed{draw.random()}"
    return changed


def runs(text: list[str]) -> set[tuple[str, ...]]:
    return set(zip(text, text[1:], text[2:], strict=False))


def index(one: list[str], other: list[str]) -> float:
    """The Jaccard index as it is defined."""
    first, second = runs(one), runs(other)
    return len(first & second) / len(first | second)


def estimated(one: list[str], other: list[str]) -> float:
    return shared(sample_of(sketch(" ".join(one))), sample_of(sketch(" ".join(other))))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("ひらがな", 4),
        ("々〆〇", 3),
        ("㐀䶿", 2),
        ("一鿿 one", 3),
        ("豈", 1),
        ("a–b ’c’ étés", 3),
        ("Привет мир", 2),
        ("😀 ｗｘ", 2),
    ],
)
def test_each_character_of_a_script_without_spaces_is_a_word(text: str, count: int) -> None:
    assert len(shingles.words_of(text).hashes) == count


def test_a_text_with_fewer_than_fifty_words_is_not_compared_for_similarity() -> None:
    assert sketch(" ".join(words(49, 1))) == b""
    assert len(sketch(" ".join(words(50, 1)))) == 3 * 48


def test_a_similarity_fingerprint_is_the_same_in_every_process_and_at_most_3_kb() -> None:
    assert sketch(" ".join(f"word{number}" for number in range(60))).hex()[:24] == "d8af03403e0486ab065e120b"
    assert len(sketch(" ".join(words(20_000, 2)))) == 3 * HASHES_KEPT == 3_072


def test_letter_case_and_white_space_do_not_affect_similarity() -> None:
    text = words(200, 3)
    assert sketch(" ".join(text)) == sketch("\n\t " + "  \r\n".join(text).upper() + "\n")


def test_texts_without_spaces_between_words_are_compared_by_characters() -> None:
    text = "".join(chr(0x4E00 + number * 37 % 5_000) for number in range(400))
    other = text[:200] + "徒步" + text[202:]
    assert 0.95 < shared(sample_of(sketch(text)), sample_of(sketch(other))) < 1


def test_words_with_accents_are_compared_as_whole_words() -> None:
    text = ["Zelte", "für", "müde", "Wanderer", "–", "größer"] * 3 + words(100, 4)
    assert estimated(text, [*text[:-1], "Schluß"]) == pytest.approx(index(text, [*text[:-1], "Schluß"]))


@settings(max_examples=examples(60))
@given(st.integers(60, 1_000), st.integers(0, 60), st.integers(0, 10_000))
def test_the_similarity_of_short_texts_is_exact(count: int, changes: int, seed: int) -> None:
    text = words(count, seed)
    other = with_changes(text, changes, seed + 1)
    # Two runs share a hash of 24 bits by chance once in 16.8 million pairs of runs: each such one moves the index by
    # less than two runs.
    among = len(runs(text) | runs(other))
    by_chance = 2 if among < 500 else 4
    assert estimated(text, other) == pytest.approx(index(text, other), abs=2 * by_chance / among)


def test_the_similarity_of_300_word_texts_is_almost_always_exact() -> None:
    exact = 0
    for seed in range(300):
        text = words(300, seed)
        other = with_changes(text, seed % 40, seed + 1)
        exact += estimated(text, other) == pytest.approx(index(text, other), abs=1e-9)
    assert exact >= 295


def test_the_similarity_of_long_texts_is_off_by_about_one_percent() -> None:
    errors = []
    for seed in range(40):
        text = words(6_000, seed)
        other = with_changes(text, 100, seed)
        errors.append(estimated(text, other) - index(text, other))
    assert (sum(error * error for error in errors) / len(errors)) ** 0.5 < 0.012
    assert abs(sum(errors) / len(errors)) < 0.005


@pytest.mark.parametrize("count", [60, 200, 900, 3_000])
def test_at_least_999_of_1000_very_similar_pairs_are_compared(count: int) -> None:
    found = looked_at = 0
    for seed in range(400):
        text = words(count, seed)
        other = with_changes(text, max(1, round(count * 0.0165)), seed)
        if not 0.9 <= index(text, other) <= 0.93:
            continue
        looked_at += 1
        kept = [sample_of(sketch(" ".join(one))) for one in (text, other)]
        first, second = shingles._bands(kept)
        found += bool((first == second).any())
    assert looked_at > 50
    assert found >= looked_at - 1


def test_only_similar_pages_form_pairs_and_each_pair_is_found_once() -> None:
    text = words(300, 5)
    texts = [text, with_changes(text, 3, 1), with_changes(text, 40, 2), words(300, 6)]
    found = list(pairs([sample_of(sketch(" ".join(one))) for one in texts]))
    assert [(one, other) for one, other, _ in found] == [(0, 1)]
    assert found[0][2] == pytest.approx(index(texts[0], texts[1]))


def test_in_a_large_set_of_similar_pages_every_page_is_in_some_pair() -> None:
    text = words(300, 7)
    texts = [with_changes(text, 2, seed) for seed in range(200)]
    found = list(pairs([sample_of(sketch(" ".join(one))) for one in texts]))
    assert {position for one, other, _ in found for position in (one, other)} == set(range(200))
    assert len(found) < 16 * 200


@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.deep)])
def test_comparing_a_large_website_takes_bounded_time_and_memory(count: int) -> None:
    template = words(500, 8)
    sketches = []
    for number in range(count):
        if number % 2:
            text = [*template[:-1], f"page{number}"]  # half of the pages are of one template
        elif number % 10:
            text = template[:400] + words(100, number)  # alike, but not enough
        else:
            text = words(400, number)
        sketches.append(sketch(" ".join(text)))
    tracemalloc.start()
    start = time.process_time()
    found = {position for one, other, _ in pairs([sample_of(one) for one in sketches]) for position in (one, other)}
    seconds = time.process_time() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == set(range(1, count, 2))
    assert seconds < 0.23 * count * loop_seconds()
    assert peak < 20_000 * count


@pytest.mark.parametrize("at", [1, 2])
def test_the_cached_hash_powers_stay_long_enough_if_two_threads_extend_them(
    at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    powers, series = shingles._Powers(), shingles._series
    asked: list[tuple[int, int]] = []
    made = 0

    def asked_meanwhile(base: int, size: int) -> shingles.Hashes:
        nonlocal made
        made += 1
        if made == at:  # another thread asks for as much, before this one of the two series is there
            one, other = powers.up_to(size)
            asked.append((len(one), len(other)))
        return series(base, size)

    monkeypatch.setattr(shingles, "_series", asked_meanwhile)
    powers.up_to(100_000)
    assert len(asked) == 1 and min(asked[0]) >= 100_000
