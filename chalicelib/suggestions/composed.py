"""Composes descriptions of pages that list things: the page's topic, followed by as many entries of the list as fit.

If the page has no sentence to quote, its description lists names that say what a visitor finds on the page: names of
its sections, of pages to which it links, or of a class's members. All words are the page's own, except English names
for kinds of members ("Methods"). Only punctuation separates the names, so that the text is right in every language.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from chalicelib.domain.page.stop_words import ALL_STOP_WORDS
from chalicelib.domain.page.text import fold, is_masked
from chalicelib.domain.suggestion import Candidate, SuggestedFrom
from chalicelib.suggestions.filler import is_filler
from chalicelib.suggestions.first_words import JOINING, PAGE_NOUNS, REFERRING
from chalicelib.suggestions.fitting import is_long_enough, not_too_long
from chalicelib.suggestions.headings import bare_number, cleaned, is_stock
from chalicelib.suggestions.languages import words_between_marks
from chalicelib.suggestions.prose import UNSPACED
from chalicelib.suggestions.sentences import is_contrast
from chalicelib.suggestions.topics import is_code_name, name_in
from chalicelib.suggestions.words import balanced, key_of, split_words

COMPOSED: Final[frozenset[SuggestedFrom]] = frozenset({"headings", "list"})  # sources of the words of composed texts
FEWEST: Final = 3  # a list has at least this many parts
_FEWEST_OWN: Final = 0.5  # share of the parts; if fewer are only on this page, they say too little
_MOST_READ: Final = 100  # headings and entries that are read
_MOST_KEPT: Final = 20  # parts of each kind; more would never fit
_LONGEST_PART: Final = 60  # characters
_LONGEST_TOPIC: Final = 70
_LONGEST_WEBSITE: Final = 40
_SHORTEST_PART: Final = 3  # letters
_FEWEST_SAID: Final = 3  # a sentence has at least this many words
_MANY_SENTENCES: Final = 0.3  # share of the headings of a level; from here on all of them count as slogans

# Marks of code, figures and paths, which names of sections do not have.
# Each alternative begins with a fixed character and looks back from it, so that most letters fail fast.
_NO_PART: Final = re.compile(
    r"[{}<>\\=^~|•·→►▸⇒©@*#…$_]|::|->|\.\.\.|https?:|\((?:\)|(?<=\w\())|\d\d(?:\d\d-\d\d|:\d\d)"
    r"|-(?<!\w-)-?\w|i(?<=^i)mpl\b|/(?<!\S/)\w"
)
_STEP: Final = re.compile(
    r"(?=[sépk])(?:step|schritt|étape|paso|passo|stap|krok|steg)\s\d{1,2}\s?[:.)–-]\s*", re.IGNORECASE
)
_SECTION: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){2,5}\.?\s+")  # a section, not a version
_COUNTED: Final = re.compile(r"\b(?:\d+|[a-z])\b")
_ASKS: Final = ("?", "\uff1f", "\u061f")
_OPEN: Final = (":", ",", ";", "-", "–", "—", "(", ".", "!", "\uff1a", "\u3002", "\u3001")
# Headings of tools and notices, not of the text.
_BESIDE: Final = re.compile(
    r"(?:back|top|next|previous|prev|up|home|edit|print|share|log ?in|sign ?(?:in|up)|subscribe|all rights reserved"
    r"|(?:table of )?contents?(?: of this .*)?|on this page|privacy policy|cookies?|contact|imprint|impressum|sitemap"
    r"|search page"
    r"|module index|quick links|external links|footnotes?|bibliograph(?:y|ies?)|bibliograf[íi]a"
    r"|literatur(?:verzeichnis)?|acknowledge?ments?|licen[cs]e|credits|authors?"
    r"|(?:methods|fields|constants|properties|nested classes)(?:/\w+)? (?:inherited|included) .*"
    r"|(?:enum|nested|required|optional) (?:constant|class|element)s? (?:summary|details?)"
    r"|(?:.* )?(?:alerts?|warnings?|disclaimers?)|(?:legal )?notices?"
    r"|haftungsausschluss|(?:rechtliche|wichtige) hinweise?|(?:sicherheits)?warnung(?:en)?"
    r"|(?:avis|mentions) légale?s?|avertissements?|avis de non-responsabilité|avisos? (?:legal(?:es)?|lega(?:l|is))"
    r"|advertencias?|descargo de responsabilidad|nota legal|avvertenz[ae]|note legali|waarschuwing(?:en)?"
    r"|isenção de responsabilidade|ostrzeżeni[ea]|zastrzeżenie|предупреждени[ея]|免責事項|免责声明|면책 조항"
    r"|revision history|version \S+|(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december) \d+, \d+)",
    re.IGNORECASE,
)
# Headings above the members of a class or module, and what the members are called together.
_MEMBERS: Final = re.compile(
    r"(?P<of>(?:(?:public|instance|class|static|virtual|module)\s)*)"
    r"(?P<name>methods?|functions?|constructors?|exports|properties|property|signals?|fields?|attributes?|macros?)"
    r"(?:\s(?:details?|documentation))?",
    re.IGNORECASE,
)
_MEMBER: Final = re.compile(
    r"[#.:]?(?:(?:pub|const|unsafe|async|static)\s)*(?:fn\s)?(?P<name>[^\W\d][\w.:-]*[?!=]?)(?:[(</]|\s⇒|\s->|$)"
)
_SIGNED: Final = re.compile(r"^[#.]\w|\w\(|⇒|->")
# Words before and after the name of a thing: "Class: Tent", "tent-pitch(1) Manual Page".
_KIND: Final = re.compile(r"^(?:Class|Module|Exception|File): (?=\S)|(?:\(\d\w?\))?\sManual Page$")
_NO_TOPIC: Final = re.compile(r"(?:(?:common|useful|quick|related|all)\s)?links|source code|all classes", re.IGNORECASE)
_POINTS: Final = re.compile(r"\([^()]*\b(?:below|above|see|siehe|voir|unten|ci-dessous)\b[^()]*\)$", re.IGNORECASE)
_ARABIC: Final = re.compile("[\u0600-\u06ff]")
_KINDS_IN_CODE: Final = frozenset("option options parameter argument flag switch variable setting".split())
_BRACKET: Final = re.compile(r"\s?\([^()]*\)$")


class Outline(NamedTuple):
    """The parts that could describe a page.

    - ``topic``: the page's name.
    - ``sections``: (level, name) of its headings.
    - ``crowded``: heading levels with several headings.
    - ``partial``: the heading levels at which some headings cannot be listed. Level 0 stands for the page's list: it is
      included if some entries of the list cannot be listed.
    - ``listed``: the entries of its list.
    - ``members``: what the members of a class are called together, such as "Methods", and the name of each member.
    """

    topic: str
    sections: tuple[tuple[int, str], ...]
    crowded: frozenset[int]
    partial: frozenset[int]
    listed: tuple[str, ...]
    members: tuple[str, tuple[str, ...]] | None

    def names(self) -> list[str]:
        """Return the topic and all parts as written. Names of members are left out."""
        return [self.topic, *(part for _, part in self.sections), *self.listed]

    def parts(self) -> set[str]:
        """Return the parts that other pages of the same kind may also have, normalized by ``fold``."""
        return {fold(part) for _, part in self.sections} | {fold(part) for part in self.listed}


def outline_of(topic: str, headings: Sequence[tuple[int, str]], listed: Sequence[str]) -> Outline | None:
    """Return the outline of a page. Returns None if the page has no usable name, or if it lists nothing.

    - ``topic``: its heading or title, cleaned.
    - ``headings``: (level, text), including the page's own heading.
    - ``listed``: the entries of its list.
    """
    topic = without_kind(name_in(topic) or topic)
    if not _is_topic(topic):
        return None
    read = headings[:_MOST_READ]
    known = {fold(topic)}
    # On some pages no mark follows the number of a chapter: "3 Sewing", "4 Pitching".
    numbered = frozenset(filter(None, (bare_number(text) for _, text in read)))
    chapters = numbered if {"1", "2"} <= numbered else frozenset[str]()
    sections: list[tuple[int, str]] = []
    entries: list[str] = []
    partial: set[int] = set()
    for level, text in (*read, *((0, text) for text in listed[:_MOST_READ])):
        part = cleaned(text, chapters=chapters)
        if not part or is_stock(part, numbered=True) or is_filler(part) or _BESIDE.fullmatch(part) is not None:
            continue
        if (named := _part(part)) is None:
            partial.add(level)
        elif fold(named) not in known:
            if level:
                sections.append((level, named))
            else:
                entries.append(named)
    said = Counter(level for level, text in read if _is_sentence(text))
    of_level = Counter(level for level, _ in read)
    sections = [(level, part) for level, part in sections if said[level] < _MANY_SENTENCES * of_level[level]]
    kinds = _members(read, known)
    label = max(kinds, key=lambda label: len(kinds[label]), default="")
    members = (label, tuple(kinds[label][:_MOST_KEPT])) if label else None
    counts = Counter(level for level, _ in dict.fromkeys(read))
    crowded = frozenset(level for level, count in counts.items() if count >= FEWEST)
    found = Outline(
        topic,
        tuple(sections[:_MOST_KEPT]),
        crowded,
        frozenset(partial),
        tuple(dict.fromkeys(entries))[:_MOST_KEPT],
        members,
    )
    return found if members or len(sections) >= FEWEST or len(found.listed) >= FEWEST else None


def composed(
    outline: Outline, stock: Collection[str], *, website: str = "", fewest: float = _FEWEST_OWN
) -> list[Candidate]:
    """Return composed descriptions of the page, best first.

    - ``website``: the website's name, put behind a topic that does not have it: names of sections alone often do not
      say what they are about. It is left out if there is no room.
    - ``stock``: parts that are left out because other pages have them too, normalized by ``fold``.
    - ``fewest``: the share of all parts that must remain, so that the description represents the page.
    """
    found = []
    if outline.members is not None:
        label, names = outline.members
        text = _joined(f"{outline.topic} – {label}: ", names, asks=False)
        if text is not None:
            found.append(Candidate(text, "headings"))
    level, parts = _first_level(outline, stock, fewest)
    text = _listing(outline.topic, parts, website, whole=level not in outline.partial)
    if text is not None:
        found.append(Candidate(text, "headings"))
    parts = _own(outline.listed, stock, fewest)
    text = _listing(outline.topic, parts, website, whole=0 not in outline.partial)
    if text is not None:
        found.append(Candidate(text, "list"))
    return found


def without_kind(name: str) -> str:
    """Return the name of a thing without words for its kind: "Tent" for "Class: Tent"."""
    return _KIND.sub("", name, count=1)


def unended(text: str) -> str:
    """Return a composed text without its final mark. The mark shows whether the text lists all entries."""
    return text.rstrip(" .…\u3002")


def _is_topic(topic: str) -> bool:
    """Whether a title or heading names the page's topic, and is short enough to precede a list."""
    if not topic or len(topic) > _LONGEST_TOPIC or is_masked(topic) or is_stock(topic, numbered=True):
        return False
    if _NO_TOPIC.fullmatch(topic) is not None or is_filler(topic):
        return False
    if "://" in topic or "@" in topic:  # who made the page, not what it is about
        return False
    return key_of(topic) != "" and balanced(topic) and not topic.endswith((*_OPEN, "…"))


