"""Shorter titles and titles for pages without a usable one, by a fixed ladder of steps and guards.

Shortening drops whole parts of the title, never words inside a phrase: repeated parts, then parts in the middle, then
the website's name, then brackets, then what follows a clause mark. Nothing is added or put in another order. The first
candidates that pass the guards are returned, best first; ``choice`` picks the one that stays unique on the website.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple

from chalicelib.domain.page.text import fold, is_masked
from chalicelib.domain.page.widths import title_px
from chalicelib.domain.suggestions.words import (
    among,
    balanced,
    content_words,
    ends_well,
    key_of,
    slug_words,
    split_words,
    stop_words,
)

WIDEST_PX: Final = 561  # Arial at 20 px, as desktop results set their headlines
SHORTEST: Final = 30  # characters: a title that is shorter and narrower than the next line is too short
NARROWEST_PX: Final = 200
SHORT_HEADING_WORDS: Final = 3  # a heading of so few words is a title in full all the same
MOST_CANDIDATES: Final = 4
LEAST_RECASED: Final = 3  # live titles that differ from those of the content system in letter case alone
_MOST_PARTS: Final = 12  # a title of more parts is a list of key words
_LONGEST: Final = 1_000  # characters: beyond that it is no title but a page's text

Need = Literal["missing", "duplicated", "short", "nameless", "template"]

_SEPARATOR: Final = re.compile(r"\s*[|\uff5c]\s*|\s+(?:::|[»›•·–—-])\s+")
_GUILLEMETS: Final = re.compile(r"[«‹]")
_QUOTED_SEPARATOR: Final = re.compile(r"\s*[|\uff5c]\s*|\s+(?:::|[•·–—-])\s+")  # where » closes a quotation
_BRACKETS: Final = re.compile(
    r"\s*(?:\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|\uff08[^\uff08\uff09]*\uff09|\u3010[^\u3010\u3011]*\u3011)"
)
_BEFORE_MARK: Final = re.compile(r"\s+(?=[,;:.!?])")
# Where a clause ends: colon and semicolon; question and exclamation mark (kept); a full stop after a word of three
# letters or more, before a capital. A comma only where it joins two clauses (see ``_joins``).
_CLAUSE: Final = re.compile(r"[:;](?=\s)|\uff1a|[?!]+(?=\s)|(?<=[^\W\d_]{3})\.(?=\s+[^\W\d_a-zß-öø-ÿ])|,(?=\s)")
_COORDINATORS: Final = frozenset("and or & + und oder sowie et ou y e o u ed od en of i oraz lub ni nor".split())


class SharedTitle(NamedTuple):
    """What the titles of a website share: the ``ending`` with its separator (" | Acme").

    ``names``: what the website is called, as ``key_of`` gives it; ``stock``: titles, folded, that name no page (Home).
    """

    ending: str | None = None
    names: frozenset[str] = frozenset()
    stock: frozenset[str] = frozenset()


class PageTitle(NamedTuple):
    """One page as its title is suggested. ``h1`` is the first visible main heading."""

    url: str
    title: str | None
    h1: str | None = None
    og_title: str | None = None
    lang: str | None = None


class _Parts(NamedTuple):
    """A title taken apart: ``lead`` and ``tail`` name the website and carry their separators."""

    lead: str
    body: tuple[str, ...]
    separators: tuple[str, ...]  # before each part of the body but the first
    tail: str

    def first(self, count: int, *, named: bool, body: Sequence[str] | None = None) -> str:
        """The first ``count`` parts of the body, with the website's name or without it."""
        parts = self.body if body is None else body
        text = "".join((self.separators[at - 1] if at else "") + parts[at] for at in range(count))
        return f"{self.lead}{text}{self.tail}" if named else text


def shortened(page: PageTitle, shared: SharedTitle) -> list[str]:
    """Shorter forms of a title that is too wide, best first; empty when none passes every guard."""
    title = page.title or ""
    if not title or len(title) > _LONGEST:
        return []
    parts = _parts_of(title, shared)
    if parts is None or len(parts.body) > _MOST_PARTS:
        return []
    guards = _Guards(page, shared, parts.body)
    found: list[str] = []
    for candidate in _ladder(parts):
        if candidate not in found and guards.pass_(candidate):
            found.append(candidate)
            if len(found) == MOST_CANDIDATES:
                break
    return found


