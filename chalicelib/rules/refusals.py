"""How much of a website turns the crawler away."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.rules.context import Address, Site

MOST_PAGES: Final = 0.5  # from more than this share of the addresses on the website is closed


class Refusals(NamedTuple):
    """The addresses that turned the crawler away, in order, and how many were asked for as pages."""

    refused: Sequence[Address]
    asked: int

    @property
    def closes(self) -> bool:
        """Whether most of the website is closed to the crawler."""
        return len(self.refused) > MOST_PAGES * self.asked


def refusals(site: Site) -> Refusals:
    """The protections that refused the crawler's requests for pages."""
    asked = [site.addresses[url] for url in sorted(site.read)]
    return Refusals([address for address in asked if address.turned_away], len(asked))