def _is_sentence(heading: str) -> bool:
    """Whether a heading ends with a full stop, as slogans do, but names of sections do not."""
    ends = heading.endswith((".", "!", "\u3002")) and not heading.endswith("...")
    return ends and len(heading.split()) >= _FEWEST_SAID


def _part(text: str) -> str | None:
    """Return the name of a section or page, cleaned, if it can be listed. Otherwise return None.

    A name can be listed if it is short and complete, and is not code, figures or a sentence.
    """
    part = _STEP.sub("", text, count=1)
    if (numbered := _SECTION.match(part)) is not None:
        part = part[numbered.end() :]
    if len(part) > _LONGEST_PART or _POINTS.search(part) is not None:
        part = _BRACKET.sub("", part)
    if not part or len(part) > _LONGEST_PART or part.endswith(_OPEN) or any(mark in part for mark in (";", ". ", ": ")):
        return None
    letters = sum(map(str.isalpha, part))
    if letters < (_SHORTEST_PART if part.isascii() else 2) or 2 * letters < len(part) or is_masked(part):
        return None
    if _NO_PART.search(part) is not None or not (part[0].isalnum() or part[0] in "„“«\"'「『¿"):
        return None
    if is_stock(part, numbered=True) or not balanced(part):
        return None
    last = part.split()[-1]
    return part if fold(last) not in ALL_STOP_WORDS or last.isupper() else None


