"""Titles for pages without a usable one, and why there is none."""

import pytest

from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestion import Candidate
from chalicelib.suggestions.shortened_titles import why_not_shortened
from chalicelib.suggestions.title_parts import SharedTitle
from chalicelib.suggestions.titles import PageTitle, is_of_page, names_something, replacements, why_not_replaced
from chalicelib.suggestions.typography import unstopped
from chalicelib.suggestions.words import key_of, stems
from tests.suggestions.title_samples import ACME, ERLANG, PLAIN

SIX = frozenset({"6"})


def instead(
    title: str | None, *needs: str, h1: str | None = None, og: str | None = None, shared: SharedTitle = ACME
) -> str | None:
    page = PageTitle("https://a.example/page", title, h1, og, "en")
    found = replacements(page, shared, frozenset(needs))  # type: ignore[arg-type]
    return found[0].text if found else None


@pytest.mark.parametrize(
    ("title", "need", "h1", "og", "wanted"),
    [
        (None, "missing", "Repairing torn tents", None, "Repairing torn tents | Acme Outdoor"),
        ("", "missing", None, "Repairing torn tents", "Repairing torn tents | Acme Outdoor"),
        (None, "missing", None, "Repairing torn tents | Acme Outdoor", "Repairing torn tents | Acme Outdoor"),
        (None, "missing", "Tents from Acme Outdoor for winter", None, "Tents from Acme Outdoor for winter"),
        (None, "missing", "Contact", None, "Contact | Acme Outdoor"),
        (None, "missing", None, None, None),
        (None, "missing", "Acme Outdoor", None, None),
        (None, "missing", "Welcome", None, None),
        (None, "missing", "Home", "Untitled", None),
        (None, "missing", "und viele mehr", None, None),
        ("Lesson 8", "short", "Lesson 8 - Draw averaged hydrophobicity and hydrophobic moment", None, None),
        (None, "missing", "Lesson 8", None, "Lesson 8 | Acme Outdoor"),
        (None, "missing", "Lesson 8 - Draw tents", None, "Lesson 8 - Draw tents | Acme Outdoor"),
        (None, "missing", "I promessi sposi", None, "I promessi sposi | Acme Outdoor"),
        (None, "missing", "What we are looking for", None, "What we are looking for | Acme Outdoor"),
        (None, "missing", "x" * 90, None, None),
        (None, "missing", "Repairing torn tents.", None, "Repairing torn tents | Acme Outdoor"),
        ("Acme Outdoor", "nameless", "Sleeping bags for winter", None, "Sleeping bags for winter | Acme Outdoor"),
        ("Boots | Acme Outdoor", "duplicated", "Winter boots", None, "Winter boots | Acme Outdoor"),
        ("Boots | Acme Outdoor", "duplicated", "Boots", None, None),
        ("Tents", "short", None, None, None),
        ("Lightweight tents", "short", None, None, "Lightweight tents | Acme Outdoor"),
        ("Lightweight tents", "short", "Tents", None, "Lightweight tents | Acme Outdoor"),
        ("Tents | Acme Outdoor", "short", "Tents", None, None),
        ("Tents | Acme Outdoor", "short", "Examples", None, None),
        ("Tents | Acme Outdoor", "short", "Sleeping bags for winter", None, None),
        ("Tents | Acme Outdoor", "short", "Tents for deep snow", None, "Tents for deep snow | Acme Outdoor"),
        ("Tents | Acme Outdoor", "short", "3.2. Tents for deep snow¶", None, "Tents for deep snow | Acme Outdoor"),
        ("Boots | Acme Outdoor", "duplicated", "1. Summary", None, None),
        ("Boots | Acme Outdoor", "duplicated", "Boots by Ann B. Example", None, None),
        ("Boots | Acme Outdoor", "duplicated", "Boots by hand for snow", None, "Boots by hand for snow | Acme Outdoor"),
        ("Boots | Acme Outdoor", "duplicated", "Winter boots (12)", None, "Winter boots | Acme Outdoor"),
        (None, "missing", "Struct Poll Copy item path", None, "Struct Poll | Acme Outdoor"),
        (None, "missing", "std/sys/ unix.rs", None, None),
        (None, "missing", "Usage examples", "Winter boots", "Winter boots | Acme Outdoor"),
        ("Winter boots - Acme Outdoor", "template", "Other words", None, "Winter boots | Acme Outdoor"),
        ("Acme Outdoor: Winter", "template", None, None, None),
        ("Acme Outdoor | Winter boots for women", "template", None, None, "Winter boots for women | Acme Outdoor"),
    ],
)
def test_a_title_is_suggested_for_pages_without_a_usable_one(
    title: str | None, need: str, h1: str | None, og: str | None, wanted: str | None
) -> None:
    assert instead(title, need, h1=h1, og=og) == wanted


