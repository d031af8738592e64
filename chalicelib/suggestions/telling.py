"""Decides whether a text from a page says what the page is about, and not only something about its topic.

A description is read without its page. "The tents are sold out" on the page "Tents" is true and clear, and describes
nothing.
"""

import re
from typing import Final

from chalicelib.domain.page.stop_words import ALL_STOP_WORDS
from chalicelib.domain.page.text import fold
from chalicelib.suggestions.first_words import ACTS, DESCRIBES, PURPOSES
from chalicelib.suggestions.fitting import not_too_long
from chalicelib.suggestions.languages import words_between_marks
from chalicelib.suggestions.prose import UNSPACED
from chalicelib.suggestions.sentences import Sentence, introduces, names_itself
from chalicelib.suggestions.topics import SUBJECT_WORDS, Topic
from chalicelib.suggestions.words import content_words, stems

_LEAST_OF_TOPIC: Final = 0.3  # share of the topic's words that are near the start of the text
_MOST_OF_TOPIC: Final = 0.5
_SUBJECT: Final = 4  # words in which the subject of a sentence usually is
_START_UNSPACED: Final = 20  # characters
_LEAST_KEPT: Final = 0.5  # share of the present description's words
# The reader, near the start of a sentence: advice, a story or a step follows, as in "Before you pitch a tent, …". "Sie"
# means the reader only with a capital letter inside a sentence. "We" and "our" speak for a company.
_READER: Final = re.compile(
    r"((?:\S+ ){0,5}?)(?:[Yy]ou(?:rs?)?|my|[Vv]ous|[Vv]o(?:s|tre)|[Uu]sted(?:es)?|[Vv]oc[êe]s?|[Jj]ij|jouw|uw|[Вв]ы|вам"
    r"|ваш\w*|(?<=\s)(?:Sie|Ihre?[nmrs]?))(?![\w'’])"
)
# In which file something is, not what it does: "This module is contained in the tents.c file …".
_LOCATED: Final = re.compile(
    r"(?:\S+ ){1,6}?(?:(?:is|are|can be) (?:contained|defined|found|located|stored) in (?:the )?(?:\S+ )?"
    r"(?:files?|folder|directory|\S{1,60}\.[a-z]{1,4})"
    r"|(?:liegt|liegen|befindet sich|ist|sind) (?:in der datei|im ordner|im verzeichnis)"
    r"|(?:se trouve(?:nt)?|est|sont) dans le (?:fichier|dossier|répertoire)"
    r"|(?:se encuentran?|está|están) en (?:el archivo|el fichero|la carpeta|el directorio))\b"
)
# What a thing, a page or a company does.
_DOES: Final = (
    ACTS
    | DESCRIBES
    | frozenset(
        (
            "offers offered sells sold repairs repaired makes made builds built designs serves delivers specialises"
            " specializes bietet bieten verkauft verkaufen repariert fertigt baut liefert berät propose proposons vend"
            " vendons répare fabrique livre conseille ofrece ofrecemos vende vendemos repara fabrica offre offriamo"
            " vendiamo ripara produce biedt verkoopt repareert levert oferece oferuje sprzedaje naprawia"
        ).split()
    )
)
_WITHOUT: Final = frozenset("without ohne sans sin senza zonder sem bez без".split())


def tells(said: Sentence, topic: Topic, known: str) -> bool:
    """Whether a quotation says what a page on this topic is about.

    It does not if it says in which file something is. It does in one of these cases:

    - It names the page: "This chapter explains …".
    - It introduces the page (see ``sentences.introduces``), and its first words have half of the topic's words, a word
      of the title such as the website's name, or say what something does.
    - Its first words have some of the topic's words, and say what something does ("The tent peg holds …").
    - It begins with the topic, and does not speak to the reader.

    Text in scripts without spaces must have half of the topic's words near its start.

    ``known``: the folded title and heading.
    """
    if _LOCATED.match(said.folded) is not None:
        return False
    if UNSPACED.search(said.folded) is not None:
        start = said.folded[:_START_UNSPACED]
        return bool(topic.stems) and 2 * sum(stem in start for stem in topic.stems) >= len(topic.stems)
    words = words_between_marks(said.folded)
    if names_itself(said, topic, known):
        return True
    if words and words[0] in _WITHOUT and words[0] not in words_between_marks(known):
        return False
    first = words[: SUBJECT_WORDS + 1]
    share, acts = topic.share_of(first), not _DOES.isdisjoint(first)
    is_known = not stems(words[:_SUBJECT]).isdisjoint(stems(content_words(known, ALL_STOP_WORDS)))
    if (acts or is_known or share >= _MOST_OF_TOPIC) and introduces(said, topic, known, of_entries=False):
        return True
    if acts and share >= _LEAST_OF_TOPIC:
        return True
    if words and words[0] in PURPOSES:  # "To pitch a tent, poles are needed": the subject follows the comma
        words = words_between_marks(said.folded.partition(", ")[2]) or words
    return topic.is_named(words[:_SUBJECT]) and not speaks_to_reader(said.text, topic)


def speaks_to_reader(text: str, topic: Topic) -> bool:
    """Whether a text speaks to its reader before it names the topic: it gives advice or says what to do. "Winter tents
    keep you warm" does not."""
    match = _READER.match(text)
    return match is not None and not topic.is_named(words_between_marks(fold(match[1])))


def to_keep(present: str | None, topic: Topic) -> str:
    """Return the present description if it is about the page, and "" otherwise.

    It is about the page if it names the topic and is not too long. One that all pages share rarely names it.
    """
    if not present or not not_too_long(present):
        return ""
    folded = fold(present)
    if UNSPACED.search(folded) is not None:
        return ""  # its words cannot be told apart
    return present if topic.share_of(words_between_marks(folded)) > 0 else ""


def says_as_much(text: str, present: str) -> bool:
    """Whether a text has at least half of the words of the description that it would replace (see ``to_keep``)."""
    kept = stems(content_words(present, ALL_STOP_WORDS))
    return len(kept & stems(content_words(text, ALL_STOP_WORDS))) >= _LEAST_KEPT * len(kept)
