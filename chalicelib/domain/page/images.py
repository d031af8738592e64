"""Which image of a page is meant: by its address and its number among the images with that address."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from chalicelib.domain.page.facts import Image

LONGEST_KEY: Final = 2_000  # characters


class Numbered(NamedTuple):
    """An image of a page, its key, and its number among the page's images with its address, from 1."""

    key: str
    number: int
    image: Image


def key_of(address: str, number: int) -> str:
    """The key of the image with this address and number."""
    return f"{address} {number}"


def numbered(images: Iterable[Image]) -> Iterator[Numbered]:
    """The images with their keys. ``images``: all of the page, in order. Left out are images without an address, and
    those whose key is too long to be written."""
    seen: Counter[str] = Counter()
    for image in images:
        if not image.src:
            continue
        seen[image.src] += 1
        key = key_of(image.src, seen[image.src])
        if len(key) <= LONGEST_KEY:
            yield Numbered(key, seen[image.src], image)
