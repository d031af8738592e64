"""Splits a text into sentences, and decides whether a sentence can be quoted alone."""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import takewhile
from typing import Final, NamedTuple

from chalicelib.domain.page.stop_words import ALL_STOP_WORDS
from chalicelib.domain.page.text import fold
from chalicelib.suggestions.filler import is_filler
from chalicelib.suggestions.first_words import (
    ACTS,
    ADDING,
    CONTAINERS,
    CONTRAST_SIGNS,
    CONTRASTS,
    DEMONSTRATIVES,
    DESCRIBES,
    DISTANT,
    DOCUMENT_NOUNS,
    IS,
    LEANING,
    LEANING_SIGNS,
    LISTS,
    NEGATIONS,
    ONE_OF_MANY,
    OWN_NOUNS,
    PAGE_NOUNS,
    PRONOUNS,
    PURPOSES,
    SHOWN_NOUNS,
    WHOLE_DOCUMENTS,
    WRITER_AND_READER,
)
from chalicelib.suggestions.languages import words_between_marks
from chalicelib.suggestions.lexicon import ABBREVIATIONS, NOTICES, NUMBER_WORDS
from chalicelib.suggestions.prose import UNSPACED, is_prose
from chalicelib.suggestions.topics import SUBJECT_WORDS, Topic
from chalicelib.suggestions.words import stems

FEWEST_WORDS: Final = 6  # words of a sentence; names, dates and buttons have fewer

