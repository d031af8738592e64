"""The sentences of a text, and whether one can stand alone where it is quoted."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from operator import ne
from typing import Final, NamedTuple

from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestions.languages import words_between_marks
from chalicelib.domain.suggestions.leaning import (
    ALSO,
    ARTICLES,
    BEINGS,
    BY_LANGUAGE,
    CAPTIONS,
    CONNECTIVES,
    GUIDES,
    IFS,
    INDEFINITE,
    LABELS,
    NO_LANGUAGE,
    OPENINGS,
    ORDINALS,
    PAGE_NOUNS,
    PAST,
    PLACES,
    POINTERS,
    POINTING,
    PRONOUNS,
    REQUESTS,
    SCENES,
    SELF_NOUNS,
    STATEMENTS,
    THINGS,
    WITHIN,
    Leaning,
)
from chalicelib.domain.suggestions.lexicon import ABBREVIATIONS, NOTICES, is_verb
from chalicelib.domain.suggestions.words import balanced, split_words, stems

FEWEST_WORDS: Final = 6  # a sentence has as many; names, dates and buttons have fewer

_SENTENCE_END: Final = re.compile("[.!?\u3002\uff01\uff1f]+[\"'”’»)\\]\u300d\u300f\uff09]*")
_LOWER_START: Final = re.compile(r"\s*[\"'“„«(]?[a-zß-öø-ÿ]")
_BEGINS: Final = re.compile(r"[\"'“„«¿¡]?\s?[^\W_]")
# What code and lists of links have and sentences have not: some characters anywhere, others only beside certain ones.
# A pattern that begins with its character is looked for only where that is, and costs next to nothing.
_NO_PROSE: Final = frozenset("{}<>\\=^~|•·→►▸⇒")
_CODE: Final = {
    sign: re.compile(pattern)
    for sign, pattern in {
        "$": r"\$(?!\d)",
        "(": r"\(\)|\.(?<=\w\.)\w+\(",
        "*": r"\*\*\*",
        ":": r"::|https?:",
        "-": r"-(?<!\w-)(?:-\w|[a-zA-Z]\b)",
        ";": r";\s*$",
        "/": r"/(?<=\w/)\w+/\w|/(?<=\s/)\s",
        "»": r"^[^«]*»[^«]*$",  # no quotation
        "›": r"^[^‹]*›[^‹]*$",
    }.items()
}
_MARKS: Final = _NO_PROSE | _CODE.keys()
_GAP: Final = re.compile(r"\s[,.](?:\s|$)|\(\s*\)|[“„«]\s*[”“»]")  # something was taken out before the mark
_CITED: Final = re.compile(r"\[[A-Z][\w.-]*\]")
_REFERENCE: Final = re.compile(r"\s?\[\d{1,3}\]")
_FOOTNOTE: Final = re.compile(r"[\[(]?(?:\d{1,3}|[*†‡])[\])]")
_REMARK: Final = re.compile(rf"(?:(?:{LABELS})\s*[:!–—-]|(?:{CAPTIONS})\s*\d)")
# The heading of a box that was read with its text.
_TITLED: Final = re.compile(r"(?:Abstract|Summary|Overview|Synopsis|Note|Zusammenfassung|Résumé|Resumen)\s[A-ZÀ-Ý]")
_ASIDE: Final = re.compile(r"\S+(?:\s\S+){0,3}\s[-–—]\s")  # "For readers - the content here …"
_RELATIVES: Final = frozenset(("that", "dat", "die"))  # of the demonstratives, those that join clauses as well
_SEE: Final = "see cf. siehe vgl. voir véase ver vea vedi vedere zie veja zobacz patrz".split()
_PLACE: Final = re.compile(
    rf"\b(?:{PLACES})\s+(?:[\d.]*\d|[a-z](?:\.[\d.]*\d)?\b)|[,;(] ?(?:{'|'.join(map(re.escape, _SEE))}) "
)
_RULE: Final = re.compile(r"[-=~_*#.]{4}")  # a line drawn with characters
_LABEL: Final = re.compile(r"\S+(?:\s\S+){0,3}\s?:(?:\s|$)")
# A new text begins in the middle of the sentence: the one before it had no stop.
_JOINED: Final = re.compile(
    r"(?<=[a-zß-öø-ÿ)] )(?:See|This|These|If|When|For|It|Note|Returns|The|Voir|Cette|Cet|Les|Véase|Los|Esta|Vedi|Questo"
    r"|Zie|Deze|Siehe)(?= [a-zß-öø-ÿ])"
    r"|[a-zß-öø-ÿ)][.,]\d{1,3}(?=[A-Z])"  # the number of a note
)
_IDENTIFIER: Final = re.compile(r"\w*_\w+")
_DIGIT: Final = re.compile(r"\d")
_NO_DIGITS: Final = bytes(code for code in range(128) if not chr(code).isdigit())
_NO_CAPITALS: Final = bytes(code for code in range(128) if not chr(code).isupper())
_MOST_DIGITS: Final = 0.2  # of a text; more is a table or a date line
_MOST_CAPITALS: Final = 0.35
_LOOKED_AT: Final = 4  # first words among which a demonstrative and its noun stand
UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_INDEXED: Final = 3  # letters by which phrases are looked up


def _by_beginning(phrases: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Phrases by the first letters of their first word; those of scripts without spaces begin anywhere: under ""."""
    found: dict[str, tuple[str, ...]] = {}
    for phrase in phrases:
        first = "" if UNSPACED.match(phrase) else phrase[:_INDEXED]
        beginning = words_between_marks(phrase)[0][:_INDEXED] if first and first[0].isalnum() else first
        found[beginning] = (*found.get(beginning, ()), phrase)
    return found