def short(title: str, shared: SharedTitle, h1: str | None = None, heading: str | None = None) -> Candidate | None:
    page = PageTitle("https://a.example/page", title, h1, None, "en", heading)
    return next(iter(replacements(page, shared, frozenset({"short"}))), None)


def test_a_longer_title_keeps_the_ending_or_beginning_shared_on_the_website() -> None:
    assert short("Erlang -- eprof", ERLANG, "eprof") is None
    assert short("Erlang -- eprof", ERLANG, "6 eprof - a Time Profiling Tool") == Candidate(
        "Erlang -- 6 eprof - a Time Profiling Tool", "h1"
    )
    assert short("Erlang -- Maps", ERLANG, "5 Maps") is None
    section = SharedTitle(" | Acme", endings=frozenset({fold(" - The Cargo Book")}))
    assert short("Build - The Cargo Book", section, "Build scripts and more") == Candidate(
        "Build scripts and more - The Cargo Book", "h1"
    )
    assert short("Build - The Cargo Book", section, "The Cargo Book") is None


def test_a_title_gets_the_website_name_if_the_titles_share_no_ending() -> None:
    assert short("8.7. Exposure", PLAIN, heading="8.7. Exposure") == Candidate("Exposure | Acme Handbook", "heading")
    assert short("The Acme Handbook", PLAIN, heading="The Acme Handbook") is None
    assert short("8.7. Exposure", SharedTitle(), heading="8.7. Exposure") is None


TOOL = "Kit | Acme Mortgage Technology"
KIT = SharedTitle(names=frozenset({key_of(TOOL)}), name="Kit")


@pytest.mark.parametrize(
    ("h1", "wanted"),
    [
        ("Alerts", f"Alerts | {TOOL}"),  # "Alerts | Kit" is a title that is too short
        ("Contact us for anything that you need", "Contact us for anything that you need | Kit"),
        ("Kit Alerts", None),
    ],
)
def test_a_title_that_would_be_too_short_gets_the_full_website_name(h1: str, wanted: str | None) -> None:
    assert instead(TOOL, "duplicated", h1=h1, shared=KIT) == wanted


@pytest.mark.parametrize(
    ("h1", "wanted"),
    [
        ("Soft Handbook System", None),
        ("Handbook System", None),
        ("Soft", None),
        ("System", "System"),  # a page may be about what one word of the name says
        ("System of the soft rules and all others", "System of the soft rules and all others"),
    ],
)
def test_a_heading_that_is_part_of_the_website_name_is_not_a_title(h1: str, wanted: str | None) -> None:
    shared = SharedTitle(name="Soft Handbook System by Ada")
    assert instead(None, "missing", h1=h1, shared=shared) == wanted


def test_a_title_of_two_words_is_suggested_only_for_a_missing_title() -> None:
    assert instead(None, "missing", h1="Winter boots", shared=SharedTitle()) == "Winter boots"
    assert instead(None, "missing", h1="3.2. Winter boots", shared=SharedTitle()) is None  # SEO-ONP-004 would fire
    assert instead("Boots", "duplicated", h1="Winter boots", shared=SharedTitle()) is None
    assert instead(None, "missing", h1="Boots", shared=SharedTitle(" | Acme")) is None


def test_a_heading_whose_words_run_together_is_not_used() -> None:
    found = short("Adw.Clamp.set_child", PLAIN, "AdwClampset_child")
    assert found == Candidate("Adw.Clamp.set_child | Acme Handbook", "title")
    glued = PageTitle("https://a.example/page", "Adw.Clamp.set_child", "AdwClampset_child")
    assert replacements(glued, PLAIN, frozenset({"duplicated"})) == []


def test_the_website_name_stays_if_every_page_has_the_same_title() -> None:
    title = "SFML - Simple and Fast Multimedia Library"
    shared = SharedTitle(names=frozenset({key_of(title)}), name="SFML")
    page = PageTitle("https://a.example/page", title, heading="sf::Cursor Class Reference")
    first = replacements(page, shared, frozenset({"duplicated"}))[0]
    assert first == Candidate("sf::Cursor Class Reference | SFML", "heading")


def test_a_website_name_in_a_heading_is_not_repeated() -> None:
    lily = SharedTitle(beginning="GNU LilyPond – ", names=frozenset({"gnulilypond"}))
    assert instead("LilyPond snippets", "duplicated", h1="LilyPond — Pieces", shared=lily) == "GNU LilyPond – Pieces"
    assert instead("LilyPond Changes", "duplicated", h1="LilyPond — Changes", shared=lily) is None
    assert instead("Snippets", "duplicated", h1="Pieces of GNU LilyPond", shared=lily) == "Pieces of GNU LilyPond"
    junit = SharedTitle(" (JUnit API)", frozenset({"junitapi"}))
    assert short("junit (JUnit API)", junit, "Package junit") == Candidate("Package junit (JUnit API)", "h1")


