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
def test_forms_of_one_word_are_one(language: str, forms: str) -> None:
    assert len(keys(forms, language)) == 1, keys(forms, language)


@pytest.mark.parametrize("text", ["bus glass analysis", "rot rote", "wand wandern"])
def test_words_are_not_cut_to_nothing(text: str) -> None:
    assert all(len(key) >= 3 for key in keys(text, "en"))


def test_stop_words_numbers_and_words_of_every_search_are_ignored() -> None:
    assert keys("how to buy the best tent for 4 in 2026", "en") == ["tent"]
    assert keys("tents uk", "en") == keys("Tents USA") == ["tent"]
    assert keys("die besten Zelte günstig kaufen", "de") == ["zelt"]
    assert keys("and the 7 of", "de") == []


def test_the_name_of_the_website_in_any_spelling_is_not_a_topic() -> None:
    vocabulary = Vocabulary("en", ["Acme Shop", "acmeshop"])
    for query in ("acme shop tents", "acmeshop tents", "Acme-Shop tents"):
        assert [word.key for word in vocabulary.words(query)] == ["tent"]
        assert vocabulary.is_named(query)
    assert not vocabulary.is_named("shop tents acme")
    assert not Vocabulary("en").is_named("acme")


def test_chinese_and_japanese_are_read_by_pairs_of_ideographs() -> None:
    assert keys("東京の天気予報") == ["東京", "天気", "気予", "予報"]
    assert keys("ランニングシューズ 通販") == ["ランニングシューズ", "通販"]
    assert set(keys("徒步旅行帐篷")) & set(keys("帐篷推荐")) == {"帐篷"}


def test_marks_of_scripts_that_are_not_latin_stay() -> None:
    assert plain("müller") == "muller"
    assert plain("łódź") == "lodz"
    assert plain("ガード") != plain("カート")
    assert plain("й") == "й"


def test_the_language_is_the_one_of_most_small_words() -> None:
    assert language_of(["How to pitch a tent in the wind", "Tents for the winter"]) == "en"
    assert language_of(["Zelte für den Winter", "Wie man ein Zelt aufbaut"]) == "de"
    assert language_of(["Skarn 2", "Lochan 1"]) is None
    assert language_of([]) is None


@given(st.text(), st.sampled_from([None, "en", "de", "nl", "it", "pl", "fr", "ja"]))
def test_any_text_is_read_and_reads_the_same_again(text: str, language: str | None) -> None:
    vocabulary = Vocabulary(language, ["name"])
    words = vocabulary.words(text)
    assert words == Vocabulary(language, ["name"]).words(text)
    assert len({word.key for word in words}) == len(words)
    assert all(word.key for word in words)
