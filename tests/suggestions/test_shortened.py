"""Shorter titles: every step of the ladder, and every guard."""

import pytest

from chalicelib.domain.page.stop_words import ALL_STOP_WORDS, STOP_WORDS, stop_words
from chalicelib.domain.page.text import fold
from chalicelib.domain.page.widths import title_px
from chalicelib.suggestions.shortened_titles import shared_beginnings, shortened
from chalicelib.suggestions.title_parts import SharedTitle
from chalicelib.suggestions.titles import WIDEST_PX, PageTitle
from chalicelib.suggestions.words import balanced, ends_well
from tests.suggestions.title_samples import ACME, NOBODY, best


def test_a_suggested_title_may_be_as_wide_as_the_rule_allows() -> None:
    from chalicelib.rules.onp.seo_onp_005_title_too_long import WIDEST_PX as LIMIT

    assert WIDEST_PX == LIMIT


@pytest.mark.parametrize(
    ("step", "title", "h1", "wanted"),
    [
        (
            "repeated parts go first",
            "Trail Running Shoes | Light and Breathable | Trail Running Shoes | Acme Outdoor",
            "Trail Running Shoes",
            "Trail Running Shoes | Light and Breathable | Acme Outdoor",
        ),
        (
            "parts in the middle go before the name of the website",
            "Trail Running Shoes | Summer Collection | Free Shipping Everywhere | Acme Outdoor",
            "Trail Running Shoes",
            "Trail Running Shoes | Summer Collection | Acme Outdoor",
        ),
        (
            "the name of the website goes where the rest says it too",
            "How Acme breaks in new leather hiking boots without blisters | Acme Outdoor",
            "How Acme breaks in new leather hiking boots without blisters",
            "How Acme breaks in new leather hiking boots without blisters",
        ),
        (
            "a name at the beginning stays while the rest is shortened",
            "Acme Outdoor - Hiking Jackets for Women - Everything you need to know about rain",
            "Hiking Jackets for Women",
            "Acme Outdoor - Hiking Jackets for Women",
        ),
        (
            "brackets",
            "How to choose a sleeping bag (temperature ratings, sizes and materials explained) | Acme Outdoor",
            "How to choose a sleeping bag",
            "How to choose a sleeping bag | Acme Outdoor",
        ),
        (
            "a clause after a colon",
            "Waterproof Hiking Jackets: Lightweight, Breathable and Packable Jackets for Summer | Acme Outdoor",
            "Waterproof Hiking Jackets",
            "Waterproof Hiking Jackets | Acme Outdoor",
        ),
        (
            "a clause after a question, which keeps its mark",
            "Which sleeping bag is right for me? Temperature ratings and materials explained | Acme Outdoor",
            "Which sleeping bag is right for me?",
            "Which sleeping bag is right for me? | Acme Outdoor",
        ),
        (
            "a clause after a full stop",
            "Sleeping bags for alpine winters. Everything that you have to know before you buy one | Acme Outdoor",
            "Sleeping bags for alpine winters",
            "Sleeping bags for alpine winters | Acme Outdoor",
        ),
        (
            "a clause after the only comma",
            "Repairing a torn tent on the trail, even when it rains all through the night | Acme Outdoor",
            "Repairing a torn tent on the trail",
            "Repairing a torn tent on the trail | Acme Outdoor",
        ),
        (
            "a clause without the name of the website",
            "How to repair a torn Acme tent on the trail in heavy rain: the long guide with every step | Acme Outdoor",
            "How to repair a torn Acme tent on the trail in heavy rain",
            "How to repair a torn Acme tent on the trail in heavy rain",
        ),
    ],
)
def test_each_step_that_shortens_a_title_works(step: str, title: str, h1: str, wanted: str) -> None:
    assert best(title, h1=h1) == wanted, step


