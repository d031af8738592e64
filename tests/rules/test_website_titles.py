"""What the titles of a website share, what it is called, and which headings are its header's."""

from typing import Any

import pytest

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Site
from chalicelib.rules.website_titles import name_of, numbers_sections, repeated_headings, shared_title
from tests.rules.builders import page, site_of

SIX = range(6)


def site(*titles: str, home: str = "Acme", **changes: Any) -> Site:
    """A website with these titles beside its home page's; ``changes`` are of the home page."""
    pages = [page(f"/{at}", title=title) for at, title in enumerate(titles)]
    return site_of([page("/", title=home, organization=None, **changes), *pages])


@pytest.mark.parametrize(
    ("home", "wanted"),
    [
        ("SQLite Home Page", "SQLite"),
        ("Overview (JUnit API)", "JUnit API"),
        ("Top (SBCL Internals)", "SBCL Internals"),
        ("Top (GNU Octave (version 7.3.0))", "GNU Octave"),
        ("Docutils Project Documentation Overview", "Docutils Project"),
        ("Welcome | Acme Outdoor", "Acme Outdoor"),
        ("Adw – 1", "Adw"),
        ("The Scheme 48 Manual for release 1.9.2", "The Scheme 48 Manual"),
        ("FFmpeg Manual Index", "FFmpeg Manual"),
        ("GIMP (GNU Image Manipulation Program)", "GIMP (GNU Image Manipulation Program)"),
        ("Debian GNU/Linux Installationsguide", "Debian GNU/Linux Installationsguide"),
        ("Guía del nuevo desarrollador de Debian", "Guía del nuevo desarrollador de Debian"),
        ("manuel de l'utilisateur d'aptitude", "manuel de l'utilisateur d'aptitude"),
        ("Overview", None),
        ("Startseite", None),
        ("Introduction to this website", None),
        ("Foreword to this version of the Ada Reference Manual", None),
        ("Handmade tents for winter nights", None),
        ("Tents for winter. Boots for summer! And more", None),
        ("Tents – Boots – Jackets", None),
        ("Acme / Tents", None),
        ("Write to m***@***", None),
        ("", None),
    ],
)
def test_the_website_name_is_read_from_the_title_of_the_home_page(home: str, wanted: str | None) -> None:
    assert name_of(site("Boots", home=home)) == wanted


def test_a_lower_case_word_names_the_website_only_if_the_home_page_repeats_it() -> None:
    assert name_of(site("Boots", home="git(1)", headings=[(1, "git(1) Manual Page")])) == "git"
    assert name_of(site("Boots", home="figures", headings=[(1, "gnuplot 5.4")])) is None


def test_the_name_declared_on_the_home_page_is_preferred_to_the_name_in_its_title() -> None:
    owner: dict[str, str | list[str]] = {"name": "Acme Limited"}
    home = page("/", title="Tents for winter", site_name="Acme Outdoor", organization=owner)
    assert name_of(site_of([home])) == "Acme Outdoor"
    assert name_of(site_of([page("/", title="Tents for winter", organization=owner)])) == "Acme Limited"
    assert name_of(site("Boots", home="Acme Outdoor", site_name="Home")) == "Acme Outdoor"
    assert name_of(site_of([page("/boots")])) is None


@pytest.mark.parametrize(
    ("written", "ending"),
    [
        ("Class Number{} (Acme API)", " (Acme API)"),
        ("Class Number{} (Acme API (version 2.1))", " (Acme API (version 2.1))"),
        ("Arrays of kind {}: Acme Reference Manual", ": Acme Reference Manual"),
        ("Boots of kind {}: Acme: A Tent Library", ": Acme: A Tent Library"),
        ("Boots of kind {} | Acme", " | Acme"),
        ("git-add-{}(1)", None),
        ("Tents (kind {})", None),
    ],
)
def test_endings_in_brackets_or_after_colons_are_found(written: str, ending: str | None) -> None:
    assert shared_title(site(*(written.format(number) for number in SIX))).ending == ending
    assert shared_title(site(*(written.format(number) for number in range(4)))).ending is None


def test_a_title_beginning_of_only_one_section_is_not_the_websites_title_beginning() -> None:
    """The website has two reports. Most titles of one report begin with the name of that report."""
    titles = [*(f"The Library Report: Chapter {n}" for n in range(8)), *(f"Language syntax {n}" for n in range(4))]
    assert shared_title(site(*titles)).beginning is None
    assert shared_title(site(*titles[:9])).beginning == "The Library Report: "


def test_a_title_used_on_most_pages_gives_the_website_name() -> None:
    same = "SFML - Simple and Fast Multimedia Library"
    shared = shared_title(site(*[same] * 6, "Tutorials", home=same))
    assert shared.name == "SFML"
    assert "sfmlsimpleandfastmultimedialibrary" in shared.names
    assert shared_title(site(*[same] * 3, "Tutorials", home=same)).name is None


def headed(*first: str) -> Site:
    pages: list[PageFacts] = [page(f"/{at}", headings=[(1, text)]) for at, text in enumerate(first)]
    return site_of([page("/"), *pages])


def test_a_first_heading_on_five_pages_counts_as_repeated() -> None:
    found = headed(*["Acme"] * 5, *["Boots"] * 4)
    assert repeated_headings(found) == {hash(fold("Acme"))}


def test_a_website_counts_as_numbered_if_a_fifth_of_its_pages_have_numbers() -> None:
    assert numbers_sections(headed(*(f"2.{number} Tents" for number in SIX), *["Boots"] * 10))
    assert not numbers_sections(headed(*(f"2.{number} Tents" for number in SIX), *["Boots"] * 30))
    assert not numbers_sections(headed(*(f"2.{number} Tents" for number in range(4))))
