"""Decides whether a text from a page says what the page is about, and not only something about its topic.

A description is read without its page. "The tents are sold out" on the page "Tents" is true and clear, and describes
nothing.
"""

import re
from typing import Final

from chalicelib.domain.page.stop_words import ALL_STOP_WORDS
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
# Near the start of a sentence: what follows is advice, a story or a step, as in "Before you pitch a tent, …". "Sie" is
# such a word only with a capital letter inside a sentence. "We" and "our" speak for a company.
_READER: Final = re.compile(
    r"(?:\S+ ){0,5}?(?:[Yy]ou(?:rs?)?|my|[Vv]ous|[Vv]o(?:s|tre)|[Uu]sted(?:es)?|[Vv]oc[êe]s?|[Jj]ij|jouw|uw|[Вв]ы|вам"
    r"|ваш\w*|(?<=\s)(?:Sie|Ihre?[nmrs]?))(?![\w'’])"
)
# In which file or folder something is, not what it does: "This module is contained in the file …".
_LOCATED: Final = re.compile(
    r"(?:\S+ ){1,6}?(?:(?:is|are|can be) (?:contained|found|located|stored) in|(?:liegt|liegen|befindet sich) in"
    r"|se trouvent? dans|se encuentran? en|si trova(?:no)? in|fica(?:m)? em|znajduj[eą] się w)\s"
)


def tells(said: Sentence, topic: Topic, known: str) -> bool:
    """Whether a quotation says what a page on this topic is about.

    It does not if it says where something is. It does in one of these cases:

    - It names the page: "This chapter explains …".
    - It introduces the page (see ``sentences.introduces``), and its first words have half of the topic's words or say
      what something does.
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
    first = words[: SUBJECT_WORDS + 1]
    share, acts = topic.share_of(first), not (ACTS | DESCRIBES).isdisjoint(first)
    if (acts or share >= _MOST_OF_TOPIC) and introduces(said, topic, known, of_entries=False):
        return True
    if acts and share >= _LEAST_OF_TOPIC:
        return True
    if words and words[0] in PURPOSES:  # "To pitch a tent, poles are needed": the subject follows the comma
        words = words_between_marks(said.folded.partition(", ")[2]) or words
    return topic.is_named(words[:_SUBJECT]) and not speaks_to_reader(said.text)


def speaks_to_reader(text: str) -> bool:
    """Whether a text speaks to its reader at once: it gives advice or says what to do."""
    return _READER.match(text) is not None


def says_as_much(text: str, present: str) -> bool:
    """Whether a text has at least half of the words of the description that it would replace.

    A description that is too long need not be repeated.
    """
    if not not_too_long(present):
        return True
    kept = stems(content_words(present, ALL_STOP_WORDS))
    return len(kept & stems(content_words(text, ALL_STOP_WORDS))) >= _LEAST_KEPT * len(kept)
