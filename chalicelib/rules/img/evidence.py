"""Evidence of the rules about images."""

from collections.abc import Mapping, Sequence

from chalicelib.domain.page.facts import Image, PageFacts
from chalicelib.domain.page.images import numbered
from chalicelib.suggestions import alt_texts


def of_images(found: Sequence[Mapping[str, object]], shown: int) -> dict[str, object]:
    """Return evidence for images: their number (``count``), and the first ``shown`` of them (``images``).

    ``found``: for each image, its ``src`` and what the rule observed.
    """
    return {"images": list(found[:shown]), "count": len(found)}


def of_alt_texts(facts: PageFacts, found: Sequence[Image], shown: int) -> dict[str, object]:
    """Return evidence for images that need an alt text.

    - ``occurrence``: the image's number among the images with that address. This member is absent if the service cannot
      write the image's alt text.
    - ``suggested`` and ``suggestedFrom``: present only if the page says what the image shows.
    """
    occurrences = {id(image): number for _, number, image in numbered(facts.images)}
    texts = alt_texts.of_page(facts, found)
    named: list[dict[str, object]] = []
    for image, text in zip(found, texts, strict=True):
        one: dict[str, object] = {"src": image.src, "alt": image.alt}
        if id(image) in occurrences:
            one["occurrence"] = occurrences[id(image)]
        if text is not None:
            one |= {"suggested": text.text, "suggestedFrom": text.source}
        named.append(one)
    return of_images(named, shown)