@pytest.mark.parametrize(
    ("guard", "title", "h1", "slug", "lang"),
    [
        (
            "a list is not cut: the rest would promise something else",
            "Hiking boots, winter boots, trail boots and more boots for women, men and children",
            "Boots",
            "boots",
            "en",
        ),
        (
            "one comma before things joined by and is a list too",
            "Everything about tents for the mountains, the seaside and the garden behind your own house",
            "Tents",
            "tents",
            "en",
        ),
        (
            "a sentence without marks has no place to be cut",
            "Everything that anybody could ever want to know about walking in the rain without getting wet",
            "Rain",
            "rain",
            "en",
        ),
        (
            "words of the main heading stay",
            "Hiking jackets: lightweight and breathable and packable and waterproof for men and women",
            "Lightweight waterproof hiking jackets",
            "jackets",
            "en",
        ),
        (
            "words of the address stay",
            "Hiking jackets: lightweight and breathable and packable and waterproof for men and women",
            "",
            "waterproof-hiking-jackets",
            "en",
        ),
        (
            "where nothing tells the topic the whole first part is it",
            "Our very best guide: the many things that anybody needs to know about the mountains",
            "",
            "p-17",
            "en",
        ),
        (
            "no half brackets",
            "Hiking boots (for women and men: sizes, shapes and soles, laces and linings, care and repair",
            "Hiking boots",
            "hiking-boots",
            "en",
        ),
        (
            "no stop word at the end",
            "Winter hiking with children is: an adventure that the whole family will remember for years",
            "Winter hiking with children",
            "winter-hiking",
            "en",
        ),
        (
            "no shortened title that is too short to say anything",
            "Rain: everything that anybody could ever want to know about walking without getting wet",
            "Rain",
            "rain",
            "en",
        ),
        (
            "Chinese and Japanese sentences are not cut",
            "日本語のとても長いタイトルですからここで切ることはできません、本当に長いタイトルです",
            "日本語",
            "title",
            "ja",
        ),
        (
            "a title that somebody cut off is not a phrase",
            "Waterproof hiking jackets for every kind of … | Everything you need to know about the rain in spring",
            "Waterproof hiking jackets for every kind of weather",
            "jackets",
            "en",
        ),
    ],
)
def test_a_bad_short_title_is_not_suggested(guard: str, title: str, h1: str, slug: str, lang: str) -> None:
    assert best(title, h1=h1, slug=slug, lang=lang, shared=NOBODY) is None, guard


@pytest.mark.parametrize(
    "title",
    [
        "How to break in new leather hiking boots without blisters | Acme Outdoor",
        "How to repair a torn tent on the trail in heavy rain: the long guide with every step | Acme Outdoor",
        "Acme Outdoor - How to break in new leather hiking boots without blisters",
        "The 2024 guide to new leather hiking boots without any blisters | Acme Guide 2024",
    ],
)
def test_the_website_name_is_kept_if_no_other_title_has_it(title: str) -> None:
    shared = SharedTitle(" | Acme Guide 2024", ACME.names) if title.endswith("2024") else ACME
    assert best(title, h1="New leather hiking boots", shared=shared) is None


@pytest.mark.parametrize(
    ("title", "shared", "wanted"),
    [
        (
            "Acme Server 10 Reference (10.1.60) - The Upgrade Protocol of HTTP",
            SharedTitle(beginning="Acme Server 10 Reference (10.1.60) - "),
            "Acme Server 10 Reference - The Upgrade Protocol of HTTP",
        ),
        (
            "The long Upgrade Protocol of this Server and its Clients | Acme (10.1.60)",
            SharedTitle(" | Acme (10.1.60)"),
            None,  # the ending that all titles share stays as it is
        ),
        ("The long Upgrade Protocol of this Server and all its Clients (Acme API)", SharedTitle(" (Acme API)"), None),
    ],
)
def test_brackets_in_the_website_name_are_removed_first(title: str, shared: SharedTitle, wanted: str | None) -> None:
    assert best(title, h1="Upgrade Protocol", shared=shared) == wanted


@pytest.mark.parametrize(
    ("title", "other", "wanted"),
    [
        (
            "Acme Outdoor - The Manager App of the whole Server -- Text Interface",
            "Acme Outdoor - The Manager App of the whole Server -- HTML Interface",
            None,
        ),
        (
            "Acme Outdoor - The Manager App of the whole Server -- Text Interface",
            "Acme Outdoor - The Manager App of one Server -- HTML Interface",
            "Acme Outdoor - The Manager App of the whole Server",
        ),
        (
            "The Manager App of the whole Server (in its text interface) | Acme Outdoor",
            "The Manager App of the whole Server (in its HTML interface) | Acme Outdoor",
            None,
        ),
        (
            "The Manager App of the whole Server: How its text works | Acme Outdoor",
            "The Manager App of the whole Server: How its HTML works | Acme Outdoor",
            None,
        ),
        (
            "The Manager App of the whole Server: How its text works | Acme Outdoor",
            "The Manager App of the whole Server | Acme Outdoor",
            "The Manager App of the whole Server | Acme Outdoor",  # taken, which is seen where one is chosen
        ),
    ],
)
def test_words_that_distinguish_pages_are_never_removed(title: str, other: str, wanted: str | None) -> None:
    assert title_px(title) > WIDEST_PX
    page = PageTitle("https://a.example/p", title, "The Manager App of the whole Server", None, "en")
    found = shortened(page, ACME, shared_beginnings([title, other, "Boots | Acme Outdoor"], ACME))
    assert (found[0].text if found else None) == wanted


def test_a_beginning_shared_by_several_titles_is_not_the_place_to_cut_them() -> None:
    shared = SharedTitle(beginning="Acme Server Reference (10.1.60) - ")
    pages = [f"Acme Server Reference (10.1.60) - The Manager App -- The {kind} Interface" for kind in ("HTML", "Text")]
    page = PageTitle("https://a.example/p", pages[0], "The Manager App")
    assert "Acme Server Reference - The Manager App" in [one.text for one in shortened(page, shared)]
    left = [one.text for one in shortened(page, shared, shared_beginnings(pages, shared))]
    assert "Acme Server Reference - The Manager App" not in left


