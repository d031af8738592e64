"""How long a description may be, and how whole sentences are put together and shortened to fit."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.domain.page.widths import description_px
from chalicelib.domain.suggestions.leaning import STATEMENTS
from chalicelib.domain.suggestions.lexicon import ALL_STOP_WORDS
from chalicelib.domain.suggestions.prose import UNSPACED
from chalicelib.domain.suggestions.sentences import FEWEST_WORDS, Sentence, defines, states
from chalicelib.domain.suggestions.typography import closed_up
from chalicelib.domain.suggestions.words import balanced, ends_well, split_words

SHORTEST: Final = 70  # characters, where a wide one (Chinese, Japanese, Korean) says as much as two
SHORTEST_ALONE: Final = 50  # of a sentence that says it all, where nothing longer is found
LONGEST: Final = 160  # characters: what desktop results show of Latin text
WIDEST_PX: Final = 985  # Arial at 14 px

_WHOLE: Final = re.compile("[.!\u3002\uff01][\"'”’»)\\]\u300d\u300f\uff09]*$")
_CLAUSE_END: Final = re.compile("(?<=[^\\W\\d_]);(?=\\s)|\uff1b")
# A clause that only adds something to the whole sentence before it, up to the end.
_ADDED: Final = re.compile(
    r",(?=\s(?:which|whose|where|whereas|while|although|though|so that|because|such as|including|for example|e\.g\."
    r"|wobei|sodass|so dass|weil|obwohl|beispielsweise|ce qui|ce que|dont|où|tandis que|afin que|lo que|lo cual|aunque"
    r"|mientras que|il che|il quale|la quale|mentre|anche se|waarbij|hoewel|zodat|o que|embora|enquanto)\s)"
    r"|\s[–—](?=\s)"
)
_PAIRS: Final = frozenset("both either neither between soit tantôt entre sowohl entweder".split())
_RELATIVES: Final = frozenset("that which who whose where when if qui que dont où der die das wenn".split())
_FEWEST_BEHIND: Final = 3  # words
_THIRD_PERSON: Final = {
    verb for language, (verbs, _, _) in STATEMENTS.items() for verb in verbs if language != "en" or verb.endswith("s")
}
# "lists the tents, counts them" of "lists the tents, counts them, and sorts them".
_ONE_OF: Final = re.compile(rf",\s(?:{'|'.join(sorted(_THIRD_PERSON))})\s")
# What else it does, after the whole sentence that says what it does first.
_ALSO_DOES: Final = re.compile(
    r"(?<=[^\W\d_]):(?=\s[a-z])|,?\sas well as(?=\s)"
    rf"|,?\s(?:and|et|und|y|e)(?=\s(?:{'|'.join(sorted(_THIRD_PERSON))})\s(?!and\s|or\s|et\s|ou\s))"
    r"|,\sand(?=\s(?:that\s(?!also\b)|[a-z]+s\s(?:a|an|the|multiple|several|all|it|you)\b))"
)
# What it does that by, or what that leads to: ", covering all of the walls", "in order to …", "afin de …".
_BY_DOING: Final = re.compile(
    r",(?=\s(?:thus\s|thereby\s|mainly\s|mostly\s|primarily\s|typically\s)?[a-z]{2,}ing\s(?!or\s|and\s)[^,]+$)"
    r"|,?(?=\s(?:in order to|so as to|afin de|afin d['’]|afin que|tout en|en [a-zà-ÿ]{2,}ant)\b)"
    r"|,(?=\s(?:rather than|instead of|as opposed to|that is|i\.e\.|namely|notably|in particular|especially)\b)"
)
_LIST_ADDED: Final = re.compile(
    r",?\s(?=(?:such as|including|for example|for instance|e\.g\.|wie zum beispiel|beispielsweise|tels que|telles que"
    r"|par exemple|por ejemplo|tales como|per esempio|ad esempio|zoals|por exemplo|tais como|na przykład)\s)"
)
_BRACKETS: Final = re.compile(r"\s?\(([^()]*)\)")
_NO_MARKS: Final = str.maketrans(dict.fromkeys(".,;:!?()[]\"'", " "))
_NARROW_ENOUGH: Final = 70  # characters: as many of the widest ones fit


def cut(sentences: Iterable[Sentence]) -> Iterator[str]:
    """As many whole sentences from the start as fit, or else the first one shortened."""
    text = ""
    for sentence in sentences:
        longer = joined(text, sentence)
        if not not_too_long(longer):
            if not is_long_enough(text):
                yield from shortened(longer)
            break
        text = longer
    if is_description_text(text):
        yield text


def joined(text: str, sentence: Sentence) -> str:
    return f"{text}{_gap(text, sentence.text)}{sentence.text}"


def shortened(text: str) -> Iterator[str]:
    """A text that is too long without what it says in brackets, or up to a semicolon."""
    bare = closed_up(_BRACKETS.sub("", text), None)
    # What was said in brackets may be a name that the rest goes on to use.
    is_used = any(_holds_word(bare, inner[1]) for inner in _BRACKETS.finditer(text))
    if bare != text and not is_used and not_too_long(bare) and is_description_text(bare):
        yield bare
        return
    clauses = list(_CLAUSE_END.finditer(text))
    # Several of them part what is listed: "namely poles; pegs, which …; and ropes".
    for match in clauses if len(clauses) == 1 else ():
        clause = text[: match.start()].rstrip() + ("\u3002" if match[0] == "\uff1b" else ".")
        if fits(clause) and balanced(clause):
            yield clause
            return
    for match in (*_LIST_ADDED.finditer(text[: LONGEST + 1]), *_ADDED.finditer(text[: LONGEST + 1])):
        rest = text[match.end() :]
        alone = "," not in rest and " – " not in rest and " — " not in rest
        if alone or match.re is _LIST_ADDED:
            clause = text[: match.start()] + "."
            if fits(clause) and balanced(clause) and ends_well(clause[:-1], ALL_STOP_WORDS):
                yield clause
            return
    found = (match for pattern in (_BY_DOING, _ALSO_DOES) for match in pattern.finditer(text))
    for match in found:
        clause = text[: match.start()] + "."
        if fits(clause) and balanced(clause) and ends_well(clause[:-1], ALL_STOP_WORDS) and _says(clause, match[0]):
            yield clause
            return


def _says(clause: str, mark: str) -> bool:
    """Whether a sentence that was cut at ``mark`` says something in itself, and not half of a pair: "which sends" of
    "which sends and receives answers", "both here" of "both here and there"."""
    sentence = Sentence(clause, fold(clause))
    words = split_words(sentence.folded)
    if not _PAIRS.isdisjoint(words) or not _RELATIVES.isdisjoint(words[-_FEWEST_BEHIND:]) or _ONE_OF.search(clause):
        return False
    languages = ("en",) if mark == ":" else tuple(STATEMENTS)
    return defines(sentence) or any(states(sentence, language) for language in languages)


def _holds_word(text: str, word: str) -> bool:
    """Whether a text has this one word, as it is written."""
    return " " not in word and word in text.translate(_NO_MARKS).split()


def _gap(text: str, following: str) -> str:
    return "" if not text or UNSPACED.match(text[-1]) or UNSPACED.match(following) else " "


def not_too_long(text: str) -> bool:
    return len(text) <= _NARROW_ENOUGH or (len(text) <= LONGEST and description_px(text) <= WIDEST_PX)


def fits(text: str) -> bool:
    return is_long_enough(text) and not_too_long(text)


def is_long_enough(text: str) -> bool:
    return is_as_long_as(text, SHORTEST)


def is_as_long_as(text: str, least: int) -> bool:
    if len(text) >= least or text.isascii():
        return len(text) >= least
    return len(text) + sum(unicodedata.east_asian_width(character) in "WF" for character in text) >= least


def is_description_text(text: str) -> bool:
    """Whether whole sentences are enough to describe something: long enough, words enough, no question at the end."""
    return is_long_enough(text) and is_whole(text)


def is_whole(text: str) -> bool:
    if _WHOLE.search(text) is None:
        return False
    return text.count(" ") + 1 >= FEWEST_WORDS or UNSPACED.search(text) is not None
