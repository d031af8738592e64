"""Pages are found in whatever spelling they are looked for."""

import unicodedata

import pytest

from chalicelib.domain.page.search import wanted

MUNICH = "https://xn--bcher-kva.example/m%C3%BCnchen/"


@pytest.mark.parametrize(
    "text",
    [
        "münchen",
        "MÜNCHEN",
        unicodedata.normalize("NFD", "München"),
        "m%C3%BCnchen",
        "m%c3%bcn",
        "/m%C3%BCnchen/",
        "bücher",
        "xn--bcher",
        "XN--BCHER-KVA",
        "https://bücher.example/münchen",
        "https://xn--bcher-kva.example/münchen",
        "https://bücher.example/m%C3%BCn",
        "",
    ],
)
def test_an_address_is_found_in_encoded_and_decoded_spelling(text: str) -> None:
    assert wanted(text).finds(MUNICH, None)


@pytest.mark.parametrize("text", ["munchen", "münchens", "bcher.", "%C3"[:2] + "zz"])
def test_text_missing_in_an_address_is_not_found(text: str) -> None:
    assert not wanted(text).finds(MUNICH, None)


def test_titles_are_searched_ignoring_case_and_unicode_normal_form() -> None:
    assert wanted("STRASSE nach Köln").finds("https://x.test/", unicodedata.normalize("NFD", "Straße nach köln"))


@pytest.mark.parametrize("url", ["https://x.test/%FF%", "https://xn--.example/", "https://xn--\x00.test/a"])
def test_an_address_that_cannot_be_decoded_is_found_as_written(url: str) -> None:
    assert wanted(url).finds(url, None)
    assert not wanted("ü").finds(url, None)
