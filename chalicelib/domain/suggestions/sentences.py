"""The sentences of a text, and whether one can stand alone where it is quoted."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final, NamedTuple

from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestions.languages import words_between_marks
from chalicelib.domain.suggestions.leaning import (
    ALSO,
    ARTICLES,
    BEINGS,
    BY_LANGUAGE,
    CAPTIONS,
    CONCERNING,
    CONNECTIVES,
    GUIDES,
    IFS,
    INDEFINITE,
    KIND_NOUNS,
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
from chalicelib.domain.suggestions.prose import UNSPACED, is_prose
from chalicelib.domain.suggestions.words import split_words, stems

FEWEST_WORDS: Final = 6  # a sentence has as many; names, dates and buttons have fewer

_SENTENCE_END: Final = re.compile("[.!?\u3002\uff01\uff1f]+[\"'”’»)\\]\u300d\u300f\uff09]*")
_LOWER_START: Final = re.compile(r"\s*[\"'“„«(]?[a-zß-öø-ÿ]")
_CODE_NAME: Final = re.compile(r"\s[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?:\(\w*\))?\s")
_LAST_LETTER: Final = re.compile(r"\s([A-Z])\.$")
_REFERENCE: Final = re.compile(r"\s?\[\d{1,3}\]")
_FOOTNOTE: Final = re.compile(r"[\[(]?(?:\d{1,3}|[*†‡])[\])]")
_REMARK: Final = re.compile(rf"(?:(?:{LABELS})\s*[:!–—-]|(?:{CAPTIONS})\s*\d)")
# The heading of a box that was read with its text.
_TITLED: Final = re.compile(r"(?:Abstract|Summary|Overview|Synopsis|Note|Zusammenfassung|Résumé|Resumen)\s[A-ZÀ-Ý]")
_BRACKETED: Final = re.compile(r"\([^()]*\)")
_ASIDE: Final = re.compile(r"\S+(?:\s\S+){0,3}\s[-–—]\s")  # "For readers - the content here …"
_OWN_NOUNS: Final = SELF_NOUNS | KIND_NOUNS
_RELATIVES: Final = frozenset(("that", "dat", "die"))  # of the demonstratives, those that join clauses as well
_SEE: Final = "see cf. siehe vgl. voir véase ver vea vedi vedere zie veja zobacz patrz".split()
_PLACE: Final = re.compile(
    rf"\b(?:{PLACES})\s+(?:[\d.]*\d|[a-z](?:\.[\d.]*\d)?\b)|[,;(] ?(?:{'|'.join(map(re.escape, _SEE))}) "
)
_LABEL: Final = re.compile(r"\S+(?:\s\S+){0,3}\s?:(?:\s|$)")
_LOOKED_AT: Final = 4  # first words among which a demonstrative and its noun stand
_PLURALS: Final = frozenset(("s", "es", "x", "n", "en", "e"))  # endings
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
# Words that point elsewhere, but not before these.
_PREPOSITIONS: Final[Mapping[str, frozenset[str]]] = {
    "above": frozenset(("which", "zero")),
    "below": frozenset(("which", "zero")),
    "following": frozenset(("a", "an", "it", "them", "this", "its")),
}
_ANDS: Final = frozenset("and or but und oder et ou y e i en".split())
_NAMING: Final = frozenset("known called named referred written".split())
_STATING_WORDS: Final = 16  # first ones
_DEFINING_WORDS: Final = 8
_SUBJECT_WORDS: Final = 6  # first words in which a sentence's subject stands
_VERB_AMONG: Final = 10
_CONNECTING_AMONG: Final = 6
_PAST_AMONG: Final = 10  # first words
_OVER_AMONG: Final = 20  # first words
_ONCE: Final = frozenset("was were wasn't weren't wurde wurden waren était étaient".split())
# The verb is one of the present, or what follows is said of something beside the subject.
_NOW_OR_ASIDE: Final = frozenset(
    "is are isn't aren't has have can may must will would should does do that which who whose what when where while if"
    " as because whether than ist sind hat haben kann wird werden soll die das dass wenn wo est sont a ont peut qui que"
    " dont où quand si".split()
)
_AUTHORS: Final = frozenset("we we've we'll we're i i've let's wir nous".split())
_CLAUSES: Final = frozenset("that which who whose where when whenever if whether dont qui que où quand si".split())
_SHOUTED: Final = re.compile(
    r"\S\s(?:WARNING|NOTE|CAUTION|IMPORTANT|ATTENTION|TODO|FIXME|ACHTUNG|HINWEIS|REMARQUE|NOTA|ATENCIÓN|ATTENZIONE)\s?:"
)


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
        if not is_prose(sentence, known) or _SHOUTED.search(sentence) is not None:
            break
        one = Sentence(sentence, fold(sentence))
        first = _first_word(one.folded)
        if may_point and points_elsewhere(one.folded):
            break
        if found and (first in leaning.contrasts or _opens(one.folded, first) or _REMARK.match(one.folded)):
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
        if match[0] == "..." and UNSPACED.match(text[end:].lstrip()[:1]):  # the name of a command: "Open... は"
            continue
        if match[0][0] in ".!?" and end < len(text) and not text[end].isspace():
            continue
        if match[0][0] in ".!?" and end < len(text) and _goes_on_behind(text, sentence, end):
            continue
        found.append(sentence.strip())
        start = end
    return found


def _goes_on_behind(text: str, sentence: str, end: int) -> bool:
    """Whether the full stop that ends at ``end`` belongs to an abbreviation, or a small letter follows it."""
    if _LOWER_START.match(text, end) is not None:
        return _CODE_NAME.match(text, end) is None  # "mod_tents sorts …" begins a sentence all the same
    if not _abbreviated(sentence):
        return False
    # "in connection D. If …": a letter alone that stands among the arguments of a call is a name, and no initial.
    letter = _LAST_LETTER.search(sentence)
    return letter is None or re.search(rf"\([^()]{{0,60}}\b{letter[1]}\b[^()]{{0,60}}\)", text) is None


def _abbreviated(sentence: str) -> bool:
    if not sentence.endswith("."):
        return False
    word = fold(sentence[:-1].rpartition(" ")[2].lstrip("(["))
    return word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or (len(word) <= 2 and word.isdigit())


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
    if _points(words) or not REQUESTS.isdisjoint(words) or _PLACE.search(folded) is not None:
        return True
    return _holds(_POINTING_BY_BEGINNING, {word[:_INDEXED] for word in words}, folded)


def _points(words: Sequence[str]) -> bool:
    """Whether one of the words points at another place, and at nothing in the sentence itself: "listed below", but not
    "the size above which …"; "the following", but not "the line following it"."""
    return any(
        not (word in _PREPOSITIONS and words[at + 1 : at + 2] and words[at + 1] in _PREPOSITIONS[word])
        for at, word in enumerate(words)
        if word in POINTERS
    )


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
    words = split_words(_BRACKETED.sub("", folded)[:80])
    if not words or words[0] in leaning.back:
        return True
    if not leaning.also.isdisjoint(words[:_LOOKED_AT]) or _adds(words, leaning):
        return True
    for at in (0, 1):  # "this layout", "in this layout"; but "class that …"
        joins = at == 1 and words[0] not in WITHIN and words[1:2] and words[1] in _RELATIVES
        if words[at : at + 1] and words[at] in leaning.demonstratives and not joins:
            following = _after_this(words, at)
            return not _names(following, topic) or _is_third_person(following[0])
    return any(  # "The main issue regarding this behavior"
        before in CONCERNING and word in leaning.demonstratives and not _names(_after_this(words, at), topic)
        for at, (before, word) in enumerate(pairwise(words[:_SUBJECT_WORDS]), start=1)
    )


def _is_third_person(word: str) -> bool:
    """Whether an English word after "this" is its verb: "This merges the files"."""
    return word.endswith("s") and word not in _OWN_NOUNS and is_verb(word)


def _adds(words: Sequence[str], leaning: Leaning) -> bool:
    """Whether a sentence adds something to one before it: "… are also supported", but not "also known as", nor "lists
    tents, and also counts them"."""
    return any(
        word in ALSO
        and word in leaning.also
        and not _NAMING.intersection(words[at + 1 : at + 2])
        and not _ANDS.intersection(words[max(0, at - 1) : at])
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


def means_page(sentence: Sentence, leaning: Leaning, nouns: frozenset[str] = _OWN_NOUNS) -> bool:
    """Whether a sentence begins with the page itself: "This module", "In diesem Dokument"."""
    words = split_words(sentence.folded[:80])
    return any(
        word in leaning.demonstratives
        and (at == 0 or words[0] in WITHIN)
        and not nouns.isdisjoint(_after_this(words, at))
        and not _is_third_person(words[at + 1])
        for at, word in enumerate(words[:2])
    )


def _after_this(words: Sequence[str], at: int) -> Sequence[str]:
    """The words after a demonstrative among which its noun stands: "this long guide", "this is a complete guide"."""
    is_named = words[at + 1 : at + 2] and words[at + 1] in BEINGS
    return words[at + 1 : at + _LOOKED_AT + 2] if is_named else words[at + 1 : at + _LOOKED_AT]


def means_one_of_several(sentence: Sentence, leaning: Leaning, known: str) -> bool:
    """Whether a sentence begins with one of what the page is about: "This file" below "Files of a package". ``known``:
    the folded title and heading."""
    words = split_words(sentence.folded[:80])
    if len(words) < _LOOKED_AT or words[0] not in leaning.demonstratives:
        return False
    said, noun = split_words(known), words[1]
    return noun not in said and any(word.startswith(noun) and word[len(noun) :] in _PLURALS for word in said)


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


def sets_scene(sentence: Sentence, past_among: int | None = None) -> bool:
    """Whether a sentence tells what is usual or what once was, before the page comes to its topic. ``past_among``: of a
    definition, which tells it with so many first words at most."""
    folded = sentence.folded.replace("’", "'")
    words = split_words(folded)
    if past_among is not None:
        words = list(_of_main_clause(words))
    if not words:
        return False
    if _begins_with(folded, _SCENES_BY_WORD.get(words[0], ())):
        return True
    return not PAST.isdisjoint(words[: past_among or _PAST_AMONG]) or not CONNECTIVES.isdisjoint(
        words[:_CONNECTING_AMONG]
    )


def tells_past(sentence: Sentence) -> bool:
    """Whether what a sentence says of its subject is over: "The stove used on our first tours was …"."""
    for word in split_words(sentence.folded)[:_OVER_AMONG]:
        if word in _ONCE:
            return True
        if word in _NOW_OR_ASIDE:
            return False
    return False


def tells_on(sentence: Sentence) -> bool:
    """Whether a sentence goes on with what its author told before: "as we've seen"."""
    return not _AUTHORS.isdisjoint(split_words(sentence.folded.replace("’", "'")))


def takes_up(sentence: Sentence, leaning: Leaning) -> bool:
    """Whether a sentence begins with what the one before it is about: "It …", "They …", "This module …"."""
    return _first_word(sentence.folded) in PRONOUNS or means_page(sentence, leaning)


def counts(sentence: Sentence) -> bool:
    """Whether a sentence is one of several that a text counts up: "The first part …"."""
    return not ORDINALS.isdisjoint(split_words(sentence.folded[:40])[:3])


def negates(sentence: Sentence, leaning: Leaning, among: int | None = None) -> bool:
    """Whether a sentence says what something is not. ``among``: with so many first words; what follows, or is said
    behind "that" or "if", may tell of which things it speaks ("Raised where a name is not known")."""
    words = sentence.folded.replace("’", "'").rstrip(".").split()
    return not leaning.negations.isdisjoint(words if among is None else _of_main_clause(words[:among]))


def _of_main_clause(words: Sequence[str]) -> Sequence[str]:
    """The words before the first that begins a clause inside the sentence."""
    return words[: next((at for at, word in enumerate(words) if word in _CLAUSES), len(words))]


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
    return not _OWN_NOUNS.isdisjoint(words) or not topic.isdisjoint(stems(words))
