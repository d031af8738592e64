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
from chalicelib.domain.suggestions.headings import cleaned, is_stock
from chalicelib.domain.suggestions.lexicon import ALL_STOP_WORDS, STOP_WORDS
from chalicelib.domain.suggestions.model import Candidate
from chalicelib.domain.suggestions.stock_headings import LANGUAGES
from chalicelib.domain.suggestions.title_parts import SharedTitle
from chalicelib.domain.suggestions.titles import (
    WIDEST_PX,
    PageTitle,
    letter_case_note,
    replacements,
    shortened,
    too_short,
    why_not_replaced,
    why_not_shortened,
)
from chalicelib.domain.suggestions.typography import typeset
from chalicelib.domain.suggestions.words import balanced, ends_well, split_words, stop_words
from tests.lengths import examples

ACME = SharedTitle(" | Acme Outdoor", frozenset({"acmeoutdoor", "acme"}), frozenset({"home", "welcome", "untitled"}))
NOBODY = SharedTitle()


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


def best(title: str, *, h1: str = "", slug: str = "page", lang: str = "en", shared: SharedTitle = ACME) -> str | None:
    """The first candidate for a title that is too wide."""
    assert title_px(title) > WIDEST_PX
    found = shortened(PageTitle(f"https://a.example/{slug}", title, h1 or None, None, lang), shared)
    return found[0].text if found else None


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
    assert all(fold(found.text) not in ("acme", "acme outdoor") for found in shortened(PageTitle("u", title), ACME))


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
    ],
)
def test_brackets_and_quotation_marks_are_balanced(text: str, whole: bool) -> None:
    assert balanced(text) is whole


# -- titles for pages without a usable one -------------------------------------------------------------


def instead(title: str | None, *needs: str, h1: str | None = None, og: str | None = None) -> str | None:
    page = PageTitle("https://a.example/page", title, h1, og, "en")
    found = replacements(page, ACME, frozenset(needs))  # type: ignore[arg-type]
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
        (None, "missing", "What we are looking for", None, "What we are looking for | Acme Outdoor"),
        (None, "missing", "x" * 90, None, None),
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
        ("Boots | Acme Outdoor", "duplicated", "Winter boots (12)", None, "Winter boots | Acme Outdoor"),
        (None, "missing", "Struct Poll Copy item path", None, "Struct Poll | Acme Outdoor"),
        (None, "missing", "std/sys/ unix.rs", None, None),
        (None, "missing", "Usage examples", "Winter boots", "Winter boots | Acme Outdoor"),
        ("Winter boots - Acme Outdoor", "template", "Other words", None, "Winter boots | Acme Outdoor"),
        ("Acme Outdoor: Winter", "template", None, None, None),
        ("Acme Outdoor | Winter boots for women", "template", None, None, "Winter boots for women | Acme Outdoor"),
    ],
)
def test_titles_for_pages_without_a_usable_one(
    title: str | None, need: str, h1: str | None, og: str | None, wanted: str | None
) -> None:
    assert instead(title, need, h1=h1, og=og) == wanted


ERLANG = SharedTitle(None, beginning="Erlang -- ", names=frozenset({"erlang"}))
PLAIN = SharedTitle(name="Acme Handbook")


def short(title: str, shared: SharedTitle, h1: str | None = None, heading: str | None = None) -> Candidate | None:
    page = PageTitle("https://a.example/page", title, h1, None, "en", heading)
    return next(iter(replacements(page, shared, frozenset({"short"}))), None)


def test_a_title_that_is_too_short_keeps_what_the_website_puts_around_it() -> None:
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


def test_a_title_without_the_websites_name_gets_it_where_its_titles_share_none() -> None:
    assert short("8.7. Exposure", PLAIN, heading="8.7. Exposure") == Candidate("Exposure | Acme Handbook", "heading")
    assert short("The Acme Handbook", PLAIN, heading="The Acme Handbook") is None
    assert short("8.7. Exposure", SharedTitle(), heading="8.7. Exposure") is None


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_no_title_is_narrower_than_the_one_that_is_too_short(data: st.DataObject) -> None:
    lang = data.draw(st.sampled_from(sorted(_NOUNS)))
    words = st.lists(st.sampled_from([*_NOUNS[lang], *_SMALL[lang][:5]]), min_size=1, max_size=4).map(" ".join)
    number = st.sampled_from(["", "1. ", "2.3 ", "IV. ", "A.1. ", "7 "])
    own, tail = data.draw(words), data.draw(st.sampled_from(["", ACME.ending or "", " - Tents", " – Acme"]))
    title = f"{data.draw(number)}{own}{tail}"
    h1 = f"{data.draw(number)}{data.draw(words)}{data.draw(st.sampled_from(['', '¶', ' (3)', ' [edit]', ':', ' ?']))}"
    page = PageTitle("https://a.example/page", title, h1, data.draw(st.none() | words), lang)
    for shared in (ACME, ERLANG, PLAIN, SharedTitle()):
        for text, source in replacements(page, shared, frozenset({"short"})):
            assert title_px(text) > title_px(title) and not too_short(text)
            assert title_px(text) <= WIDEST_PX
            assert source in ("h1", "og_title", "title")
            assert not set("¶§") & set(text) and not text.endswith(("(3)", "[edit]", ":"))
            assert re.match(r"(?:\d+\.|IV\.|A\.1\.)\s", text) is None
            if tail == ACME.ending and shared is ACME:
                assert text.endswith(tail)


