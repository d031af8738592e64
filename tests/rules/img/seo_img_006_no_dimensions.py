"""Tables of SEO-IMG-006."""

from chalicelib.domain.page.facts import Image, TargetFacts
from tests.rules.builders import Case, case, page

SRC = "https://example.com/a.jpg"
SIZED = Image("https://example.com/b.jpg", "A tent", 640, 480)


def showing(*images: Image) -> Case:
    return case(page(images=list(images)))


CLOSED = Image(SRC, "A tent", closed=True)

FAILS = {
    "a missing image, and one that is there": case(
        page(images=[Image("https://example.com/gone.jpg", "A tent"), Image(SRC, "A tent")]),
        targets=[TargetFacts("https://example.com/gone.jpg", own_host=True, status=404, image=True)],
        seen={"images": [{"src": SRC, "width": None, "height": None}], "count": 1},
        says=f"The image {SRC} lacks",
    ),
    "a missing image, and two that are there": case(
        page(images=[Image("https://example.com/gone.jpg", "A tent"), Image(SRC, "A tent"), Image(SRC, "A tent")]),
        targets=[TargetFacts("https://example.com/gone.jpg", own_host=True, status=404, image=True)],
        says="2 images among the first 3 of the page",
    ),
    "all of them": case(page(images=[Image(SRC), Image(SRC)]), says="The first 2 images of the page"),
    "an image that turns the crawler away": case(
        page(images=[Image(SRC, "A tent")]),
        targets=[TargetFacts(SRC, own_host=True, status=403, image=True)],
    ),
    "neither": case(
        page(images=[SIZED, Image(SRC, "A tent")]),
        seen={"images": [{"src": SRC, "width": None, "height": None}], "count": 1},
        says="1 image among the first 2",
    ),
    "only a width": showing(Image(SRC, "A tent", 640)),
    "a width of 50 pixels": showing(Image(SRC, "A tent", 50)),
    "a large image with a letter as its text": showing(Image(SRC, "A", 640)),
    "a word of two letters": showing(Image(SRC, "AB")),
    "an icon, and an image": case(
        page(images=[Image(SRC, "", None, 17), Image(SRC, "A tent")]), says="1 image among the first 2"
    ),
    "two images without a text": case(page(words=0, images=[Image(SRC), Image(SRC)])),
    "an image before a word": case(page(words=1, images=[Image(SRC)])),
    "the fifth image that is not in a closed part": case(
        page(images=[CLOSED, CLOSED, SIZED, SIZED, CLOSED, SIZED, SIZED, Image(SRC)]), says="1 image among the first 5"
    ),
    "the fifth image": showing(SIZED, SIZED, SIZED, SIZED, Image(SRC)),
}
PASSES = {
    "an image that is missing": case(
        page(images=[Image(SRC, "A tent")]),
        targets=[TargetFacts(SRC, own_host=True, status=404, image=True)],
    ),
    "an image that is all there is": case(page(words=0, images=[Image(SRC)])),
    "the same beside decoration": case(page(words=0, images=[Image(SRC), Image(SRC, "", decorative=True)])),
    "both": showing(SIZED),
    "an aspect ratio": showing(Image(SRC, "A tent", aspect_ratio=True)),
    "images in a closed part": showing(CLOSED, SIZED, CLOSED),
    "decoration": showing(Image(SRC, "", decorative=True)),
    "a small height": showing(Image(SRC, "A tent", None, 17)),
    "a small width": showing(Image(SRC, "A tent", 24)),
    **{f"an image of {sign}": showing(Image(SRC, sign)) for sign in "A¬♥木"},
    "further down": showing(SIZED, SIZED, SIZED, SIZED, SIZED, Image(SRC)),
    "filled in by a script": showing(Image("", "A tent")),
}
NOT_APPLICABLE = {
    "a page without images": case(page()),
    "a page with noindex": case(page(images=[Image(SRC)], robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-IMG-006": (FAILS, PASSES, NOT_APPLICABLE)}
