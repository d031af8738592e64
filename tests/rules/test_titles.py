"""The ending that a website's titles share."""

import pytest

from chalicelib.domain.page.facts import PageFacts
from chalicelib.rules.titles import endings_of, shared_ending, without_ending
from tests.rules.builders import page, site_facts, site_of


def ending_of(*titles: str) -> str | None:
    return shared_ending(site_of([page("/", title="Home"), *(page(f"/{at}", title=t) for at, t in enumerate(titles))]))


@pytest.mark.parametrize("mark", [" | ", " – ", " — ", " - ", " · ", " • ", " :: ", " » "])
def test_an_ending_shared_by_half_of_the_titles_is_found(mark: str) -> None:
    titles = [f"Tent {name}{mark}Example" for name in "abc"] + ["About us", "Contact"]
    assert ending_of(*titles) == f"{mark}Example"


def test_the_longest_shared_ending_is_used() -> None:
    slogan = ": Acme v5.4 — tents for winter nights"
    assert ending_of(*(f"Tent {name}{slogan}" for name in "abcde")) == slogan
    assert ending_of(*(f"Tent: {name} | Acme" for name in "abcde")) == " | Acme"
    reviews = [f"{name} tent: Review - Acme" for name in ("Red", "Blue", "Green", "White", "Black")]
    assert ending_of(*reviews, "About us - Acme") == " - Acme", "a kind of page"
    assert ending_of(*(f"Tent {name} | Shop | Example" for name in "abcde")) == " | Shop | Example"


def test_the_most_frequent_of_several_spellings_of_an_ending_is_used() -> None:
    titles = [f"Tent {name} | Example" for name in "abcd"] + ["Tent e | EXAMPLE"]
    assert ending_of(*titles) == " | Example"


def test_fewer_than_five_different_titles_have_no_shared_ending() -> None:
    assert ending_of(*(f"Tent {name} | Example" for name in "abcd")) is None
    assert ending_of(*(["Tent | Example"] * 9)) is None


def test_an_ending_of_a_few_titles_is_not_shared() -> None:
    assert ending_of("A | Blog", "B | Blog", "C", "D", "E") is None


def test_hyphens_inside_words_do_not_start_an_ending() -> None:
    assert endings_of("A well-made tent") == []
    assert endings_of("Tents|Example") == ["|Example"]
    assert endings_of("A - B - C") == [" - C", " - B - C"]
    assert endings_of("Red: Acme - Tents") == [" - Tents", ": Acme - Tents"]
    assert endings_of("Red: Acme") == []
    assert endings_of("A | B: c: d: e | F")[-1] == " | B: c: d: e | F"
    assert endings_of("Red - Acme: tents") == [" - Acme: tents"]


def test_a_title_that_begins_with_a_separator_has_no_ending() -> None:
    assert endings_of("| Example") == []


def test_the_ending_is_removed_in_any_letter_case() -> None:
    assert without_ending("Tents | EXAMPLE", " | Example") == "Tents"
    assert without_ending("Tents", " | Example") is None
    assert without_ending(" | Example", " | Example") is None


GUIDES = [
    page(f"/guides/{name}/", title=f"{name} | Acme Guides") for name in ("Ropes", "Pegs", "Poles", "Knots", "Mats")
]
SAME = [page(f"/docs/{number}", title="Acme | Documentation") for number in range(9)]


def test_the_ending_of_one_section_is_not_that_of_the_website() -> None:
    guides = [page("/guides/", title="Acme Guides"), *GUIDES]
    assert shared_ending(site_of([page("/", title="Acme"), *guides, *SAME])) is None
    below = [page(one.url.replace(".com/", ".com/open/acme/"), title=one.title) for one in (*guides, *SAME)]
    home = page("/open/acme/", title="Acme")
    facts = site_facts(home_url=home.url)
    assert shared_ending(site_of([home, *below], facts)) is None, "folders count from that of the home page"


def test_pages_without_a_title_show_that_an_ending_names_a_section() -> None:
    blank = [page(f"/docs/{number}", title=None) for number in range(5)]
    assert shared_ending(site_of([page("/", title=None), *GUIDES, *blank])) is None
    assert shared_ending(site_of([page("/", title=None), *GUIDES, *blank[:4]])) == " | Acme Guides"


def test_an_ending_names_a_section_only_if_a_fifth_as_many_pages_are_elsewhere() -> None:
    shop = [page(f"/shop/{number}", title=f"Tent number {number} | Acme") for number in range(30)]
    legal = [page(f"/legal/{number}", title=f"Paragraph {number}") for number in range(6)]
    assert shared_ending(site_of([page("/", title="Tents"), *shop, *legal[:5]])) == " | Acme"
    assert shared_ending(site_of([page("/", title="Tents"), *shop, *legal])) is None


def test_an_ending_with_section_and_name_leaves_the_name() -> None:
    guides = [page(f"/guides/{name}/", title=f"{name} | Guides | Acme") for name in ("Ropes", "Pegs", "Poles", "Knots")]
    others = [page(f"/p/{number}", title="All tents | Acme") for number in range(9)]
    assert shared_ending(site_of([page("/", title="Acme"), *guides, *others])) == " | Acme"


@pytest.mark.parametrize(
    "others",
    [
        [page("/", title="Acme Guides"), *SAME],  # the home page has the name
        [page("/", title="Welcome", site_name="Acme Guides"), *SAME],  # in its data
        [page("/", title="Acme"), *SAME[:4]],  # few pages are elsewhere
        [page("/", title="Acme"), page("/ropes/", title="All ropes | Acme Guides"), *SAME],  # in two sections
        [page("/", title="Acme"), page("/ropes", title="All ropes | Acme Guides"), *SAME],  # outside of sections
    ],
)
def test_an_ending_of_the_home_page_or_of_several_sections_is_shared(others: list[PageFacts]) -> None:
    assert shared_ending(site_of([*others, *GUIDES])) == " | Acme Guides"
