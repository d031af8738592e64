"""Paginated series, by the name in the address or by what the pages do."""

import pytest

from chalicelib.domain.page.facts import PageFacts
from chalicelib.rules.series import is_later_page, series_of
from tests.rules.builders import address, page, redirect, site_of
from tests.rules.test_false_alarms import findings

LIST = {
    "title": "Tents of every size for two, three and four people",
    "headings": [(1, "Tents")],
    "description": "All tents that we build, with their size, their weight and what they cost, in one long list.",
}


def series(*paths: str, **changes: object) -> list[PageFacts]:
    return [page("/"), *(page(path, **{**LIST, **changes}) for path in paths)]


@pytest.mark.parametrize(
    "later",
    [
        ("/tents?p=2", "/tents?p=3"),
        ("/tents?p=1", "/tents?p=2"),  # counted from 0
        ("/tents?start=20", "/tents?start=40"),
        ("/tents?offset=12", "/tents?offset=24"),
        ("/tents?PAGEN_1=2", "/tents?PAGEN_1=3"),
        ("/tents/seite/2", "/tents/seite/3"),
        ("/tents/p2", "/tents/p3"),
        ("/tents/2", "/tents/3"),
    ],
)
def test_later_pages_of_a_list_map_to_its_first_page(later: tuple[str, ...]) -> None:
    pages = series("/tents", *later)
    site = site_of(pages)
    for path in later:
        assert is_later_page(address(path), site)
        assert series_of(address(path), site) == address("/tents")
    found = findings(pages)
    for rule_id in ("SEO-ONP-002", "SEO-ONP-011"):
        assert rule_id not in found


@pytest.mark.parametrize(
    "paths",
    [
        ("/tents?p=17", "/tents?p=230"),  # posts by number
        ("/tents?p=2",),  # one alone may be anything
        ("/tents?start=3", "/tents?start=7"),
        ("/other/2", "/other/3"),  # there is no first page
    ],
)
def test_numbers_that_are_not_page_numbers_form_no_series(paths: tuple[str, ...]) -> None:
    site = site_of(series("/tents", *paths))
    for path in paths:
        assert not is_later_page(address(path), site)
        assert series_of(address(path), site) == address(path)


def test_pages_with_different_names_form_no_series() -> None:
    posts = [page("/", **LIST), *(page(f"/?p={number}") for number in (2, 3, 4))]
    site = site_of(posts)
    assert not any(is_later_page(post.url, site) for post in posts)


@pytest.mark.parametrize("path", ["/tents?page=1", "/tents?p=1", "/tents/page/1"])
def test_a_numbered_address_of_the_first_page_is_a_duplicate(path: str) -> None:
    pages = [*series("/tents", "/tents?p=2", "/tents?p=3"), page(path, **{**LIST, "text_hash": "text of /tents"})]
    pages[1].text_hash = "text of /tents"
    assert series_of(address(path), site_of(pages)) == address(path)
    assert findings(pages)["SEO-CON-002"] == ["/tents", path]


def test_a_series_is_represented_by_the_page_that_its_first_address_redirects_to() -> None:
    site = site_of([*series("/tents/", "/tents?page=2"), redirect("/tents", "/tents/")])
    assert series_of(address("/tents?page=2"), site) == address("/tents/")
