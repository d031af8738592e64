"""Headings that ask a question, and the answer that follows."""

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.facts import (
    FEWEST_QUESTION_WORDS,
    FEWEST_WITHOUT_MARK,
    LONGEST_ANSWER,
    SHORTEST_ANSWER,
)
from chalicelib.domain.page.markup import ANCHOR, INLINE, readable, tag_ids, within
from chalicelib.domain.page.stop_words import ALL_STOP_WORDS
from chalicelib.domain.page.text import fold, words

_SENTENCE_ENDS: Final = frozenset(".!?:…。！？)")
_STOPS: Final = frozenset(".!。！")
_LONGEST_READ: Final = 4_000  # characters
_SENTENCE_END: Final = re.compile(r"[.!?…][\"'’”»)\]]{0,2}(?=\s)")
_WORD: Final = re.compile(r"[^\W_]+")
# In a long paragraph, the first sentence is the answer if it has 8 to 40 words and repeats a word of the question.
_FEWEST_IN_SENTENCE: Final = 8
_FEWEST_IN_ANSWER: Final = 5  # words of an answer that begins with yes or no: "No." alone gives no reason
_MOST_IN_SENTENCE: Final = 40
_SHORT_SENTENCES: Final = 2  # short sentences that may precede this sentence
_COMPARED: Final = 5  # leading letters of a word that are compared: tent and tents, deliver and delivery count as one
_SHORTEST_COMPARED: Final = 4
_STEPS: Final = 60
_LEVELS_UP: Final = 6
_SIDEBAR_LEVELS: Final = 8
_POINTING: Final = 0.8  # least share of a heading's text that belongs to a link
_MOSTLY_LINK: Final = 0.5  # share of a paragraph's text that belongs to links
_FOLLOWING: Final = 6  # nodes after a short paragraph: white space and paragraphs in turn
_MOST_ANCHORS: Final = 5  # of a heading or a short paragraph

_HEADINGS: Final = tag_ids("h1 h2 h3 h4 h5 h6")
_LISTS: Final = tag_ids("ul ol dl table")
_ITEMS: Final = tag_ids("ul ol dl")
_PARAGRAPHS: Final = tag_ids("p")
_BREAKS: Final = tag_ids("br")
_ANCHORS: Final = frozenset((ANCHOR,))
_SIDEBARS: Final = tag_ids("aside nav")
# Names that templates give to boxes beside the text, and to the titles of such boxes.
_SIDEBAR_CLASSES: Final = frozenset(
    "sidebar side-bar sidebox sidebar-box sidebar-title widget widget-area widget-title widgettitle".split()
)
_BOXES: Final = tag_ids("div section article main details summary blockquote span button header")

# Signatures of functions in manuals: in "#attr_info ⇒ SymbolHash?" the mark means that the result may be absent.
_SIGNATURE: Final = re.compile(r"[#.]\w|.*(?:⇒|[-=]> ?\w+\?$)")
# Numbers of chapters, sections and questions before the heading itself: "3.2. ", "Chapter 4. ", "A.1 ", "Q5.1 ".
_WRITTEN_NUMBER: Final = (
    r"(?:(?:[^\W\d_]{1,12}+ |[A-Z])?\d{1,3}[.:]|(?:\d{1,3}|[A-Z]\d{0,3})(?:\.\d{1,3})+[.:)]?) +(?=\S)"
)
_NUMBER: Final = re.compile(_WRITTEN_NUMBER)
# Words that begin a question, by language. In other languages only the question mark identifies a question.
_OPENINGS: Final = {
    language: re.compile(rf"(?-i:{_WRITTEN_NUMBER})?(?:{openings})\b", re.IGNORECASE)
    for language, openings in {
        "en": "what(?:['’]s)?|who|whom|whose|when|where|which|why|how",
        "de": "was|wer|wen|wem|wessen|wann|wo|wohin|woher|welche[rsmn]?|warum|weshalb|wieso|wie|womit|wofür|wozu",
        # People ask "Comment installer …"; "Comment tout cela fonctionne" is the title of a chapter.
        "fr": r"que|quoi|qui|quand|où|quel(?:le)?s?|pourquoi|comment(?= \S+(?:er|ir|re) )|combien|qu['’]est-ce",
        "es": "qué|quién(?:es)?|cuándo|dónde|cuál(?:es)?|cómo|cuánt[oa]s?|por qué",
        "it": "cosa|chi|quando|dove|qual[ei]?|perché|come|quant[oaie]",
        "nl": "wat|wie|wanneer|waar|waarom|welke?|hoe|hoeveel",
        "pt": "o que|quem|onde|quais|como|quanto|por que",
        "pl": "co|kto|kiedy|gdzie|który|która|które|dlaczego|jak|jaki|jaka|jakie|ile",
    }.items()
}
QUESTION_LANGUAGES: Final = tuple(_OPENINGS)
# Questions to the visitor that expect a click, not an answer.
_INVITING: Final = re.compile(
    r"(?:ready|need|want|wanna|looking|interested|got|any|still|more|questions?|have (?:a|any|more)?|do you have"
    r"|curious|not sure|are you (?:ready|looking|interested)|bereit|lust|interesse|interessiert|fragen|noch fragen"
    r"|haben sie|hast du|sie haben|prêt|besoin|envie|intéressé|des questions|vous avez|une question|listo|necesitas?"
    r"|quieres|tienes|interesad[oa]|preguntas|pronto|hai bisogno|vuoi|domande|hai domande|klaar|nodig|vragen|heb je"
    r"|heeft u|pronta|precisa|quer|tem dúvidas|dúvidas|gotow[ya]|potrzebujesz|chcesz|masz pytania|pytania)\b",
    re.IGNORECASE,
)


