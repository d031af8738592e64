"""Headings as titles take them, and the typography of suggested texts."""

import pytest

from chalicelib.suggestions.headings import chapters_of, cleaned, is_stock
from chalicelib.suggestions.stock_headings import LANGUAGES
from chalicelib.suggestions.titles import PageTitle, replacements
from chalicelib.suggestions.typography import typeset
from tests.suggestions.title_samples import ACME


@pytest.mark.parametrize(
    ("heading", "url", "own", "wanted"),
    [
        ("1. Summary", "", "", "Summary"),
        ("2.3 Installing", "", "", "Installing"),
        ("Chapter 4: Tents", "", "", "Tents"),
        ("Kapitel 4. Zelte", "", "", "Zelte"),
        ("IV. Zelte", "", "", "Zelte"),
        ("13: Zelte", "", "", "Zelte"),
        ("IV: Zelte", "", "", "Zelte"),
        ("7:30 Breakfast", "", "", "7:30 Breakfast"),
        ("42: The answer", "https://a.example/42-the-answer", "", "42: The answer"),
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
        ("Chapter 4 Tents", "", "", "Tents"),
        ("Chapter 11 Bankruptcy", "https://a.example/chapter-11-bankruptcy", "", "Chapter 11 Bankruptcy"),
        ("git-add(1)", "", "", "git-add(1)"),
        ("The best tents (2021)", "", "", "The best tents (2021)"),
        ("Programming in C#", "", "", "Programming in C#"),
        ("§ 433 BGB", "", "", "§ 433 BGB"),
        ("§ 15 UStG", "", "", "§ 15 UStG"),
        ("§ 5 Haftung", "", "", "Haftung"),
        ("Writing plugins\uf0c1", "", "", "Writing plugins"),
        ("Category theory", "", "", "Category theory"),
        ("D.1. 0. Preamble", "", "", "Preamble"),
        ("第 5 章 引导安装系统", "", "", "引导安装系统"),
        ("付録 A. 用語", "", "", "用語"),
        ("2장. 시스템 요구 사항", "", "", "시스템 요구 사항"),
        ("Note: this is the whole website on one page", "", "", ""),
        ("Notes: how to write them", "", "", "Notes: how to write them"),
        ("第一印象 が大切", "", "", "第一印象 が大切"),
    ],
)
def test_headings_are_cleaned_for_titles(heading: str, url: str, own: str, wanted: str) -> None:
    assert cleaned(heading, url=url, own=own) == wanted


@pytest.mark.parametrize(
    "heading",
    "Summary|Overview:|Examples|Usage examples|Table of contents|See also|Einleitung|Siehe auch|Résumé|Introducción"
    "|Véase también|Riepilogo|Inleiding|Veja também|Wprowadzenie|Se även|Se også|Johdanto|Úvod|Введение|Giriş|概要"
    "|简介|개요|Typedefs|Public Member Functions|Data Structures|Constructor Summary|Macros".split("|"),
)
def test_generic_headings_are_not_titles(heading: str) -> None:
    assert is_stock(heading)
    assert replacements(PageTitle("u", None, heading), ACME, frozenset({"missing"})) == []


@pytest.mark.parametrize(
    ("prefix", "lang"),
    [
        ("Category: ", "en"),
        ("Author: ", "en"),
        ("Archives: ", "en"),
        ("Tag: ", "en"),
        ("Kategorie: ", "de"),
        ("Schlagwort: ", "de"),
        ("Catégorie\u00a0: ", "fr"),
        ("Étiquette : ", "fr"),
        ("Categoría: ", "es"),
        ("Autore: ", "it"),
        ("Categorie: ", "nl"),
        ("Arquivos: ", "pt"),
        ("Miesiąc: ", "pl"),
        ("Etikett: ", "sv"),
        ("Kirjoittaja: ", "fi"),
        ("Rubrika: ", "cs"),
        ("Рубрика: ", "ru"),
        ("Yazar: ", "tr"),
        ("カテゴリー: ", "ja"),
        ("标签：", "zh"),
        ("카테고리: ", "ko"),
    ],
)
def test_the_prefix_of_a_theme_is_removed_from_a_list_title(prefix: str, lang: str) -> None:
    assert cleaned(f"{prefix}Zelte", url="https://a.example/zelte") == "Zelte", lang


def test_a_bare_number_is_removed_if_the_sections_of_the_page_are_numbered() -> None:
    chapters = chapters_of(["6.1 Time profiling", "6.2. Calls", "10 tips", "B.1 Tools"])
    assert chapters == {"6", "B"}
    assert cleaned("6 eprof", chapters=chapters) == "eprof"
    assert cleaned("B Tools", chapters=chapters) == "Tools"
    assert cleaned("10 tips for tents", chapters=chapters) == "10 tips for tents"


def test_a_numbered_generic_heading_does_not_describe_the_page() -> None:
    for heading in ("Chapter 4", "Part II", "Appendix B", "Page 2"):
        assert is_stock(heading, numbered=True) and not is_stock(heading)
    assert not is_stock("Route 66", numbered=True) and not is_stock("2001", numbered=True)


def test_generic_headings_are_known_in_more_than_twelve_languages() -> None:
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
def test_punctuation_follows_the_rules_of_the_language(lang: str, text: str, wanted: str) -> None:
    assert typeset(text, lang) == wanted
    assert typeset(wanted, lang) == wanted


def test_link_texts_inside_headings_are_removed() -> None:
    for link in (
        "Link to heading",
        "Direct link to this section",
        "Link para o cabeçalho",
        "Permalink to this headline",
    ):
        assert cleaned(f"Pitching tents {link}") == "Pitching tents"
    assert cleaned("Adding a link to a page") == "Adding a link to a page"
