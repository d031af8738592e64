"""Suggests shorter forms of titles that are too wide, by a fixed sequence of steps and checks (guards).

Shortening drops whole parts of the title, never words inside a phrase. The parts are dropped in this order:

1. the number of a section
2. repeated parts
3. brackets inside the name that begins the title
4. parts in the middle
5. other brackets
6. text after a mark that ends a clause

The website's name is dropped only if the rest contains it too. Words that distinguish the page are never dropped. The
first forms that pass the guards are returned, best first.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from chalicelib.domain.page.stop_words import ALL_STOP_WORDS, stop_words
from chalicelib.domain.page.widths import title_px
from chalicelib.domain.suggestion import Candidate
from chalicelib.suggestions.first_words import PAGE_NOUNS
from chalicelib.suggestions.headings import LONGEST, section_number, without_number
from chalicelib.suggestions.stock_headings import PHRASES
from chalicelib.suggestions.title_parts import Parts, SharedTitle, parts_of, without_names
from chalicelib.suggestions.titles import (
    COORDINATORS,
    MOST_CANDIDATES,
    WIDEST_PX,
    PageTitle,
    keeps_name,
    stands,
    too_short,
)
from chalicelib.suggestions.typography import closed_up, typeset, unstopped
from chalicelib.suggestions.words import among, content_words, key_of, slug_words, split_words

_MOST_PARTS: Final = 12  # a title with more parts is a list of keywords
_LEAST_NAMED: Final = 0.5  # share of the words of the website's name that a shorter title must keep anywhere
_BRACKETS: Final = re.compile(
    r"\s*(?:\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|\uff08[^\uff08\uff09]*\uff09|\u3010[^\u3010\u3011]*\u3011)"
)
# Where a clause ends: at a colon, semicolon, question or exclamation mark (which is kept). Also at a full stop between
# a word of three letters or more and a capital, and at a comma that joins two clauses (see ``_joins``).
_CLAUSE: Final = re.compile(r"\s?[:;](?=\s)|\uff1a|\s?[?!]+(?=\s)|(?<=[^\W\d_]{3})\.(?=\s+[^\W\d_a-zß-öø-ÿ])|,(?=\s)")
_CODE: Final = re.compile(r"[._:()/\d-]|[a-z][A-Z]")


def beginnings_of(title: str, shared: SharedTitle) -> frozenset[str]:
    """Return the beginnings to which a title may be shortened, without the website's name. Each is converted with
    ``key_of``."""
    parts = parts_of(title, shared) if title and len(title) <= LONGEST else None
    if parts is None or len(parts.body) > _MOST_PARTS:
        return frozenset()
    head, whole = parts.body[0], parts.first(len(parts.body), named=False)
    forms = [parts.first(size, named=False) for size in range(1, len(parts.body))]
    forms += [_BRACKETS.sub("", text) for text in (whole, head)] + _clauses(head)
    return frozenset(map(key_of, forms)) - {key_of(whole)}


def shared_beginnings(titles: Iterable[str], shared: SharedTitle) -> frozenset[str]:
    """Return the beginnings to which several of these distinct titles could be shortened. Such a beginning would not
    distinguish the pages."""
    counts = Counter(beginning for title in titles for beginning in beginnings_of(title, shared))
    return frozenset(beginning for beginning, count in counts.items() if count > 1)


def shortened(page: PageTitle, shared: SharedTitle, alike: AbstractSet[str] = frozenset()) -> list[Candidate]:
    """Return shorter forms of a title that is too wide, best first. The list is empty if no form passes every guard.

    ``alike``: the result of ``shared_beginnings`` for the website's titles.
    """
    title = page.title or ""
    if not title or len(title) > LONGEST:
        return []
    parts = parts_of(title, shared)
    if parts is None or len(parts.body) > _MOST_PARTS:
        return []
    numbered = parts
    head = without_number(parts.body[0], url=page.url, chapters=page.chapters)
    number = section_number(page.h1 or page.heading or "")
    if number and f": {number}" in head:  # "User guide: 4.2.2 Poles"
        head = head.replace(f": {number}", ": ", 1)
    parts = parts._replace(body=(head, *parts.body[1:]))
    guards = _Guards(page, shared, parts, alike)
    found: dict[str, None] = {}
    for form in _ladder(parts, page.lang, numbered=parts != numbered):
        candidate = unstopped(typeset(form, page.lang))
        if candidate not in found and guards.pass_(candidate):
            found[candidate] = None
            if len(found) == MOST_CANDIDATES:
                break
    return [Candidate(text, "title") for text in found]


def why_not_shortened(page: PageTitle) -> str:
    """Return, in a sentence, why a title that is too long has no shorter form."""
    if len(page.title or "") > LONGEST:
        return "The title is as long as a paragraph. Write one that says in a few words what the page is about."
    return (
        "There is no shorter form of the title that fits, keeps the website's name, distinguishes the page from "
        "others and cuts no phrase."
    )


def _ladder(parts: Parts, lang: str | None, *, numbered: bool) -> Iterator[str]:
    """Yield shorter titles in the order of the steps, before any check."""
    unique = _without_repeats(parts)
    count = len(unique.body)
    named = bool(unique.lead or unique.tail)
    if numbered or unique != parts:
        yield unique.first(count, named=True)
    # A shared ending is kept letter for letter: a change would cause another finding.
    plain = unique._replace(lead=_BRACKETS.sub("", unique.lead))
    if plain != unique and any(map(str.isalnum, plain.lead)):
        yield plain.first(count, named=True)
        unique = plain
    for size in range(count - 1, 0, -1):
        yield unique.first(size, named=True)
    if named:
        for size in range(count, 0, -1):
            yield from _unnamed(unique, size)
    bare = [closed_up(_BRACKETS.sub("", part), lang).strip() for part in unique.body]
    heads = [unique.body[0]]
    if bare[0] and bare != list(unique.body):
        heads.append(bare[0])
        for with_name in (True, False):
            for size in range(count, 0, -1):
                if all(bare[:size]):
                    yield from _named(unique, size, bare) if with_name else _unnamed(unique, size, bare)
    for with_name in (True, False):
        for head in heads:
            for clause in _clauses(head):
                yield from _named(unique, 1, [clause]) if with_name else _unnamed(unique, 1, [clause])


def _named(parts: Parts, size: int, body: Sequence[str] | None = None) -> Iterator[str]:
    if parts.lead or parts.tail:
        yield parts.first(size, named=True, body=body)


def _unnamed(parts: Parts, size: int, body: Sequence[str] | None = None) -> Iterator[str]:
    """Yield the title without the website's name, only if there is no room for the name."""
    if not (parts.lead or parts.tail) or title_px(parts.first(size, named=True, body=body)) > WIDEST_PX:
        yield parts.first(size, named=False, body=body)


