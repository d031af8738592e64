"""Which pages compete with each other for the same title, description or text.

Only pages that may be indexed and name no other page as their canonical one compete. The pages of one paginated
series count as one, and so do language versions that name each other, and addresses that differ in nothing but
parameters for tracking and sorting (SEO-TEC-028).
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Final, NamedTuple

from chalicelib.rules.context import Address, Page, Site
from chalicelib.rules.parameters import plain
from chalicelib.rules.series import series_of

OTHERS_SHOWN: Final = 5


class Group(NamedTuple):
    """Competing pages that are alike: ``members`` one for each series and set of languages, in order of address."""

    members: tuple[str, ...]

    def others(self, url: str) -> list[str]:
        """The first few of the other pages."""
        return [member for member in self.members if member != url][:OTHERS_SHOWN]


def unit_of(address: Address, site: Site) -> Hashable:
    """The unit that counts as one page: a paginated series, a set of language versions, or the page itself."""
    return address.language_set if address.language_set is not None else plain(series_of(address.url, site))


def is_copy_of_home(page: Page) -> bool:
    """Whether the page says word for word what the home page says, such as ``/index.html`` (SEO-CON-002)."""
    home = page.site.home
    return home is not None and bool(home.text_hash) and page.facts.text_hash == home.text_hash


def text_of(address: Address) -> str:
    """A key of the page's main text: equal for pages that are word for word the same."""
    return address.text_hash or address.url


def without_copies(group: Group, site: Site, kept: Mapping[str, str]) -> Group:
    """The group with one member for each main text: pages that are word for word the same are SEO-CON-002 alone, and
    those that are nearly the same SEO-CON-003. ``kept``: by the text of each page that is nearly the same as another,
    the text to keep.
    """
    members: dict[str, str] = {}
    texts = {url: text_of(site.addresses[url]) for url in group.members}
    for url in sorted(group.members, key=lambda url: (kept.get(texts[url], texts[url]) != texts[url], len(url), url)):
        members.setdefault(kept.get(texts[url], texts[url]), url)
    return Group(tuple(sorted(members.values())))


def groups(
    site: Site, key: Callable[[Address], Hashable], *, kept: Mapping[str, str] | None = None
) -> dict[str, Group]:
    """The groups of at least two competing pages whose key is the same, by address of each member.

    Pages with an empty key (None, "", 0) are in no group. ``kept``: of pages with the same main text, or nearly the
    same, only one counts (see ``without_copies``).
    """
    alike: dict[Hashable, dict[Hashable, str]] = {}
    for address in site.indexable():
        value = key(address)
        if not value or not address.canonical_is_self:
            continue
        unit = unit_of(address, site)
        first = alike.setdefault(value, {})
        shortest = first.get(unit)
        # The first page of a series stands for it: its address is the shortest.
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
