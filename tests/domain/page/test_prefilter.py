"""What a glance at a page's source sees, compared with looking for one word after the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.page import prefilter
from chalicelib.domain.page.prefilter import _BEFORE_ATTRIBUTE, _WORDS

WORDS = [(name, word) for name, words in _WORDS.items() for word in words]
PIECES = st.sampled_from(["<div ", "hidden", "disp", "lay", "item", "type", "é", "\n", "of=", "&", "#", "", "x", '"'])


def seen(html: str) -> frozenset[str]:
    return prefilter.seen(html.encode())


@pytest.mark.parametrize(("name", "word"), WORDS)
@pytest.mark.parametrize("before", range(5))
def test_a_word_is_found_at_any_position_and_in_any_letter_case(name: str, word: str, before: int):
    assert name in seen("." * before + word)
    assert name in seen("." * before + word.upper() + "...")
    assert name not in seen("." * before + word[:-1] + "~" + word[-1])


@given(st.lists(st.one_of(PIECES, st.sampled_from([word for _, word in WORDS]), st.text(max_size=5))))
def test_a_search_for_words_of_interest_finds_all_that_the_html_contains(pieces: list[str]):
    page = "".join(pieces)
    found = seen(page)
    for name, words in _WORDS.items():
        if any(word in page for word in words):
            assert name in found
    assert found <= _WORDS.keys()


@pytest.mark.parametrize("before", range(5))
def test_an_attribute_is_found_only_by_its_complete_name(before: int):
    for byte in range(128):
        page = "." * before + chr(byte)
        begins = byte in _BEFORE_ATTRIBUTE
        assert ("hidden" in seen(page + "hidden")) == begins == ("role" in seen(page + 'role="main"')), byte
    assert seen("." * before + '<svg aria-hidden="true" data-role="icon">') == {"aria_hidden"}
    assert seen("." * before + '<svg aria-hidden="true"><p\nHidden>') == {"aria_hidden", "hidden"}
    assert seen("." * before + "hidden") == seen("hidden") == frozenset()
    assert seen("." * before + '<p class="row d-none">') == seen("<p class=d-none>") == {"hiding_class"}


def test_words_with_encoded_letters_are_found():
    assert seen('<p style="d&#105;splay:none">') == {"display"}
    assert seen("") == seen("a & b") == frozenset()


@pytest.mark.parametrize(("name", "word"), WORDS)
def test_a_page_that_is_shorter_than_a_word_has_none(name: str, word: str):
    for start in range(len(word) - 3):
        assert seen(word[start : start + 4]) == frozenset()


def test_the_search_for_words_of_interest_finds_none_in_a_plain_page():
    assert seen("<!doctype html><html><head><title>Tents</title></head><body><p>A tent.</p></body></html>") == set()