# Questions for yes or no: the first short sentence after them is the answer, whatever its words.
_YES_OR_NO: Final = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have"
    r"|ist|sind|war|kann|können|darf|soll|sollte|muss|müssen|wird|werden|gibt es|hat|haben"
    r"|est-ce|est-(?:il|elle)|sont-(?:ils|elles)|peut-on|puis-je|faut-il|dois-je|y a-t-il|existe-t-il"
    r"|es|son|puedo|puede|hay|debo|está|è|sono|posso|si può|c['’]è|devo|zijn|kan|mag|moet|heeft"
    r"|é|são|pode|há|existe|czy)\b",
    re.IGNORECASE,
)

# Questions about the text itself, or what comes after it: "Why this book?". Nobody asks them outside of it.
_THIS_TEXT: Final = re.compile(
    r"\b(?:(?:this|the present) (?:book|document|documentation|chapter|guide|page|article|section|manual)"
    r"|(?:go )?from here|next|diese[srmn]? (?:buch|dokument|kapitel|anleitung|seite|artikel|abschnitt|handbuch)s?"
    r"|(?:geht es |geht's )?(?:jetzt |nun )?weiter|(?:ce|cet|cette) (?:livre|document|chapitre|guide|page|manuel)"
    r"|est[ea] (?:libro|documento|capítulo|guía|página|artículo|sección|manual)"
    r"|quest[oa] (?:libro|documento|capitolo|guida|pagina|articolo|sezione|manuale)|quest['’]articolo"
    r"|(?:dit|deze) (?:boek|document|hoofdstuk|gids|pagina|artikel|sectie|handleiding)"
    r"|est[ea] (?:livro|documento|capítulo|guia|página|artigo|seção|secção|manual)"
    r"|t[aeo]n? (?:książka|dokument|rozdział|poradnik|strona|artykuł))\b",
    re.IGNORECASE,
)
# "How can I …?" is answered by one short sentence that says what to do, but not by one that sends the reader elsewhere.
_HOW_TO: Final = re.compile(
    r"how (?:do|does|can|could|should|to|would|may)|wie (?:kann|können|mache|muss|soll)"
    r"|comment (?:puis-je|faire|peut-on)|cómo (?:puedo|se puede|hago)|como (?:posso|faço)|come (?:posso|si)"
    r"|hoe (?:kan|moet)|jak (?:mogę|można)\b",
    re.IGNORECASE,
)
# "Where can I get a tent?" is answered by a short sentence with a link to the place.
_WHERE: Final = re.compile(r"(?:where|wo|woher|wohin|où|dónde|dove|waar|onde|gdzie)\b", re.IGNORECASE)
# "How much faster is it?" is answered by a number: "Much faster (factor of 2)."
_HOW_MUCH: Final = re.compile(
    r"(?:how (?:much|many|long|often|far|fast|quick(?:ly)?|slow|soon|late|early|old|young|big|large|small|high|tall|low"
    r"|deep|wide|heavy|hot|cold|expensive|accurate|likely)"
    r"|wie (?:viel(?:e|en|er)?|lange?|oft|weit|schnell|spät|früh|alt|groß|klein|hoch|tief|breit|schwer|teuer|genau)"
    r"|combien|cuánt[oa]s?|quant[oaie]s?|hoe(?:veel| (?:veel|lang|vaak|ver|snel|oud|groot|hoog|zwaar|duur))"
    r"|ile|jak (?:długo|często|daleko|szybko|duż[yae]|wysok[iao]))\b",
    re.IGNORECASE,
)
_NUMBER_SAID: Final = re.compile(r"[0-9]")
# Questions about a failure, such as "Some websites do not open. What's wrong?": advice or a likely cause answers them.
_TROUBLE: Final = re.compile(
    r"\b(?:what(?:['’]s| is| went| am i doing| can be| could be)"
    r" (?:wrong|going on|happening|the (?:problem|matter|cause))"
    r"|was (?:ist|läuft) (?:hier )?(?:falsch|los)|woran liegt (?:das|es)|qu['’]est-ce qui ne va pas"
    r"|quel est le problème"
    r"|qué (?:pasa|ocurre|falla|está mal)|(?:cosa|che cosa) (?:c['’]è che )?non va|qual è il problema"
    r"|wat is er mis|o que (?:está|há de) errado|co jest nie tak)\s*[?？]?$",
    re.IGNORECASE,
)
_ELSEWHERE: Final = re.compile(
    r"(?:please|just|simply|bitte|einfach|veuillez|por favor|per favore)?\s*(?:see|read|refer|check|look|visit|consult"
    r"|ask|contact|go to|siehe|lesen|lies|besuchen|voir|voyez|visitez|consultez|véase|ver|vedi|zie|lees|veja|zobacz)\b",
    re.IGNORECASE,
)
# A likelihood answers a question as well as yes or no.
_LIKELIHOOD: Final = re.compile(
    r"(?:very |highly |most |quite )?(?:(?:un)?likely|probably|possibly|perhaps|maybe|never|always|rarely|seldom"
    r"|sometimes|usually|certainly|definitely|of course|not (?:yet|really|usually|necessarily|at all)|absolutely)\b"
    r"|(?:sehr |höchst )?(?:(?:un)?wahrscheinlich|vermutlich|vielleicht|niemals|manchmal|meistens|selten|natürlich)\b"
    r"|(?:très |peu )?probable(?:ment)?\b|peut-être|jamais|parfois|rarement|bien sûr|probablemente|nunca|a veces"
    r"|probabilmente|mai\b|forse\b",
    re.IGNORECASE,
)
# Labels before an answer: "Answer: …", "A. …".
_LABEL: Final = re.compile(
    r"(?:answer|antwort|réponse|respuesta|risposta|antwoord|resposta|odpowiedź|[AR])\s?[:.]\s+(?=\S)", re.IGNORECASE
)
_FEWEST_TO_SAY: Final = 4  # words of a sentence with a number or before a list: "2 days." cannot stand alone
_FEWEST_TO_DO: Final = 4  # words of a sentence that says what to do
_YES_OR_NO_SAID: Final = re.compile(r"(?:yes|no|ja|nein|nee|oui|non|s[ií]|sì|sim|não|tak|nie)\b", re.IGNORECASE)