NOTICES_BY_BEGINNING: Final = _by_beginning(NOTICES)
_POINTING_BY_BEGINNING: Final = _by_beginning(POINTING)
_POINTING_BEGINNINGS: Final = (
    _POINTING_BY_BEGINNING.keys()
    | {word[:_INDEXED] for word in POINTERS | REQUESTS}
    | {place[:_INDEXED] for place in (*PLACES.split("|"), *_SEE)}
)


def _by_first_word(phrases: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return {
        word: tuple(one for one in phrases if one.split()[0] == word) for word in {one.split()[0] for one in phrases}
    }


_OPENINGS_BY_WORD: Final = _by_first_word(OPENINGS)
_SCENES_BY_WORD: Final = _by_first_word(SCENES)
_NAMING: Final = frozenset("known called named referred written".split())
_STATING_WORDS: Final = 16  # first ones
_DEFINING_WORDS: Final = 8
_VERB_AMONG: Final = 10
_CONNECTING_AMONG: Final = 6
_PAST_AMONG: Final = 10  # first words


class Sentence(NamedTuple):
    """A whole sentence with its stop, and the same folded."""

    text: str
    folded: str


def leaning_in(language: str | None) -> Leaning:
    """The words that tell in a language whether a sentence can stand alone; of English where it is not known."""
    return BY_LANGUAGE.get(language or "en", NO_LANGUAGE)


def usable(text: str, known: str, leaning: Leaning) -> list[Sentence]:
    """The sentences of a text up to the first that cannot be quoted; of those after it, none would stand beside it.

    ``known``: the folded title and heading, whose identifiers may stand in a sentence.
    """
    folded = fold(text)
    beginnings = {word[:_INDEXED] for word in words_between_marks(folded)}
    if _holds(NOTICES_BY_BEGINNING, beginnings, folded, known):
        return []
    may_point = not folded.isascii() or not beginnings.isdisjoint(_POINTING_BEGINNINGS)
    found: list[Sentence] = []
    for sentence in sentences_of(text):
        if not is_prose(sentence, known):
            break
        one = Sentence(sentence, fold(sentence))
        first = _first_word(one.folded)
        if may_point and points_elsewhere(one.folded):
            break
        if found and (first in leaning.contrasts or _opens(one.folded, first)):
            break
        found.append(one)
    return found


def sentences_of(text: str) -> list[str]:
    """The whole sentences of a text, each with its stop; what follows the last one is left out.

    References to notes ("[1]") and the marks of code in plain text (backticks) are taken out of them.
    """
    if "[" in text:
        if _FOOTNOTE.match(text):
            return []
        text = _REFERENCE.sub("", text)
    if "`" in text:
        text = text.replace("`", "")
    found: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        end = match.end()
        sentence = text[start:end]
        if match[0][0] in ".!?" and end < len(text) and not text[end].isspace():
            continue
        if match[0][0] in ".!?" and (_abbreviated(sentence) or _LOWER_START.match(text, end)):
            continue
        found.append(sentence.strip())
        start = end
    return found


def _abbreviated(sentence: str) -> bool:
    if not sentence.endswith("."):
        return False
    word = fold(sentence[:-1].rpartition(" ")[2].lstrip("(["))
    return word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or (len(word) <= 2 and word.isdigit())


def is_prose(sentence: str, known: str) -> bool:
    """Whether a sentence is one: no code, no list of links, no figures, no shouting, nothing missing in it.

    ``known``: the folded title and heading, whose identifiers may stand in the sentence.
    """
    signs = _MARKS.intersection(sentence)
    if signs and (not _NO_PROSE.isdisjoint(signs) or any(_CODE[sign].search(sentence) for sign in signs)):
        return False
    if "_" in sentence and any(fold(name) not in known for name in _IDENTIFIER.findall(sentence)):
        return False
    if sentence[0].islower() and fold(sentence.partition(" ")[0]) not in {*known.split(), *split_words(known)}:
        return False
    if (
        _BEGINS.match(sentence) is None
        or _RULE.search(sentence)
        or _GAP.search(sentence)
        or _JOINED.search(sentence)
        or ("[" in sentence and _CITED.search(sentence))
        or not balanced(sentence)
    ):
        return False
    digits, capitals = _digits_and_capitals(sentence)
    if digits > _MOST_DIGITS * len(sentence) or capitals > _MOST_CAPITALS * len(sentence):
        return False
    return UNSPACED.search(sentence) is not None or sentence.count(" ") > 1


def _digits_and_capitals(text: str) -> tuple[int, int]:
    if text.isascii():
        data = text.encode()
        return len(data.translate(None, _NO_DIGITS)), len(data.translate(None, _NO_CAPITALS))
    # Capitals are the characters that lower case changes; the two may differ in length by a rare letter.
    return len(_DIGIT.findall(text)), sum(map(ne, text, text.lower()))


def is_notice(text: str) -> bool:
    """Whether a text is about the website instead of the page, or a sample that nobody replaced."""
    folded = fold(text)
    beginnings = {word[:_INDEXED] for word in words_between_marks(folded)}
    return _holds(NOTICES_BY_BEGINNING, beginnings, folded)


def _holds(
    index: Mapping[str, Sequence[str]], beginnings: AbstractSet[str], folded: str, known: str | None = None
) -> bool:
    """Whether a phrase of the index stands in a text with these beginnings of words, and a word begins there.

    One that the page is about (``known``) does not count.
    """
    return any(
        phrase in folded
        and (known is None or phrase not in known)
        and re.search(r"(?<!\w)" + re.escape(phrase), folded) is not None
        for beginning in beginnings & index.keys()
        for phrase in index[beginning]
    ) or (not folded.isascii() and any(phrase in folded for phrase in index.get("", ())))


def points_elsewhere(folded: str) -> bool:
    """Whether a folded sentence speaks of another place: "as shown below", "see section 5"."""
    words = words_between_marks(folded)
    if not POINTERS.isdisjoint(words) or not REQUESTS.isdisjoint(words) or _PLACE.search(folded) is not None:
        return True
    return _holds(_POINTING_BY_BEGINNING, {word[:_INDEXED] for word in words}, folded)


def leans(sentence: Sentence, topic: AbstractSet[str], leaning: Leaning) -> bool:
    """Whether a sentence cannot be the first: it means something said before it, or is a remark or a caption.

    ``topic``: stems of the page's topic; "this" before one of its words means the page, and a label may be one.
    """
    folded = sentence.folded
    if leaning.start is not None and leaning.start.match(folded):
        return True
    first = _first_word(folded)
    if first in IFS and first in leaning.conditions:
        return True
    label = _LABEL.match(folded)
    if label is not None and topic.isdisjoint(stems(split_words(label[0]))):
        return True
    if first in leaning.back or _opens(folded, first) or _REMARK.match(folded):
        return True
    if _TITLED.match(sentence.text) or _ASIDE.match(folded) or counts(sentence):
        return True
    words = split_words(folded[:80])
    if not words or words[0] in leaning.back:
        return True
    if not leaning.also.isdisjoint(words[:_LOOKED_AT]) or _adds(words, leaning):
        return True
    for at in (0, 1):  # "this layout", "in this layout"
        if words[at : at + 1] and words[at] in leaning.demonstratives:
            following = words[at + 1 : at + _LOOKED_AT]
            return not _names(following, topic) or _is_third_person(following[0])
    return False


def _is_third_person(word: str) -> bool:
    """Whether an English word after "this" is its verb: "This merges the files"."""
    return word.endswith("s") and word not in SELF_NOUNS and is_verb(word)


def _adds(words: Sequence[str], leaning: Leaning) -> bool:
    """Whether a sentence adds something to one before it: "… are also supported", but not "also known as"."""
    return any(
        word in ALSO and word in leaning.also and not _NAMING.intersection(words[at + 1 : at + 2])
        for at, word in enumerate(words)
    )


def states(sentence: Sentence, language: str | None) -> bool:
    """Whether a sentence says near its beginning what something is or does; not asked in languages without words for
    that."""
    known = STATEMENTS.get(language or "en")
    if known is None:
        return True
    verbs, beings, followers = known
    words = split_words(sentence.folded)[:_STATING_WORDS]
    english = known is STATEMENTS["en"]
    for at, word in enumerate(words):
        if word in verbs or (english and 0 < at < _VERB_AMONG and word.endswith("s") and is_verb(word)):
            return True
        following = words[at + 1 : at + 1 + _LOOKED_AT]
        if word in beings and not followers.isdisjoint(following[:2]):
            return True
        if word == "are" and english and any(one.endswith("s") and len(one) > _LOOKED_AT for one in following):
            return True  # "are associations"
    return False


def defines(sentence: Sentence) -> bool:
    """Whether a sentence is a definition: "A quota is a limit …"."""
    words = split_words(sentence.folded)[:_DEFINING_WORDS]
    return any(word in BEINGS and one in INDEFINITE for word, one in pairwise(words))


def means_page(sentence: Sentence, leaning: Leaning, nouns: frozenset[str] = SELF_NOUNS) -> bool:
    """Whether a sentence begins with the page itself: "This module", "In diesem Dokument"."""
    words = split_words(sentence.folded[:80])
    return any(
        word in leaning.demonstratives
        and (at == 0 or words[0] in WITHIN)
        and not nouns.isdisjoint(words[at + 1 : at + _LOOKED_AT])
        and not _is_third_person(words[at + 1])
        for at, word in enumerate(words[:2])
    )


def means_whole_page(sentence: Sentence, leaning: Leaning) -> bool:
    """Whether a sentence begins with the page as a whole, wherever it stands: "This chapter", not "This file"."""
    return means_page(sentence, leaning, PAGE_NOUNS)


def means_its_thing(sentence: Sentence) -> bool:
    """Whether a sentence begins with what the page is about, without its name ("The command …"), or says what the page
    is ("A guide to …")."""
    words = split_words(sentence.folded[:80])
    if len(words) < _LOOKED_AT:
        return False
    return (words[0] in ARTICLES and words[1] in THINGS) or (
        words[0] in INDEFINITE and not GUIDES.isdisjoint(words[1:_LOOKED_AT])
    )


def sets_scene(sentence: Sentence) -> bool:
    """Whether a sentence tells what is usual or what once was, before the page comes to its topic."""
    words = split_words(sentence.folded)
    if not words:
        return False
    if _begins_with(sentence.folded, _SCENES_BY_WORD.get(words[0], ())):
        return True
    return not PAST.isdisjoint(words[:_PAST_AMONG]) or not CONNECTIVES.isdisjoint(words[:_CONNECTING_AMONG])


def takes_up(sentence: Sentence, leaning: Leaning) -> bool:
    """Whether a sentence begins with what the one before it is about: "It …", "They …", "This module …"."""
    return _first_word(sentence.folded) in PRONOUNS or means_page(sentence, leaning)


def counts(sentence: Sentence) -> bool:
    """Whether a sentence is one of several that a text counts up: "The first part …"."""
    return not ORDINALS.isdisjoint(split_words(sentence.folded[:40])[:3])


def negates(sentence: Sentence, leaning: Leaning) -> bool:
    """Whether a sentence says what something is not."""
    return not leaning.negations.isdisjoint(sentence.folded.replace("’", "'").rstrip(".").split())


def speaks_of_other(sentence: Sentence, leaning: Leaning) -> bool:
    """Whether a sentence has "this" or "these" anywhere, other than before the page itself."""
    told = leaning.demonstratives - _RELATIVES
    return not told.isdisjoint(split_words(sentence.folded)) and not means_page(sentence, leaning)


def is_conditional(sentence: Sentence, leaning: Leaning) -> bool:
    """Whether a sentence begins with a case ("If the channel is locked, …")."""
    return _first_word(sentence.folded) in leaning.conditions


def _first_word(folded: str) -> str:
    return folded.partition(" ")[0].strip(",")


def _opens(folded: str, first: str) -> bool:
    """Whether a sentence with this first word begins with one of the openings."""
    return _begins_with(folded, _OPENINGS_BY_WORD.get(first, ()))


def _begins_with(folded: str, phrases: Iterable[str]) -> bool:
    """Whether a text begins with one of the phrases, as whole words."""
    return any(
        folded.startswith(one) and not (one[-1].isalpha() and folded[len(one) : len(one) + 1].isalnum())
        for one in phrases
    )


def _names(words: Collection[str], topic: AbstractSet[str]) -> bool:
    return not SELF_NOUNS.isdisjoint(words) or not topic.isdisjoint(stems(words))
