"""Detects the language of a text by its script and by frequent small words, such as "the" and "und". The detection is
fast, and returns nothing if the result is not certain."""

import re
from collections.abc import Iterable
from typing import Final

from chalicelib.domain.page.stop_words import STOP_WORDS

MOST_CHARACTERS: Final = 300  # characters of a text that are examined; some dozen words suffice
_MOST_LANGUAGES: Final = 4  # languages; a word that more languages share decides nothing
_ENOUGH: Final = 1.3  # least weight of the words found; a word of several languages weighs less
_LEAD: Final = 1.25  # times the weight of the next language

# The most frequent small words of languages for which no full list of stop words is needed.
_MORE: Final = {
    "sv": "och att det som en på är av för med den till inte har de ett om var jag men så från vi kan när nu också du",
    "da": "og at det som en på er af for med den til ikke har de et om var jeg men så fra vi kan når hvor også du",
    "nb": "og at det som en på er av for med den til ikke har de et om var jeg men så fra vi kan når hvor også du",
    "fi": "ja on ei se että joka mutta ovat hän kun niin myös oli voi tai jos kuin ole tämä sen sekä vain kanssa",
    "cs": "a je se na v že s z do to o i ve by jako za jsou není ale pro které který která nebo jeho aby může být od k",
    "sk": "a je sa na v že s z do to o aj vo by ako za sú nie ale pre ktoré ktorý ktorá alebo jeho aby môže byť od k",
    "hu": "a az és hogy nem is egy ez meg de van csak már ha volt mint el még vagy ezt minden lehet azt kell olyan",
    "ro": "și de în la cu pe nu o un este sunt care din pentru mai ce că sau se ca să dacă fi acest această prin între",
    "tr": "ve bir bu da de için ile olarak çok daha olan gibi kadar ne var en sonra ise ya veya değil her şey o mi",
    "ca": "i de la el que a en els les per un amb una és no al del es més com però dels són si aquest aquesta o també",
    "id": "yang dan di dengan untuk dari pada ini itu dalam tidak akan adalah ke atau oleh juga dapat sebagai anda",
}
_SAME: Final = {"no": "nb", "nn": "nb", "da": "nb"}  # hard to distinguish: they count as one
_OF_WORD: Final[dict[str, tuple[str, ...]]] = {}
for _language, _listed in {**STOP_WORDS, **{name: frozenset(words.split()) for name, words in _MORE.items()}}.items():
    for _word in _listed:
        _known = _OF_WORD.get(_word, ())
        _name = _SAME.get(_language, _language)
        _OF_WORD[_word] = _known if _name in _known else (*_known, _name)
_TELLING: Final = {
    word: (1 / len(languages), languages) for word, languages in _OF_WORD.items() if len(languages) <= _MOST_LANGUAGES
}
_TABLED: Final = frozenset(_SAME.get(name, name) for name in (*STOP_WORDS, *_MORE))
_MARKS: Final = ".,;:!?()[]<>|_\"'’“”„«»/…"
_ASCII_MARKS: Final = bytes(ord(" ") if chr(code) in _MARKS else code for code in range(256))
_UNMARKED: Final = re.compile(rf"[^\s{re.escape(_MARKS)}]+")
KNOWN: Final = _TABLED | frozenset("ja ko zh ru el ar he th fa uk bg sr mk".split())

