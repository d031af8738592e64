"""SEO-IMG-003: an alternative text without content: the name of a file, or only a word such as "image" or "photo"."""

import re
from collections.abc import Sequence
from typing import Final

from chalicelib.domain.page.alt_words import is_file_name, says_nothing
from chalicelib.domain.page.facts import Image
from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Page, Site
from chalicelib.rules.img.evidence import of_alt_texts
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, quoted

SHOWN: Final = 10
_TITLE_PARTS: Final = re.compile(r":\s|\s[|:·•«»‹›–—-]+\s")  # between the page's own title and the website's name


def check(page: Page, site: Site) -> PageVerdict:
    shown = [image for image in page.facts.images if image.alt and not image.decorative]
    named = [image for image in shown if is_file_name(image.alt or "") or says_nothing(image.alt or "")]
    named = [image for image in named if not _names_linked_page(image, site)]
    if not named:
        return None
    first = named[0].alt or ""
    fault = "is the name of a file" if is_file_name(first) else "says nothing"
    more = f", and {counted(len(named) - 1, 'other image is', 'other images are')} like it" if len(named) > 1 else ""
    return Finding(
        f"The alternative text {quoted(first, 80)} {fault}{more}. {_advice(named)}",
        of_alt_texts(page.facts, named, SHOWN),
    )


def _names_linked_page(image: Image, site: Site) -> bool:
    """Whether the image is all that a link shows, and its alt text is the title or main heading of the linked page,
    such as an arrow to the chapter "Images". A file name does not count, because it is a fault there too."""
    alt = fold(image.alt or "")
    if not image.carries_content or is_file_name(alt):
        return False
    linked = site.addresses.get(site.end_of(image.target))
    if linked is None or not linked.readable:
        return False
    title = fold(linked.title)
    return linked.heading == hash(alt) or title == alt or alt in _TITLE_PARTS.split(title)


def _advice(named: Sequence[Image]) -> str:
    """Say what to do. An empty alt text is no fix if a link shows only the image, because the link would then have no
    name."""
    if not any(image.carries_content for image in named):
        return 'Say what the image shows, or leave the text empty (alt="") if the image is decorative.'
    if not all(image.carries_content for image in named):
        return (
            "Say what the image shows, or where the link leads if a link shows nothing else. Leave the text empty "
            '(alt="") only if the image is decorative and in no such link.'
        )
    if len(named) > 1:
        return "Links show nothing but these images, so say where each link leads."
    return "A link shows nothing but this image, so say where the link leads."


RULE = Rule(
    id="SEO-IMG-003",
    title="Alt text says nothing",
    category="IMG",
    severity="low",
    confidence="likely",
    scope="page",
    population="images",
    weight=5,
    effort="low",
    writable_field="alt",
    what="The alternative text of an image ends like a file name (.jpg, .png, .webp, .gif and so on), or is a "
    "camera's number for the picture (IMG_2041, DSC00042). Or it consists only of a word for pictures (“image”, "
    "“photo 2”, “untitled”, in many languages) or of marks such as dots, dashes and brackets.",
    why="Screen readers read this text aloud, and it does not say what the picture shows. Image search learns nothing "
    "from it.",
    fix="Describe what the image shows in a few words. If a link shows only the image, say where the link leads. Give "
    "other decorative images an empty text.",
    not_when='Decorative images are left out: an empty text (alt="") is correct for them. '
    "A typed smiley (:-), ;-)) and a single sign (&, §, ?) are correct if the image stands for them. If a link shows "
    "only the image, the title or main heading of the linked page is a correct text, whatever it is.",
    source="WCAG 2.2, failure F30: a text alternative that describes nothing, such as a file name or “image”.",
    page_check=check,
)
