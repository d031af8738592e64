"""How the rules about images name those that they found."""

from collections.abc import Mapping, Sequence

from chalicelib.domain.page.facts import Image, PageFacts
from chalicelib.domain.page.images import numbered
from chalicelib.suggestions import alt_texts


def of_images(found: Sequence[Mapping[str, object]], shown: int) -> dict[str, object]:
    """``images``: the first ``shown`` of them, each with its ``src`` and what the rule saw of it; ``count``: of all."""
    return {"images": list(found[:shown]), "count": len(found)}


def of_alt_texts(facts: PageFacts, found: Sequence[Image], shown: int) -> dict[str, object]:
    """``of_images`` for images that need an alt text. ``occurrence``: which of the images with that address;
    absent where its address cannot be written. ``suggested`` and ``suggestedFrom``: only where the page says what the
    image shows."""
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
