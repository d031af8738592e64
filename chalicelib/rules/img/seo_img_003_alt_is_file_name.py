"""SEO-IMG-003: an alternative text without content: the name of a file, or only a word such as "image" or "photo"."""

from typing import Final

from chalicelib.domain.page.alt_words import is_file_name, says_nothing
from chalicelib.rules.context import Page, Site
from chalicelib.rules.img.evidence import of_alt_texts
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, quoted

SHOWN: Final = 10


def check(page: Page, site: Site) -> PageVerdict:
    shown = [image for image in page.facts.images if image.alt and not image.decorative]
    named = [image for image in shown if is_file_name(image.alt or "") or says_nothing(image.alt or "")]
    if not named:
        return None
    first = named[0].alt or ""
    fault = "is the name of a file" if is_file_name(first) else "says nothing"
    more = f", and {counted(len(named) - 1, 'other image is', 'other images are')} like it" if len(named) > 1 else ""
    return Finding(
        f"The alternative text {quoted(first, 80)} {fault}{more}. Say what the image shows, or leave the text empty "
        '(alt="") if the image is decorative.',
        of_alt_texts(page.facts, named, SHOWN),
    )


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
    fix="Describe what the image shows in a few words. Give decorative images an empty text.",
    not_when='Decorative images are left out. An empty text (alt="") is correct for them. '
    "A typed smiley (:-), ;-)) and a single sign (&, §, ?) are correct if the image stands for them.",
    source="WCAG 2.2, failure F30: a text alternative that describes nothing, such as a file name or “image”.",
    page_check=check,
)
