"""Chooses the address that a page should name as canonical: always absolute and on the website itself."""

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from chalicelib.domain.suggestion import SuggestedFrom
from chalicelib.suggestions.languages import primary
from chalicelib.suggestions.words import split_words

# A copy is clearly linked more often if it has twice as many links, and at least ``LEAST_MORE`` more.
CLEARLY_MORE: Final = 2
LEAST_MORE: Final = 3

_INDEX_FILE: Final = re.compile(r"/(?:index|default|home)\.(?:html?|xhtml|php\d?|aspx?|jsp|cgi|shtml)$", re.IGNORECASE)

_ENDING: Final = re.compile(r"(?:\.(?:x?html?|php|aspx?|jsp)|/)$", re.IGNORECASE)
_MARKS: Final = frozenset("-._/")


class Target(NamedTuple):
    """An address that a page could name. ``indexable``: whether it is a page of the website that may be indexed."""

    url: str
    indexable: bool
    names_itself: bool  # the page names no other address as canonical
    inlinks: int = 0
    in_sitemap: bool = False


class PageCanonical(NamedTuple):
    """The input for the canonical address of one page.

    - ``declared``: the canonical tags as written, in order.
    - ``leads_to``: the page to which the first of these tags leads through redirects and canonical addresses; None if
      it does not lead to a page of the website.
    - ``alike``: the pages with exactly the same text, including this page.
    - ``shared_wrongly``: whether most pages of the website wrongly name one and the same canonical address.
    - ``lang``: the language of the page and its copies.
    """

    url: str
    declared: Sequence[str] = ()
    names_itself: bool = False
    leads_to: Target | None = None
    alike: Sequence[Target] = ()
    shared_wrongly: bool = False
    lang: str | None = None


class Chosen(NamedTuple):
    """The canonical address to name, and the evidence for it. ``url``: None if there is no such address; ``note`` then
    says why."""

    url: str | None
    source: SuggestedFrom | None = None
    note: str | None = None


def suggested(page: PageCanonical) -> Chosen:
    """Return the value to write. Its ``url`` is None if the page already has this value, or if the choice is unclear.

    Pages with the same text should all name one of these pages, which is chosen by the following preferences, in order:

    1. The home page.
    2. The folder's address, rather than the address of its index file.
    3. An address without parameters.
    4. An address in the sitemap.
    5. An address in the folder of its language.
    6. An address to which clearly more pages link.
    7. An address with which all other addresses begin.

    If a page names itself and also other addresses, it should name only itself. If a page names a canonical address
    that leads to an indexable page, it should name that page. Any other page should name itself.
    """
    wanted = _wanted(page)
    if wanted.url is not None and list(page.declared) == [wanted.url]:
        return Chosen(None, None, "The page already names the right address.")
    return wanted


def _wanted(page: PageCanonical) -> Chosen:
    alike = [target for target in page.alike if target.indexable and target.names_itself]
    if len(alike) > 1 or (alike and alike[0].url != page.url):
        kept, source = _kept(alike, page.lang)
        if kept is None:
            return Chosen(
                None,
                None,
                f"{len(alike)} pages have this text. Neither the sitemap nor the website's own links show which of "
                "them people should find.",
            )
        return Chosen(kept.url, "own_address" if kept.url == page.url else source)
    target = page.leads_to
    if page.shared_wrongly or page.names_itself or target is None or not (target.indexable and target.names_itself):
        return Chosen(page.url, "own_address")
    return Chosen(target.url, "canonical" if target.url != page.url else "own_address")


def kept(copies: Sequence[Target], lang: str | None) -> Target | None:
    """Choose which of several copies of a page search should show.

    Returns None if search may show none of the copies, or if the choice is unclear.
    """
    fit = [target for target in copies if target.indexable and target.names_itself]
    return _kept(fit, lang)[0] if fit else None