def test_a_heading_that_only_adds_the_kind_of_thing_gives_no_title() -> None:
    for title, heading in (
        ("acme.tents.poles.carbon", "Package acme.tents.poles.carbon"),
        ("CarbonTentPoles", "Class CarbonTentPoles Hierarchy"),
        ("tents Class Hierarchy", "Hierarchy For Package tents"),
        ("ZelteUndStangen", "Schnittstelle ZelteUndStangen"),
    ):
        assert short(title, SharedTitle(), heading) is None, title
    assert short("acme.tents", SharedTitle(), "Package acme.tents of all poles") is not None


def test_a_version_or_a_byline_with_its_day_lengthens_no_title() -> None:
    for title, heading in (
        ("Tents and poles", "Tents and poles versión 0.9.28"),
        ("acme tents v0.9", "acme tents v0.9 by Ann Example on March 24, 2015"),
        ("Zelte im Schnee", "Zelte im Schnee von Ann Beispiel am 24. März 2015"),
    ):
        assert short(title, SharedTitle(), heading) is None, title
    assert short("Tents and poles", SharedTitle(), "Tents and poles of wood, version 2, for the snow") is not None


def test_one_word_is_a_title_only_if_the_title_is_missing() -> None:
    for need, title, wanted in (("missing", None, "Threads"), ("duplicated", "The manual of it all", None)):
        assert instead(title, need, h1="Threads", shared=SharedTitle()) == wanted
    assert instead("Boots | Acme Outdoor", "duplicated", h1="Lock.hpp") == "Lock.hpp | Acme Outdoor"


def test_a_title_that_differs_from_another_only_in_a_small_word_is_not_suggested() -> None:
    assert instead("Final boots | Acme Outdoor", "duplicated", h1="The Final Boots") is None
    assert instead("Boots, final | Acme Outdoor", "duplicated", h1="Final boots") is None


def test_a_heading_with_the_website_name_gets_no_second_name() -> None:
    assert short("Handbook", PLAIN, "The Handbook") is None
    assert short("8.7. Acme", PLAIN, heading="8.7. Acme") is None


def test_chapter_numbers_are_removed_from_titles_too() -> None:
    page = PageTitle("https://a.example/page", "Erlang -- eprof", "6 eprof - a Time Profiling Tool", chapters=SIX)
    found = replacements(page, ERLANG, frozenset({"short"}))
    assert found == [Candidate("Erlang -- eprof - a Time Profiling Tool", "h1")]


def test_only_words_of_the_page_itself_get_the_punctuation_of_its_language() -> None:
    page = PageTitle("https://a.example/page", "Le manuel", "Pourquoi des tentes?", lang="fr")
    shared = SharedTitle(beginning="Acme Manual: ", names=frozenset({"acmemanual"}))
    assert replacements(page, shared, frozenset({"duplicated"}))[0].text == "Acme Manual: Pourquoi des tentes\u00a0?"


def test_a_page_without_a_suggested_title_has_a_reason() -> None:
    page = PageTitle("u", "Tents | Acme Outdoor", "Summary")
    assert "fits any page" in why_not_replaced(page, frozenset({"short"}))
    assert "no main heading" in why_not_replaced(PageTitle("u", None), frozenset({"missing"}))
    assert "longer title" in why_not_replaced(page._replace(h1="Tents"), frozenset({"short"}))
    assert "template" in why_not_replaced(page, frozenset({"template"}))
    assert "shorter" in why_not_shortened(page)


def test_a_heading_is_used_alone_if_it_is_too_long_with_the_website_name() -> None:
    h1 = "How to break in new leather hiking boots without blisters"
    assert instead(None, "missing", h1=h1) == h1


def test_a_title_is_not_suggested_if_it_changes_only_quotes_or_an_article() -> None:
    plain = SharedTitle()
    for need in ("duplicated", "nameless"):
        assert (
            instead("Gri: Write commands of a figure", need, h1="Gri: The `Write' commands of a figure", shared=plain)
            is None
        )
        assert (
            instead("Gri: Write commands of a figure", need, h1="Commands of a figure: write (Gri)", shared=plain)
            is None
        )


def test_a_placeholder_heading_is_not_a_title() -> None:
    for sample in (
        "Featured title",
        "Project Title",
        "Lorem ipsum dolor sit amet for winter boots",
        "Your company name",
    ):
        assert instead(None, "missing", h1=sample) is None