def replacements(page: PageTitle, shared: SharedTitle, needs: frozenset[Need]) -> list[str]:
    """Titles for a page that has none of its own, from its main heading, its shared title or its own words."""
    stops = stop_words(page.lang)
    own = _without_names(page.title or "", shared)
    bases = [own] if needs == {"template"} else [page.h1 or "", _without_names(page.og_title or "", shared)]
    if "short" in needs:
        bases.append(own)
    found: dict[str, None] = {}
    for base in map(_heading, bases):
        if not base or len(base) > _LONGEST:
            continue
        complete = len(base.split()) <= SHORT_HEADING_WORDS and base == page.h1
        for candidate in _with_ending(base, shared):
            if (
                fold(candidate) != fold(page.title or "")
                and ("short" in needs or "template" in needs or fold(base) != fold(own))
                and _stands(candidate, page, shared, stops)
                and (complete or not too_short(candidate))
                and not ("template" in needs and shared.ending and not fold(candidate).endswith(fold(shared.ending)))
            ):
                found[candidate] = None
    return list(islice(found, MOST_CANDIDATES))


def too_short(title: str) -> bool:
    """Whether a title is short in characters and narrow in pixels."""
    return len(title) < SHORTEST and title_px(title) < NARROWEST_PX


def is_nameless(title: str, shared: SharedTitle) -> bool:
    """Whether a title says no more than the website's name, or nothing (Home, Untitled)."""
    return key_of(title) in shared.names or fold(title) in shared.stock


def letter_case_note(live: Mapping[str, str], in_cms: Mapping[str, str] | None) -> str | None:
    """What to know before titles are written: the website changes the letter case of every title on the page.

    ``live``: titles as pages show them, by address; ``in_cms``: as the content system holds them, None without one.
    """
    if not in_cms:
        return None
    pairs = [(live[url], title) for url, title in sorted(in_cms.items()) if live.get(url) and title]
    recased = [(shown, held) for shown, held in pairs if shown != held and fold(shown) == fold(held)]
    if len(recased) < LEAST_RECASED or 2 * len(recased) < len(pairs):
        return None
    shown, held = recased[0]
    return (
        f"The website changes the letter case of titles: {len(recased)} of {len(pairs)} pages show another one than "
        f'their content holds, such as "{shown}" for "{held}". This is mostly a setting of the SEO plugin or the '
        "theme; a written title will be shown in that letter case too."
    )


# -- taking apart --------------------------------------------------------------------------------------


def _parts_of(title: str, shared: SharedTitle) -> _Parts | None:
    """None when nothing but the website's name is there."""
    stem = _before_ending(title, shared.ending)
    pieces, separators = _split(title if stem is None else stem)
    tail_at, tail = len(pieces), "" if stem is None else title[len(stem) :]
    if stem is None and len(pieces) > 1 and key_of(pieces[-1]) in shared.names:
        tail_at -= 1
        tail = separators[-1] + pieces[-1]
    lead_at = 1 if not tail and len(pieces) > 1 and key_of(pieces[0]) in shared.names else 0
    if lead_at >= tail_at or not pieces[lead_at]:
        return None
    lead = pieces[0] + separators[0] if lead_at else ""
    return _Parts(lead, tuple(pieces[lead_at:tail_at]), tuple(separators[lead_at : tail_at - 1]), tail)


def _before_ending(title: str, ending: str | None) -> str | None:
    """What stands before the ending, whatever its letter case; None when the title does not end so."""
    if not ending or len(title) < len(ending) or fold(title[-len(ending) :]) != fold(ending):
        return None
    return title[: -len(ending)].rstrip()


def _split(title: str) -> tuple[list[str], list[str]]:
    """The parts of a title, and the separators between them as they are written."""
    pattern = _QUOTED_SEPARATOR if _GUILLEMETS.search(title) else _SEPARATOR
    pieces: list[str] = []
    separators: list[str] = []
    end = 0
    for match in pattern.finditer(title):
        if match.start() == 0 or match.end() == len(title):
            continue
        pieces.append(title[end : match.start()])
        separators.append(match[0])
        end = match.end()
    pieces.append(title[end:])
    return pieces, separators


