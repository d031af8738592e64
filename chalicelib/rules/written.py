"""Measures a page's title and description as they are on the page.

The service masks e-mail addresses in the texts that it stores, so it also stores the size of the original text.
"""

from typing import NamedTuple

from chalicelib.domain.page.facts import PageFacts, Written
from chalicelib.domain.page.widths import description_px, title_px


class Size(NamedTuple):
    """The length of a text in characters, and its width in pixels in search results."""

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
