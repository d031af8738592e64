"""Which candidate each page of a website gets, and what is said of its titles as a whole."""

from chalicelib.domain.suggestion import Candidate
from chalicelib.suggestions.choice import choose
from chalicelib.suggestions.titles import letter_case_note


def offered(**pages: list[str]) -> dict[str, list[Candidate]]:
    return {f"/{name}": [Candidate(text, "h1") for text in texts] for name, texts in pages.items()}


def chosen_of(wanted: dict[str, list[Candidate]], *present: str) -> dict[str, str]:
    return {url: one.text for url, one in choose(wanted, present.__contains__).items()}


def test_the_title_of_another_page_is_never_suggested() -> None:
    assert chosen_of(offered(a=["Boots for winter", "Winter boots"]), "boots for winter") == {"/a": "Winter boots"}


def test_a_title_that_fits_several_pages_is_suggested_for_none_of_them() -> None:
    wanted = offered(a=["Boots", "Boots for women"], b=["boots", "Boots for men"], c=["Boots for men", "Shoes"])
    assert chosen_of(wanted) == {"/a": "Boots for women", "/c": "Shoes"}


def test_the_choice_does_not_depend_on_the_order_of_pages() -> None:
    wanted = offered(**{f"p{n}": [f"Boots {n % 3}", f"Boots {n % 4} and more", f"Boots {n}"] for n in range(12)})
    turned = dict(reversed(wanted.items()))
    assert chosen_of(wanted) == chosen_of(turned)


def test_a_note_says_that_the_website_changes_the_case_of_titles() -> None:
    known = {f"/{n}": f"All about walk {n}" for n in range(4)}
    live = {url: title.title() for url, title in known.items()}
    note = letter_case_note(live, known)
    assert note is not None and "4 of 4 pages" in note and "All About Walk 0" in note
    assert letter_case_note(live, None) is None
    assert letter_case_note(known, known) is None
    assert letter_case_note({**known, "/0": "ALL ABOUT WALK 0"}, known) is None
