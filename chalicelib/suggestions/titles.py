"""Suggests shorter titles, and titles for pages without a usable one, by a fixed sequence of steps and checks (guards).

Shortening drops whole parts of the title, never words inside a phrase. The parts are dropped in this order: the number
of a section, repeated parts, brackets in a name at the beginning, parts in the middle, other brackets, and text after a
mark that ends a clause. The website's name is dropped only if the rest contains it too. Words that distinguish the page
are never dropped.

Other titles come from the page's headings or its own title, and include the common part of the website's titles. The
first candidates that pass the guards are returned, best first. ``choice`` picks a candidate that is unique on the
website.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Literal, NamedTuple

from chalicelib.domain.page.answers import QUESTION_LANGUAGES, opening_of
from chalicelib.domain.page.stop_words import ALL_STOP_WORDS, stop_words
from chalicelib.domain.page.text import fold, is_masked
from chalicelib.domain.page.widths import title_px
from chalicelib.domain.suggestion import Candidate, SuggestedFrom
from chalicelib.suggestions.filler import is_filler
from chalicelib.suggestions.first_words import PAGE_NOUNS
from chalicelib.suggestions.headings import LONGEST, cleaned, is_stock, section_number, without_byline, without_number
from chalicelib.suggestions.languages import agree, primary, spoken
from chalicelib.suggestions.lexicon import ABBREVIATIONS, NUMBER_WORDS
from chalicelib.suggestions.stock_headings import PHRASES
from chalicelib.suggestions.title_parts import (
    NAME_MARK,
    Parts,
    SharedTitle,
    parts_of,
    without_name,
    without_names,
)
from chalicelib.suggestions.typography import closed_up, typeset, unstopped
from chalicelib.suggestions.words import (
    among,
    balanced,
    content_words,
    ends_well,
    key_of,
    slug_words,
    split_words,
    stems,
)

WIDEST_PX: Final = 561  # Arial at 20 px, as desktop results set their headlines
SHORTEST: Final = 30  # characters: a title that is shorter, and narrower than the next line, is too short
NARROWEST_PX: Final = 200
SHORT_HEADING_WORDS: Final = 3  # words: so short a heading is still accepted as a title, if there was none
MOST_CANDIDATES: Final = 4
LEAST_RECASED: Final = 3  # live titles that differ from those of the CMS only in letter case
_MOST_PARTS: Final = 12  # a title with more parts is a list of keywords
_LEAST_KEPT: Final = 0.5  # of the words of a short title must be kept
_LEAST_NAMED: Final = 0.5  # of the words that name the website must be kept, with or without the name at the end

Need = Literal["missing", "duplicated", "short", "nameless", "template"]

_BRACKETS: Final = re.compile(
    r"\s*(?:\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|\uff08[^\uff08\uff09]*\uff09|\u3010[^\u3010\u3011]*\u3011)"
)
# A path that a heading shows part by part: "std/sys/ unix.rs", "Home / Shop / Boots".
_TRAIL: Final = re.compile(r"\w/ \w|\s[/→>]\s.*\s[/→>]\s")
# Where a clause ends: at a colon, semicolon, question or exclamation mark (which is kept). Also at a full stop between
# a word of three letters or more and a capital, and at a comma that joins two clauses (see ``_joins``).
_CLAUSE: Final = re.compile(r"\s?[:;](?=\s)|\uff1a|\s?[?!]+(?=\s)|(?<=[^\W\d_]{3})\.(?=\s+[^\W\d_a-zß-öø-ÿ])|,(?=\s)")
# Where a sentence ends inside a heading, and words of each language after which another word must follow. Single
# letters are not included: "Hepatitis A", "World War I".
_SENTENCES: Final = re.compile(r"(?<=[^\W\d_]{3})\.(?=\s+[^\W\d_a-zß-öø-ÿ])")
_LEADING_ON: Final[Mapping[str, frozenset[str]]] = {
    "en": frozenset("an the for of to with from by at and or".split()),
    "de": frozenset("der die das ein eine für von mit zu und oder".split()),
    "fr": frozenset("le la les un une pour de du des avec et ou".split()),
    "es": frozenset("el la los las un una para con de".split()),
    "it": frozenset("il lo la gli le un una per con di".split()),
    "nl": frozenset("de het een van voor met en of".split()),
    "pt": frozenset("os as um uma para com de do da".split()),
    "pl": frozenset("dla oraz lub".split()),
}
_LEADING_ON_OF_ALL: Final = frozenset().union(*_LEADING_ON.values())  # if the language is another one or unknown
_CODE: Final = re.compile(r"[._:()/\d-]|[a-z][A-Z]")
_OTHER_SCRIPTS: Final = frozenset("ja ko zh ru el he ar th".split())  # languages that are not written in Latin letters
_COORDINATORS: Final = frozenset("and or & + und oder sowie et ou y e o u ed od en of i oraz lub ni nor".split())


class PageTitle(NamedTuple):
    """The input for one page's title.

    - ``h1``: the first visible main heading.
    - ``heading``: used if there is no ``h1``: the first heading, or the title above the text.
    - ``lang``: the language of its text.
    - ``chapters``: numbers of the chapters to which the page's sections belong.
    - ``is_home``: whether the page is a home page, so that its title names the website.
    - ``said``: the ``stems`` of the words in the page's address, in its other headings and in its text. None if there
      are too few words to judge.
    """

    url: str
    title: str | None
    h1: str | None = None
    og_title: str | None = None
    lang: str | None = None
    heading: str | None = None
    chapters: frozenset[str] = frozenset()
    is_home: bool = False
    said: frozenset[str] | None = None


def beginnings_of(title: str, shared: SharedTitle) -> frozenset[str]:
    """Return the beginnings to which a title may be shortened, without the website's name. Each has the form that
    ``key_of`` returns."""
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


def replacements(page: PageTitle, shared: SharedTitle, needs: frozenset[Need]) -> list[Candidate]:
    """Return titles for a page that has no usable one. They come from its headings, its title for sharing or its own
    words."""
    stops = stop_words(page.lang)
    found: dict[str, SuggestedFrom] = {}
    for base, source in _bases(page, shared, needs):
        for candidate in _framed(unstopped(typeset(base, page.lang)), page, shared, needs):
            if (
                candidate not in found
                and _helps(candidate, base, page, shared, needs)
                and _stands(candidate, page, shared, stops)
            ):
                found[candidate] = source
    return [Candidate(text, source) for text, source in list(found.items())[:MOST_CANDIDATES]]


def why_not_shortened(page: PageTitle) -> str:
    """Return, in a sentence, why a title that is too long has no shorter form."""
    if len(page.title or "") > LONGEST:
        return "The title is as long as a paragraph. Write one that says in a few words what the page is about."
    return (
        "There is no shorter form of the title that fits, keeps the website's name, distinguishes the page from "
        "others and cuts no phrase."
    )


def why_not_replaced(page: PageTitle, needs: frozenset[Need]) -> str:
    """Return, in a sentence, why the page's own words make no better title."""
    heading = page.h1 or page.heading
    if "template" in needs and len(needs) == 1:
        return "With the title template of the website, this title would be too long or incomplete."
    if not heading and not page.og_title:
        return "The page has no main heading to take a title from."
    if heading and is_stock(cleaned(heading, url=page.url), numbered=True):
        return "The main heading fits any page, such as Summary or Overview."
    if "short" in needs:
        return "No heading or description of the page gives a longer title that includes the current title."
    return "The main heading does not give a title that fits, is complete and says more than the website's name."