@pytest.mark.parametrize(
    ("heading", "url", "own", "wanted"),
    [
        ("1. Summary", "", "", "Summary"),
        ("2.3 Installing", "", "", "Installing"),
        ("Chapter 4: Tents", "", "", "Tents"),
        ("Kapitel 4. Zelte", "", "", "Zelte"),
        ("IV. Zelte", "", "", "Zelte"),
        ("5 Maps", "", "Maps", "Maps"),
        ("5 Maps", "", "", "5 Maps"),
        ("10 tips for tents", "", "", "10 tips for tents"),
        ("1. FC Köln", "https://a.example/1-fc-koeln", "", "1. FC Köln"),
        ("J. R. R. Tolkien", "", "", "J. R. R. Tolkien"),
        ("3.11 Release notes", "", "", "3.11 Release notes"),
        ("E.4. Release 15.17", "", "", "Release 15.17"),
        ("2001: A Space Odyssey", "", "", "2001: A Space Odyssey"),
        ("Section 8 housing", "", "", "Section 8 housing"),
        ("# Tents ¶", "", "", "Tents"),
        ("Tents [edit]", "", "", "Tents"),
        ("Tents [bearbeiten | Quelltext]", "", "", "Tents"),
        ("Tents Permalink", "", "", "Tents"),
        ("Tents (12)", "", "", "Tents"),
        ("Tents (winter)", "", "", "Tents (winter)"),
        ("What next …", "", "", "What next …"),
    ],
)
def test_headings_as_titles_take_them(heading: str, url: str, own: str, wanted: str) -> None:
    assert cleaned(heading, url=url, own=own) == wanted


@pytest.mark.parametrize(
    "heading",
    "Summary|Overview:|Examples|Usage examples|Table of contents|See also|Einleitung|Siehe auch|Résumé|Introducción"
    "|Véase también|Riepilogo|Inleiding|Veja também|Wprowadzenie|Se även|Se også|Johdanto|Úvod|Введение|Giriş|概要"
    "|简介|개요".split("|"),
)
def test_stock_headings_are_no_titles(heading: str) -> None:
    assert is_stock(heading)
    assert replacements(PageTitle("u", None, heading), ACME, frozenset({"missing"})) == []


def test_stock_headings_are_known_in_twelve_languages_and_more() -> None:
    assert len(LANGUAGES) >= 12
    for heading in ("Winter tents", "Examples of tents", "Introduction to snow", "Zelte", "Les tentes", "テント"):
        assert not is_stock(heading)


@pytest.mark.parametrize(
    ("lang", "text", "wanted"),
    [
        ("fr", "Pourquoi ? Parce que!", "Pourquoi\u00a0? Parce que\u00a0!"),
        ("fr", "Le sens de « tente »: un guide", "Le sens de «\u00a0tente\u00a0»\u00a0: un guide"),
        ("fr", 'La "tente" à 10:30 sur http://a.example', "La «\u00a0tente\u00a0» à 10:30 sur http://a.example"),
        ("fr-CA", "Pourquoi? Parce que!", "Pourquoi? Parce que!"),
        ("de", 'Das "Beste" am Zelt, 27" breit', 'Das „Beste“ am Zelt, 27" breit'),
        ("en", 'The "best" tent: why?', 'The "best" tent: why?'),
        ("ja", "受け取った 送信した", "受け取った送信した"),
    ],
)
def test_texts_are_set_as_their_language_sets_them(lang: str, text: str, wanted: str) -> None:
    assert typeset(text, lang) == wanted
    assert typeset(wanted, lang) == wanted


def test_in_french_the_space_before_a_mark_stays_where_brackets_are_dropped() -> None:
    title = "Comment choisir un sac de couchage (températures, tailles et matières expliquées) ? | Acme Outdoor"
    assert best(title, h1="Comment choisir un sac de couchage ?", lang="fr") == (
        "Comment choisir un sac de couchage\u00a0? | Acme Outdoor"
    )