def _without_repeats(parts: Parts) -> Parts:
    seen = {key_of(parts.lead), key_of(parts.tail)}
    body: list[str] = []
    separators: list[str] = []
    for at, part in enumerate(parts.body):
        key = key_of(part)
        if key in seen and (body or at + 1 < len(parts.body)):
            continue
        seen.add(key)
        if body:
            separators.append(parts.separators[at - 1])
        body.append(part)
    return parts._replace(body=tuple(body), separators=tuple(separators))


def _clauses(head: str) -> list[str]:
    """Return the beginnings of a text up to each clause mark, longest first."""
    found: list[str] = []
    for match in _CLAUSE.finditer(head):
        mark = match[0]
        if mark == "," and not _joins(head, match.start()):
            continue
        found.append(head[: match.end() if mark[0] in "?!" else match.start()].rstrip())
    return found[::-1]


def _joins(head: str, comma: int) -> bool:
    """Whether a comma separates two clauses, not the parts of an enumeration or a number.

    It must be the only comma, and no "and" or "or" may follow it.
    """
    if head.count(",") != 1 or "\u3001" in head:
        return False
    return COORDINATORS.isdisjoint(head[comma + 1 :].casefold().split())


class _Guards:
    """The conditions that every shortened title of one page must meet."""

    def __init__(self, page: PageTitle, shared: SharedTitle, parts: Parts, alike: AbstractSet[str]) -> None:
        self.page = page
        self.alike = alike
        self.lead = _BRACKETS.sub("", parts.lead)
        self.title = page.title or ""
        self.shared = shared
        self.stops = stop_words(page.lang)
        named = set(split_words(parts.lead + parts.tail))
        self.name = {word for word in named - PHRASES - PAGE_NOUNS - ALL_STOP_WORDS if not word.isdecimal()} or named
        given = set(split_words(page.h1 or "")) | slug_words(page.url)
        words = content_words(" ".join(parts.body), self.stops)
        topic = {word for word in words if among(word, given)}
        # If nothing shows the topic, all words of the first part count as topic.
        self.topic = topic or set(split_words(parts.body[0]))

    def pass_(self, candidate: str) -> bool:
        said = set(split_words(candidate))
        return (
            len(candidate) < len(self.title)
            and title_px(candidate) <= WIDEST_PX
            and not too_short(candidate)
            and not _begins_inside(candidate, self.title)
            and keeps_name(candidate, self.page, self.shared)
            and self.topic <= said
            and len(self.name & said) >= _LEAST_NAMED * len(self.name)
            and key_of(without_names(candidate.removeprefix(self.lead), self.shared)) not in self.alike
            and stands(candidate, self.page, self.shared, self.stops)
        )


def _begins_inside(candidate: str, title: str) -> bool:
    """Whether a text begins with a small letter although the title does not, so inside a phrase.

    Names of code are allowed.
    """
    first = candidate.partition(" ")[0]
    return first[:1].islower() and not title[:1].islower() and _CODE.search(first) is None