# Scripts of one language, or of a few that count as one here; kana before Han.
_SCRIPTS: Final = (
    ("ja", re.compile("[\u3041-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
_OTHER_SCRIPT: Final = re.compile("[\u0370-\u1dff\u3041-\ud7af]")
_SCRIPT_OF: Final = {"uk": "ru", "bg": "ru", "sr": "ru", "mk": "ru", "be": "ru", "fa": "ar", "ur": "ar"}
# Letters that only one of the languages has. The first language of which there are enough decides: Belarusian shares і
# with Ukrainian and ы with Russian, and ъ is rare in Russian.
_CYRILLIC: Final = (("be", "ў"), ("uk", "їєґі"), ("mk", "ѐѓќѕ"), ("sr", "ђћ"), ("ru", "ыэё"), ("bg", "ъ"))
_FURTHER_CYRILLIC: Final = "әғқңөұүһҳҷӣӯ"  # letters of Kazakh, Uzbek, Mongolian, Kyrgyz, Tajik
_SHARE_OF_OWN: Final = 0.004  # of all characters; a quoted name of another language has fewer
_NOT_ARABIC: Final = "پچژگٹڈڑںے"  # letters of Persian and Urdu
_MOST_TAGGED: Final = 3_000  # characters: rare letters may not be among the first few words
_SCRIPTED: Final = frozenset(language for language, _ in _SCRIPTS)
_LEAST_SHARE: Final = 0.2  # share of the letters, for scripts in which characters are words


def primary(tag: str | None) -> str | None:
    """Return the language of a tag (``de`` for ``de-AT``). Returns None for a language that this module does not
    know."""
    name = (tag or "").strip().lower().replace("_", "-").partition("-")[0]
    name = _SCRIPT_OF.get(name, _SAME.get(name, name))
    return name if name in KNOWN else None


def words_between_marks(text: str) -> list[str]:
    """Return the words of a text, separated by white space and punctuation. A hyphen does not separate words."""
    if text.isascii():  # translating bytes is many times faster than translating characters
        return text.encode().translate(_ASCII_MARKS).decode().split()
    return _UNMARKED.findall(text)


def spoken(text: str) -> str | None:
    """Return the language of a text. Returns None if there are too few known words, or words of two languages."""
    text = text[:MOST_CHARACTERS]
    if not text.isascii() and _OTHER_SCRIPT.search(text) is not None:
        by_script = _script(text)
        if by_script is not None:
            return by_script
    return _of_words(words_between_marks(text.lower()))


def tag_of(text: str) -> str | None:
    """Return the language tag to declare for a text. Returns None if the language is not certain.

    ``spoken`` returns one name for several languages of a script. Here they are distinguished by letters and words that
    only one of them has.
    """
    language, beginning = spoken(text), text[:_MOST_TAGGED].lower()
    if language == "ru":
        if any(letter in beginning for letter in _FURTHER_CYRILLIC):
            return None
        least = max(1.0, _SHARE_OF_OWN * len(beginning))
        found = [tag for tag, letters in _CYRILLIC if sum(map(beginning.count, letters)) >= least]
        return None if found[:1] == ["uk"] and "ru" in found else next(iter(found), None)
    if language == "ar":
        return None if any(letter in beginning for letter in _NOT_ARABIC) else language
    if language == "nb":
        words = words_between_marks(beginning)
        danish, norwegian = words.count("af"), words.count("av")
        return "da" if danish > norwegian else "no" if norwegian > danish else None
    return language


def agree(one: str | None, other: str | None) -> bool:
    """Whether two languages may be the same. An unknown language may be any language."""
    return one is None or other is None or one == other


def is_foreign(name: str, language: str) -> bool:
    """Whether a name has frequent small words ("the", "und") of other languages, but none of ``language``.

    Only the first word and words without capitals are examined, because other words may be names.
    """
    words = words_between_marks(name)
    small = [word.lower() for at, word in enumerate(words) if not at or word.islower()]
    known = [_TELLING[word][1] for word in small if word in _TELLING]
    return (
        (language in _TABLED or language in _SCRIPTED)
        and bool(known)
        and not any(language in languages for languages in known)
    )


def _script(text: str) -> str | None:
    letters = sum(map(str.isalpha, text))
    for language, pattern in _SCRIPTS:
        if len(pattern.findall(text)) > _LEAST_SHARE * letters:
            return language
    return None


def _of_words(found: Iterable[str]) -> str | None:
    """Return the language with clearly the most small words. A word that many languages have counts less for each."""
    weights: dict[str, float] = {}
    for word in found:
        telling = _TELLING.get(word)
        if telling is not None:
            weight, languages = telling
            for language in languages:
                weights[language] = weights.get(language, 0.0) + weight
    if not weights:
        return None
    best = max(weights, key=lambda language: (weights[language], language))
    most = weights.pop(best)
    return best if most >= _ENOUGH and most >= _LEAD * max(weights.values(), default=0.0) else None
