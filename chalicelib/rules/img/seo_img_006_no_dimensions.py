"""SEO-IMG-006: images without dimensions, so that the text moves when the images load."""

from chalicelib.domain.page.facts import FIRST_IMAGES, Image
from chalicelib.rules.context import Page, Site
from chalicelib.rules.img.evidence import of_images
from chalicelib.rules.img.seo_img_001_alt_missing import LEAST_SIZE
from chalicelib.rules.img.seo_img_004_005_image_files import answers_of, is_broken
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, spelled


def keeps_no_room(image: Image) -> bool:
    """Whether a browser cannot reserve space for the image, because its height is unknown before it loads."""
    return (image.width is None or image.height is None) and not image.aspect_ratio


def _is_in_line(image: Image) -> bool:
    """Whether the image is an icon or a letter within a line, which hardly moves any text: one of its sizes is known
    and small, or its alternative text is a single character."""
    known = [size for size in (image.width, image.height) if size is not None]
    return any(size < LEAST_SIZE for size in known) or (not known and len((image.alt or "").strip()) == 1)


def _which(unsized: int, first: int) -> str:
    """Say how many of the first images lack dimensions. ``first``: how many images are meant, including those whose
    file is missing."""
    if unsized == first:
        return f"The first {first} images"
    return f"{counted(unsized, 'image')} among the first {first}"


def check(page: Page, site: Site) -> PageVerdict:
    lost = {image.src for image, answer in answers_of(page, site) if is_broken(answer)}
    # HTML does not show what is on the first two screens, so the first images of the page are judged.
    shown = [image for image in page.facts.images if image.src and not image.decorative and not image.closed]
    first = [image for image in shown[:FIRST_IMAGES] if image.src not in lost]
    unsized = [image for image in first if keeps_no_room(image) and not _is_in_line(image)]
    if not unsized or (len(shown) == 1 and not page.facts.words):
        return None
    return Finding(
        f"{_which(len(unsized), len(shown[:FIRST_IMAGES]))} of the page, such as {unsized[0].src}, "
        f"{'lacks' if len(unsized) == 1 else 'lack'} width or height; add both, so that the text does not jump when "
        "the image arrives."
        if len(first) > 1
        else f"The image {unsized[0].src} lacks width or height; add both, so that the text does not jump when it "
        "arrives.",
        of_images(
            [{"src": image.src, "width": image.width, "height": image.height} for image in unsized], FIRST_IMAGES
        ),
    )


RULE = Rule(
    id="SEO-IMG-006",
    title="Images without width and height",
    category="IMG",
    severity="low",
    confidence="certain",
    scope="page",
    population="images",
    weight=5,
    effort="low",
    writable_field=None,
    what=f"One of the first {spelled(FIRST_IMAGES)} images of the page has no width or no height in its "
    "attributes or style.",
    why="Browsers keep no space for an image without dimensions, so the text jumps when the image arrives. Visitors "
    "lose their place or click the wrong thing.",
    fix="Write width and height of the file into the tag; styles may still make the image smaller. The editors of "
    "content systems write both for images that are inserted with them.",
    not_when="An image is not reported if its style has an aspect ratio, or if it has a class of a common framework "
    "that sets a height or a ratio. Decorative images, images further down and images whose file is missing "
    "(SEO-IMG-004) do not count. An image with nothing below it, or only the rest of a footer, does not count. "
    "Images in parts that are closed at first, such as a menu, a dialog or a tab, do not count. "
    "The only image of a page without text does not count either. Nor does an image in a line of text: its width or "
    f'height is below {LEAST_SIZE} pixels, or it stands for one letter or sign (alt="A").',
    source="Lighthouse's check for unsized images. This service assumes that the first two screens show the first "
    f"{spelled(FIRST_IMAGES)} images.",
    page_check=check,
    cause=("template",),
)
