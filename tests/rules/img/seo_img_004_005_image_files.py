"""Tables of SEO-IMG-004 and SEO-IMG-005."""

from typing import Any

from chalicelib.domain.page.facts import Image, PageFacts, TargetFacts
from tests.rules.builders import address, case, page

SRC = address("/a.jpg")
OTHER = address("/b.jpg")
ELSEWHERE = "https://cdn.example.net/a.jpg"


def file(url: str = SRC, status: int = 200, **changes: Any) -> TargetFacts:
    """What the address of an image answers."""
    own_host = url.startswith("https://example.com/")
    return TargetFacts(url, own_host, status, image=True, tries=2, **changes)


def showing(*images: Image, **changes: Any) -> PageFacts:
    return page(images=list(images), **changes)


BROKEN = (
    {
        "a file that is gone": case(
            showing(Image(SRC, "A tent"), Image(OTHER)),
            targets=[file(status=404), file(OTHER)],
            seen={"images": [{"src": SRC, "status": 404, "alt": "A tent"}], "count": 1},
            says="answers 404",
        ),
        "two of them": case(
            showing(Image(SRC), Image(OTHER)),
            targets=[file(status=404), file(OTHER, 500)],
            says="1 other image is missing too. Put",
        ),
        "one of three, where the two others were not requested": case(
            showing(Image(SRC), Image(address("/c.jpg")), Image(address("/d.jpg")), Image(address("/d.jpg"))),
            targets=[file(status=404)],
            says="answers 404. 2 more images were not requested. Put the file back",
        ),
        **{
            f"a path that was put together wrongly: {path}": case(
                showing(Image(address(path))), targets=[file(address(path), 404)], says=says
            )
            for path, says in (
                ("/images//a.png", "The path has a double slash: correct the address"),
                ("//images/a.png", "The path has a double slash: correct the address"),
                ("/images/images//a.png", 'The path has "images" twice in a row: correct the address'),
                ("/shop/Bilder/Bilder/a.png", 'The path has "Bilder" twice'),
                ("/media/img/media/img/a.png", 'The path has "media/img" twice'),
                ("/2024/10/10/a.png", "answers 404. Put the file back"),
                ("/images/images.png", "answers 404. Put the file back"),
                ("/shop/images/shop/a.png", "answers 404. Put the file back"),
                ("/kept/https://example.net/a.png", "answers 404. Put the file back"),
            )
        },
        "gone on another website": case(showing(Image(ELSEWHERE)), targets=[file(ELSEWHERE, 404)]),
        "a redirect to a file that is gone": case(
            showing(Image(SRC)), targets=[file(status=301, redirect_to=OTHER), file(OTHER, 410)], says="410"
        ),
    },
    {
        "a file": case(showing(Image(SRC)), targets=[file()]),
        "an image that a script draws": case(
            showing(Image(address("/docs/holder.js/600x400"))), targets=[file(address("/docs/holder.js/600x400"), 404)]
        ),
        "turned away": case(showing(Image(SRC)), targets=[file(status=403)]),
        "turned away elsewhere": case(showing(Image(ELSEWHERE)), targets=[file(ELSEWHERE, 405)]),
        "no answer": case(showing(Image(SRC)), targets=[file(status=0, error="timeout")]),
        "a redirect to a file": case(showing(Image(SRC)), targets=[file(status=301, redirect_to=OTHER), file(OTHER)]),
    },
    {
        "nobody asked for any image": case(showing(Image(SRC))),
        "nobody asked for this page's images": case(showing(Image(SRC)), targets=[file(OTHER, 404)]),
        "a page without images": case(page(), targets=[file(status=404)]),
        "a page with noindex": case(
            showing(Image(SRC), robots_meta=[("robots", "noindex")]), targets=[file(status=404)]
        ),
    },
)
LARGE = (
    {
        "more than 500 KB": case(
            showing(Image(SRC, "A tent", 960, 540)),
            targets=[file(bytes=600_001)],
            seen={"images": [{"src": SRC, "bytes": 600_001, "width": 960}], "count": 1, "limit": 500_000},
            says="600 KB, shown 960 pixels wide",
        ),
        "of unknown width": case(showing(Image(SRC)), targets=[file(bytes=500_001)]),
        "the largest first": case(
            showing(Image(SRC), Image(OTHER)),
            targets=[file(bytes=510_000), file(OTHER, bytes=2_000_000)],
            says="/b.jpg has 2,000 KB; 1 more is too large",
        ),
    },
    {
        "500 KB": case(showing(Image(SRC)), targets=[file(bytes=500_000)]),
        "shown on the whole screen": case(showing(Image(SRC, "", 1920, 800)), targets=[file(bytes=900_000)]),
        "browsers may choose a smaller one": case(showing(Image(SRC, responsive=True)), targets=[file(bytes=900_000)]),
        "of unknown size": case(showing(Image(SRC)), targets=[file(bytes=None)]),
        "an error page": case(showing(Image(SRC)), targets=[file(status=404, bytes=900_000)]),
    },
    {
        "nobody asked for any image": case(showing(Image(SRC))),
        "nobody asked for this page's images": case(showing(Image(SRC)), targets=[file(OTHER, bytes=900_000)]),
        "a page with noindex": case(
            showing(Image(SRC), robots_meta=[("robots", "noindex")]), targets=[file(bytes=900_000)]
        ),
    },
)
TABLES = {"SEO-IMG-004": BROKEN, "SEO-IMG-005": LARGE}