def test_the_number_of_a_section_goes_before_anything_else() -> None:
    title = "B.3. Hur en dator fungerar inuti: de olika lagren som är inblandade"
    assert best(title, lang="sv", shared=NOBODY) == title.removeprefix("B.3. ")


def test_a_reason_is_given_where_no_title_can_be_made() -> None:
    page = PageTitle("u", "Tents | Acme Outdoor", "Summary")
    assert "pages of every kind" in why_not_replaced(page, frozenset({"short"}))
    assert "no main heading" in why_not_replaced(PageTitle("u", None), frozenset({"missing"}))
    assert "wider" in why_not_replaced(page._replace(h1="Tents"), frozenset({"short"}))
    assert "template" in why_not_replaced(page, frozenset({"template"}))
    assert "shorter" in why_not_shortened(page)


def test_a_heading_that_only_fits_without_the_name_stands_alone() -> None:
    h1 = "How to break in new leather hiking boots without blisters"
    assert instead(None, "missing", h1=h1) == h1


# -- the website as a whole ----------------------------------------------------------------------------


def offered(**pages: list[str]) -> dict[str, list[Candidate]]:
    return {f"/{name}": [Candidate(text, "h1") for text in texts] for name, texts in pages.items()}


def chosen_of(wanted: dict[str, list[Candidate]], *present: str) -> dict[str, str]:
    return {url: one.text for url, one in choose(wanted, present.__contains__).items()}


def test_a_title_of_another_page_is_never_suggested() -> None:
    assert chosen_of(offered(a=["Boots for winter", "Winter boots"]), "boots for winter") == {"/a": "Winter boots"}


def test_what_several_pages_could_be_called_is_given_to_none_of_them() -> None:
    wanted = offered(a=["Boots", "Boots for women"], b=["boots", "Boots for men"], c=["Boots for men", "Shoes"])
    assert chosen_of(wanted) == {"/a": "Boots for women", "/c": "Shoes"}


def test_the_choice_does_not_depend_on_the_order_of_the_pages() -> None:
    wanted = offered(**{f"p{n}": [f"Boots {n % 3}", f"Boots {n % 4} and more", f"Boots {n}"] for n in range(12)})
    turned = dict(reversed(wanted.items()))
    assert chosen_of(wanted) == chosen_of(turned)


def test_a_note_says_that_the_website_changes_the_letter_case_of_titles() -> None:
    known = {f"/{n}": f"All about walk {n}" for n in range(4)}
    live = {url: title.title() for url, title in known.items()}
    note = letter_case_note(live, known)
    assert note is not None and "4 of 4 pages" in note and "All About Walk 0" in note
    assert letter_case_note(live, None) is None
    assert letter_case_note(known, known) is None
    assert letter_case_note({**known, "/0": "ALL ABOUT WALK 0"}, known) is None


# -- ten thousand titles -------------------------------------------------------------------------------

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
    if draw.random() < 0.2:
        title = f"{draw.randint(1, 12)}. {title}"
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
    assert max(Counter(fold(one.text) for one in chosen.values()).values(), default=0) <= 1
    for url, (suggestion, source) in chosen.items():
        page = pages[url]
        assert source == "title"
        assert title_px(suggestion) <= WIDEST_PX
        assert fold(suggestion) not in present
        words = _SPLIT.findall(suggestion)
        assert _is_in_order(words, _SPLIT.findall(page.title or ""))
        assert words[-1].casefold() not in STOP_WORDS[page.lang or ""]
        assert suggestion[-1].isalnum() or suggestion[-1] in ')]?!."“»'
        assert not suggestion.endswith(("…", "..."))
        assert suggestion.count("(") == suggestion.count(")") and suggestion.count("[") == suggestion.count("]")
        assert suggestion.count('"') % 2 == 0
        assert re.match(r"\d+\.\s", suggestion) is None
        if page.lang == "fr":
            assert re.search(r"[^\W_][?!;»]", suggestion) is None
    assert choose(dict(reversed(wanted.items())), present.__contains__) == chosen
    assert {url: shortened(page, ACME) for url, page in pages.items() if url in wanted} == wanted


@settings(max_examples=examples(500))
@given(st.text(max_size=300), st.text(max_size=60))
def test_whatever_a_title_holds_its_suggestions_keep_the_guards(title: str, heading: str) -> None:
    title = " ".join(title.split())
    for suggestion, _ in shortened(PageTitle("https://a.example/p", title, heading, None, None), ACME):
        assert title_px(suggestion) <= WIDEST_PX
        assert balanced(suggestion) and ends_well(suggestion, ALL_STOP_WORDS)
        assert _is_in_order(split_words(suggestion), split_words(title))
