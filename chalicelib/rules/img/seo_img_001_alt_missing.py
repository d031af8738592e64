"""SEO-IMG-001: images without alternative text. People who cannot see these images learn nothing from them."""

import re
from typing import Final
from urllib.parse import unquote

from chalicelib.domain.page.facts import Image
from chalicelib.rules.context import Page, Site
from chalicelib.rules.img.evidence import of_alt_texts
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted

LEAST_SIZE: Final = 50  # pixels: smaller images are icons and bullets
SHOWN: Final = 20
# The word in the name of a file, or of its folder: "icon-save.png", "save_icon.svg", "/icons/save.gif".
_NAMED_ICON: Final = re.compile(r"(?:^|[^a-z0-9])icons?(?:[^a-z0-9/][^/]*|/[^/]+)?$", re.IGNORECASE)
_HAVE: Final = ("has", "have")


def lacks_alt(image: Image) -> bool:
    """Whether a content image lacks an alt text. An image lacks one if it has no alt attribute, or if the attribute is
    empty and the image is the only content of a link."""
    if image.decorative or not image.src:
        return False
    if image.alt is not None and (image.alt.strip() or not image.carries_content):
        return False
    if image.width is None and image.height is None and not image.carries_content and _is_named_icon(image.src):
        return False
    return (image.width is None or image.width >= LEAST_SIZE) and (image.height is None or image.height >= LEAST_SIZE)


def _is_named_icon(address: str) -> bool:
    """Whether the name of an image file says that it is an icon."""
    path = unquote(address.partition("?")[0]).partition("://")[2].partition("/")[2]
    return _NAMED_ICON.search(path) is not None


def check(page: Page, site: Site) -> PageVerdict:
    lacking = [image for image in page.facts.images if lacks_alt(image)]
    if not lacking:
        return None
    absent = sum(image.alt is None for image in lacking)
    empty = len(lacking) - absent
    seen = []
    if absent:
        seen.append(f"{counted(absent, 'content image has', 'content images have')} no alt attribute")
    if empty:
        holders = "in a link that shows" if empty == 1 else "in links that show"
        seen.append(f"{counted(empty, 'image', 'images')} {holders} nothing else {_HAVE[empty > 1]} an empty alt")
    each = "it" if len(lacking) == 1 else "each one"
    todo = f"say in alt what {each} shows" if absent else "say in alt where the link leads"
    such_as = ":" if len(lacking) == 1 else ", such as"
    return Finding(
        f"{' and '.join(seen)}{such_as} {lacking[0].src}; {todo}.",
        {
            **of_alt_texts(page.facts, lacking, SHOWN),
            "withoutAlt": absent,
            "emptyAlt": empty,
        },
    )


RULE = Rule(
    id="SEO-IMG-001",
    title="Images without a text alternative",
    category="IMG",
    severity="medium",
    confidence="certain",
    scope="page",
    population="images",
    weight=12,
    effort="low",
    writable_field="alt",
    what="At least one content image has no alt attribute. Or it has an empty alt although it is the only content of "
    "a link.",
    why="Screen readers read the alternative text aloud; without it they read the file name or nothing. Image search "
    "learns from this text what the picture shows.",
    fix="Describe in alt what the image shows, in a few words; in a link, say where it leads. Give decorative images "
    'an empty alt (alt="").',
    not_when='An empty alt="" is correct on a decorative image. An empty alt is also correct in a button, and in '
    f"a link that only acts on the page (javascript:, #). Images below {LEAST_SIZE} pixels, tracking pixels, and "
    "images marked as decoration (role=presentation, aria-hidden) are left out. Images without a size are left out "
    "too if their file name or folder says that they are icons (icon-save.png, /icons/save.gif), except in a link that "
    "shows nothing else.",
    source=f"WCAG 2.2, success criterion 1.1.1. This service set the limit of {LEAST_SIZE} pixels.",
    page_check=check,
)