def is_of_page(heading: str, title: str | None, url: str) -> bool:
    """Whether the heading of a page's first section contains a word of the page's title or address.

    A heading without such a word names only its section.
    """
    known = set(split_words(title or "")) | slug_words(url)
    return any(among(word, known) for word in content_words(heading, ALL_STOP_WORDS))


def too_short(title: str) -> bool:
    """Whether a title is both short in characters and narrow in pixels."""
    return len(title) < SHORTEST and title_px(title) < NARROWEST_PX


def _bases(page: PageTitle, shared: SharedTitle, needs: frozenset[Need]) -> Iterator[tuple[str, SuggestedFrom]]:
    """Yield possible names of the page, without the website's name.

    A title that only lacks the template keeps its own words.
    """
    own = without_names(page.title or "", shared)
    around = key_of((page.title or "").replace(own, "", 1))  # the website's name, or a part of it
    offered: list[tuple[str, SuggestedFrom]] = []
    if needs != {"template"}:
        offered.append((page.h1 or "", "h1") if page.h1 else (page.heading or "", "heading"))
        offered.append((without_names(page.og_title or "", shared), "og_title"))
    if not needs.isdisjoint(("template", "short")):
        offered.append((own, "title"))
    for text, source in offered:
        base = without_name(cleaned(text, url=page.url, own=own, chapters=page.chapters), shared)
        base = without_byline(base, page.title or "")
        if own and (key_of(base) in around or (source != "title" and _is_glued(base, own))):
            continue
        if not base or is_stock(base, numbered=True) or is_filler(base) or _TRAIL.search(base) is not None:
            continue
        if source in ("h1", "heading") and _is_slogan(base, own, page):
            continue
        if _in_its_language(base, own, page.lang):
            yield base, source


