"""Finds pages that compete with each other because they have the same title, description or text.

A page competes only if it may be indexed and names no other page as canonical. The following pages count as one:

- the pages of one paginated series
- language versions that name each other
- addresses that differ only in parameters for tracking and sorting (SEO-TEC-028)
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Final, NamedTuple

from chalicelib.rules.context import Address, Page, Site
from chalicelib.rules.parameters import plain
from chalicelib.rules.series import series_of

OTHERS_SHOWN: Final = 5


class Group(NamedTuple):
    """Pages that compete with each other in search results, because they have the same title, description or text.

    ``members``: the pages in order of address. Of each paginated series and each set of language versions, only one
    page is a member.
    """

    members: tuple[str, ...]

    def others(self, url: str) -> list[str]:
        """Return the first few members other than ``url``."""
        return [member for member in self.members if member != url][:OTHERS_SHOWN]


def unit_of(address: Address, site: Site) -> Hashable:
    """Return a key that is equal for pages that count as one: the pages of a paginated series, or of a set of language
    versions.

    Every other page has a different key.
    """
    return address.language_set if address.language_set is not None else plain(series_of(address.url, site))


def is_copy_of_home(page: Page) -> bool:
    """Whether the page's text is exactly that of the home page, for example at ``/index.html`` (SEO-CON-002)."""
    home = page.site.home
    return home is not None and bool(home.text_hash) and page.facts.text_hash == home.text_hash


def text_of(address: Address) -> str:
    """Return a key of the page's main text. Two pages have equal keys if their main texts are exactly the same."""
    return address.text_hash or address.url


def without_copies(group: Group, site: Site, kept: Mapping[str, str]) -> Group:
    """Return the group with only one member for each main text.

    SEO-CON-002 reports pages with exactly the same text, and SEO-CON-003 pages with nearly the same text. ``kept``
    (from ``kept_texts``): text of a page that is nearly the same as another page -> text of the page to keep.
    """
    members: dict[str, str] = {}
    texts = {url: text_of(site.addresses[url]) for url in group.members}
    for url in sorted(group.members, key=lambda url: (kept.get(texts[url], texts[url]) != texts[url], len(url), url)):
        members.setdefault(kept.get(texts[url], texts[url]), url)
    return Group(tuple(sorted(members.values())))


def groups(
    site: Site, key: Callable[[Address], Hashable], *, kept: Mapping[str, str] | None = None
) -> dict[str, Group]:
    """Group pages that compete in search because they have the same ``key``. Only groups of at least two pages count.
    Returns the group of each page, by address.

    Pages with an empty key (None, "", 0) are in no group. ``kept``: as for ``without_copies``. If ``kept`` is given,
    pages with the same or nearly the same main text count as one.
    """
    alike: dict[Hashable, dict[Hashable, str]] = {}
    for address in site.indexable():
        value = key(address)
        if not value or not address.canonical_is_self:
            continue
        unit = unit_of(address, site)
        first = alike.setdefault(value, {})
        shortest = first.get(unit)
        # A series is represented by its first page, which has the shortest address.
        if shortest is None or (len(address.url), address.url) < (len(shortest), shortest):
            first[unit] = address.url
    result: dict[str, Group] = {}
    for units in alike.values():
        if len(units) > 1:
            group = Group(tuple(sorted(units.values())))
            if kept is not None:
                group = without_copies(group, site, kept)
            if len(group.members) > 1:
                result.update((url, group) for url in group.members)
    return result
