"""Suggests alternative texts of images, only if the page says what an image shows.

The sources are the name of the product that the image shows, the image's caption, and the words of a link that leads to
the same address as the image. Words are not used in these cases:

- The words belong to another image too.
- The words name a photographer, a date or a file.
- The words are in another language than the page.

No text is better than a wrong one.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple
from urllib.parse import urlsplit

from chalicelib.domain import legible
from chalicelib.domain.page.alt_words import is_file_name, says_nothing
from chalicelib.domain.page.facts import Image, PageFacts
from chalicelib.domain.page.link_words import is_control, is_vague, moves_on
from chalicelib.domain.page.text import fold, is_masked
from chalicelib.suggestions.languages import agree, primary, spoken

LONGEST: Final = 125  # characters; screen readers stop or pause after about this many
_FEWEST_LETTERS: Final = 3
_FEWEST_WORDS: Final = 2  # words; a text with a year and no more words than this is a date

AltFrom = Literal["product", "caption", "link"]

# Words before or after the name of a photographer or agency, in the languages of most websites.
_CREDIT: Final = re.compile(
    r"©|\(c\)|\b(?:photo(?:graph(?:y|er|ie|e)?)?s?|pictures?|images?|foto(?:graf(?:ie|ía|ia|o)?)?s?|bild(?:er|quelle)?"
    r"|credits?|crédit?o?s?|source|quelle|fonte|fuente|bron|illustration|grafik|rendering|zdjęcie|kuva|billede)"
    r"\s*(?:credits?\s*)?(?::|©|/|\bby\b|\bvon\b|\bpar\b|\bpor\b|\bdi\b|\bdoor\b)"
    r"|\b(?:courtesy of|all rights reserved|alle rechte|getty|shutterstock|unsplash|istock|adobe ?stock|pixabay|pexels"
    r"|depositphotos|alamy|reuters|dpa|afp|wikimedia|flickr|cc[ -]by|copyright)\b",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(r"(?<=[.!?])\s+|\s+[|•·/]\s+|\s*[(\[](?=[^()\[\]]*[)\]]\s*$)|[)\]]\s*$")
_NUMBER: Final = re.compile(
    r"(?:fig(?:ure|ura)?|abb(?:ildung)?|bild|image|img|photo|foto|picture|plate|rys(?:unek)?|obr(?:ázek)?|afb(?:eelding)?"
    r"|图|図)\.?\s*\d{1,3}(?:[.-]\d{1,3})?\s*[a-z]?\s*[.:)–—-]*(?=\s|$)\s*",
    re.IGNORECASE,
)
_YEAR: Final = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_MARKUP: Final = re.compile(r"<[a-zA-Z/!]|&[a-zA-Z#]\w{1,8};|\[/?\w+[^\]]*=|\{\{|\}\}|https?:|www\.", re.IGNORECASE)
_SIZE: Final = re.compile(r"(?:[-_](?:\d{2,5}x\d{2,5}|scaled|large|medium|small|thumb(?:nail)?))+(?=\.\w{2,5}$)")
_AROUND: Final = " \t–—-|•·:;,"


class AltText(NamedTuple):
    """A text for an image, and the source of its words."""

    text: str
    source: AltFrom


def of_page(facts: PageFacts, lacking: Sequence[Image]) -> list[AltText | None]:
    """Return a text for each of these images. The text is None if the page does not say what the image shows."""
    labels = {link.url: link.text for link in (*facts.links, *facts.external_links) if link.text}
    products = {_file(address) for address in facts.product_images}
    language = primary(facts.body_lang or facts.lang) or spoken(facts.text)
    found = [_of_image(image, facts, labels, products, language) for image in lacking]
    # Words that several pictures share do not say what one of them shows. A product's first picture gets its name.
    shown: dict[str, set[str]] = {}
    for image, text in zip(lacking, found, strict=True):
        if text is not None:
            shown.setdefault(fold(text.text), set()).add(_file(image.src))
    taken = Counter(fold(image.alt) for image in facts.images if image.alt)
    result: list[AltText | None] = []
    named: set[str] = set()
    for text in found:
        is_first = text is not None and text.source == "product" and fold(text.text) not in named
        if text is not None and text.source == "product":
            named.add(fold(text.text))
        alone = text is not None and len(shown[fold(text.text)]) == 1
        result.append(text if text is not None and (alone or is_first) and not taken[fold(text.text)] else None)
    return result


def _of_image(
    image: Image, facts: PageFacts, labels: Mapping[str, str], products: set[str], language: str | None
) -> AltText | None:
    if image.target and not image.alt:  # the image is all that the link shows: say where the link leads
        label = labels.get(image.target, "")
        if urlsplit(image.target).path in ("", "/"):
            return None  # a logo: another link to the home page has the text of the menu's first entry
        if is_vague(label) or is_control(label) or moves_on(label):
            return None
        text = _checked(label, language)
        return None if text is None else AltText(text, "link")
    if _file(image.src) in products:
        text = _checked(facts.product, None)  # names have no language
        if text is not None:
            return AltText(text, "product")
    text = _checked(_without_credit(image.caption), language)
    return None if text is None else AltText(text, "caption")


def _without_credit(caption: str) -> str:
    """Return the caption without its number, and without parts that name photographers and agencies."""
    caption = _NUMBER.sub("", caption, count=1) if _NUMBER.match(caption) else caption
    parts = [part.strip(_AROUND) for part in _PARTS.split(caption)]
    kept = [part for part in parts if part and _CREDIT.search(part) is None]
    return caption if len(kept) == len([part for part in parts if part]) else " ".join(kept)


def _checked(text: str, language: str | None) -> str | None:
    """Return the text if it may be suggested, otherwise None. ``language``: of the page."""
    text = text.strip(_AROUND)
    words = _WORD.findall(text)
    if len(text) > LONGEST or (sum(map(len, words)) < _FEWEST_LETTERS and not _is_unspaced(text)):
        return None
    if _YEAR.search(text) is not None and len(words) <= _FEWEST_WORDS:
        return None
    if text.endswith(("…", "...")):  # the text is cut off
        return None
    if says_nothing(text) or is_file_name(text) or _CREDIT.search(text) is not None or _MARKUP.search(text) is not None:
        return None
    if is_masked(text) or legible.fault(text) is not None or not legible.is_visible(text):
        return None
    return text if agree(spoken(text), language) else None


def _is_unspaced(text: str) -> bool:
    return any("\u3040" <= character <= "\ud7af" for character in text)


def _file(address: str) -> str:
    """Return the part of an image's address that is the same for all sizes of the image."""
    parts = urlsplit(address)
    return f"{parts.netloc}{_SIZE.sub('', parts.path)}"
