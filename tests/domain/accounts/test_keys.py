"""The written form of API keys."""

import hashlib
import random
import re

import pytest

from chalicelib.domain.accounts.keys import KeyKind, make, parse

ENTROPY = bytes(range(32))


@pytest.mark.parametrize(("kind", "prefix"), [("workspace", "wos_ws_"), ("website", "wos_site_")])
def test_a_key_starts_with_its_kind_and_ends_with_a_checksum(kind: KeyKind, prefix: str) -> None:
    key = make(kind, ENTROPY)
    assert re.fullmatch(prefix + "[0-9A-Za-z]{38}", key)
    parts = parse(key)
    assert parts is not None
    assert (parts.kind, parts.prefix, parts.last4) == (kind, prefix, key[-4:])
    assert parts.sha256 == hashlib.sha256(key.encode()).hexdigest()


def test_a_mistyped_key_is_refused_without_a_database_read() -> None:
    key = make("workspace", ENTROPY)
    for position in range(len(key)):
        for typed in "0aZ_é":
            if typed != key[position]:
                assert parse(key[:position] + typed + key[position + 1 :]) is None


def test_two_swapped_characters_of_a_key_are_detected() -> None:
    key = make("workspace", ENTROPY)
    for position in range(len("wos_ws_"), len(key) - 1):
        if key[position] != key[position + 1]:
            assert parse(key[:position] + key[position + 1] + key[position] + key[position + 2 :]) is None


@pytest.mark.parametrize("text", ["", "wos_ws_", " " + make("workspace", ENTROPY), make("workspace", ENTROPY) + "\n"])
def test_a_text_in_another_format_is_not_a_key(text: str) -> None:
    assert parse(text) is None


def test_all_characters_occur_about_equally_often_in_keys() -> None:
    source = random.Random(5)
    text = "".join(make("workspace", source.randbytes(32))[7:39] for _ in range(500))
    assert len(set(text)) == 62
    assert all(150 < text.count(character) < 380 for character in set(text))


def test_a_key_needs_32_random_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        make("workspace", bytes(31))
