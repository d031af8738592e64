"""Which addresses are one page, and in which section a page lies."""

import pytest

from chalicelib.domain.search.addresses import MOST_IN_SECTION, page_key, place, section_name, sections, words_of_folder

HOST = "shop.example"


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example/tents/",
        "http://shop.example/tents",
        "https://www.shop.example/tents/",
        "https://SHOP.example:443/tents#sizes",
        "http://www.shop.example/a/../tents",
        "https://shop.example/%74ents/",
    ],
)
def test_scheme_www_trailing_slash_and_fragment_do_not_change_the_page(url: str) -> None:
    assert page_key(url) == "shop.example/tents"


def test_an_address_with_another_host_path_case_or_query_is_another_page() -> None:
    keys = {
        page_key(url)
        for url in (
            "https://shop.example/tents",
            "https://blog.shop.example/tents",
            "https://shop.example/Tents",
            "https://shop.example/tents?size=2",
            "https://shop.example:8443/tents",
        )
    }
    assert len(keys) == 5


def test_an_invalid_address_is_counted_under_its_own_text() -> None:
    assert page_key("tents") == "tents"
    assert page_key("https://") == "https://"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", (None, (), "")),
        ("/about", (None, (), "about")),
        ("/de/zelte/familie", ("de", ("zelte",), "familie")),
        ("/en-gb/tents/skarn", ("en", ("tents",), "skarn")),
        ("/blog/2026/10/31/first-snow", (None, ("blog",), "first-snow")),
        ("/tents/skarn?colour=red", (None, ("tents",), "skarn")),
        ("/a/b/c/d/e/f", (None, ("a", "b", "c", "d"), "f")),
    ],
)
def test_an_address_is_split_into_language_folders_and_last_part(path: str, expected: tuple[object, ...]) -> None:
    assert place(HOST + path) == expected


def sections_of(*paths: str) -> list[str | None]:
    return [section_name(section) for section in sections([place(HOST + path) for path in paths])]


def test_the_section_is_the_first_folder_with_a_topical_name() -> None:
    assert sections_of("/tents/skarn", "/products/boots/fell", "/blog/winter", "/about", "") == [
        "tents",
        "products/boots",
        "blog",
        None,
        None,
    ]


def test_an_index_page_belongs_to_the_section_of_its_folder() -> None:
    assert sections_of("/tents", "/tents/skarn", "/contact") == ["tents", "tents", None]


def test_a_folder_has_the_same_section_name_in_two_languages() -> None:
    places = [place(f"{HOST}/{language}/tents/{n}") for language in ("de", "en") for n in range(30)]
    assert set(sections(places)) == {("tents",)}
    assert {one.language for one in places} == {"de", "en"}


def test_a_section_with_many_pages_is_split_by_its_subfolders() -> None:
    many = [f"/docs/api/v{n}" for n in range(MOST_IN_SECTION)]
    assert sections_of(*many, "/docs/guide/start")[-2:] == ["docs/api", "docs/guide"]
    crowded = [f"/tents/tunnel/{n}" for n in range(MOST_IN_SECTION)]
    assert set(sections_of(*crowded)) == {"tents"}
    assert sections_of(*crowded, "/tents/dome/1")[-2:] == ["tents/tunnel", "tents/dome"]


def test_a_folder_name_is_shown_in_readable_form() -> None:
    assert words_of_folder("hiking-boots_for+kids") == "hiking boots for kids"
    assert words_of_folder("b%C3%BCcher") == "bücher"