def test_the_website_name_alone_is_not_a_title() -> None:
    title = "Acme | Acme Outdoor | " + "x" * 70
    assert title_px(title) > WIDEST_PX
    assert all(fold(found.text) not in ("acme", "acme outdoor") for found in shortened(PageTitle("u", title), ACME))


def test_topic_words_match_with_and_without_accents_and_umlauts() -> None:
    title = "Schuhgrößen richtig messen: alles über Weiten und Längen und das Wechseln von Einlagen | Acme Outdoor"
    wanted = "Schuhgrößen richtig messen | Acme Outdoor"
    assert best(title, slug="schuhgroessen-richtig-messen", lang="de") == wanted
    assert best(title, slug="schuhgrossen-richtig-messen", lang="de") == wanted


def test_an_unknown_language_uses_the_stop_words_of_all_languages() -> None:
    assert stop_words("de-AT") == STOP_WORDS["de"]
    assert stop_words("sv") == stop_words(None) == ALL_STOP_WORDS
    assert ends_well("Travelling with Die", STOP_WORDS["en"])
    assert not ends_well("Travelling with Die", STOP_WORDS["de"])


def test_separators_inside_words_and_quotations_do_not_split_a_title() -> None:
    title = "La col·lecció de jaquetes impermeables per a la muntanya i la neu que ens agrada a tots nosaltres"
    assert best(title, lang="ca", shared=NOBODY) is None
    title = "Le sens de « randonnée » pour les enfants | Un guide pour toute la famille | Acme Outdoor"
    assert best(title, h1="Le sens de « randonnée »", lang="fr") == (
        "Le sens de «\u00a0randonnée\u00a0» pour les enfants | Acme Outdoor"
    )


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("a (b) c", True),
        ("a (b", False),
        ("a) b", False),
        ('27" screen', True),
        ('the "best" one', True),
        ('the "best one', False),
        ("das „Beste“ hier", True),
        ("das „Beste hier", False),
        ("»so« und so", True),
        ("« ainsi", False),
        ("Shop » Boots", True),
        ("it's 5' long", True),
        ("the range [first, last) of tents", True),
        ("tents of (0, 2n - 1] guests", True),
        ("camps (hiking, winter] and more", False),
        ("camps (hiking, winter - sleeping]", False),
        ("camps [hiking, summer)", False),
    ],
)
def test_brackets_and_quotation_marks_are_balanced(text: str, whole: bool) -> None:
    assert balanced(text) is whole


def test_french_spacing_is_kept_when_brackets_are_removed() -> None:
    title = "Comment choisir un sac de couchage (températures, tailles et matières expliquées) ? | Acme Outdoor"
    assert best(title, h1="Comment choisir un sac de couchage ?", lang="fr") == (
        "Comment choisir un sac de couchage\u00a0? | Acme Outdoor"
    )


def test_the_number_of_a_section_is_removed_first() -> None:
    title = "B.3. Hur en dator fungerar inuti: de olika lagren som är inblandade"
    assert best(title, lang="sv", shared=NOBODY) == title.removeprefix("B.3. ")


def test_the_number_of_the_heading_is_removed_from_a_title_that_repeats_it() -> None:
    title = "GNU LilyPond – Learning LilyPond: 4.2.2 Explicitly instantiating the voices of a score"
    page = PageTitle("https://a.example/p", title, heading="4.2.2 Explicitly instantiating the voices of a score")
    shared = SharedTitle(beginning="GNU LilyPond – ", names=frozenset({"gnulilypond"}))
    assert shortened(page, shared)[0].text == "Learning LilyPond: Explicitly instantiating the voices of a score"
    release = PageTitle("https://a.example/p", title, heading="Explicitly instantiating the voices of a score")
    assert "4.2.2" in title and all("4.2.2" in found.text for found in shortened(release, shared))


def test_a_shortened_title_does_not_begin_inside_a_phrase() -> None:
    shared = SharedTitle(beginning="LilyPond – ", names=frozenset({"lilypond"}))
    title = "LilyPond – music notation for everyone: how a text is written before it is typeset"
    assert shortened(PageTitle("https://a.example/p", title), shared) == []
    title = "LilyPond – os.path and all other ways to find the files of LilyPond on your own computer"
    found = shortened(PageTitle("https://a.example/p", title.replace("on your own computer", "at home")), shared)
    assert [one.text[:7] for one in found] == ["os.path"]


def test_a_shortened_title_names_the_website_only_once() -> None:
    shared = SharedTitle(": Cairo: A Vector Graphics Library", frozenset({"cairoavectorgraphicslibrary"}))
    title = "Cairo: A Vector Graphics Library: Cairo: A Vector Graphics Library"
    assert shortened(PageTitle("https://a.example/", title), shared) == []