def test_a_title_keeps_the_language_and_script_of_the_page() -> None:
    page = PageTitle("https://a.example/page", "冬の靴", "Winter boots of the mountain shop", lang="ja")
    assert replacements(page, SharedTitle(), frozenset({"duplicated"})) == []
    german = PageTitle("https://a.example/page", None, "How to lace the boots of the winter with a rope", lang="de")
    assert replacements(german, SharedTitle(), frozenset({"missing"})) == []
    assert replacements(german._replace(lang="en"), SharedTitle(), frozenset({"missing"})) != []


def test_the_title_of_the_home_page_keeps_the_website_name() -> None:
    shared = SharedTitle(name="Acme Outdoor", names=frozenset({"acmeoutdoor"}))
    home = PageTitle("https://a.example/", "Acme Outdoor", "Everything for the mountain in winter", is_home=True)
    found = [text for text, _ in replacements(home, shared, frozenset({"nameless"}))]
    assert found == ["Everything for the mountain in winter | Acme Outdoor"]


def test_a_section_heading_is_used_only_if_it_shares_a_word_with_title_or_address() -> None:
    assert is_of_page("Features of boots", "Winter boots", "https://a.example/")
    assert is_of_page("Features of boots", None, "https://a.example/winter-boots.html")
    assert not is_of_page("Features", "Winter boots", "https://a.example/shop")


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("Small team. Big hearts", False),
        ("Designed secure. Built for anything", False),
        ("Kleines Team. Große Herzen", False),
        ("Remote positions for", False),
        ("Freie Stellen für", False),
        ("Des postes pour", False),
        ("What we are looking for", True),
        ("Wofür wir stehen und mit", True),
        ("Notes of Acme Inc. Magazine readers", True),
        ("Tents of Node.js users", True),
        ("Positions in the mountains", True),
    ],
)
def test_an_unfinished_heading_or_one_of_two_sentences_is_not_a_title(heading: str, wanted: bool) -> None:
    page = PageTitle("https://a.example/page", None, heading)
    assert bool(replacements(page, ACME, frozenset({"missing"}))) is wanted


@pytest.mark.parametrize(
    ("heading", "lang", "wanted"),
    [
        ("Hepatitis A", "en", True),
        ("The first world war: World War I", "en", True),
        ("Camper van", "en", True),
        ("Kapitel I", "de", True),
        ("Remote positions for", "en-GB", False),
        ("Vacatures van", "nl", False),
        ("Camper van", None, False),
    ],
)
def test_a_heading_is_unfinished_if_it_ends_with_a_small_word(heading: str, lang: str | None, wanted: bool) -> None:
    assert names_something(heading, lang) is wanted


@pytest.mark.parametrize(
    ("h1", "title", "wanted"),
    [
        ("Welcome to the future", None, None),
        ("Dream bigger", None, None),
        ("Willkommen in der Zukunft", None, None),
        ("Dream bigger", "Dream | Acme Outdoor", "Dream bigger | Acme Outdoor"),  # the title says so too
        ("Our tents of the future", None, "Our tents of the future | Acme Outdoor"),
        ("A tent like no other", None, "A tent like no other | Acme Outdoor"),
        ("What we are looking for", None, None),
    ],
)
def test_a_slogan_is_not_a_title(h1: str, title: str | None, wanted: str | None) -> None:
    said = frozenset(stems(["tents", "winter", "poles"]))
    page = PageTitle("https://a.example/page", title, h1, said=said)
    found = replacements(page, ACME, frozenset({"missing" if title is None else "duplicated"}))
    assert (found[0].text if found else None) == wanted
    unknown = replacements(page._replace(said=None), ACME, frozenset({"missing"}))
    assert unknown[0].text == f"{h1} | Acme Outdoor"


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("Repairing torn tents.", "Repairing torn tents"),
        ("Tents, poles etc.", "Tents, poles etc."),
        ("Tents of the U.S.A.", "Tents of the U.S.A."),
        ("Tents and more...", "Tents and more..."),
        ("World War I.", "World War I."),
        (".", "."),
        ("", ""),
    ],
)
def test_a_title_loses_only_a_final_full_stop(title: str, wanted: str) -> None:
    assert unstopped(title) == wanted


@pytest.mark.parametrize(
    ("h1", "wanted"),
    [
        ("AcmeVoronoiChart", "AcmeVoronoiChart | Acme"),
        ("Acme Charts", None),  # the name is a word of its own
        ("acmevoronoichart", None),
        ("Acmeology", None),
        ("AcmeBar", None),  # too short with the name too
        ("AcmeVoronoiChartOfManyPartsAndPoles", "AcmeVoronoiChartOfManyPartsAndPoles"),  # long enough alone
    ],
)
def test_a_code_name_that_begins_with_the_website_name_gets_that_name(h1: str, wanted: str | None) -> None:
    shared = SharedTitle(name="Acme")
    assert instead("Acme Documentation", "duplicated", h1=h1, shared=shared) == wanted
