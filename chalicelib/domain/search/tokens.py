"""Splits queries into words for topics. Words are reduced to a common form (folded), so that two words count as equal
if they differ only in accents, in a plural ending, or in the spelling of an umlaut (``ü`` and ``ue``).

A folded word need not be a word of any language, so it is never shown. Its most frequent written form is shown instead.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from chalicelib.domain.page.stop_words import STOP_WORDS, stop_words
from chalicelib.domain.page.text import fold

LONGEST_QUERY: Final = 200  # characters that are looked at
_WORD: Final = re.compile(r"[^\W_]+")
# Two ideographs make a word; katakana are words; hiragana between them are grammar.
_IDEOGRAPHS: Final = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KATAKANA: Final = "\u30a1-\u30fa\u30fc\u30fe"
_HIRAGANA: Final = "\u3041-\u309f"
_LETTERS_WITHOUT_PARTS: Final = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})
# Words that searchers add to any query.
_INTENT: Final = frozenset(
    "best top good better cheap cheapest buy price prices cost costs online sale shop store near review reviews vs"
    " free new guide tips list example examples tutorial tutorials way ways make use using used get meaning definition"
    " versus today uk usa does do can should is are what why how when which who where much many"
    " beste besten bester bestes gute guter gutes gut günstig günstige günstiger billig kaufen preis preise kosten"
    " bestellen angebot angebote test tests vergleich erfahrungen anleitung tipps wie was warum wann welche welcher"
    " welches wo wer neu neue neuer neues"
    " meilleur meilleure meilleurs meilleures acheter prix pas cher avis comparatif comment pourquoi quand quel quelle"
    " mejor mejores comprar precio precios barato baratos barata baratas opiniones cómo como qué cuál cuándo"
    " migliore migliori comprare prezzo prezzi economico recensioni come perché quando quale"
    " beste kopen goedkoop goedkope prijs prijzen hoe wat waarom wanneer welke"
    " melhor melhores preço preços barato qual quando"
    " najlepszy najlepsze najlepsza kupić cena ceny tani tanie jak dlaczego kiedy który"
    " 方法 価格 比較".split()
)
# English words in queries of every language that are not words of that language.
_IN_EVERY_LANGUAGE: Final = frozenset(
    "the and of to with for from by is are this that your how what where when which".split()
)
# The endings to cut off, longest first, if enough letters remain. The result is a key, not a root.
_LEAST: Final = 3
_ENDINGS: Final = {
    "de": ("en", "er", "es", "e", "n", "s"),
    "nl": ("en", "s"),
    "it": ("i", "e", "o", "a"),
    "pl": ("ami", "ach", "ow", "om", "y", "i", "e", "a", "u", "o"),
}


class Word(NamedTuple):
    """A word of a text. ``key``: the key that all forms of the word share. ``form``: the word as written."""

    key: str
    form: str


class Vocabulary:
    """Splits the texts of one website into words.

    - ``language``: the website's language; None if unknown.
    - ``names``: the website's names, which do not count as topics.
    """

    def __init__(self, language: str | None, names: Iterable[str] = ()) -> None:
        self.language = language
        self.names = frozenset(name for name in map(joined, names) if len(name) >= 2)
        self._longest = max(map(len, self.names), default=0)
        self._known: dict[tuple[str, str | None], tuple[Word, ...]] = {}

    def words(self, text: str, language: str | None = None) -> tuple[Word, ...]:
        """Return the words of a text that may name its topic, each once, in order.

        Words that occur in any search ("buy", "best") are left out. Numbers are left out too, since versions, years and
        many other things contain them. ``language``: the language of the page, if its address names one.
        """
        known = self._known.get((text, language))
        if known is None:
            known = self._known[text, language] = tuple(self._read(text, language or self.language))
        return known

    def is_named(self, text: str) -> bool:
        """Whether a query contains the website's own name."""
        written = _written(text)
        return bool(self.names) and len(self._without_names(written)) < len(written)

    def _read(self, text: str, language: str | None) -> list[Word]:
        stops = stop_words(language)
        found: dict[str, Word] = {}
        for form in self._without_names(_written(text)):
            if form in stops or form in _SAID_OF_ALL or form.isdecimal():
                continue
            for word in _keys(form, language):
                found.setdefault(word.key, word)
        return list(found.values())

    def _without_names(self, forms: list[str]) -> list[str]:
        """Return the words without those that form a name when joined: "acme shop" for acmeshop.example."""
        if not self.names:
            return forms
        kept: list[str] = []
        start = 0
        while start < len(forms):
            end = self._name_at(forms, start)
            if end == start:
                kept.append(forms[start])
                end = start + 1
            start = end
        return kept

    def _name_at(self, forms: list[str], start: int) -> int:
        joined_words = ""
        for end in range(start, len(forms)):
            joined_words += plain(forms[end])
            if joined_words in self.names:
                return end + 1
            if len(joined_words) > self._longest:
                break
        return start


