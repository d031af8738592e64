"""SEO-IMG-003: an alternative text that is only the name of a file."""

import re
from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.img.evidence import of_images
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, quoted

SHOWN: Final = 10
_FILE_NAME: Final = re.compile(
    r"\S[^\n]*\.(?:jpe?g|png|webp|gif|avif|svg)|(?:IMG|DSC|DSCN|DSCF|PXL|MVIMG|WP|P)_?\d{4,}\S*", re.IGNORECASE
)


def is_file_name(alt: str) -> bool:
    """Whether an alternative text names a file, or is the number that a camera gave."""
    return _FILE_NAME.fullmatch(alt.strip()) is not None


def check(page: Page, site: Site) -> PageVerdict:
    named = [image for image in page.facts.images if image.alt and not image.decorative and is_file_name(image.alt)]
    if not named:
        return None
    more = f", and {counted(len(named) - 1, 'other image is', 'other images are')} like it" if len(named) > 1 else ""
    return Finding(
        f"The alternative text {quoted(named[0].alt or '', 80)} is the name of a file{more}. Say what the image shows, "
        'or leave it empty (alt="") where it only decorates.',
        of_images([{"src": image.src, "alt": image.alt} for image in named], SHOWN),
    )


RULE = Rule(
    id="SEO-IMG-003",
    title="Alt text is a file name",
    category="IMG",
    severity="low",
    confidence="likely",
    scope="page",
    population="images",
    weight=5,
    effort="low",
    writable_field="alt",
    what="The alternative text of an image ends like a file name (.jpg, .png, .webp, .gif and so on), or is the number "
    "that a camera gave the picture (IMG_2041, DSC00042).",
    why="People who listen to the page hear the file name read out, letter by letter, and image search learns nothing.",
    fix="Describe what the image shows in a few words. An image that only decorates gets an empty text.",
    not_when='Decorative images are left out, and so is an empty text (alt=""), which is right for them.',
    source="WCAG 2.2, failure F30: a text alternative that is no alternative, such as a file name.",
    page_check=check,
)
