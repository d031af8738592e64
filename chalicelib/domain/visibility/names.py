"""The names of a website, and whether a text names it.

A name counts only if it occurs as a whole word: never inside another word or an address. What counts as a word depends
on the script. In Chinese, Japanese and the scripts of South East Asia, which have no spaces between words, a name may
occur between any two characters. In Korean, a particle may follow the name directly. In Arabic and Hebrew, a prefix may
precede it directly.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from chalicelib.domain.crawl.hosts import ascii_host, without_www
from chalicelib.domain.page.text import fewer_marks

MOST_ALIASES: Final = 20
LONGEST_ALIAS: Final = 100
MOST_TEXT: Final = 50_000  # characters of an answer that are searched

_HIDDEN: Final = "\ufffc"  # replaces an address: no letter, no name
_OWN: Final = "\ufffd"  # replaces the website's own domain, written as a word

# A domain in prose has only letters of scripts with spaces. Otherwise the surrounding text would join it.
_LETTERS: Final = r"0-9A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
_LABEL: Final = rf"[{_LETTERS}][{_LETTERS}-]{{0,62}}"
_URL: Final = r"\b[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s<>\"()\[\]{}|\\^`（）「」『』【】《》〈〉、。，；！？]*"
_EMAIL: Final = rf"(?<![{_LETTERS}_.+-])[{_LETTERS}_.+-]{{1,64}}@{_LABEL}(?:\.{_LABEL}){{1,10}}"
_HANDLE: Final = r"(?<![\w@])@\w[\w.]{0,60}"
# "1.Name" is not a domain: it begins a list item.
_ITEM: Final = rf"\d{{1,3}}\.[{_LETTERS}]+(?![\w.-])"
_DOMAIN: Final = (
    rf"(?<![{_LETTERS}.-])(?!{_ITEM})(?:{_LABEL}\.){{1,10}}(?!\d)[{_LETTERS}][{_LETTERS}-]{{1,62}}(?::\d{{1,5}})?"
)
_PATH: Final = r"(?:[/?#][!#-&*+,\-./0-9:;=?@A-Z_a-z~%]*)?"
_ADDRESS: Final = re.compile(rf"{_URL}|{_EMAIL}|{_HANDLE}|(?P<domain>{_DOMAIN})(?P<path>{_PATH})")
_TARGET: Final = r"\(\s*<?[^()\s<>]{0,2048}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?>?[^()\n]{0,200}\)"
_LINK: Final = re.compile(rf"!?\[([^\[\]\n]{{0,300}})\]{_TARGET}")
_INVISIBLE: Final = r"\u00ad\u200b\u200d\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
_MARKS: Final = re.compile(rf"[*`~{_INVISIBLE}]+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)")
# Differences in spelling that do not matter: quotes, dashes, the separating joiner; forms of one Arabic letter.
_SPELLINGS: Final = str.maketrans("’‘ʼ–—‐‑\u200cأإآٱىةکی", "'''---- اااايهكي", "ـ")
_VOWEL_SIGNS: Final = re.compile(r"[\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]")

# Prefixes joined to the next word: "and", "in", "to", "the" and their combinations.
_ARABIC_PREFIXES: Final = frozenset("و ف ب ل ك س ال وال فال بال كال لل ولل وب ول فب فل".split())
_HEBREW_PREFIXES: Final = frozenset("ו ה ב ל מ ש כ וה וב ול ומ וש שה מה בה כש".split())
# Suffixes joined to the word before.
_KOREAN_PARTICLES: Final = frozenset(
    "은 는 이 가 을 를 의 에 에서 에게 께 한테 로 으로 와 과 랑 이랑 도 만 까지 부터 보다 처럼 같은 이나 나 라는"
    " 이라는 란 이란 이다 입니다 인 이며 며 이고 고 에는 에도 에서는 에서도 에서의"
    " 으로는 로는 와의 과의 만의 라고 이라고 이라 라 측".split()
)
_SCRIPTS: Final = (  # of letters that are not written with spaces between words, or that need a special rule
    ("arabic", 0x0600, 0x06FF),
    ("arabic", 0x0750, 0x077F),
    ("hebrew", 0x0590, 0x05FF),
    ("unspaced", 0x0E00, 0x0EFF),  # Thai, Lao
    ("unspaced", 0x1000, 0x109F),  # Myanmar
    ("unspaced", 0x1780, 0x17FF),  # Khmer
    ("hangul", 0x1100, 0x11FF),
    ("unspaced", 0x2E80, 0x2FDF),
    ("unspaced", 0x3005, 0x3007),
    ("unspaced", 0x3041, 0x309F),  # Hiragana
    ("katakana", 0x30A1, 0x30FA),
    ("katakana", 0x30FC, 0x30FF),
    ("unspaced", 0x3400, 0x9FFF),
    ("hangul", 0xAC00, 0xD7AF),
    ("unspaced", 0xF900, 0xFAFF),
    ("unspaced", 0x20000, 0x323AF),
)
_JOINING: Final = frozenset(".&@")  # between two letters without a space they join both into one word


class Names(NamedTuple):
    """The names of a website.

    - ``words``: names as people write them.
    - ``domains``: the website's hosts without ``www.``. A host counts as a name if a text contains it as a word.
    """

    words: tuple[str, ...]
    domains: frozenset[str]

    @classmethod
    def of(cls, host: str, given: Iterable[str]) -> "Names":
        """Make the names of the website on this host. ``given``: all other known names, such as the website's own name
        and its aliases."""
        words, domains = [], {_host(host) or host}
        for name in given:
            name = _prepared(name)
            domain = _whole_domain(name)
            if domain is not None:
                domains.add(domain)
            elif any(character.isalnum() for character in name):
                words.append(name)
        return cls(tuple(dict.fromkeys(words)), frozenset(domains))

    def in_text(self, text: str) -> bool:
        """Whether the text names the website."""
        prose = _prose(text, self.domains)
        return _OWN in prose or self._in(_Folded.of(prose))

    def _in(self, folded: "_Folded") -> bool:
        return any(folded.has(name) for name in self.words)


class _Folded(NamedTuple):
    """A text without letter case. ``origins``: for each of its characters, the position in ``written`` from which it
    came."""

    written: str
    text: str
    origins: list[int]

    @classmethod
    def of(cls, written: str) -> "_Folded":
        pieces, origins = [], []
        for position, character in enumerate(written):
            folded = character.casefold()
            pieces.append(folded)
            origins.extend([position] * len(folded))
        return cls(written, "".join(pieces), origins)

    def has(self, name: str) -> bool:
        wanted = name.casefold()
        return any(
            self._whole(start, start + len(wanted)) and self._written_as(name, start, start + len(wanted))
            for start in _found(self.text, wanted)
        )

    def _whole(self, start: int, end: int) -> bool:
        return not self._goes_on_before(start) and not self._goes_on_behind(end)

    def _written_as(self, name: str, start: int, end: int) -> bool:
        """Whether the letter case fits the name. A single word may also be an ordinary word. If the name has capitals,
        the text must therefore have one too."""
        if " " in name or name == name.lower():
            return True
        found = self.written[self.origins[start] : self.origins[end - 1] + 1]
        return found != found.lower()

    def _goes_on_before(self, start: int) -> bool:
        if start == 0:
            return False
        outer, inner = self.text[start - 1], self.text[start]
        if outer in _JOINING:
            # "1.Name" begins an item of a list
            return start > 1 and _joins(self.text[start - 2], inner) and not self.text[start - 2].isdigit()
        if not _of_word(outer) or not _of_word(inner):
            return False
        script = _script(inner)
        if script in ("arabic", "hebrew") and _script(outer) == script:
            prefixes = _ARABIC_PREFIXES if script == "arabic" else _HEBREW_PREFIXES
            return _run_before(self.text, start, script) not in prefixes
        return _same_word(outer, inner)

    def _goes_on_behind(self, end: int) -> bool:
        if end == len(self.text):
            return False
        inner, outer = self.text[end - 1], self.text[end]
        if outer in _JOINING:
            return end + 1 < len(self.text) and _joins(inner, self.text[end + 1])
        if _is_mark(outer):
            return True
        if not _of_word(outer) or not _of_word(inner):
            return False
        if _script(inner) == _script(outer) == "hangul":
            return _run_behind(self.text, end, "hangul") not in _KOREAN_PARTICLES
        return _same_word(outer, inner)


def _found(text: str, wanted: str) -> Iterator[int]:
    start = text.find(wanted)
    while start >= 0:
        yield start
        start = text.find(wanted, start + 1)


def _script(character: str) -> str:
    code = ord(character)
    if code < 0x0590:
        return "spaced"
    return next((name for name, first, last in _SCRIPTS if first <= code <= last), "spaced")


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def _of_word(character: str) -> bool:
    return character.isalnum() or character == "_" or _is_mark(character)


def _same_word(outer: str, inner: str) -> bool:
    """Whether two adjacent word characters belong to the same word."""
    scripts = {_script(outer), _script(inner)}
    if "unspaced" in scripts:
        return False
    return len(scripts) == 1


def _joins(one: str, other: str) -> bool:
    return _of_word(one) and _of_word(other) and _script(one) == _script(other) != "unspaced"


def _run_before(text: str, end: int, script: str) -> str:
    start = end
    while start > 0 and _of_word(text[start - 1]) and _script(text[start - 1]) == script and end - start < 8:
        start -= 1
    return text[start:end]


def _run_behind(text: str, start: int, script: str) -> str:
    end = start
    while end < len(text) and _of_word(text[end]) and _script(text[end]) == script and end - start < 8:
        end += 1
    return text[start:end]


def _prepared(text: str) -> str:
    text = unicodedata.normalize("NFKC", fewer_marks(text)).translate(_SPELLINGS)
    return " ".join(_VOWEL_SIGNS.sub("", text).split())


def _prose(text: str, own: frozenset[str]) -> str:
    """Return the readable part of a text: no marks of emphasis, no targets of links, no addresses. A link whose text is
    its own address is a citation, not prose."""
    text = _LINK.sub(_label, text[:MOST_TEXT])
    return _ADDRESS.sub(lambda match: _instead(match, own), _prepared(_MARKS.sub("", text)))


def _label(link: re.Match[str]) -> str:
    label: str = link[1]
    return _HIDDEN if link[0].startswith("!") or _ADDRESS.fullmatch(label.strip()) else label


def _instead(match: re.Match[str], own: frozenset[str]) -> str:
    if match["domain"] and match["path"] in ("", "/", None) and _host(match["domain"]) in own:
        return _OWN
    # The punctuation that ends a sentence is not part of the address.
    return _HIDDEN + ("" if match[0][-1].isalnum() or match[0][-1] == "/" else match[0][-1])


def _host(written: str) -> str | None:
    host = ascii_host(written.partition(":")[0])
    return None if host is None else without_www(host)


def _whole_domain(name: str) -> str | None:
    match = _ADDRESS.fullmatch(name)
    return _host(match["domain"]) if match is not None and match["domain"] and not match["path"] else None
