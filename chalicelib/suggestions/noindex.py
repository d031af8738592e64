"""Decides whether a page should be kept out of search results: ``true``, ``false``, or no value if only people can
decide this."""

from typing import Final, NamedTuple

from chalicelib.domain.page.page_kinds import PageKind
from chalicelib.domain.suggestion import SuggestedFrom

_KEPT_OUT: Final = frozenset({"account", "search", "empty_archive", "media"})
_EITHER: Final = frozenset({"legal", "archive"})  # many owners keep them out on purpose
STUB_WORDS: Final = 50  # a page with fewer words and noindex may be meant to stay out, however many pages link it
WANTED_INLINKS: Final = 10  # links of the website itself: from here on the page counts as important
NOBODY_KNOWS: Final = "Only the website's owner knows whether people should find this page in search results."


class PageNoindex(NamedTuple):
    """The input for one page.

    - ``is_kept_out``: whether the page has noindex now.
    - ``has_no_place``: whether a rule says that search should not show the page, for example because the page is an
      empty list or a basket.
    - ``is_article``: whether the page has a text like an article, whatever its address.
    """

    is_kept_out: bool
    kind: PageKind = PageKind()
    is_home: bool = False
    in_sitemap: bool = False
    inlinks: int = 0
    conflicting: bool = False  # its directives contradict each other
    has_no_place: bool = False
    is_article: bool = False
    words: int | None = None  # of its text; None: unknown


class Chosen(NamedTuple):
    """The value to write with its evidence, or a note that says why there is no value."""

    value: str | None
    source: SuggestedFrom | None = None
    note: str | None = None


def suggested(page: PageNoindex) -> Chosen:
    """Return the value to write. There is no value if the page already has it, or if the intention of the page's owner
    is unknown.

    Log-in, basket, search and empty pages are kept out of search results. The home page, pages in the sitemap and pages
    with many links to them are not kept out. Whether a stub that has noindex now should keep it is left to its owner.
    No article is ever kept out, because losing an article harms the website more than showing a search page. If the
    page's directives contradict each other, the value is returned even if the page already has it.
    """
    wanted, source = _wanted(page)
    if wanted is None or source is None:
        return Chosen(None, None, NOBODY_KNOWS)
    if wanted == page.is_kept_out and not page.conflicting:
        return Chosen(None, None, "No change needed: the page already has this value.")
    return Chosen(value(wanted), source)


def value(is_kept_out: bool) -> str:
    """Return the value as the text that is written and shown: ``true`` or ``false``."""
    return "true" if is_kept_out else "false"


def _wanted(page: PageNoindex) -> tuple[bool | None, SuggestedFrom | None]:
    """Return whether the page should have noindex, and the evidence. Returns None if unknown."""
    if page.is_home:
        return False, "home_page"
    if not page.is_article and (page.has_no_place or page.kind.kind in _KEPT_OUT):
        return True, "page_kind"
    if page.kind.kind in _EITHER:
        return None, None
    if page.in_sitemap:
        return False, "sitemap"
    is_stub = page.is_kept_out and page.words is not None and page.words < STUB_WORDS
    if page.inlinks >= WANTED_INLINKS and not is_stub:
        return False, "links"
    return None, None
