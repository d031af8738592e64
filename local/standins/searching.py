"""The made-up web search of the stand-in for assistants. It finds pages of brands, and its answer names some of these
brands.

Results depend only on the question and the provider, so that each run gives the same answers.
"""

import hashlib
from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import urlsplit

MOST_NAMED: Final = 3  # brands in one answer


class Brand(NamedTuple):
    """A made-up brand that answers may name, and the addresses of its pages."""

    name: str
    pages: tuple[str, ...]


class Page(NamedTuple):
    """A page that the search found."""

    url: str
    title: str

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


class Found(NamedTuple):
    """An answer with its search results.

    - ``query``: the search query.
    - ``pages``: the pages that the search found.
    - ``parts``: the answer's parts in order, each with the index of the page that the part cites (None: no page). Some
      of ``pages`` are not cited.
    """

    query: str
    pages: tuple[Page, ...]
    parts: tuple[tuple[str, int | None], ...]


BRANDS: Final = (
    Brand("Northpeak", ("https://northpeak.example/boots", "https://northpeak.example/guide")),
    Brand("Trailworks", ("https://www.trailworks.example/",)),
    Brand("Summit & Daughters", ("https://summit-daughters.example/tents", "https://blog.summit-daughters.example/")),
    Brand("Wegweiser", ("https://wegweiser.example/de/test",)),
)
_NOT_CITED: Final = Page("https://encyclopedia.example/outdoor", "Outdoor equipment")


def search(question: str, provider: str, brands: Sequence[Brand]) -> Found:
    """Make up a provider's search results and answer for a question."""
    # All providers rank the brands of a question equally; they differ in how many of them they name.
    order = sorted(brands, key=lambda brand: _number(question, brand.name))
    named = order[: 1 + _number(question, provider) % MOST_NAMED]
    pages = [Page(brand.pages[_number(question, brand.name) % len(brand.pages)], brand.name) for brand in named]
    items = [(f"{number + 1}. **{brand.name}** – often named for this.", number) for number, brand in enumerate(named)]
    opening = "No AI model was asked: this is the stand-in of the local service. It names:"
    return Found(" ".join(question.split()[:6]), (*pages, _NOT_CITED), ((opening, None), ("", None), *items))


def _number(*parts: str) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest()[:8], "big")