def _leans(question: str) -> bool:
    """Whether a question depends on text before it: "But what about others?", "Does this mean that …?"."""
    folded = fold(question)
    words = words_between_marks(folded)
    return is_contrast(folded) or words[0] in JOINING or not REFERRING.isdisjoint(words)


def _first_level(outline: Outline, stock: Collection[str], fewest: float) -> tuple[int, list[str]]:
    """Return the first level with several headings, and the names of its sections. Returns (0, []) if there is none.

    If other pages share most headings of that level, headings below it are no outline of the page.
    """
    levels = {level for level, _ in outline.sections} | outline.crowded
    for level in sorted(levels):
        parts = _own([part for at, part in outline.sections if at == level], stock, fewest)
        if len(parts) >= FEWEST:
            return level, parts
        if level in outline.crowded:
            break
    return 0, []


def _own(parts: Sequence[str], stock: Collection[str], fewest: float) -> list[str]:
    own = [part for part in parts if fold(part) not in stock]
    return _alike(own) if len(own) >= fewest * len(parts) else []


def _alike(parts: Sequence[str]) -> list[str]:
    """Return each part once. If the parts have two scripts, return those of one script. Of questions and names, return
    the more frequent kind."""
    once = list({fold(part): part for part in reversed(parts)}.values())[::-1]
    if 2 * sum(_is_of_code(part) for part in once) > len(once):
        return []  # "Tent.isOpen, Tent.poles": nothing that visitors look for
    counted = Counter(_COUNTED.sub("", fold(part)) for part in once)
    if len(counted) < FEWEST or 2 * max(counted.values()) > len(once):
        return []  # "Letter A, Letter B, Letter C": nothing that visitors look for
    wide = [part for part in once if UNSPACED.search(part) is not None]
    once = wide or once
    asked = [part for part in once if part.endswith(_ASKS)]
    return asked if 2 * len(asked) > len(once) else [part for part in once if not part.endswith(_ASKS)]


