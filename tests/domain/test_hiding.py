"""Secrets in the words of outside systems: no way to write one leaves it readable."""

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.connectors.answers import MOST_REASON, in_one_line
from chalicelib.domain.hiding import without

SECRET = "S3CRET-abcdefghijklmnopqrstuvwxyz0123456789"
MOST_READABLE = 7  # characters of a secret in a row
INVISIBLE = "\u200b\u200d\u2060\ufe0f\u0301\U000e0041\x00\x7f\ufeff\n\u3164"


def readable(text: str, secret: str = SECRET) -> int:
    """The longest beginning of the secret that somebody can read in the text."""
    seen = "".join(one for one in text if "!" <= one <= "~")
    return max(length for length in range(len(secret) + 1) if secret[:length] in seen)


@given(
    st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=40),
    st.lists(st.tuples(st.integers(0, len(SECRET)), st.text(INVISIBLE, max_size=4)), max_size=6),
    st.integers(0, len(SECRET)),
    st.text(max_size=40),
)
def test_the_beginning_of_a_secret_is_never_readable(
    before: str, inside: list[tuple[int, str]], length: int, after: str
) -> None:
    written = SECRET[:length]
    for place, invisible in inside:
        written = written[:place] + invisible + written[place:]
    for text in (before + written + after, (before + written + after) * 2):
        assert readable(without(text, {SECRET: "…"})) <= MOST_READABLE
        assert readable(in_one_line(text, [SECRET])) <= MOST_READABLE


@pytest.mark.parametrize("spaces", range(16 * 1024 - len(SECRET) - 2, 16 * 1024 + 2))
def test_a_secret_is_hidden_even_where_the_text_is_cut_inside_it(spaces: int) -> None:
    assert in_one_line(" " * spaces + SECRET, [SECRET]) == "…"


@pytest.mark.parametrize("letters", range(MOST_REASON - len(SECRET) - 2, MOST_REASON + 2))
def test_a_secret_at_the_end_of_a_message_is_hidden(letters: int) -> None:
    assert readable(in_one_line("a" * letters + SECRET, [SECRET])) == 0


def test_the_text_around_a_secret_is_kept() -> None:
    said = without(f"The token {SECRET} (also {SECRET[:20]}...) is not S3CRET.", {SECRET: "[secret]"})
    assert said == "The token [secret] (also [secret]...) is not S3CRET."


@pytest.mark.parametrize("code", ["x", "12", "ABCD-1", "ABCD-EFGH-JKLM", "über", "é1", "a b", "\n"])
def test_short_and_non_ascii_codes_are_hidden_completely(code: str) -> None:
    assert without(f"«{code}» 1 word", {code: "[code]"}) == "«[code]» 1 word"


def test_a_secret_that_begins_with_another_secret_is_hidden_completely() -> None:
    assert without("abcdefgh-longer", {"abcdefgh": "1", "abcdefgh-longer": "2"}) == "2"


@pytest.mark.parametrize(
    "text", ["S" + "\u200b" * 4_000_000, "S3CRET-a" * 500_000, "S\u200b3\u200bC\u200b" * 700_000, "S" * 4_000_000]
)
def test_secrets_in_the_largest_answer_are_hidden_quickly(text: str) -> None:
    started = time.process_time()
    without(text, {SECRET: "…", string.digits * 5: "…"})
    assert time.process_time() - started < 10
