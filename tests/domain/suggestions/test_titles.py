"""Shorter titles and titles for pages without one: every step of the ladder, every guard, and ten thousand titles."""

import random
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.page.text import fold
from chalicelib.domain.page.widths import title_px
from chalicelib.domain.suggestions.choice import choose
from chalicelib.domain.suggestions.lexicon import ALL_STOP_WORDS, STOP_WORDS
from chalicelib.domain.suggestions.titles import (
    WIDEST_PX,
    PageTitle,
    SharedTitle,
    letter_case_note,
    replacements,
    shortened,
)
from chalicelib.domain.suggestions.words import balanced, ends_well, split_words, stop_words
from tests.lengths import examples

ACME = SharedTitle(" | Acme Outdoor", frozenset({"acmeoutdoor", "acme"}), frozenset({"home", "welcome", "untitled"}))
NOBODY = SharedTitle()


def best(title: str, *, h1: str = "", slug: str = "page", lang: str = "en", shared: SharedTitle = ACME) -> str | None:
    """The first candidate for a title that is too wide."""
    assert title_px(title) > WIDEST_PX
    found = shortened(PageTitle(f"https://a.example/{slug}", title, h1 or None, None, lang), shared)
    return found[0] if found else None


def test_a_suggestion_may_be_as_wide_as_the_rule_allows() -> None:
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
            "the name of the website goes where the rest just fits",
            "How to break in new leather hiking boots without blisters | Acme Outdoor",
            "How to break in new leather hiking boots without blisters",
            "How to break in new leather hiking boots without blisters",
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
            "How to repair a torn tent on the trail in heavy rain: the long guide with every step | Acme Outdoor",
            "How to repair a torn tent on the trail in heavy rain",
            "How to repair a torn tent on the trail in heavy rain",
        ),
    ],
)
def test_each_step_of_the_ladder(step: str, title: str, h1: str, wanted: str) -> None:
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
def test_each_guard_gives_none_rather_than_a_bad_title(guard: str, title: str, h1: str, slug: str, lang: str) -> None:
    assert best(title, h1=h1, slug=slug, lang=lang, shared=NOBODY) is None, guard


def test_the_name_of_the_website_alone_is_no_title() -> None:
    title = "Acme | Acme Outdoor | " + "x" * 70
    assert title_px(title) > WIDEST_PX
    assert all(fold(found) not in ("acme", "acme outdoor") for found in shortened(PageTitle("u", title), ACME))


def test_topic_words_count_whatever_their_accents_and_umlauts() -> None:
    title = "Schuhgrößen richtig messen: alles über Weiten und Längen und das Wechseln von Einlagen | Acme Outdoor"
    wanted = "Schuhgrößen richtig messen | Acme Outdoor"
    assert best(title, slug="schuhgroessen-richtig-messen", lang="de") == wanted
    assert best(title, slug="schuhgrossen-richtig-messen", lang="de") == wanted


def test_stop_words_are_those_of_the_page_and_all_of_them_where_the_language_is_unknown() -> None:
    assert stop_words("de-AT") == STOP_WORDS["de"]
    assert stop_words("sv") == stop_words(None) == ALL_STOP_WORDS
    assert ends_well("Travelling with Die", STOP_WORDS["en"])
    assert not ends_well("Travelling with Die", STOP_WORDS["de"])


def test_separators_inside_words_and_quotations_are_none() -> None:
    title = "La col·lecció de jaquetes impermeables per a la muntanya i la neu que ens agrada a tots nosaltres"
    assert best(title, lang="ca", shared=NOBODY) is None
    title = "Le sens de « randonnée » pour les enfants | Un guide pour toute la famille | Acme Outdoor"
    assert best(title, h1="Le sens de « randonnée »", lang="fr") == (
        "Le sens de « randonnée » pour les enfants | Acme Outdoor"
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
    ],
)
def test_brackets_and_quotation_marks_are_balanced(text: str, whole: bool) -> None:
    assert balanced(text) is whole


# -- titles for pages without a usable one -------------------------------------------------------------