def opening_of(language: str | None) -> re.Pattern[str] | None:
    """Return a pattern that matches the beginning of a question in the page's language.

    Returns None for a language in which only the question mark identifies questions. In the text, the number of a
    chapter or section may precede the question.
    """
    return _OPENINGS.get((language or "")[:2].lower())


def asks(heading: str, opening: re.Pattern[str] | None) -> bool:
    """Whether a heading is a question that a page can answer. ``opening``: the pattern of the page's language
    (``opening_of``)."""
    marked = heading.endswith(("?", "？", "؟"))
    if not marked and (opening is None or heading.count(" ") < FEWEST_WITHOUT_MARK - 1 or not opening.match(heading)):
        return False  # most headings
    number = _NUMBER.match(heading)
    if number is not None:
        heading = heading[number.end() :]
        if not marked and heading.count(" ") < FEWEST_WITHOUT_MARK - 1:
            return False
    if marked and (heading[:-1].rstrip().endswith(("…", "...")) or _SIGNATURE.match(heading)):
        return False  # "How do I …?" opens a list of questions
    return (
        words(heading) >= (FEWEST_QUESTION_WORDS if marked else FEWEST_WITHOUT_MARK)
        and _INVITING.match(heading) is None
        and not _is_of_this_text(heading)
    )


