"""How long a page's title and description are: as the page has them, also where addresses in them are hidden."""

from typing import NamedTuple

from chalicelib.domain.page.facts import PageFacts, Written
from chalicelib.domain.page.widths import description_px, title_px


class Size(NamedTuple):
    """Characters, and pixels as search results show them."""

    characters: int
    pixels: int


def title_size(facts: PageFacts) -> Size:
    title, written = facts.title or "", facts.title_written
    return _size(written) if written is not None else Size(len(title), title_px(title))


def description_size(facts: PageFacts) -> Size:
    description, written = facts.description or "", facts.description_written
    return _size(written) if written is not None else Size(len(description), description_px(description))


def _size(written: Written) -> Size:
    return Size(written.characters, written.pixels)
