"""Pages put together by their words, beside the same done without an index."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.search.clustering import (
    COMMON_PAGES,
    COVERED,
    DIGITS,
    LIKE,
    MOST_WORDS,
    Joining,
    Vector,
    Weights,
    grouped,
)
from tests.lengths import examples


def unit(*words: str) -> Vector:
    return {word: 1 / math.sqrt(len(words)) for word in words}


def naively(vectors: list[Vector]) -> list[list[int]]:
    """Every page against every page of every group."""
    groups: list[list[int]] = []
    for number, vector in enumerate(vectors):
        if not vector:
            continue
        averages = []
        for group in groups:
            products = [
                math.fsum(value * vectors[other].get(word, 0.0) for word, value in vector.items()) for other in group
            ]
            averages.append(round(math.fsum(products) / len(group), DIGITS))
        best = max(averages, default=0.0)
        if best >= LIKE:
            groups[averages.index(best)].append(number)
        else:
            groups.append([number])
    return groups


WORDS = st.sampled_from("tent pole boot lace stove gas map".split())
VECTORS = st.lists(
    st.dictionaries(WORDS, st.integers(1, 1_000), max_size=4).map(
        lambda words: {
            word: weight / math.sqrt(sum(other * other for other in words.values())) for word, weight in words.items()
        }
    ),
    max_size=25,
)


@settings(max_examples=examples(100))
@given(VECTORS)
def test_groups_are_the_same_as_if_every_pair_of_pages_is_compared(vectors: list[Vector]) -> None:
    assert grouped(vectors) == naively(vectors)


def test_a_chain_of_pages_that_each_resemble_only_the_next_does_not_form_one_group() -> None:
    chain = [unit(f"w{n}", f"w{n + 1}") for n in range(12)]
    assert max(map(len, grouped(chain))) <= 3


def test_pages_with_equal_words_form_a_group_and_pages_without_words_do_not() -> None:
    assert grouped([unit("tent"), {}, unit("boot"), unit("tent"), unit("boot", "lace")]) == [[0, 3], [2, 4]]


def test_words_on_only_one_page_or_on_most_pages_are_ignored() -> None:
    pages = [{"shop": 1, "tent" if n % 3 else "boot": 1, f"model{n}": 1} for n in range(30)]
    weights = Weights(pages)
    assert [word for word in ("shop", "boot", "model1", "unseen") if weights.tells(word)] == ["boot"]
    few = Weights([{"tent": 1}, {"tent": 1}, {"boot": 1}])
    assert few.tells("tent")
    many = Weights([{"tent": 1} if n <= COMMON_PAGES else {"boot": 1} for n in range(5_000)])
    assert not many.tells("tent")


def test_a_page_is_compared_only_by_its_most_significant_words() -> None:
    pages = [{f"w{n}": 1 + n for n in range(30)}, *({f"w{n}": 1} for n in range(30))]
    vector = Weights(pages).vector(pages[0])
    assert sorted(vector) == sorted(f"w{n}" for n in range(30 - MOST_WORDS, 30))
    assert math.isclose(sum(value * value for value in vector.values()), 1.0)
    assert Weights([{"tent": 1}]).vector({"tent": 1}) == {}


def test_a_page_joins_the_group_with_which_it_shares_most_words() -> None:
    joining = Joining([[unit("tent", "family"), unit("tent")], [unit("boot")]])
    assert joining.group_of(["tent", "skarn"]) == 0
    assert joining.group_of(["boot", "tent"]) == 1
    assert joining.group_of(["family"]) is None
    assert joining.group_of([]) is None
    assert COVERED == 0.5
