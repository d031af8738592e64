"""Secrets of links and sessions, and by what those who ask for links are counted."""

import pytest

from chalicelib.domain.accounts import sign_in


def test_a_secret_has_43_characters_allowed_in_cookies_and_addresses() -> None:
    secret = sign_in.written(b"\xff" * 32)
    assert secret == "_" * 42 + "8"
    assert sign_in.hashed(secret) != sign_in.hashed(sign_in.written(b"\xfe" * 32)) is not None


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_secret_has_32_bytes(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        sign_in.written(b"x" * length)


@pytest.mark.parametrize("text", ["", "a" * 42, "a" * 44, "a" * 42 + "=", "a" * 42 + "\n", "ä" * 43])
def test_a_text_that_cannot_be_a_secret_is_not_hashed(text: str) -> None:
    assert sign_in.hashed(text) is None


@pytest.mark.parametrize(
    ("ip", "counted"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("unknown", ""),
    ],
)
def test_sign_ins_are_counted_per_ipv4_address_or_ipv6_network(ip: str, counted: str) -> None:
    assert sign_in.counted_ip(ip) == counted
