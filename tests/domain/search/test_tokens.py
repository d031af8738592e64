"""Words of queries: which are the same, and which say nothing of a topic."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.search.tokens import Vocabulary, language_of, plain


def keys(text: str, language: str | None = None, names: tuple[str, ...] = ()) -> list[str]:
    return [word.key for word in Vocabulary(language, names).words(text)]


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", "boot boots"),
        ("en", "battery batteries"),
        ("en", "watch watches"),
        ("en", "café cafe cafes"),
        ("de", "kochtopf kochtöpfe kochtoepfe"),
        ("de", "zelt zelte zelten"),
        ("de", "straße strasse straßen"),
        ("fr", "cheval chevaux"),
        ("fr", "jeu jeux"),
        ("es", "camión camiones camion"),
        ("es", "luz luces"),
        ("it", "scarpa scarpe"),
        ("nl", "schoen schoenen"),
        ("nl", "jas jassen"),
        ("pt", "leão leões"),
        ("pl", "buty butów"),
        (None, "boot boots"),
    ],
)
def test_inflected_forms_of_a_word_count_as_one_word(language: str, forms: str) -> None:
    assert len(keys(forms, language)) == 1, keys(forms, language)


@pytest.mark.parametrize("text", ["bus glass analysis", "rot rote", "wand wandern"])
def test_every_stem_keeps_at_least_three_letters(text: str) -> None:
    assert all(len(key) >= 3 for key in keys(text, "en"))


def test_stop_words_numbers_and_generic_search_words_are_ignored() -> None:
    assert keys("how to buy the best tent for 4 in 2026", "en") == ["tent"]
    assert keys("tents uk", "en") == keys("Tents USA") == ["tent"]
    assert keys("die besten Zelte günstig kaufen", "de") == ["zelt"]
    assert keys("and the 7 of", "de") == []


def test_the_name_of_the_website_is_not_a_topic_in_any_spelling() -> None:
    vocabulary = Vocabulary("en", ["Acme Shop", "acmeshop"])
    for query in ("acme shop tents", "acmeshop tents", "Acme-Shop tents"):
        assert [word.key for word in vocabulary.words(query)] == ["tent"]
        assert vocabulary.is_named(query)
    assert not vocabulary.is_named("shop tents acme")
    assert not Vocabulary("en").is_named("acme")


def test_chinese_and_japanese_are_split_into_pairs_of_characters() -> None:
    assert keys("東京の天気予報") == ["東京", "天気", "気予", "予報"]
    assert keys("ランニングシューズ 通販") == ["ランニングシューズ", "通販"]
    assert set(keys("徒步旅行帐篷")) & set(keys("帐篷推荐")) == {"帐篷"}


def test_diacritics_are_removed_only_from_latin_letters() -> None:
    assert plain("müller") == "muller"
    assert plain("łódź") == "lodz"
    assert plain("ガード") != plain("カート")
    assert plain("й") == "й"


def test_the_language_of_a_text_is_found_by_counting_function_words() -> None:
    assert language_of(["How to pitch a tent in the wind", "Tents for the winter"]) == "en"
    assert language_of(["Zelte für den Winter", "Wie man ein Zelt aufbaut"]) == "de"
    assert language_of(["Skarn 2", "Lochan 1"]) is None
    assert language_of([]) is None


@given(st.text(), st.sampled_from([None, "en", "de", "nl", "it", "pl", "fr", "ja"]))
def test_any_text_is_tokenised_in_a_repeatable_way(text: str, language: str | None) -> None:
    vocabulary = Vocabulary(language, ["name"])
    words = vocabulary.words(text)
    assert words == Vocabulary(language, ["name"]).words(text)
    assert len({word.key for word in words}) == len(words)
    assert all(word.key for word in words)