def language_of(texts: Iterable[str]) -> str | None:
    """Return the language with most stop words in the texts; None if no language clearly leads. The order of the texts
    does not matter."""
    forms = Counter(form for text in texts for form in _written(text))
    words = sum(forms.values())
    hits: Counter[str] = Counter()
    for form in forms.keys() & _LANGUAGES_OF.keys():
        for language in _LANGUAGES_OF[form]:
            hits[language] += forms[form]
    if not hits:
        return None
    (first, most), *rest = sorted(hits.items(), key=lambda item: (-item[1], item[0]))
    clear = not rest or most > rest[0][1] * 1.2
    return first if clear and most * 50 >= words else None


def joined(text: str) -> str:
    """Return only the letters and digits of a text, without accents."""
    return "".join(map(plain, _WORD.findall(fold(text))))


@lru_cache(maxsize=8_192)
def plain(word: str) -> str:
    """Return a word without the accents of Latin letters. Marks of other scripts are kept, because they change the
    letter."""
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFD", word.translate(_LETTERS_WITHOUT_PARTS))
    kept: list[str] = []
    for letter in letters:
        if unicodedata.combining(letter) and kept and kept[-1].isascii():
            continue
        kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept))


def _written(text: str) -> list[str]:
    return _WORD.findall(fold(text[:LONGEST_QUERY]).replace("'", " ").replace("’", " "))


@lru_cache(maxsize=16_384)
def _keys(form: str, language: str | None) -> tuple[Word, ...]:
    if not form.isascii() and _east_asian_patterns().any.search(form):
        return tuple(_east_asian(form))
    if len(form) == 1 and not form.isdigit():
        return ()
    return (Word(_stem(form, language), form),)


class _EastAsian(NamedTuple):
    """Patterns: a run of one script, one character of any of the scripts, a hiragana, an ideograph."""

    run: re.Pattern[str]
    any: re.Pattern[str]
    hiragana: re.Pattern[str]
    ideograph: re.Pattern[str]


@lru_cache(maxsize=1)
def _east_asian_patterns() -> _EastAsian:
    """Return the patterns, compiled on first use: they take milliseconds, and few processes need them."""
    every = f"{_IDEOGRAPHS}{_KATAKANA}{_HIRAGANA}"
    return _EastAsian(
        re.compile(f"[{_IDEOGRAPHS}]+|[{_KATAKANA}]+|[{_HIRAGANA}]+|[^{every}]+"),
        re.compile(f"[{every}]"),
        re.compile(f"[{_HIRAGANA}]"),
        re.compile(f"[{_IDEOGRAPHS}]"),
    )


def _east_asian(form: str) -> list[Word]:
    patterns = _east_asian_patterns()
    runs = patterns.run.findall(form)
    found: list[Word] = []
    for run in runs:
        if patterns.ideograph.match(run):
            pairs = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
            found.extend(Word(pair, pair) for pair in pairs)
        elif not patterns.hiragana.match(run) or len(runs) == 1:
            found.append(Word(run, run))
    return found


def _stem(form: str, language: str | None) -> str:
    if not form.isalpha() or len(form) <= _LEAST:
        return plain(form)
    word = plain(form)
    if language == "de" or (language is None and form != word):
        word = word.replace("ae", "a").replace("oe", "o").replace("ue", "u")
    endings = _ENDINGS.get(language or "")
    if endings is not None:
        return _shortened(word, endings, language == "nl")
    if language == "fr" and word.endswith("aux"):
        return word[:-3] + "al"
    if language == "fr" and word.endswith("x"):
        return word[:-1]
    if language == "pt" and word.endswith(("oes", "aes")):
        return word[:-3] + "ao"
    if language == "pt" and word.endswith("ais"):
        return word[:-2] + "l"
    return _without_s(word, language)


def _shortened(word: str, endings: tuple[str, ...], dutch: bool) -> str:
    """Return the word without its endings. Endings are removed repeatedly, because only then do "schoen" and "schoenen"
    become equal."""
    while True:
        for ending in endings:
            if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
                word = word[: -len(ending)]
                break
        else:
            break
        if not dutch:
            break
    if dutch and len(word) > _LEAST and word[-1] == word[-2]:
        word = word[:-1]
    return word.replace("aa", "a").replace("oo", "o").replace("ee", "e").replace("uu", "u") if dutch else word


def _without_s(word: str, language: str | None) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if language == "es" and word.endswith("ces"):
        return word[:-3] + "z"
    if language == "es" and word.endswith("es") and word[-3] not in "aeiou" and len(word) > _LEAST + 2:
        return word[:-2]
    if language in (None, "en"):
        if word.endswith("ies") and len(word) > _LEAST + 1:
            return word[:-3] + "y"
        if word.endswith(("sses", "shes", "ches", "xes", "zes")):
            return word[:-2]
    return word[:-1]


_SAID_OF_ALL: Final = _INTENT | _IN_EVERY_LANGUAGE
_LANGUAGES_OF: Final = {
    word: [language for language, stops in sorted(STOP_WORDS.items()) if word in stops]
    for word in frozenset().union(*STOP_WORDS.values())
}
