"""How text is folded, counted, compared and masked."""

import hashlib
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chalicelib.domain.page.text import fold, mask_emails, measure, one_space, tidy, words

_ADDRESS = re.compile(r"[\w*]@(?:[\w-]+\.)+[^\W\d_]")


@given(st.text())
def test_folding_a_text_twice_changes_nothing(text: str):
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Blue  Widget", "blue\nwidget"),
        ("STRASSE", "straße"),
        ("ﬁne", "FINE"),
        ("Ａ", "a"),
        ("e\u0301", "É"),
        ("a\u00a0b", "A b"),
    ],
)
def test_texts_that_look_alike_are_equal_after_folding(one: str, other: str):
    assert fold(one) == fold(other)


@given(st.text(alphabet="aB ß\u00a0\t\n\u3000é", max_size=30))
def test_every_kind_of_white_space_becomes_one_space(text: str):
    assert one_space(text).split(" ") == (text.split() or [""])


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (" one two\nthree ", 3),
        ("Köln ist schön – sehr schön", 6),
        ("日本語の文章です", 4),
        ("Der 東京 Turm", 3),
        ("สวัสดีครับผม", 3),
        ("안녕하세요 세계", 2),
        ("Привет мир", 2),
    ],
)
def test_words_are_counted_by_the_rules_of_their_script(text: str, count: int):
    assert words(text) == count


@given(st.text(max_size=200))
def test_measuring_a_text_and_counting_its_words_give_the_same_number(text: str):
    assert measure(text)[0] == words(text)


@given(st.text(max_size=40))
@example("É\u00a0ßK\u2003–ŉ")
def test_a_few_characters_beyond_ascii_are_folded_as_in_any_other_text(text: str):
    page = f"{'Plain Words ' * 50}{text}{' More Words' * 50}"
    folded = "".join(page.casefold().split()).encode("utf-8", "replace")
    assert measure(page) == (words(page), hashlib.sha256(folded).hexdigest()[:32])


def test_fingerprints_ignore_only_letter_case_and_white_space():
    text = "Ein schöner Tag " * 20
    assert measure(text)[1] == measure(text.upper().replace(" ", "\n \u00a0"))[1] != ""
    assert measure("plain words " * 30)[1] == measure("Plain\u00a0words " * 30)[1]
    assert measure(text)[1] != measure(text + "!")[1]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Write to jane.doe@acme.co.uk.", "Write to j***@***."),
        ("<jane@acme.test>,bob@b.test", "<j***@***>,b***@***"),
        ("Ünal@münchen.de", "Ü***@***"),
        ("o'hara+x@acme.xn--p1ai!", "o***@***!"),
        ("jane (at) acme (dot) com", "j***@***"),
        ("jane[at]acme.com", "j***@***"),
        ("@acme on the web, 3 @ 5.00, a@b", "@acme on the web, 3 @ 5.00, a@b"),
        ("meet (at noon) there", "meet (at noon) there"),
    ],
)
def test_masked_email_addresses_keep_only_their_first_character(text: str, masked: str):
    assert mask_emails(text) == masked


@given(st.lists(st.one_of(st.emails(), st.text(alphabet="ab.@ ,<>-_+é", max_size=12)), max_size=6))
def test_no_complete_email_address_is_left_after_masking(parts: list[str]):
    for masked in (mask_emails(" ".join(parts)), mask_emails("".join(parts))):
        assert not _ADDRESS.search(masked)
        assert mask_emails(masked) == masked


def test_a_long_text_is_cut_at_the_end_of_a_word():
    assert tidy(" one  two three ", 100) == "one two three"
    assert tidy("one two three", 9) == "one two"
    assert tidy("x" * 100, 10) == "x" * 10