def _is_of_this_text(question: str) -> bool:
    """Whether a question is about the text itself or its next part, such as "Why this book?"."""
    rest, count = _THIS_TEXT.subn(" ", question)
    opening = next((found for one in _OPENINGS.values() if (found := one.match(rest)) is not None), None)
    rest = rest[opening.end() :] if opening is not None else rest
    return count > 0 and ALL_STOP_WORDS.issuperset(_WORD.findall(fold(rest)))


def points_elsewhere(
    heading: LexborNode, text: str, hidden: AbstractSet[int], leads_away: Callable[[str], bool]
) -> bool:
    """Whether another page has the answer: the heading is a link to another page, or the title of a card with such a
    link.

    ``leads_away``: a function that returns whether an address, as written, leads to another page.
    """
    around = within(heading, _ANCHORS, _LEVELS_UP)
    if around is not None:
        # A link around heading and text is a card, wherever it leads; around the heading alone it may open the answer.
        is_card = "href" in around.attributes and len(text) < _POINTING * len(readable(around, _LONGEST_READ, hidden))
        return is_card or leads_away(around.attributes.get("href") or "")
    return any(
        len(readable(anchor, _LONGEST_READ, hidden)) >= _POINTING * len(text)
        and leads_away(anchor.attributes.get("href") or "")
        for anchor in heading.css("a[href]")[:_MOST_ANCHORS]
    )


def is_beside_the_text(heading: LexborNode) -> bool:
    """Whether the heading is the title of a sidebar or a widget. Sidebars and widgets may also be inside the main
    content."""
    current: LexborNode | None = heading
    for _ in range(_SIDEBAR_LEVELS):
        if current is None or not current.is_element_node:
            return False
        if _is_sidebar(current):
            return True
        current = current.parent
    return False


def _is_sidebar(box: LexborNode) -> bool:
    classes = box.attributes.get("class")
    return box.tag_id in _SIDEBARS or (
        bool(classes) and not _SIDEBAR_CLASSES.isdisjoint((classes or "").lower().split())
    )


def words_after(heading: LexborNode, question: str, hidden: AbstractSet[int]) -> int | None:
    """Return the word count of the answer that follows a question; None if no answer follows.

    The result is 0 if the answer's length does not matter:

    - a list or a table
    - a long paragraph whose first sentence answers the question
    - a short paragraph that answers with yes or no and a reason, with a likelihood, or with an instruction
    - a short sentence directly followed by a list

    Boxes beside the text, such as a sidebar of a book, are skipped. A short paragraph that ends with a colon introduces
    the answer, which may then be of any length ("Type this:", a command). A short paragraph that is not a sentence
    ("Table of contents") introduces a list, a table or an example below it.
    """
    current = _next(heading, down=False)
    announced = False
    for _ in range(_STEPS):
        if current is None:
            return None
        tag = current.tag_id
        down = False
        if current.is_text_node:
            line = _line(current, hidden).strip() if (current.text_content or "").strip() else ""
            if line:
                if not _leads_on(line):
                    end = _end_of_line(current)
                    if _announces_list(line, end.next, hidden):
                        return 0
                    found = _counted_paragraph(_links_of_line(current, end), end.next, line, question, hidden)
                    return _not_too_short(found, announced)
                announced, current = True, _end_of_line(current)
        elif tag in _HEADINGS:
            return None
        elif tag in _LISTS:
            return 0
        elif tag in _PARAGRAPHS:
            text = readable(current, _LONGEST_READ, hidden)
            if text and not _leads_on(text):
                leads_to = _leads_to(current, text)
                if leads_to is None:
                    if _announces_list(text, current.next, hidden):
                        return 0
                    anchors = current.css("a[href]")[:_MOST_ANCHORS] if words(text) < SHORTEST_ANSWER else []
                    found = _counted_paragraph(anchors, current.next, text, question, hidden)
                    return _not_too_short(found, announced)
                return 0 if announced or leads_to in _LISTS else None
            announced = announced or bool(text)
        elif tag in _BOXES:
            down = not _is_sidebar(current)
        elif tag in _SIDEBARS:
            pass
        elif current.is_element_node and readable(current, 40, hidden):
            return None
        current = _next(current, down=down)
    return None


