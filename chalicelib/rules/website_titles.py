"""Finds three things for suggested titles: the part that a website's titles share, the website's name, and the headings
in the header of its pages."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from chalicelib.domain.page.text import fold, is_masked
from chalicelib.rules.brand import STOCK_TITLES, names
from chalicelib.rules.context import Site
from chalicelib.rules.titles import shared_ending
from chalicelib.suggestions.headings import is_stock
from chalicelib.suggestions.title_parts import SharedTitle, beginning_of, endings_of, named_endings_of, pieces_of
from chalicelib.suggestions.words import key_of, split_words

LEAST_PAGES: Final = 5  # pages; a title part or heading that this many share says nothing about each
_LEAST_SHARE: Final = 0.5
_NEARLY_ALL: Final = 0.8
_LEAST_SECTIONS: Final = 0.2
_LONGEST_NAME: Final = 60  # characters
_SHORTEST_NAME: Final = 3
_MOST_NAME_WORDS: Final = 7

# Text that follows the name in the title of a home page: its kind, a release, or the section of a manual page.
_FURNITURE: Final = re.compile(
    r"(?:\(\d[a-z]?\)|\s(?:for )?(?:release|version) \d[\w.]*"
    r"|\s+(?:home\s?page|home|main page|(?:documentation |table of )?(?:index|overview|contents)"
    r"|startseite|hauptseite|homepage|accueil|inicio|página principal|pagina principale|strona główna))$",
    re.IGNORECASE,
)
_OPENING: Final = "(\"'„“«"
_BRACKETED: Final = re.compile(r"\s\([^()]*\)$")
_VERSION: Final = re.compile(r"v?\d[\d.]*")
_NO_NAME: Final = re.compile(r"[|?!:…;,]|\s[/»›>]|[/»›>]\s")
# A work that is named after its subject, possibly in small letters: "manuel de l'utilisateur", "user guide".
_WORKS: Final = re.compile(
    r"manual|manuel|handbook|handbuch|handbok|håndbog|håndbok|guid|guía|leitfaden|handleiding|käsikirja|podręcznik"
    r"|příručk|руководств|kılavuz|reference|referenz|référence|documentation|dokumentation|documentación|docs\b"
    r"|マニュアル|ガイド|手册|指南|手冊",
    re.IGNORECASE,
)


def shared_title(site: Site) -> SharedTitle:
    """Return the common part of the website's titles, or the website's name if the titles have no common part."""
    shown = {fold(address.title): address.title for address in site.readable() if address.title}
    known = frozenset(filter(None, map(key_of, site.once(names))))
    common = _common_title(site)
    ending = site.once(shared_ending) or _most_shared(shown.values(), named_endings_of)
    beginning = None if ending else _most_shared(shown.values(), _beginnings_of)
    return SharedTitle(
        ending,
        known | _beginnings(shown.values()) | {key_of(name) for name in (ending, common) if name},
        STOCK_TITLES,
        beginning,
        _endings(shown.values()),
        None if ending or beginning else name_of(site, known, common),
    )


def repeated_headings(site: Site) -> frozenset[int]:
    """Return the first headings of pages (``Address.heading``) that several pages share. Such a heading names the
    website or a section of it."""
    counts = Counter(address.heading for address in site.readable() if address.heading)
    return frozenset(heading for heading, count in counts.items() if count >= LEAST_PAGES)


def numbers_sections(site: Site) -> bool:
    """Whether the website numbers its headings.

    If it does, a plain number before a heading ("6 Modules") also counts as the number of a chapter.
    """
    sections = sum(address.is_section for address in site.readable())
    return sections >= max(LEAST_PAGES, _LEAST_SECTIONS * sum(1 for _ in site.readable()))


def name_of(site: Site, known: frozenset[str] = frozenset(), common: str | None = None) -> str | None:
    """Return the website's name: the name that its home page declares, or the home page's title if the title is a name.

    - ``known``: known names of the website, as ``key_of`` returns them. If the title has several parts, the part that
      is a known name is used.
    - ``common``: the title of most pages.
    """
    home = site.addresses.get(site.home_url)
    if home is None or not home.readable:
        return None
    declared = [site.home.site_name or "" if site.home is not None else "", home.identity.name]
    for name in declared:
        if name and len(name) <= _LONGEST_NAME and not is_masked(name) and not _is_no_name(name):
            return name
    if common is not None and fold(common) == fold(home.title):
        # "Acme - Tents and boots" on every page: no single page has this title, so its first part is the name.
        known |= {key_of(pieces_of(common)[0])}
    found = _name_in(home.title, known)
    if found is not None and found.islower() and found.isalpha() and site.home is not None:
        # "figures" may come from a tool; "git" is a name if the home page shows it.
        shown = any(found in split_words(heading) for _, heading in site.home.headings)
        return found if shown else None
    return found


def named_below(site: Site) -> str:
    """Return the folder whose pages may have the website's name (``SharedTitle.name``) in suggested titles.

    Returns "" (all pages) if the home page declares the name. Otherwise returns the home page's folder.
    """
    home = site.addresses.get(site.home_url)
    if home is None:
        return ""
    declared = (site.home.site_name if site.home is not None else None, home.identity.name)
    if site.once(shared_title).name in declared:
        return ""
    return home.url.partition("?")[0].rpartition("/")[0] + "/"


def _name_in(title: str, known: frozenset[str]) -> str | None:
    """Return the name in the title of a home page, without versions and words that any home page has.

    "Overview (Acme API)" becomes "Acme API", "Acme – 1.2" becomes "Acme". Returns None if several parts are left and
    none is a known name, or if the rest looks like a headline.
    """
    parts = [_FURNITURE.sub("", _in_brackets(part)) for part in pieces_of(title)]
    parts = [part for part in parts if part and not _is_no_name(part) and _VERSION.fullmatch(part) is None]
    if len(parts) > 1:
        parts = [part for part in parts if key_of(part) in known]
    if len(parts) != 1:
        return None
    name = parts[0]
    if not _SHORTEST_NAME <= len(name) <= _LONGEST_NAME or _NO_NAME.search(name) or is_masked(name):
        return None
    return name if _is_named(name) else None


def _in_brackets(part: str) -> str:
    """Return the text in the last brackets if the text before says nothing, as in "Top (Acme Internals)".

    Else return ``part``.
    """
    for ending in named_endings_of(part):
        if ending.endswith(")") and _is_no_name(part[: -len(ending)]):
            return _BRACKETED.sub("", ending[2:-1])
    return part


def _is_no_name(text: str) -> bool:
    """Whether a text is a title that pages of any website have, or begins with one: "Overview", "Introduction to …"."""
    first, _, rest = text.partition(" ")
    return is_stock(text) or fold(text) in STOCK_TITLES or (rest[:1].islower() and is_stock(first))


def _is_named(text: str) -> bool:
    """Whether a text looks like a name and not like a headline.

    It is one word, names a kind of work, or has a word after the first that does not begin with a small letter.
    """
    words = text.split()
    if len(words) > _MOST_NAME_WORDS:
        return False
    if len(words) == 1 or _WORKS.search(text):
        return True
    return any(not word.lstrip(_OPENING)[:1].islower() for word in words[1:])


def _common_title(site: Site) -> str | None:
    """Return the title that at least half of the pages have. Returns None if there is none."""
    counts = Counter(fold(address.title) for address in site.readable())
    most, count = max(counts.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    if not most or count < LEAST_PAGES or count < _LEAST_SHARE * counts.total():
        return None
    return min(address.title for address in site.readable() if fold(address.title) == most)


def _beginnings_of(title: str) -> Iterator[str]:
    beginning = beginning_of(title)
    if beginning is not None:
        yield beginning


def _most_shared(shown: Iterable[str], parts: Callable[[str], Iterable[str]]) -> str | None:
    """Return the longest part that nearly all titles share, in its most frequent spelling.

    Returns None if there is none.

    If fewer titles shared it, the pages without it might belong to another work of the website.
    """
    written: dict[str, Counter[str]] = {}
    count = 0
    for title in shown:
        count += 1
        for part in parts(title):
            written.setdefault(fold(part), Counter())[part] += 1
    least = max(LEAST_PAGES, _NEARLY_ALL * count)
    shared = [key for key, forms in written.items() if forms.total() >= least]
    if not shared:
        return None
    longest = max(shared, key=lambda key: (len(key), key))
    return min(written[longest].items(), key=lambda item: (-item[1], item[0]))[0]


def _beginnings(shown: Iterable[str]) -> frozenset[str]:
    """Return beginnings (``key_of``) that some titles share, such as the name of a book before its chapters."""
    counts = Counter(key_of(beginning) for title in shown for beginning in _beginnings_of(title))
    return frozenset(beginning for beginning, count in counts.items() if count >= LEAST_PAGES)


def _endings(shown: Iterable[str]) -> frozenset[str]:
    """Return endings, folded, that some titles share, such as those of a section or of one of several templates."""
    counts = Counter(fold(ending) for title in shown for ending in endings_of(title))
    return frozenset(ending for ending, count in counts.items() if count >= LEAST_PAGES)
