"""Tables of SEO-IMG-001."""

from chalicelib.domain.page.facts import Image, PageFacts
from tests.rules.builders import case, page

SRC = "https://example.com/tent.jpg"


def showing(*images: Image) -> PageFacts:
    """A page with these images."""
    return page(images=list(images))


FAILS = {
    "no alt attribute": case(
        showing(Image(SRC, None, 800, 600)),
        seen={"images": [{"src": SRC, "alt": None, "occurrence": 1}], "count": 1, "withoutAlt": 1, "emptyAlt": 0},
        says=f"1 content image has no alt attribute: {SRC}; say in alt what it shows.",
    ),
    "two without alt": case(
        showing(Image(SRC, None), Image(f"{SRC}?2", None)),
        says=f"2 content images have no alt attribute, such as {SRC}; say in alt what each one shows.",
    ),
    "no alt, size unknown": case(showing(Image(SRC, None))),
    "an empty alt on the only content of a link": case(
        showing(Image(SRC, "", 200, 200, carries_content=True)),
        seen={"emptyAlt": 1, "withoutAlt": 0},
        says=f"1 image in a link that shows nothing else has an empty alt: {SRC}; say in alt where the link leads.",
    ),
    "several, of both kinds": case(
        showing(*(Image(f"{SRC}?{n}", "", 200, 200, carries_content=True) for n in range(2)), Image(SRC, None)),
        says="1 content image has no alt attribute and 2 images in links that show nothing else have an empty alt",
    ),
    "one of two images": case(
        showing(Image(SRC, "A tent"), Image(SRC, None, caption="A tent in the rain")),
        seen={
            "images": [
                {
                    "src": SRC,
                    "alt": None,
                    "occurrence": 2,
                    "suggested": "A tent in the rain",
                    "suggestedFrom": "caption",
                }
            ],
            "count": 1,
        },
    ),
    **{
        f"no icon by its name: {name}": case(showing(Image(f"https://example.com/{name}", None)))
        for name in ("iconic-tent.jpg", "silicon.png", "icon-files/a/tent.jpg", "tent.jpg?icon")
    },
    "a picture of an icon": case(showing(Image("https://example.com/icons/tent.png", None, 256, 256))),
    "an icon that a link shows": case(
        showing(Image("https://example.com/icon-tent.png", None, carries_content=True)),
    ),
}
PASSES = {
    **{
        f"an icon by its name: {name}": case(showing(Image(f"https://example.com/{name}", None)))
        for name in (
            "icon-am.png",
            "img/Save_Icon.svg",
            "icons/save.gif",
            "a/save.icon.png",
            "icon.png",
            "%69con-a.png",
        )
    },
    "an alt text": case(showing(Image(SRC, "A tent"))),
    "an empty alt on decoration": case(showing(Image(SRC, "", 800, 600))),
    "marked as decoration": case(showing(Image(SRC, None, 800, 600, decorative=True))),
    "an icon": case(showing(Image(SRC, None, 24, 24))),
    "a line": case(showing(Image(SRC, None, 600, 2))),
}
NOT_APPLICABLE = {
    "no images": case(page()),
    "a page with noindex": case(page(images=[Image(SRC, None)], robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-IMG-001": (FAILS, PASSES, NOT_APPLICABLE)}