def _not_too_short(count: int | None, announced: bool) -> int | None:
    """Return the words of an answer. The result is 0 if the answer is short and a line before it introduces it."""
    return 0 if announced and count is not None and count < SHORTEST_ANSWER else count


def _end_of_line(first: LexborNode) -> LexborNode:
    """Return the last node of the line of text that begins with this node."""
    current = first
    for _ in range(_STEPS):
        following = current.next
        if following is None or not (following.is_text_node or following.tag_id in INLINE):
            break
        current = following
    return current


def _leads_on(text: str) -> bool:
    """Whether a text is short and ends with a colon, so that the answer follows it."""
    return text.endswith(":") and words(text) < SHORTEST_ANSWER


def _leads_to(paragraph: LexborNode, text: str) -> int | None:
    """Return the tag of the element that a paragraph only introduces; None if it introduces none. Such a paragraph is
    short and not a sentence."""
    ends = text[-1] in _SENTENCE_ENDS and not text.endswith(("…", "..."))  # "If …" goes on below
    if ends or words(text) >= SHORTEST_ANSWER:
        return None
    following = paragraph.next
    while following is not None and not following.is_element_node:
        if following.is_text_node and (following.text_content or "").strip():
            return None
        following = following.next
    if following is None or following.tag_id in _PARAGRAPHS or following.tag_id in _HEADINGS:
        return None
    return following.tag_id


def _announces_list(text: str, following: LexborNode | None, hidden: AbstractSet[int]) -> bool:
    """Whether a text is one short sentence directly followed by the list that it announces: "There are two drivers."

    A menu is not such a list, because its text is that of its links. A list has at least two entries.
    """
    if (
        not _FEWEST_TO_SAY <= words(text) < SHORTEST_ANSWER
        or _SENTENCE_END.search(text) is not None
        or text[-1] not in _STOPS
    ):
        return False
    if _ELSEWHERE.match(text) is not None:
        return False
    for _ in range(_LEVELS_UP):
        while following is not None and not following.is_element_node:
            if following.is_text_node and (following.text_content or "").strip():
                return False
            following = following.next
        if following is None:
            return False
        if following.tag_id in _ITEMS:
            if len(following.css("li, dt")[:2]) < 2:
                return False
            whole = len(readable(following, _LONGEST_READ, hidden))
            linked = sum(len(readable(one, _LONGEST_READ, hidden)) for one in following.css("a[href]")[:_STEPS])
            return whole > 0 and linked < _POINTING * whole
        if following.tag_id not in _BOXES or _is_sidebar(following):
            return False
        following = following.first_child
    return False


def _line(first: LexborNode, hidden: AbstractSet[int]) -> str:
    """Return the text of this node and the rest of its line. It is directly in a ``<div>``, outside of paragraphs."""
    pieces: list[str] = []
    current: LexborNode | None = first
    while current is not None and len(pieces) < _STEPS:
        if current.is_text_node:
            pieces.append(current.text_content or "")
        elif current.tag_id in INLINE:
            pieces.append(readable(current, _LONGEST_READ, hidden))
        elif current.is_element_node and current.tag_id not in _BREAKS:
            break
        current = current.next
    return " ".join(pieces)


def _links_of_line(first: LexborNode, last: LexborNode) -> list[LexborNode]:
    """Return the links of a line of text: at most five of those that are not inside other elements."""
    found: list[LexborNode] = []
    current: LexborNode | None = first
    while current is not None and len(found) < _MOST_ANCHORS:
        if current.tag_id == ANCHOR and current.attributes.get("href"):
            found.append(current)
        current = current.next if current.mem_id != last.mem_id else None
    return found


