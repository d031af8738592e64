"""Finds pages that compete with each other for the same title, description or text.

Only pages that may be indexed, and name no other page as canonical, compete. The pages of one paginated series count as
one. So do language versions that name each other, and addresses that differ only in parameters for tracking and sorting
(SEO-TEC-028).
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Final, NamedTuple

from chalicelib.rules.context import Address, Page, Site
from chalicelib.rules.parameters import plain
from chalicelib.rules.series import series_of

OTHERS_SHOWN: Final = 5


class Group(NamedTuple):
    """Competing pages that are alike. ``members``: one page of each series or set of languages, in order of address."""

    members: tuple[str, ...]

    def others(self, url: str) -> list[str]:
        """Return the first few members other than ``url``."""
        return [member for member in self.members if member != url][:OTHERS_SHOWN]


def unit_of(address: Address, site: Site) -> Hashable:
    """Return what counts as one page: a paginated series, a set of language versions, or the page itself."""
    return address.language_set if address.language_set is not None else plain(series_of(address.url, site))


def is_copy_of_home(page: Page) -> bool:
    """Whether the page's text is word for word that of the home page, such as ``/index.html`` (SEO-CON-002)."""
    home = page.site.home
    return home is not None and bool(home.text_hash) and page.facts.text_hash == home.text_hash


def text_of(address: Address) -> str:
    """Return a key of the page's main text. Pages with word for word the same text have equal keys."""
    return address.text_hash or address.url


def without_copies(group: Group, site: Site, kept: Mapping[str, str]) -> Group:
    """Return the group with only one member for each main text.

    Pages with word for word the same text are left to SEO-CON-002, and those with nearly the same text to SEO-CON-003.
    ``kept``: which text to keep, by the text of each page that is nearly the same as another.
    """
    members: dict[str, str] = {}
    texts = {url: text_of(site.addresses[url]) for url in group.members}
    for url in sorted(group.members, key=lambda url: (kept.get(texts[url], texts[url]) != texts[url], len(url), url)):
        members.setdefault(kept.get(texts[url], texts[url]), url)
    return Group(tuple(sorted(members.values())))


def groups(
    site: Site, key: Callable[[Address], Hashable], *, kept: Mapping[str, str] | None = None
) -> dict[str, Group]:
    """Group competing pages by ``key``, and return each group of at least two pages by the address of each member.

    Pages with an empty key (None, "", 0) are in no group. ``kept``: as for ``without_copies``. If it is given, pages
    with the same or nearly the same main text count as one.
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