def instead(title: str | None, *needs: str, h1: str | None = None, og: str | None = None) -> str | None:
    page = PageTitle("https://a.example/page", title, h1, og, "en")
    found = replacements(page, ACME, frozenset(needs))  # type: ignore[arg-type]
    return found[0] if found else None


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
        (None, "missing", "What we are looking for", None, "What we are looking for | Acme Outdoor"),
        (None, "missing", "x" * 90, None, None),
        ("Acme Outdoor", "nameless", "Sleeping bags for winter", None, "Sleeping bags for winter | Acme Outdoor"),
        ("Boots | Acme Outdoor", "duplicated", "Winter boots", None, "Winter boots | Acme Outdoor"),
        ("Boots | Acme Outdoor", "duplicated", "Boots", None, None),
        ("Tents", "short", None, None, None),
        ("Lightweight tents", "short", None, None, "Lightweight tents | Acme Outdoor"),
        ("Winter boots - Acme Outdoor", "template", "Other words", None, "Winter boots | Acme Outdoor"),
        ("Acme Outdoor: Winter", "template", None, None, None),
        ("Acme Outdoor | Winter boots for women", "template", None, None, "Winter boots for women | Acme Outdoor"),
    ],
)
def test_titles_for_pages_without_a_usable_one(
    title: str | None, need: str, h1: str | None, og: str | None, wanted: str | None
) -> None:
    assert instead(title, need, h1=h1, og=og) == wanted


def test_a_heading_that_only_fits_without_the_name_stands_alone() -> None:
    h1 = "How to break in new leather hiking boots without blisters"
    assert instead(None, "missing", h1=h1) == h1


# -- the website as a whole ----------------------------------------------------------------------------


def test_a_title_of_another_page_is_never_suggested() -> None:
    wanted = {"/a": ["Boots for winter", "Winter boots"]}
    assert choose(wanted, {"boots for winter"}.__contains__) == {"/a": "Winter boots"}


def test_what_several_pages_could_be_called_is_given_to_none_of_them() -> None:
    wanted = {"/a": ["Boots", "Boots for women"], "/b": ["boots", "Boots for men"], "/c": ["Boots for men", "Shoes"]}
    chosen = choose(wanted, lambda text: False)
    assert chosen == {"/a": "Boots for women", "/c": "Shoes"} or chosen["/a"] == "Boots for women"
    assert "Boots for men" not in chosen.values()


def test_the_choice_does_not_depend_on_the_order_of_the_pages() -> None:
    wanted = {f"/{n}": [f"Boots {n % 3}", f"Boots {n % 4} and more", f"Boots {n}"] for n in range(12)}
    turned = dict(reversed(wanted.items()))
    assert choose(wanted, lambda text: False) == choose(turned, lambda text: False)


def test_a_note_says_that_the_website_changes_the_letter_case_of_titles() -> None:
    known = {f"/{n}": f"All about walk {n}" for n in range(4)}
    live = {url: title.title() for url, title in known.items()}
    note = letter_case_note(live, known)
    assert note is not None and "4 of 4 pages" in note and "All About Walk 0" in note
    assert letter_case_note(live, None) is None
    assert letter_case_note(known, known) is None
    assert letter_case_note({**known, "/0": "ALL ABOUT WALK 0"}, known) is None


# -- ten thousand titles -------------------------------------------------------------------------------