def _counted_paragraph(
    anchors: Sequence[LexborNode],
    following: LexborNode | None,
    text: str,
    question: str,
    hidden: AbstractSet[int],
) -> int | None:
    """Return the words of a paragraph, or of a line outside of paragraphs. If they are too few for an answer, the next
    paragraphs are added. Returns None if the text only links to the answer.

    ``anchors``: the links of a short text. ``following``: the node after the text.
    """
    text = _LABEL.sub("", text, count=1) if _LABEL.match(text) else text
    count = words(text)
    if count >= SHORTEST_ANSWER:
        return _counted(text, question)
    if _ELSEWHERE.match(text) and anchors:
        return None
    linked = sum(len(readable(anchor, _LONGEST_READ, hidden)) for anchor in anchors)
    if linked >= _MOSTLY_LINK * len(text):
        return None
    if count >= _FEWEST_IN_ANSWER and _YES_OR_NO_SAID.match(text) and _asks_for_yes_or_no(question):
        return 0
    if _is_short_answer(text, question) or _is_whole(text, question):
        return 0
    if _asks(_WHERE, question) and linked:
        return 0
    for _ in range(_FOLLOWING):
        if following is None or count >= SHORTEST_ANSWER:
            break
        if following.is_element_node:
            if following.tag_id not in _PARAGRAPHS:
                break
            count += words(readable(following, _LONGEST_READ, hidden))
        following = following.next
    return min(count, LONGEST_ANSWER) if count >= SHORTEST_ANSWER else max(1, words(text))


def _is_short_answer(text: str, question: str) -> bool:
    """Whether a short sentence is a full answer: a number, an instruction ("Use - as file name."), or a likelihood."""
    if text[-1] not in _STOPS or _ELSEWHERE.match(text):
        return False
    if _asks(_HOW_MUCH, question):
        is_one = _SENTENCE_END.search(text) is None and words(text) >= _FEWEST_TO_SAY
        return is_one and _NUMBER_SAID.search(text) is not None
    if _asks(_HOW_TO, question) or _TROUBLE.search(question):
        is_one = _SENTENCE_END.search(text) is None and _YES_OR_NO_SAID.match(text) is None
        return is_one and words(text) >= _FEWEST_TO_DO
    return _asks_for_yes_or_no(question) and _LIKELIHOOD.match(text) is not None


def _counted(text: str, question: str) -> int:
    count = max(1, words(text))
    if count < SHORTEST_ANSWER:
        return 0 if _is_whole(text, question) else count
    return 0 if count > LONGEST_ANSWER and _begins_with_answer(text, question) else count


def _is_whole(text: str, question: str) -> bool:
    """Whether a short text ends as a sentence does and says enough for an answer, so that more text would be
    padding."""
    return text[-1] in _STOPS and _ELSEWHERE.match(text) is None and _begins_with_answer(f"{text} ", question)


def _begins_with_answer(text: str, question: str) -> bool:
    """Whether the first sentence is short and answers the question. It does if it repeats a content word of the
    question, or if the question asks for yes or no. Sentences of a few words before it ("No.") are part of it."""
    ends = islice(_SENTENCE_END.finditer(text), _SHORT_SENTENCES + 1)
    sentence = next((text[: end.end()] for end in ends if words(text[: end.end()]) >= _FEWEST_IN_SENTENCE), None)
    if sentence is None or words(sentence) > _MOST_IN_SENTENCE:
        return False
    if _asks_for_yes_or_no(question):
        return True
    return not _content(question).isdisjoint(_content(sentence))


def _asks_for_yes_or_no(question: str) -> bool:
    return _asks(_YES_OR_NO, question)


def _asks(opening: re.Pattern[str], question: str) -> bool:
    """Whether a question begins with ``opening``. The number of a chapter or section may precede it."""
    number = _NUMBER.match(question)
    return opening.match(question, number.end() if number is not None else 0) is not None


def _content(text: str) -> set[str]:
    found = _WORD.findall(fold(text))
    return {word[:_COMPARED] for word in found if len(word) >= _SHORTEST_COMPARED and word not in ALL_STOP_WORDS}


def _next(node: LexborNode, *, down: bool) -> LexborNode | None:
    """Return the next node in document order: inside this one if ``down``, else after it."""
    if down and node.first_child is not None:
        return node.first_child
    current: LexborNode | None = node
    for _ in range(_LEVELS_UP):
        if current is None:
            return None
        if current.next is not None:
            return current.next
        current = current.parent
    return None
