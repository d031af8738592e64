"""Which parameters say nothing about which page is meant."""

import pytest

from chalicelib.rules.parameters import acts, plain

URL = "https://example.com/list"


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("", ""),
        ("?colour=red", "?colour=red"),
        ("?utm_source=mail&utm_medium=x", ""),
        ("?colour=red&gclid=1&size=2", "?colour=red&size=2"),
        ("?Sort=price", ""),
        ("?order=asc&page=2", "?page=2"),
        ("?sorted=yes", "?sorted=yes"),
    ],
)
def test_tracking_and_sorting_parameters_are_removed(query: str, left: str) -> None:
    assert plain(URL + query) == URL + left


@pytest.mark.parametrize("query", ["?add-to-cart=7", "?a=1&action=edit", "?replytocom=5"])
def test_an_address_that_triggers_an_action_is_recognised(query: str) -> None:
    assert acts(URL + query)
    assert not acts(URL) and not acts(URL + "?reaction=edit")