def names_something(heading: str, lang: str | None) -> bool:
    """Whether a heading can name a page. ``lang``: the heading's language.

    A heading cannot name a page if it has several sentences ("Small team. Big hearts"), or if it ends before words that
    a script adds ("Remote positions for").
    """
    if any(split_words(heading[: end.start()])[-1] not in ABBREVIATIONS for end in _SENTENCES.finditer(heading)):
        return False
    words = split_words(heading)
    leading_on = _LEADING_ON.get(primary(lang) or "", _LEADING_ON_OF_ALL)
    return not words or words[-1] not in leading_on or _asks(heading)


def _is_slogan(heading: str, own: str, page: PageTitle) -> bool:
    """Whether a heading names nothing, or shares no word with the page: "Welcome to the future" over a shop's tents."""
    if not names_something(heading, page.lang):
        return True
    if page.said is None:
        return False
    words = stems(word for word in content_words(heading, ALL_STOP_WORDS) if word not in PHRASES)
    return bool(words) and words.isdisjoint(page.said) and words.isdisjoint(stems(split_words(own)))


def _asks(heading: str) -> bool:
    """Whether a heading begins like a question, even without a question mark: "What we are looking for"."""
    return any(
        (opening := opening_of(language)) is not None and opening.match(heading) for language in QUESTION_LANGUAGES
    )


def _in_its_language(base: str, own: str, lang: str | None) -> bool:
    """Whether words are in the language of the page, and in the script of its current title (``own``)."""
    language = primary(lang)
    if not agree(spoken(base), language):
        return False
    is_latin = language not in _OTHER_SCRIPTS
    return is_latin or not base.isascii() or own.isascii()


def _is_glued(heading: str, own: str) -> bool:
    """Whether a heading has the words of the title, but joined, because only a style shows a mark between them."""
    return key_of(heading) == key_of(own) and split_words(heading) != split_words(own)