_NOUNS = {
    "en": "hiking boots rain jackets sleeping bags walking poles winter trails mountain huts summit routes".split(),
    "de": "Wanderschuhe Regenjacken Schlafsäcke Trekkingstöcke Winterwege Berghütten Gipfeltouren Größen".split(),
    "fr": "chaussures randonnée vestes sacs couchage bâtons sentiers refuges itinéraires sommets été".split(),
    "es": "botas senderismo chaquetas sacos dormir bastones senderos refugios rutas montaña otoño".split(),
    "it": "scarponi escursionismo giacche sacchi bastoncini sentieri rifugi percorsi montagna città".split(),
    "nl": "wandelschoenen regenjassen slaapzakken wandelstokken winterpaden berghutten toppen routes".split(),
    "pt": "botas caminhada casacos sacos bastões trilhos abrigos percursos montanha verão".split(),
    "pl": "buty trekkingowe kurtki śpiwory kijki szlaki schroniska trasy szczyty góry żółte".split(),
}
_SMALL = {lang: sorted(words)[:40] for lang, words in STOP_WORDS.items()}
_SEPARATORS = (" | ", " – ", " — ", " - ", " · ", " • ", " » ", " :: ")
_MARKS = (": ", ", ", "; ", "? ", "! ", ". ", " (", ") ", " [", "] ", ' "', '" ', "… ", " & ")
_SPLIT = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def _title(draw: random.Random) -> PageTitle:
    """A page whose title has parts of words, stop words and marks, joined by separators."""
    lang = draw.choice(sorted(_NOUNS))
    parts = []
    for _ in range(draw.randint(1, 5)):
        words = [draw.choice(_NOUNS[lang] if draw.random() < 0.7 else _SMALL[lang]) for _ in range(draw.randint(1, 9))]
        parts.append("".join(word + (draw.choice(_MARKS) if draw.random() < 0.25 else " ") for word in words).strip())
    title = parts[0]
    for part in parts[1:]:
        title += draw.choice(_SEPARATORS) + part
    if draw.random() < 0.5:
        title += ACME.ending or ""
    heading = draw.choice([parts[0], parts[-1], " ".join(parts[0].split()[:3]), ""])
    slug = "-".join(split_words(heading)[:3]) or "page"
    url = f"https://a.example/{draw.randrange(10**9)}/{slug}"
    return PageTitle(url, " ".join(title.split()), heading, None, lang)


def _is_in_order(words: list[str], among: list[str]) -> bool:
    remaining = iter(among)
    return all(word in remaining for word in words)


@settings(max_examples=examples(20))
@given(st.integers(0, 2**32))
def test_ten_thousand_titles_in_eight_languages(seed: int) -> None:
    """Suggestions fit, are whole words of the title in their order, end well, and are unique on the website."""
    draw = random.Random(seed)
    pages = {page.url: page for page in (_title(draw) for _ in range(500))}
    present = {fold(page.title or "") for page in pages.values()}
    wanted = {url: shortened(page, ACME) for url, page in pages.items() if title_px(page.title or "") > WIDEST_PX}
    chosen = choose(wanted, present.__contains__)
    assert chosen.keys() <= wanted.keys()
    assert max(Counter(map(fold, chosen.values())).values(), default=0) <= 1
    for url, suggestion in chosen.items():
        page = pages[url]
        assert title_px(suggestion) <= WIDEST_PX
        assert fold(suggestion) not in present
        words = _SPLIT.findall(suggestion)
        assert _is_in_order(words, _SPLIT.findall(page.title or ""))
        assert words[-1].casefold() not in STOP_WORDS[page.lang or ""]
        assert suggestion[-1].isalnum() or suggestion[-1] in ')]?!."'
        assert not suggestion.endswith(("…", "..."))
        assert suggestion.count("(") == suggestion.count(")") and suggestion.count("[") == suggestion.count("]")
        assert suggestion.count('"') % 2 == 0
    assert choose(dict(reversed(wanted.items())), present.__contains__) == chosen
    assert {url: shortened(page, ACME) for url, page in pages.items() if url in wanted} == wanted


@settings(max_examples=examples(500))
@given(st.text(max_size=300), st.text(max_size=60))
def test_whatever_a_title_holds_its_suggestions_keep_the_guards(title: str, heading: str) -> None:
    title = " ".join(title.split())
    for suggestion in shortened(PageTitle("https://a.example/p", title, heading, None, None), ACME):
        assert title_px(suggestion) <= WIDEST_PX
        assert balanced(suggestion) and ends_well(suggestion, ALL_STOP_WORDS)
        assert _is_in_order(split_words(suggestion), split_words(title))
