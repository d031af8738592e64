"""E-mail addresses."""

import pytest

from chalicelib.domain.accounts.emails import cleaned


@pytest.mark.parametrize(
    "address", ["ada@example.org", "a.b+c@mail.example.co.uk", "jürgen@bücher.example", "x@example.xn--p1ai"]
)
def test_valid_email_addresses_are_accepted(address: str) -> None:
    assert cleaned(f"  {address} ") == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ada",
        "ada@",
        "@example.org",
        "ada@localhost",
        "a b@example.org",
        "a@b@example.org",
        "a@example..org",
        "a@.org",
        "x" * 65 + "@example.org",
        "a@" + "b" * 250 + ".org",
        "a\n@example.org",
    ],
)
def test_an_invalid_email_address_is_refused(text: str) -> None:
    assert cleaned(text) is None