_SENTENCE_END: Final = re.compile("[.!?\u3002\uff01\uff1f]+[\"'”’»)\\]\u300d\u300f\uff09]*")
_LOWER_START: Final = re.compile(r"\s*[\"'“„«(]?[a-zß-öø-ÿ]")
_CODE_NAME: Final = re.compile(r"\s[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?:\(\w*\))?\s")
_LAST_LETTER: Final = re.compile(r"\s([A-Z])\.$")
_REFERENCE: Final = re.compile(r"\s?\[(?:\d{1,3}|[*†‡])\]")
_POINTER: Final = re.compile(  # "(see the next chapter)"
    r"\s?\((?:see|cf|siehe|vgl|voir|véase|vea|vedi|zie|veja|zob|patrz|por|p\.|viz|см|katso|jf|jfr)(?!\w)[^()]{0,80}\)",
    re.IGNORECASE,
)
_FOOTNOTE: Final = re.compile(r"[\[(]?(?:\d{1,3}|[*†‡])[\])]")
# "Note: …", "Figure 3. …": a remark or a caption.
_LABEL: Final = re.compile(
    r"\S+(?:\s\S+){0,3}\s?:(?:\s|$)|(?:figure|fig\.|table|example|abbildung|tabelle|tableau)\s\d"
)
_ONE_OF_SEVERAL: Final = re.compile(r"the (?:same|two|other|former|latter|first|second|third|next|last|rest|above)\b")
# Anywhere in a sentence: it refers to something that is not quoted, or asks the reader for something.
_POINTING: Final = re.compile(
    r"\b(?:above|below|following|previously|as follows|as you can see|(?:next|previous) (?:paragraph|section|chapter)"
    r"|see (?:also|the|section|chapter|table|figure)|refer to|for more"
    r"|in this (?:example|case|way|context)|in diesem (?:beispiel|fall)|dans (?:cet exemple|ce cas)"
    r"|en este (?:ejemplo|caso)|in questo (?:esempio|caso)|in dit (?:voorbeeld|geval)|neste (?:exemplo|caso)"
    r"|w tym (?:przykładzie|przypadku)|in other words"
    r"|welcome|willkommen|bienvenue|bienvenid[oa]s?|benvenut[oi]|welkom|bem.vindos?|witamy|please"
    r"|let's|let us|by now|that follow"
    r"|as (?:explained|described|mentioned|discussed|noted) (?:before|earlier|on|(?:in|under) (?:the|this|section))"
    r"|(?:we|have|been|\w+n't|not) (?:yet )?cover(?:ed)?"
    r"|(?:section|chapter|appendix|figure|table|example|abschnitt|kapitel|chapitre|sección|capítulo) \d\S*"
    r"|oben|unten|folgend\w*|nachfolgend\w*|siehe|bitte|ci-dessous|ci-dessus|suivante?s?|veuillez|voir|siguientes?"
    r"|abajo|arriba|véase|seguent[ei]|vedi|hieronder|hierboven|volgende|zie|seguintes?|abaixo|acima|adiante"
    r"|alábbi\w*|fenti\w*|lásd|kérjük|níže|následující\w*|nedan|nedanstående|följande|nedenfor|ovenfor|følgende"
    r"|aşağıda\w*|yukarıda\w*|lütfen|următo\w+|seuraav\w+"
    r"|poniżej|powyżej|zobacz|ниже|выше|следующ\w+|см"
    r"|(?:os|as|los|las|gli|i|le) (?:\w+ ){1,3}(?:anterior(?:i|es)|precedenti)"
    r"|(?:o|a|el|la|il|lo) \w+ (?:anterior|precedente)|(?:vorige|voorgaande|vorherige[rns]?|obige[rns]?))\b"
    r"|私[はにの]|以下|下記|上記|参照|如下|参见|請參閱|참조"
)
# A view that the text only reports, and may refute: "is considered by some", "many people believe".
_REPORTED: Final = re.compile(
    r"\b(?:(?:considered|regarded|believed|thought|said|claimed) by (?:some|many)"
    r"|according to (?:some|many)|laut (?:manchen|vielen)|selon (?:certains|beaucoup)|según (?:algunos|muchos)"
    r"|secondo (?:alcuni|molti)|volgens (?:sommigen|velen)|segundo (?:alguns|muitos)|według (?:niektórych|wielu)"
    r"|по мнению (?:некоторых|многих)"
    r"|(?:common|popular|widespread) (?:belief|misconception|myth)|verbreitete[rn]? (?:annahme|glaube|irrtum|meinung)"
    r"|idées? reçues?|croyance (?:populaire|répandue)|creencia (?:común|extendida|popular)|idea errónea"
    r"|credenza (?:comune|diffusa|popolare)|luogo comune|misvatting|crença (?:comum|popular)|powszechne przekonanie"
    r"|распростран[её]нное (?:заблуждение|мнение)"
    r"|it is (?:often|sometimes|commonly|widely|frequently) (?:argued|assumed|believed|claimed|said|thought)"
    r"|(?:some|many)(?: people)? (?:argue|believe|claim|say|think)"
    r"|(?:oft|häufig|manchmal|gern|gerne) (?:behauptet|gesagt)"
    r"|(?:manche|viele)(?: menschen)? (?:behaupten|glauben|meinen)"
    r"|gilt (?:manchen|vielen) als|wird von (?:manchen|vielen) als"
    r"|(?:considérée?s?|vue?s?) par (?:certains|beaucoup)|on (?:dit|prétend|croit) souvent"
    r"|(?:certains|beaucoup) (?:affirment|croient|disent|pensent|prétendent)"
    r"|considerad[oa]s? por (?:algunos|alguns|muchos|muitos)|se dice (?:a menudo|a veces|muchas veces)"
    r"|(?:algunos|muchos) (?:afirman|creen|dicen|piensan|sostienen)"
    r"|considerat[aeio] da (?:alcuni|molti)|si dice spesso|(?:alcuni|molti) (?:credono|dicono|pensano|sostengono)"
    r"|door (?:sommigen|velen) (?:beschouwd|gezien)|vaak (?:beweerd|gezegd)"
    r"|(?:sommigen|velen) (?:beweren|denken|geloven|zeggen)"
    r"|(?:alguns|muitos) (?:acreditam|afirmam|dizem|pensam)|diz-se frequentemente"
    r"|przez (?:niektórych|wielu) uważan\w+|często (?:mówi|twierdzi) się"
    r"|(?:niektórzy|wielu) (?:twierdzą|twierdzi|uważa|uważają)"
    r"|часто (?:говорят|утверждают)|(?:некоторые|многие) (?:говорят|думают|полагают|считают|утверждают))\b"
)
# A remark that says only how hard or how important something is, not what it is.
_GENERAL: Final = re.compile(
    r"\b(?:(?:has|have) become (?:increasingly|ever more|more and more) (?:common|important|popular)"
    r"|(?:wird|werden) immer (?:beliebter|wichtiger)"
    r"|(?:est|sont|devien\w+) de plus en plus (?:importante?s?|populaires?)"
    r"|cada vez (?:más|mais) (?:importantes?|popular(?:es)?)|sempre più (?:importanti?|popolar[ei])"
    r"|steeds (?:belangrijker|populairder)|coraz (?:bardziej popularn\w+|ważniejsz\w+)"
    r"|вс[её] более (?:важн\w+|популярн\w+)"
    r"|(?:(?:is|are) (?:extremely|fairly|pretty|quite|rather|relatively|very)"
    r" (?:complex|complicated|difficult|easy|simple|straightforward)"
    r"|(?:ist|sind) (?:recht|relativ|sehr|ziemlich) (?:einfach|komplex|kompliziert|leicht|schwierig)"
    r"|(?:est|sont) (?:assez|plutôt|relativement|très) (?:complexe|compliquée?|difficile|facile|simple)s?"
    r"|(?:es|son) (?:bastante|muy|relativamente) (?:complej[oa]|complicad[oa]|difícil|fácil|sencill[oa]|simple)(?:e?s)?"
    r"|(?:è|sono) (?:abbastanza|molto|piuttosto|relativamente) (?:compless|complicat|difficil|facil|semplic)[oaie]"
    r"|(?:is|zijn) (?:heel|tamelijk|vrij|zeer) (?:complex|eenvoudig|ingewikkeld|makkelijk|moeilijk)"
    r"|(?:é|são) (?:bastante|muito|relativamente) (?:complex[oa]|complicad[oa]|difícil|fácil|simple)s?"
    r"|(?:jest|są) (?:bardzo|dość|całkiem) (?:łatw|prost|skomplikowan|trudn)[aye]"
    r"|(?:весьма|довольно|очень) (?:легк|прост|сложн)[аоы]?)(?=[.]))(?!\w)"
)
# Last words that stand for a link, which a description does not have: "You can check the documentation here."
_HERE: Final = frozenset("here hier ici aquí qui aqui tutaj здесь".split())
_LINKS: Final = frozenset("link links enlace enlaces lien liens collegamento ссылке linkiem linku".split())
_THIS: Final = DEMONSTRATIVES | frozenset("tym tego этой эту".split())
# With these words "here" is a link. "The tents are described here" may be about the page itself.
_LOOKING: Final = frozenset(
    (
        "access available browse check click consult download downloaded find found get look obtain obtained read view"
        " visit finden findest findet herunterladen heruntergeladen lesen nachlesen ansehen erhältlich verfügbar"
        " consulter consultez disponible disponibles lire lisez télécharger téléchargez trouver trouvez trouverez"
        " consultar consulte descargar descargue encontrar encontrará leer lea disponibile disponibili leggere"
        " scaricare scaricate trovare trovate beschikbaar bekijken downloaden lezen vinden vind baixar baixe disponível"
        " leia ler pobrać przeczytać znaleźć znajdziesz dostępna dostępne dostępny найти скачать прочитать доступен"
        " доступна доступны"
    ).split()
)
# The sentence is about its writer. "I" alone is an Italian article: "I colori …".
_OF_WRITER: Final = re.compile(
    r"(?:I(?:['’]\w+|\s(?:am|was|have|had|do|did|will|would|can|could|began|believe|decided|found|hate|hope|like|love"
    r"|made|need|needed|started|think|thought|tried|use|used|want|wanted|wrote))|Ich|J['’]ai|Я)\s"
)
# The heading of a manual page's section, before its text.
_SECTION_LABEL: Final = re.compile(
    r"(?:NAME|SYNOPSIS|DESCRIPTION|USAGE|BEZEICHNUNG|ÜBERSICHT|BESCHREIBUNG|NOM|NOMBRE|DESCRIPCIÓN|NOME|DESCRIZIONE"
    r"|DESCRIÇÃO|NAZWA|OPIS|ИМЯ|ОПИСАНИЕ)\s"
)
# "The Section Format Strings showed …": a section is called by its name. In lower case it may be any section.
_NAMED_SECTION: Final = re.compile(
    r"\b[Tt]he (?:Section|Chapter|Appendix)\s"
    r"|\b(?:Section|Chapter|Appendix|[Dd](?:er|em) Abschnitt|(?:[Dd]as|[Ii]m) Kapitel|[Ll]a [Ss]ección"
    r"|[Ll]a [Ss]ection|[Ll]e [Cc]hapitre|[Ee]l [Cc]apítulo|[Ll]a [Ss]ezione|[Ii]l [Cc]apitolo|[Hh]et [Hh]oofdstuk"
    r"|[Aa] [Ss]eção|[Oo] [Cc]apítulo)\s[\"“„«‘']?[A-ZÄÖÜÉÀ]"
)
_REMARK: Final = re.compile(
    r"(?:please note|note|notice|disclaimer|warning|caution|important|hinweis|achtung|warnung|wichtig|remarque"
    r"|attention|avertissement|nota|aviso|advertencia|atención|importante|attenzione|avvertenza|opmerking"
    r"|let op|waarschuwing|atenção|uwaga|ostrzeżenie|примечание|внимание)\s?[:!]"
)
_CONTRAST: Final = re.compile(rf"[(\"'“„«]?(?:{'|'.join(CONTRASTS)})\b|{'|'.join(CONTRAST_SIGNS)}")
# At the start of a sentence: it adds to a text that is not quoted.
_BESIDES: Final = (
    "in addition",
    "darüber hinaus",
    "de plus,",
    "par ailleurs",
    "por otra parte",
    "oltre a ciò",
    "daarnaast",
    "além disso",
    "oprócz tego",
    "poza tym",
    "кроме того",
    # About a part of what the page shows.
    "at the beginning",
    "at the top",
    "at the bottom",
    "zu beginn",
    "am anfang",
    "au début",
    "al principio",
    "al comienzo",
    "all'inizio",
    "aan het begin",
    "no início",
    "na początku",
    "в начале",
)
_CALLED: Final = frozenset("called known named".split())  # "also known as" introduces another name, not an addition
_ASIDE: Final = re.compile(r"\([^()]*\)")  # a sentence that is completely in brackets
_CLAUSE_END: Final = re.compile(r"[,;:.!?(\u2013\u2014](?:\s|$)|\s[(\u2013\u2014-]")
DETERMINERS: Final = frozenset("the a an whether all any each this its if".split())
_INDEXED: Final = 3  # letters by which phrases are indexed