def _is_of_code(part: str) -> bool:
    """Whether a part is a name in code, or such a name with the kind of thing behind it: "Tent.isOpen", "snlen
    option"."""
    name, _, kind = part.partition(" ")
    return (not kind and is_code_name(name)) or (fold(kind) in _KINDS_IN_CODE and name.islower())


def _members(headings: Sequence[tuple[int, str]], known: Collection[str]) -> dict[str, list[str]]:
    """Return the names of the members of a class or module, by what they are called together."""
    kinds: dict[str, list[str]] = {}
    label, above = "", 0
    for level, heading in headings:
        text = heading.strip(" ¶:")
        named = _MEMBERS.fullmatch(text.removesuffix(" collapse"))
        if named is not None:
            name = named["name"].lower()
            plural = name if name.endswith("s") else "properties" if name == "property" else f"{name}s"
            label, above = f"{named['of']}{plural}".capitalize(), level
        elif level <= above:
            label = ""
        elif label and (member := _MEMBER.match(text)) is not None:
            name, names = member["name"], kinds.setdefault(label, [])
            # "Returns" heads a part of a member; "returns()" is a member.
            if fold(name) not in known and name not in names and (not is_stock(name) or _SIGNED.search(text)):
                names.append(name)
    return kinds


def _listing(topic: str, parts: Sequence[str], website: str, *, whole: bool) -> str | None:
    if topic.endswith(_ASKS):  # the topic is the first question, and only questions can follow it
        asked = [part for part in parts if part.endswith(_ASKS) and not _leans(part)]
        whole = whole and len(asked) == len(parts)
        gap = "" if UNSPACED.search(topic) is not None else " "
        return _joined(topic + gap, asked, asks=True, whole=whole, fewest=FEWEST - 1)
    if len(parts) < FEWEST:
        return None
    if website and len(website) <= _LONGEST_WEBSITE and "(" not in topic + website and _adds(website, topic):
        named = _listing(f"{topic} ({website})", parts, "", whole=whole)
        if named is not None:
            return named
    if UNSPACED.search(topic) is not None and UNSPACED.search(parts[0]) is not None:
        return _joined(f"{topic}\uff1a", parts, asks=True, whole=whole)
    return _joined(f"{topic} – " if ": " in topic else f"{topic}: ", parts, asks=True, whole=whole)


def _adds(website: str, topic: str) -> bool:
    """Whether the website's name says something, and the topic has none of its words."""
    words = {word for word in split_words(fold(website)) if not word[-1:].isdecimal()} - ALL_STOP_WORDS - PAGE_NOUNS
    return bool(words) and words.isdisjoint(split_words(fold(topic)))


def _joined(begun: str, parts: Sequence[str], *, asks: bool, whole: bool = True, fewest: int = FEWEST) -> str | None:
    """Join the text before the list with as many parts as fit. Returns None if too few fit, or the text is too short.

    ``asks``: whether a question mark at the end of a part makes it a question, and is not part of a name in code.
    ``whole``: whether ``parts`` are all parts.
    """
    wide = begun.endswith(("\uff1a", "\uff1f"))
    if wide:
        mark, parting, stop, more = "\u3001", "\uff1b", "\u3002", "…"
    elif _ARABIC.search(begun) is not None:
        mark, parting, stop, more = "\u060c ", "\u061b ", ".", " …"
    else:
        mark, parting, stop, more = ", ", "; ", ".", " …"
    if asks and parts and parts[0].endswith(_ASKS):
        mark, stop = ("" if wide else " "), ""
    elif any(mark.strip() in part for part in parts):
        mark = parting
    best = None
    for count in range(fewest, len(parts) + 1):
        text = begun + mark.join(parts[:count])
        text += stop if whole and count == len(parts) else more
        if not not_too_long(text):
            break
        best = text
    return best if best is not None and is_long_enough(best) else None