def is_filed_twice(page: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two addresses show one page: one address in a folder, the other in a folder inside that folder.

    Each is given as (address, title). The addresses must have the same file name ("/collections/list.html" and
    "/collections/linked/list.html"), and all words of one title must be in the other title.
    """
    (folder, name), (other_folder, other_name) = (_filed(url) for url, _ in (page, other))
    if not name or name != other_name or is_index_file(page[0]):
        return False
    shorter, longer = sorted((folder, other_folder), key=len)
    if shorter == longer or not longer.startswith(shorter) or primary(longer[len(shorter) :].split("/")[0]) is not None:
        return False
    words, others = (set(split_words(title)) for _, title in (page, other))
    return bool(words and others) and (words <= others or others <= words)


def is_index_file(url: str) -> bool:
    """Whether an address names the index file of its folder."""
    return _INDEX_FILE.search(urlsplit(url).path) is not None


def folder_of(url: str) -> str:
    """Return the address of the folder of a file, without parameters."""
    return url.partition("?")[0].rpartition("/")[0] + "/"


def _filed(url: str) -> tuple[str, str]:
    """Return the folder of an address, with its slash, and the name in it."""
    folder, slash, name = url.partition("?")[0].rpartition("/")
    return folder + slash, name


def _kept(alike: Sequence[Target], lang: str | None) -> tuple[Target | None, SuggestedFrom | None]:
    """Return the copy that a person would keep, and the last preference that decided.

    Returns None for both if unclear.
    """
    left = sorted(alike)
    source: SuggestedFrom | None = "links"
    if len(left) == 1:
        return left[0], "canonical"
    home = next((target for target in left if urlsplit(target.url).path == "/" and "?" not in target.url), None)
    if home is not None:
        return home, "home_page"
    steps: tuple[tuple[SuggestedFrom, Callable[[Sequence[Target]], list[Target]]], ...] = (
        ("folder_address", _without_index_files),
        ("plain_address", _plain),
        ("sitemap", _listed),
        ("language", lambda targets: _in_language(targets, lang)),
        ("links", _linked),
        ("plain_address", _shortest),
    )
    for name, narrowed in steps:
        fewer = narrowed(left)
        if len(fewer) < len(left):
            left, source = fewer, name
        if len(left) == 1:
            return left[0], source
    return None, None


def _without_index_files(targets: Sequence[Target]) -> list[Target]:
    """Remove index files if their folder is among the targets."""
    urls = {target.url for target in targets}
    return [target for target in targets if not (is_index_file(target.url) and folder_of(target.url) in urls)]


def _plain(targets: Sequence[Target]) -> list[Target]:
    """Remove addresses with parameters if the address without them is among the targets."""
    urls = {target.url for target in targets}
    return [target for target in targets if target.url.partition("?")[0] not in urls - {target.url}]


def _listed(targets: Sequence[Target]) -> list[Target]:
    return [target for target in targets if target.in_sitemap] or list(targets)


def _in_language(targets: Sequence[Target], lang: str | None) -> list[Target]:
    """Return only the targets in the folder of the text's language, if all others are in folders of other languages.
    Otherwise return all targets."""
    language = primary(lang)
    if language is None:
        return list(targets)
    folders = [primary(urlsplit(target.url).path.split("/")[1]) for target in targets]
    if None in folders or language not in folders:
        return list(targets)
    return [target for target, folder in zip(targets, folders, strict=True) if folder == language]


def _shortest(targets: Sequence[Target]) -> list[Target]:
    """Return only the target with whose address all other addresses begin. If there is none, return all targets.

    Examples: "/boots" of "/boots-2", "/Map.html" of "/Map.Entry.html".
    """
    stem, kept = min((_ENDING.sub("", target.url), target) for target in targets)
    longer = [_ENDING.sub("", target.url) for target in targets if target is not kept]
    clear = all(other.startswith(stem) and other[len(stem) : len(stem) + 1] in _MARKS for other in longer)
    return [kept] if clear else list(targets)


def _linked(targets: Sequence[Target]) -> list[Target]:
    """Return only the target to which clearly more pages link than to every other target. If there is none, return
    all."""
    ordered = sorted(targets, key=lambda target: -target.inlinks)
    most, next_one = ordered[0].inlinks, ordered[1].inlinks
    return ordered[:1] if most >= CLEARLY_MORE * next_one and most - next_one >= LEAST_MORE else list(targets)
