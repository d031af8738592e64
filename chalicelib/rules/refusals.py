"""Measures how much of a website rejects the crawler."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.rules.context import Address, Site

MOST_PAGES: Final = 0.5  # share of the requested addresses; if more are refused, the website counts as closed


class Refusals(NamedTuple):
    """The addresses that rejected the crawler, in order, and the number of addresses requested as pages."""

    refused: Sequence[Address]
    asked: int

    @property
    def closes(self) -> bool:
        """Whether most of the website rejects the crawler."""
        return len(self.refused) > MOST_PAGES * self.asked


def refusals(site: Site) -> Refusals:
    """Return which requests for pages the website refused."""
    asked = [site.addresses[url] for url in sorted(site.read)]
    return Refusals([address for address in asked if address.turned_away], len(asked))
