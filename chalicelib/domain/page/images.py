"""Identifies an image of a page by its address and its number among the page's images with that address."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from chalicelib.domain.page.facts import Image

LONGEST_KEY: Final = 2_000  # characters


class Numbered(NamedTuple):
    """An image of a page with its key. ``number``: counts the page's images with the same address, from 1."""

    key: str
    number: int
    image: Image


def key_of(address: str, number: int) -> str:
    """Return the key of the image with this address and number."""
    return f"{address} {number}"


def numbered(images: Iterable[Image]) -> Iterator[Numbered]:
    """Yield each image with its key. ``images``: all images of the page, in order.

    Images without an address are left out. Images are also left out if their key would be too long to write.
    """
    seen: Counter[str] = Counter()
    for image in images:
        if not image.src:
            continue
        seen[image.src] += 1
        key = key_of(image.src, seen[image.src])
        if len(key) <= LONGEST_KEY:
            yield Numbered(key, seen[image.src], image)