class Sentence(NamedTuple):
    """A whole sentence with its final mark: as written, and normalized by ``fold``."""

    text: str
    folded: str


def _by_beginning(phrases: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Index phrases by the first letters of their first word. Phrases of scripts without spaces are under ""."""
    found: dict[str, tuple[str, ...]] = {}
    for phrase in phrases:
        first = "" if UNSPACED.match(phrase) else phrase[:_INDEXED]
        beginning = words_between_marks(phrase)[0][:_INDEXED] if first and first[0].isalnum() else first
        found[beginning] = (*found.get(beginning, ()), phrase)
    return found


NOTICES_BY_BEGINNING: Final = _by_beginning(NOTICES)


def usable(text: str, known: str) -> list[Sentence]:
    """Return the sentences of a text up to, but without, the first sentence that cannot be quoted.

    Later sentences are left out, because a quotation must not skip a sentence.

    ``known``: the title and heading, normalized by ``fold``. A sentence may contain identifiers from these.
    """
    folded = fold(text)
    beginnings = {word[:_INDEXED] for word in words_between_marks(folded)}
    if _holds(NOTICES_BY_BEGINNING, beginnings, folded, known) or is_filler(text):
        return []
    found: list[Sentence] = []
    for sentence in sentences_of(text):
        if found and _ASIDE.fullmatch(sentence):
            continue
        one = Sentence(sentence, fold(sentence))
        if found and is_contrast(one.folded):
            found.pop()
            break
        if not is_prose(sentence, known) or _points(one) or _reports(one):
            break
        if found and (_first_word(one.folded) in LEANING or _LABEL.match(one.folded) is not None):
            break
        found.append(one)
    else:
        # The rest of the text has no stop: it may restrict the last sentence.
        if found and is_contrast(folded.rpartition(found[-1].folded)[2].lstrip()):
            found.pop()
    return found


def is_contrast(folded: str) -> bool:
    """Whether a text (normalized by ``fold``) begins by restricting or completing the text before it: "But …"."""
    return _CONTRAST.match(folded) is not None


def _points(sentence: Sentence) -> bool:
    """Whether a sentence refers to something that is not quoted, or asks the reader for something."""
    return (
        _POINTING.search(sentence.folded) is not None
        or _NAMED_SECTION.search(sentence.text) is not None
        or _ends_in_link(sentence.folded)
    )


def _ends_in_link(folded: str) -> bool:
    """Whether a sentence ends with a word that was a link: "You can check the documentation here."."""
    words = words_between_marks(folded)
    if len(words) < 2:
        return False
    if words[-1] in _LINKS:
        return words[-2] in _THIS
    return words[-1] in _HERE and not _LOOKING.isdisjoint(words[-8:])


def _reports(sentence: Sentence) -> bool:
    """Whether a sentence only reports the view of others, which the text may refute: "Many believe that …"."""
    return _REPORTED.search(sentence.folded) is not None


def leans(sentence: Sentence, topic: AbstractSet[str]) -> bool:
    """Whether a sentence cannot stand alone: it refers to earlier text, or it is a remark, a caption, a question or an
    exclamation. A remark may also be on how hard or important something is.

    ``topic``: stems of the title's words. "This" before one of these words, or before a noun like "guide", means the
    page, so that such a sentence can stand alone.
    """
    folded = sentence.folded
    if folded.startswith((*LEANING_SIGNS, *_BESIDES)) or sentence.text.endswith(("?", "\uff1f", "!", "\uff01")):
        return True
    words = words_between_marks(folded)
    if _adds(words):
        return True
    if not words or words[0] in LEANING or words[0] in PRONOUNS or _ONE_OF_SEVERAL.match(folded):
        return True
    if words[0] in DISTANT or any(begins.match(sentence.text) for begins in (_OF_WRITER, _SECTION_LABEL)):
        return True
    if words[0] in DEMONSTRATIVES:
        nouns = PAGE_NOUNS | OWN_NOUNS
        named = not (nouns.isdisjoint(words[1:4]) and topic.isdisjoint(stems(words[1:3])))
        return not (named or _is_list(words) or _says_what(folded, topic))
    if _GENERAL.search(folded) is not None:
        return True
    label = _LABEL.match(folded)
    return label is not None and topic.isdisjoint(stems(words_between_marks(label[0])))


def is_subject(sentence: Sentence, topic: Topic) -> bool:
    """Whether a sentence is about the topic.

    If the sentence begins with a purpose ("To pitch a tent, …"), only the part after the comma counts.
    """
    folded = sentence.folded
    if _first_word(folded) in PURPOSES:
        folded = folded.partition(", ")[2] or folded
    return topic.is_subject(folded)


def introduces(sentence: Sentence, topic: Topic, known: str, of_entries: bool) -> bool:
    """Whether the first sentence of a page says what the page is about.

    It names the page itself ("This module …", "This is the list of …"), or later has most words of the topic and does
    not address the reader: "The program shows how to pitch a tent" on the page "Pitching". If the page consists of
    entries (``of_entries``), such as one for each function, the sentence must name the page. ``known``: the folded
    title and heading.
    """
    if names_itself(sentence, topic, known, of_entries):
        return True
    words = _without_adjective(words_between_marks(sentence.folded))
    if _names_page(words) or of_entries or not words or words[0] in ONE_OF_MANY or words[0] in PURPOSES:
        return False
    return topic.is_covered(words) and WRITER_AND_READER.isdisjoint(words)


def names_itself(sentence: Sentence, topic: Topic, known: str, of_entries: bool = False) -> bool:
    """Whether a sentence names the page itself, and says what it is about: "This module …", "This is the list of …".

    Parameters as for ``introduces``.
    """
    words = _without_adjective(words_between_marks(sentence.folded))
    if _names_page(words):
        return not _is_of_document(words, topic) and (words[1] in DOCUMENT_NOUNS or _is_kind(words[1], known))
    return _is_list(words) or (not of_entries and _says_what(sentence.folded, topic.stems))


def lacks_subject(sentence: Sentence) -> bool:
    """Whether a sentence begins with its verb, as references say what a function does: "Returns the tents …"."""
    words = words_between_marks(sentence.folded)
    if len(words) < 2:
        return False
    acts = words[0].endswith("s") and words[0] not in ALL_STOP_WORDS  # "As the tents dry, …"
    return words[0] in ACTS or (acts and words[1] in DETERMINERS)


def names_the_thing(text: str) -> bool:
    """Whether a text begins by naming the thing that its page is about: "This module …", not "This page …"."""
    words = _without_adjective(words_between_marks(fold(text)))
    return _names_page(words) and words[1] not in DOCUMENT_NOUNS


def _is_kind(noun: str, known: str) -> bool:
    """Whether a page with this title can be about a single thing of this kind. It cannot if the title names several
    such things, or a thing that holds them: on "All classes" or "Package tents", "This class …" is about one of
    several."""
    words = set(words_between_marks(known))
    return noun in words or words.isdisjoint({*CONTAINERS, f"{noun}s", f"{noun}es", f"{noun}en", f"{noun}n"})


def _without_adjective(words: Sequence[str]) -> Sequence[str]:
    """Return the words without an adjective before the noun for the page: "This short chapter …"."""
    if len(words) < 4 or words[0] not in DEMONSTRATIVES or words[1] in OWN_NOUNS | ALL_STOP_WORDS:
        return words
    is_verb = words[1].endswith("s") or words[1] in ACTS  # "This means program code …"
    goes_on = words[3] in DESCRIBES or words[3] in ALL_STOP_WORDS
    return [words[0], *words[2:]] if words[2] in OWN_NOUNS and goes_on and not is_verb else words


def _names_page(words: Sequence[str]) -> bool:
    return len(words) > 1 and words[0] in DEMONSTRATIVES and words[1] in OWN_NOUNS


def _is_list(words: Sequence[str]) -> bool:
    """Whether a sentence says that the page is a list of something: "This is the complete list of …"."""
    return len(words) > 4 and words[0] in DEMONSTRATIVES and words[1] in IS and not LISTS.isdisjoint(words[2:5])


def _says_what(folded: str, topic: AbstractSet[str]) -> bool:
    """Whether a sentence says what the page is, with a noun for pages or a word of its topic: "This is the official
    style guide of …". ``topic``: stems of the title's words."""
    words = words_between_marks(_CLAUSE_END.split(folded, maxsplit=1)[0])
    if len(words) < 4 or words[0] not in DEMONSTRATIVES or words[1] not in IS:
        return False
    named = list(takewhile(lambda word: word not in ALL_STOP_WORDS, words[3:]))
    if words[2] not in ALL_STOP_WORDS or not named or not NUMBER_WORDS.isdisjoint(named):
        return False  # "This is the second guide of …": one of several
    nouns = {named[0], named[-1]} & OWN_NOUNS  # "the style guide", "el manual oficial"
    return (bool(nouns) and nouns.isdisjoint(SHOWN_NOUNS)) or not topic.isdisjoint(stems(named))


def _is_of_document(words: Sequence[str], topic: Topic) -> bool:
    """Whether a sentence about the page says what it does not contain, or is about the document and not its topic."""
    if not NEGATIONS.isdisjoint(words[2:SUBJECT_WORDS]):
        return True
    describes = words[1] not in WHOLE_DOCUMENTS and words[2:3] and words[2] in DESCRIBES and not _names_version(words)
    return words[1] in DOCUMENT_NOUNS and not describes and not topic.is_named(words)


def _names_version(words: Sequence[str]) -> bool:
    return any(
        word == "version" and words[at + 1 : at + 2] and words[at + 1].isdecimal() for at, word in enumerate(words)
    )


def is_remark(paragraph: str, topic: Topic) -> bool:
    """Whether a paragraph begins with a remark on the document, such as "Note: …".

    "This document describes features of version 3 …" is a remark too.
    """
    folded = fold(paragraph)
    words = words_between_marks(next(iter(sentences_of(folded)), folded))
    return _REMARK.match(folded) is not None or (_names_page(words) and _is_of_document(words, topic))


def _adds(words: Sequence[str]) -> bool:
    """Whether a sentence only adds to one before it: "The ministry also says …"."""
    return any(
        word in ADDING and _CALLED.isdisjoint(words[at + 1 : at + 2]) for at, word in enumerate(words[:SUBJECT_WORDS])
    )


def takes_up(sentence: Sentence) -> bool:
    """Whether a sentence begins with a pronoun ("It …", "They …") that stands for the subject of the sentence before
    it."""
    return _first_word(sentence.folded) in PRONOUNS


def _first_word(folded: str) -> str:
    return folded.partition(" ")[0].strip(",")


def sentences_of(text: str) -> list[str]:
    """Return the whole sentences of a text, each with its final mark. Text after the last final mark is left out.

    References to notes ("[1]", "[*]") and to other places ("(see page 3)"), and marks of code in plain text (backticks)
    are removed.
    """
    if "[" in text:
        if _FOOTNOTE.match(text):
            return []
        text = _REFERENCE.sub("", text)
    if "(" in text:
        text = _POINTER.sub("", text)
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
    """Whether the sentence continues after the full stop at ``end``: an abbreviation, or a small letter follows."""
    if _LOWER_START.match(text, end) is not None:
        return _CODE_NAME.match(text, end) is None  # "mod_tents sorts …" begins a sentence, despite the small letter
    if not _abbreviated(sentence):
        return False
    # "in connection D. If …": a single letter that is an argument of a call elsewhere is a name, not an initial.
    letter = _LAST_LETTER.search(sentence)
    return letter is None or re.search(rf"\([^()]{{0,60}}\b{letter[1]}\b[^()]{{0,60}}\)", text) is None


def _abbreviated(sentence: str) -> bool:
    if not sentence.endswith("."):
        return False
    word = fold(sentence[:-1].rpartition(" ")[2].lstrip("(["))
    return word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or (len(word) <= 2 and word.isdigit())


def is_notice(text: str, known: str | None = None) -> bool:
    """Whether a text is about the website instead of the page, or is a sample text that nobody replaced.

    ``known``: the folded title and heading. Words of notices that the page is about do not count.
    """
    folded = fold(text)
    beginnings = {word[:_INDEXED] for word in words_between_marks(folded)}
    return _holds(NOTICES_BY_BEGINNING, beginnings, folded, known)


def _holds(
    index: Mapping[str, Sequence[str]], beginnings: AbstractSet[str], folded: str, known: str | None = None
) -> bool:
    """Whether a text contains a phrase of the index at the beginning of a word.

    ``beginnings``: the first letters of the text's words. A phrase does not count if the page is about it: the title or
    heading (``known``) has the phrase's longest word in some form.
    """
    return any(
        phrase in folded
        and (known is None or not _has_word_of(phrase, known))
        and re.search(r"(?<!\w)" + re.escape(phrase), folded) is not None
        for beginning in beginnings & index.keys()
        for phrase in index[beginning]
    ) or (not folded.isascii() and any(phrase in folded for phrase in index.get("", ())))


def _has_word_of(phrase: str, known: str) -> bool:
    word = max(words_between_marks(phrase) or [phrase], key=len)
    return phrase in known or not stems((word,)).isdisjoint(stems(words_between_marks(known)))


def points_elsewhere(folded: str) -> bool:
    """Whether a sentence (normalized by ``fold``) refers to another place: "as shown below", "see section 5"."""
    return _POINTING.search(folded) is not None
