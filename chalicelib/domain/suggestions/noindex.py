"""Whether a page should be kept out of search results: ``true`` or ``false``, or nothing where only people know."""

from typing import Final, NamedTuple

from chalicelib.domain.page.page_kinds import PageKind

_KEPT_OUT: Final = frozenset({"account", "search", "empty_archive", "media"})
_EITHER: Final = frozenset({"legal", "archive"})  # many owners keep them out on purpose
WANTED_INLINKS: Final = 10  # links of the website itself that call a page important


class PageNoindex(NamedTuple):
    """What decides for one page. ``is_kept_out``: it carries noindex now; ``has_no_place``: a rule says that nobody
    should find it, such as an empty list or a basket."""

    is_kept_out: bool
    kind: PageKind = PageKind()
    is_home: bool = False
    in_sitemap: bool = False
    inlinks: int = 0
    conflicting: bool = False  # its directives contradict each other
    has_no_place: bool = False


def suggested(page: PageNoindex) -> str | None:
    """The value to write; None where the page says so already, or where nothing tells what its owner wants.

    Log-in, basket, search and empty pages are kept out. The home page, and pages that the website lists in its
    sitemap or links often, are not. Where directives contradict each other, the strictest holds in search engines
    today, and without a sign that the page is wanted that is what the suggestion keeps.
    """
    wanted = _wanted(page)
    if wanted is None or (wanted == page.is_kept_out and not page.conflicting):
        return None
    return value(wanted)


def value(is_kept_out: bool) -> str:
    """The value as it is written and shown."""
    return "true" if is_kept_out else "false"


def _wanted(page: PageNoindex) -> bool | None:
    """Whether the page should carry noindex; None: unknown."""
    if page.is_home:
        return False
    if page.has_no_place or page.kind.kind in _KEPT_OUT:
        return True
    if page.kind.kind not in _EITHER and (page.in_sitemap or page.inlinks >= WANTED_INLINKS):
        return False
    return True if page.conflicting else None