def _framed(base: str, page: PageTitle, shared: SharedTitle, needs: frozenset[Need]) -> Iterator[str]:
    """Yield the words with what is around them in the current title, or else in the website's titles.

    The words are yielded alone if they name the website already, or if there is no room for its name. A title that is
    too short and has the website's name keeps it, because the name is worth more than wider words.
    """
    present = parts_of(page.title, shared) if page.title and needs != {"template"} else None
    if present is not None and (present.lead or present.tail):
        forms = [f"{present.lead}{base}{present.tail}"]
        name = key_of(present.lead or present.tail)
    elif shared.ending:
        forms, name = [base + shared.ending], key_of(shared.ending)
    elif shared.beginning:
        forms, name = [shared.beginning + base], key_of(shared.beginning)
    else:
        name = key_of(shared.name or "")
        # The current title is no more than the name, or this is the home page.
        gone = page.is_home or (page.title is not None and is_nameless(page.title, shared))
        if not gone:
            yield base
        wanted = gone or "short" in needs or too_short(base)
        forms = [f"{base}{NAME_MARK}{shared.name}"] if name and wanted else []
        if forms and page.title and name in key_of(page.title) in shared.names:  # the full name
            forms.append(f"{base}{NAME_MARK}{page.title}")
    repeating = bool(name) and (name in key_of(base) or _repeats(base, forms, page.lang))
    fitting = [form for form in forms if not repeating and title_px(form) <= WIDEST_PX]
    yield from fitting
    kept = present is not None and "short" in needs and name and not repeating
    if not fitting and not kept:
        yield base


def _repeats(base: str, forms: Sequence[str], lang: str | None) -> bool:
    """Whether the words contain most of the name, or the name contains all of the words."""
    stops = stop_words(lang)
    words = set(content_words(base, stops))
    for form in forms:
        named = set(content_words(form.replace(base, "", 1), stops))
        if named and (2 * len(named & words) > len(named) or words <= named):
            return True
    return False


def _helps(candidate: str, base: str, page: PageTitle, shared: SharedTitle, needs: frozenset[Need]) -> bool:
    """Whether a title fixes the faults of the current one without adding others."""
    title = page.title or ""
    stops = stop_words(page.lang)
    if fold(candidate) == fold(title):
        return False
    if "template" not in needs and set(content_words(candidate, stops)) == set(content_words(title, stops)):
        return False  # another order, other quotation marks or an article are no improvement
    if not _keeps_name(candidate, page, shared):
        return False
    own = without_names(title, shared)
    if "short" in needs:
        return not too_short(candidate) and title_px(candidate) > title_px(title) and _keeps(own, candidate, page.lang)
    if "template" in needs:
        return not too_short(candidate) and not (shared.ending and not fold(candidate).endswith(fold(shared.ending)))
    if "duplicated" in needs and own and set(content_words(base, stops)) == set(content_words(own, stops)):
        return False  # "The boots" and "Boots" do not distinguish the two pages
    if fold(base) == fold(own):
        return False
    # A short main heading is accepted as a title if there was none.
    whole = "missing" in needs and fold(candidate) == fold(page.h1 or "")
    return (whole and len(base.split()) <= SHORT_HEADING_WORDS) or not too_short(candidate)


def _keeps(own: str, candidate: str, lang: str | None) -> bool:
    """Whether a title has at least half of the current title's words, in any form."""
    own = without_number(own)
    if is_stock(own):
        return True
    said = stems(word for word in content_words(own, stop_words(lang)) if word not in NUMBER_WORDS)
    if not said:
        return fold(own) in fold(candidate)
    text = fold(candidate)
    return sum(stem in text for stem in said) >= _LEAST_KEPT * len(said)


def _keeps_name(candidate: str, page: PageTitle, shared: SharedTitle) -> bool:
    """Whether a title of the home page has the website's name, if that is known. True for all other pages."""
    return not page.is_home or key_of(shared.name or "") in key_of(candidate)


def _is_part_of_name(own: str, shared: SharedTitle) -> bool:
    """Whether a title is only the beginning of the website's name, or several words of it: "Acme" of "Acme Outdoor"."""
    words, name = split_words(own), split_words(shared.ending or shared.beginning or shared.name or "")
    found = [at for at in range(len(name)) if words and name[at : at + len(words)] == words]
    return bool(found) and (found[0] == 0 or len(words) > 1)


