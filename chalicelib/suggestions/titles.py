"""Suggests titles for pages without a usable one, by a fixed sequence of steps and checks (guards).

The titles come from the page's headings or its own title, and include the common part of the website's titles. The
first candidates that pass the guards are returned, best first. ``choice`` picks a candidate that is unique on the
website.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from chalicelib.domain.page.answers import QUESTION_LANGUAGES, opening_of
from chalicelib.domain.page.stop_words import ALL_STOP_WORDS, stop_words
from chalicelib.domain.page.text import fold, is_masked
from chalicelib.domain.page.widths import title_px
from chalicelib.domain.suggestion import Candidate, SuggestedFrom
from chalicelib.suggestions.filler import is_filler
from chalicelib.suggestions.headings import cleaned, is_number_of_part, is_stock, without_byline, without_number
from chalicelib.suggestions.languages import agree, primary, spoken
from chalicelib.suggestions.lexicon import ABBREVIATIONS, NUMBER_WORDS
from chalicelib.suggestions.stock_headings import PHRASES
from chalicelib.suggestions.title_parts import (
    NAME_MARK,
    SharedTitle,
    parts_of,
    without_name,
    without_names,
)
from chalicelib.suggestions.typography import typeset, unstopped
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
_LEAST_KEPT: Final = 0.5  # share of the words of a short title that must be kept

Need = Literal["missing", "duplicated", "short", "nameless", "template"]

# A path that a heading shows part by part: "std/sys/ unix.rs", "Home / Shop / Boots".
_TRAIL: Final = re.compile(r"\w/ \w|\s[/→>]\s.*\s[/→>]\s")
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
_OTHER_SCRIPTS: Final = frozenset("ja ko zh ru el he ar th".split())  # languages that are not written in Latin letters
# Words for the kind of thing that a page of a software manual is about. They say little beside its name.
_KINDS: Final = frozenset(
    "class classes package interface enum record annotation type module namespace struct structure union trait "
    "hierarchy classe paquetage klasse paket schnittstelle clase paquete interfaz pacchetto pacote".split()
)
_VERSIONS: Final = frozenset(
    "version versions versión versione versie versão wersja versio verze версия release".split()
)
COORDINATORS: Final = frozenset("and or & + und oder sowie et ou y e o u ed od en of i oraz lub ni nor".split())


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


def replacements(page: PageTitle, shared: SharedTitle, needs: frozenset[Need]) -> list[Candidate]:
    """Return titles for a page that has no usable title. They come from its headings, its title for sharing or its own
    words."""
    stops = stop_words(page.lang)
    found: dict[str, SuggestedFrom] = {}
    for base, source in _bases(page, shared, needs):
        for candidate in _framed(unstopped(typeset(base, page.lang)), page, shared, needs):
            if (
                candidate not in found
                and _helps(candidate, base, page, shared, needs)
                and stands(candidate, page, shared, stops)
            ):
                found[candidate] = source
    return [Candidate(text, source) for text, source in list(found.items())[:MOST_CANDIDATES]]


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
        return "No heading or description of the page gives a longer title that says more and has the current title."
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
    """Yield the words with the website's name around them, as in the current title, or else as in the website's titles.

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
    named = name in key_of(base) and not (too_short(base) and _is_compound(base, shared.name))
    repeating = bool(name) and (named or _repeats(base, forms, page.lang))
    fitting = [form for form in forms if not repeating and title_px(form) <= WIDEST_PX]
    yield from fitting
    kept = present is not None and "short" in needs and name and not repeating
    if not fitting and not kept:
        yield base


def _is_compound(base: str, name: str | None) -> bool:
    """Whether the words are one name in code that begins with the website's name: "AcmeChart" of "Acme"."""
    return name is not None and " " not in base and base.startswith(name) and base[len(name) :][:1].isupper()


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
    if not keeps_name(candidate, page, shared):
        return False
    own = without_names(title, shared)
    if "short" in needs:
        said = set(content_words(title, stops))
        is_named = without_names(candidate, shared) != candidate
        added = set(content_words(candidate, stops)) - said
        words = {word for word in added if not word.isdecimal()}
        if said and not is_named and (added <= _KINDS or (words and words <= _VERSIONS)):
            return False  # "Package tents" and "Tents version 0.9" say hardly more than "Tents"
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


def keeps_name(candidate: str, page: PageTitle, shared: SharedTitle) -> bool:
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


def stands(candidate: str, page: PageTitle, shared: SharedTitle, stops: frozenset[str]) -> bool:
    """Whether a text can be a title. It must not be too wide, must end well (see ``ends_well``), and must say more than
    the website's name.

    A question, or the exact main heading, may end with a small word if the website's name follows.
    """
    if title_px(candidate) > WIDEST_PX or not ends_well(candidate, stops) or not balanced(candidate):
        return False
    own = without_names(candidate, shared)
    if own and set(split_words(own)) <= set(split_words(candidate.replace(own, "", 1))):
        return False  # only repeats the name
    if not page.is_home and _is_part_of_name(own, shared):
        return False
    if own.partition(" ")[0] in COORDINATORS:
        return False  # the end of a list: "und viele mehr"; with a capital it is another word ("I promessi sposi")
    if is_number_of_part(own) and fold(own) != fold(page.h1 or page.heading or ""):
        return False  # the part has a name too
    whole = own.endswith(("?", "!")) or (page.h1 is not None and fold(own) == fold(page.h1) and own[-1:].isalnum())
    return (
        (whole or ends_well(own, stops))
        and bool(content_words(own, stops))
        and not is_nameless(own, shared)
        and not is_stock(own)
        and not is_masked(candidate)
    )
