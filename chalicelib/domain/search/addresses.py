"""Addresses of pages in search data: which addresses are the same page, and the folder and language of a page."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import unquote

from chalicelib.domain.crawl.urls import normalise

DEEPEST: Final = 4  # folders below one another that a section is made of
MOST_IN_SECTION: Final = 50  # pages: a larger section is divided by its folders

# Languages that websites have versions in, by the first folder of their addresses.
_LANGUAGES: Final = frozenset(
    "ar bg bn bs ca cs da de el en es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka kk ko lt lv mk ms nb nl nn no"
    " pl pt ro ru sk sl sq sr sv ta te th tr uk ur uz vi zh".split()
)
_LOCALE: Final = re.compile(r"([a-z]{2})(?:[-_][a-z]{2,4})?")
_DATE: Final = re.compile(r"(?:19|20)[0-9]{2}|0?[1-9]|[12][0-9]|3[01]|(?:19|20)[0-9]{2}-[01]?[0-9](?:-[0-3]?[0-9])?")
_PLAIN: Final = re.compile(r"https?://(?:www\.)?([a-z0-9.-]+\.[a-z]{2,}(?:/[A-Za-z0-9._~/-]*)?)")
# Folders that name the kind of their pages, and not the topic: the folder below them counts, if there is one.
_BUCKETS: Final = frozenset(
    "blog blogs news articles article post posts p product products shop store collections collection category"
    " categories cat c tag tags topic topics page pages item items en-us docs doc wiki produkt produkte kategorie"
    " kategorien artikel beitrag beitraege produit produits categorie boutique producto productos categoria"
    " categorias tienda prodotto prodotti negozio producten winkel produto produtos loja produkty kategoria sklep"
    " index.php".split()
)


class Place(NamedTuple):
    """The position of a page in the website.

    - ``language``: the language that the page's address names; None if it names none.
    - ``folders``: the folders of the address, from the outermost to the innermost, as written. Languages and dates are
      left out.
    - ``last``: the part of the address after the folders; "" for the page of a folder.
    """

    language: str | None
    folders: tuple[str, ...]
    last: str


def page_key(url: str) -> str:
    """Return the key that all addresses of one page share.

    These addresses may differ in scheme, a leading ``www.``, the last slash and the fragment.
    """
    plain = _PLAIN.fullmatch(url)
    if plain is not None and "/." not in url:
        return plain[1].rstrip("/")
    written = normalise(url)
    if written is None:
        return url
    return written.partition("://")[2].removeprefix("www.").rstrip("/")


def place(key: str) -> Place:
    """Return the position in the website of the page with this key."""
    *folders, last = key.partition("?")[0].split("/")
    if not folders:
        return Place(None, (), "")
    del folders[0]  # the host
    language = _language(folders[0] if folders else last)
    if language is not None:
        if not folders:
            return Place(language, (), "")
        del folders[0]
    return Place(language, tuple([folder for folder in folders if folder and not _is_date(folder)][:DEEPEST]), last)


def sections(places: Sequence[Place]) -> list[tuple[str, ...]]:
    """Return the section of each page, as folders. The section of a page in no folder is empty.

    A section consists of the outermost folder that names a topic and the folders above it. If the section has more than
    ``MOST_IN_SECTION`` pages, it is divided by the next folder, and so on.

    A page whose own address is that of a folder belongs to this folder: ``/shoes`` is in the same folder as
    ``/shoes/red``.
    """
    folders = {(one.language, one.folders[:depth]) for one in places for depth in range(1, len(one.folders) + 1)}
    within = [_with_own_folder(one, folders) for one in places]
    found = [_first(one) for one in within]
    for depth in range(1, DEEPEST + 1):
        crowded: dict[tuple[str | None, tuple[str, ...]], list[int]] = {}
        for number, section in enumerate(found):
            if len(section) == depth:
                crowded.setdefault((places[number].language, section), []).append(number)
        for numbers in crowded.values():
            if len(numbers) > MOST_IN_SECTION:
                for number in numbers:
                    found[number] = within[number][: depth + 1]
    return found


@lru_cache(maxsize=4_096)
def _language(folder: str) -> str | None:
    found = _LOCALE.fullmatch(folder.lower())
    return found[1] if found is not None and found[1] in _LANGUAGES else None


@lru_cache(maxsize=4_096)
def _is_date(folder: str) -> bool:
    return _DATE.fullmatch(folder) is not None


def _with_own_folder(one: Place, folders: set[tuple[str | None, tuple[str, ...]]]) -> tuple[str, ...]:
    own = (*one.folders, one.last)
    return own if one.last and len(own) <= DEEPEST and (one.language, own) in folders else one.folders


def _first(folders: tuple[str, ...]) -> tuple[str, ...]:
    """Return the folders down to the first that names a topic; all of them if none does."""
    for depth, folder in enumerate(folders, start=1):
        if folder.lower() not in _BUCKETS:
            return folders[:depth]
    return folders


@lru_cache(maxsize=4_096)
def words_of_folder(folder: str) -> str:
    """Return a folder's name as a person would read it: ``hiking-boots`` becomes "hiking boots"."""
    return " ".join(re.split(r"[\s_+.-]+", unquote(folder))).strip()


def section_name(section: Iterable[str]) -> str | None:
    """Return the name of a section: its folders, without percent-encoding. Returns None for pages in no folder."""
    return "/".join(map(unquote, section)) or None