def is_nameless(title: str, shared: SharedTitle) -> bool:
    """Whether a title consists only of the website's name, or says nothing (Home, Untitled)."""
    return key_of(title) in shared.names or fold(title) in shared.stock


def letter_case_note(live: Mapping[str, str], in_cms: Mapping[str, str] | None) -> str | None:
    """Return a note if the website changes the letter case of titles. Returns None otherwise.

    ``live``: titles as pages show them, by address. ``in_cms``: titles in the CMS; None without a CMS.
    """
    if not in_cms:
        return None
    pairs = [(live[url], title) for url, title in sorted(in_cms.items()) if live.get(url) and title]
    recased = [(shown, held) for shown, held in pairs if shown != held and fold(shown) == fold(held)]
    if len(recased) < LEAST_RECASED or 2 * len(recased) < len(pairs):
        return None
    shown, held = recased[0]
    return (
        f"The website changes the letter case of titles: {len(recased)} of {len(pairs)} pages show their title in "
        f'another letter case than it is stored, such as "{shown}" for "{held}". Usually a setting of the SEO '
        "plugin or the theme does this. It will also change the letter case of a title that is written from here."
    )


# -- the ladder -----------------------------------------------------------------------------------------


def _ladder(parts: Parts, lang: str | None, *, numbered: bool) -> Iterator[str]:
    """Yield shorter titles in the order of the steps, before any check."""
    unique = _without_repeats(parts)
    count = len(unique.body)
    named = bool(unique.lead or unique.tail)
    if numbered or unique != parts:
        yield unique.first(count, named=True)
    # A shared ending is kept letter for letter: changing it is a finding of its own.
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
    """Whether a comma separates two clauses. It does not inside an enumeration or a number.

    It must be the only comma, and nothing after it may be joined by "and" or "or".
    """
    if head.count(",") != 1 or "\u3001" in head:
        return False
    return _COORDINATORS.isdisjoint(head[comma + 1 :].casefold().split())


# -- guards --------------------------------------------------------------------------------------------


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
            and _keeps_name(candidate, self.page, self.shared)
            and self.topic <= said
            and len(self.name & said) >= _LEAST_NAMED * len(self.name)
            and key_of(without_names(candidate.removeprefix(self.lead), self.shared)) not in self.alike
            and _stands(candidate, self.page, self.shared, self.stops)
        )


def _begins_inside(candidate: str, title: str) -> bool:
    """Whether a text begins with a small letter although the title does not, so inside a phrase.

    Names of code are allowed.
    """
    first = candidate.partition(" ")[0]
    return first[:1].islower() and not title[:1].islower() and _CODE.search(first) is None


def _stands(candidate: str, page: PageTitle, shared: SharedTitle, stops: frozenset[str]) -> bool:
    """Whether a text is complete as a title: it fits, ends well, is whole, and says more than the website's name.

    Before the website's name, a question or the exact main heading may end with a small word.
    """
    if title_px(candidate) > WIDEST_PX or not ends_well(candidate, stops) or not balanced(candidate):
        return False
    own = without_names(candidate, shared)
    if own and set(split_words(own)) <= set(split_words(candidate.replace(own, "", 1))):
        return False  # only repeats the name
    if not page.is_home and _is_part_of_name(own, shared):
        return False
    if own.partition(" ")[0] in _COORDINATORS:
        return False  # the end of a list: "und viele mehr"; with a capital it is another word ("I promessi sposi")
    whole = own.endswith(("?", "!")) or (page.h1 is not None and fold(own) == fold(page.h1) and own[-1:].isalnum())
    return (
        (whole or ends_well(own, stops))
        and bool(content_words(own, stops))
        and not is_nameless(own, shared)
        and not is_stock(own)
        and not is_masked(candidate)
    )