def _ladder(parts: _Parts) -> Iterator[str]:
    """Shorter titles in the order of the steps, unjudged."""
    unique = _without_repeats(parts)
    count = len(unique.body)
    named = bool(unique.lead or unique.tail)
    if unique != parts:
        yield unique.first(count, named=True)
    for size in range(count - 1, 0, -1):
        yield unique.first(size, named=True)
    if named:
        for size in range(count, 0, -1):
            yield from _unnamed(unique, size)
    bare = [_BEFORE_MARK.sub("", _BRACKETS.sub("", part)).strip() for part in unique.body]
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


def _named(parts: _Parts, size: int, body: Sequence[str] | None = None) -> Iterator[str]:
    if parts.lead or parts.tail:
        yield parts.first(size, named=True, body=body)


def _unnamed(parts: _Parts, size: int, body: Sequence[str] | None = None) -> Iterator[str]:
    """Without the website's name, where there is no room for it: it is not left out for any other reason."""
    if not (parts.lead or parts.tail) or title_px(parts.first(size, named=True, body=body)) > WIDEST_PX:
        yield parts.first(size, named=False, body=body)


def _without_repeats(parts: _Parts) -> _Parts:
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
    """The beginnings of a text up to each clause mark, longest first."""
    found: list[str] = []
    for match in _CLAUSE.finditer(head):
        mark = match[0]
        if mark == "," and not _joins(head, match.start()):
            continue
        found.append(head[: match.end() if mark[0] in "?!" else match.start()].rstrip())
    return found[::-1]


def _joins(head: str, comma: int) -> bool:
    """Whether a comma stands between two clauses, and not inside an enumeration or a number.

    It does where it is the only one and nothing after it is joined by "and" or "or".
    """
    if head.count(",") != 1 or "\u3001" in head:
        return False
    return _COORDINATORS.isdisjoint(head[comma + 1 :].casefold().split())


# -- guards --------------------------------------------------------------------------------------------


class _Guards:
    """What every shortened title of one page must keep."""

    def __init__(self, page: PageTitle, shared: SharedTitle, body: Iterable[str]) -> None:
        self.page = page
        self.title = page.title or ""
        self.shared = shared
        self.stops = stop_words(page.lang)
        parts = list(body)
        given = set(split_words(page.h1 or "")) | slug_words(page.url)
        words = content_words(" ".join(parts), self.stops)
        topic = {word for word in words if among(word, given)}
        # Nothing says what the topic is: then it is all that the first part says.
        self.topic = topic or set(split_words(parts[0]))

    def pass_(self, candidate: str) -> bool:
        return (
            len(candidate) < len(self.title)
            and title_px(candidate) <= WIDEST_PX
            and not too_short(candidate)
            and self.topic <= set(split_words(candidate))
            and _stands(candidate, self.page, self.shared, self.stops)
        )


def _stands(candidate: str, page: PageTitle, shared: SharedTitle, stops: frozenset[str]) -> bool:
    """Whether a text can stand as a title: it fits, ends well, is whole, and says more than the website's name.

    Before the website's name a question, or what the main heading says word for word, may end on a small word.
    """
    if title_px(candidate) > WIDEST_PX or not ends_well(candidate, stops) or not balanced(candidate):
        return False
    own = _without_names(candidate, shared)
    whole = own.endswith(("?", "!")) or (page.h1 is not None and fold(own) == fold(page.h1) and own[-1:].isalnum())
    return (
        (whole or ends_well(own, stops))
        and bool(content_words(own, stops))
        and not is_nameless(own, shared)
        and not is_masked(candidate)
    )


def _without_names(title: str, shared: SharedTitle) -> str:
    """A title without the website's name at its end or beginning."""
    parts = _parts_of(title, shared) if title else None
    if parts is None:
        return ""
    return parts.first(len(parts.body), named=False)


def _heading(text: str) -> str:
    """A heading as a title takes it: without the colon or full stop at its end."""
    text = text.strip()
    return text[:-1].rstrip() if text.endswith((":", ".", "\uff1a")) and not text.endswith("..") else text


def _with_ending(base: str, shared: SharedTitle) -> Iterator[str]:
    """The heading with the website's name; alone where it names the website already, or has no room for the name."""
    if shared.ending:
        said, name = (f" {' '.join(split_words(text))} " for text in (base, shared.ending))
        if name not in said and title_px(base + shared.ending) <= WIDEST_PX:
            yield base + shared.ending
            return
    yield base
