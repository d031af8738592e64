"""SEO-IMG-004 and SEO-IMG-005: image files that are missing, or larger than they need to be.

Both rules judge how the server answered when the audit requested the images. A page is not judged if none of its images
was requested.
"""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from chalicelib.domain.page.facts import Image, TargetFacts
from chalicelib.rules.context import MAX_HOPS, REFUSED, Page, Site
from chalicelib.rules.img.evidence import of_images
from chalicelib.rules.model import UNDECIDED, Finding, PageVerdict, Rule
from chalicelib.rules.wording import codes, counted, quoted

LARGEST_BYTES: Final = 500_000
WIDEST_SHOWN: Final = 1_600  # px; a picture that fills a large screen may weigh more
SHOWN: Final = 10
_DRAWN: Final = "/holder.js/"  # the script Holder draws images of this address: "holder.js/600x400"
# A path that was put together wrongly: "/images//a.png", "/images/images/a.png", "/media/img/media/img/a.png".
# Numbers may repeat: "/2024/10/10/a.png".
_ODD_PATH: Final = re.compile(r"(?<!:)//|/([^/]{0,80}[a-z]{3}[^/]{0,80}(?:/[^/]{1,80})?)/\1/", re.IGNORECASE)


def has_data(site: Site) -> bool:
    """Whether any image was requested."""
    return bool(site.images)


def answers_of(page: Page, site: Site) -> Iterator[tuple[Image, TargetFacts]]:
    """Yield the images of the page that were requested, each with its answer. Each address occurs only once."""
    seen: set[str] = set()
    for image in page.facts.images:
        answer = site.images.get(image.src)
        if answer is not None and image.src not in seen:
            seen.add(image.src)
            yield image, _last(answer, site)


def _last(answer: TargetFacts, site: Site) -> TargetFacts:
    """Return the last answer of the address's redirects, as far as they were requested."""
    for _ in range(MAX_HOPS):
        following = site.images.get(answer.redirect_to or "")
        if following is None:
            break
        answer = following
    return answer


def is_broken(answer: TargetFacts) -> bool:
    """Whether the file is missing: its address answers 4xx, or 5xx on two tries.

    An answer that only rejects the crawler, such as 403 or 429, does not count. Nor does an image that a script draws
    in its place.
    """
    return (
        answer.status >= 400
        and _DRAWN not in answer.url
        and answer.status not in REFUSED
        and not answer.uncertain
        and (answer.status < 500 or answer.tries >= 2)
    )


def check_broken(page: Page, site: Site) -> PageVerdict:
    answers = list(answers_of(page, site))
    if not answers:
        return UNDECIDED
    broken = [(image, answer) for image, answer in answers if is_broken(answer)]
    if not broken:
        return None
    first, answer = broken[0]
    more = f", and {counted(len(broken) - 1, 'other image is', 'other images are')} missing too" if broken[1:] else ""
    unasked = len({image.src for image in page.facts.images if image.src and image.src not in site.images})
    rest = f" {counted(unasked, 'more image was', 'more images were')} not requested." if unasked else ""
    return Finding(
        f"The image {first.src} answers {answer.status}{more}.{rest} {_advice(first.src)}",
        of_images([{"src": image.src, "status": one.status, "alt": image.alt} for image, one in broken], SHOWN),
    )


def _advice(address: str) -> str:
    odd = _ODD_PATH.search(urlsplit(address).path)
    if odd is None:
        return "Put the file back, or take the image out of the page."
    if odd[1] is None:
        return "The path has a double slash: correct the address, or take the image out of the page."
    return (
        f"The path has {quoted(odd[1])} twice in a row: correct the address if that is a mistake. Otherwise put the "
        "file back, or take the image out of the page."
    )


def check_large(page: Page, site: Site) -> PageVerdict:
    answers = list(answers_of(page, site))
    if not answers:
        return UNDECIDED
    large = sorted(
        (
            (answer.bytes, image)
            for image, answer in answers
            if answer.status == 200
            and answer.bytes is not None
            and answer.bytes > LARGEST_BYTES
            and not image.responsive
            and (image.width is None or image.width <= WIDEST_SHOWN)
        ),
        key=lambda item: -item[0],
    )
    if not large:
        return None
    size, first = large[0]
    shown = f", shown {first.width} pixels wide" if first.width is not None else ""
    more = f"; {counted(len(large) - 1, 'more is', 'more are')} too large" if large[1:] else ""
    return Finding(
        f"The image {first.src} has {size // 1000:,} KB{shown}{more}. Save it in the size in which it is shown, as "
        f"WebP or AVIF. Less than {LARGEST_BYTES // 1000} KB is nearly always enough.",
        {
            **of_images([{"src": image.src, "bytes": size, "width": image.width} for size, image in large], SHOWN),
            "limit": LARGEST_BYTES,
        },
    )


BROKEN = Rule(
    id="SEO-IMG-004",
    title="Broken image",
    category="IMG",
    severity="medium",
    confidence="certain",
    scope="page",
    population="images",
    weight=12,
    effort="low",
    writable_field=None,
    what="The address of an image answers with an error (4xx or 5xx).",
    why="Visitors see a gap or a broken image, and image search has nothing to show.",
    fix="Put the file back under its address, correct the address, or take the image out of the page.",
    not_when=f"A refusal of automated clients ({codes(REFUSED)}) does not show that the file is missing. Images on "
    "other websites count as missing only if they answer 404, 410 or 500. Images beyond the audit's limit of requests "
    "are not judged. Nor are images that the script Holder draws (holder.js/600x400).",
    source="The meaning of HTTP status codes (RFC 9110).",
    page_check=check_broken,
    asks_images=True,
    has_data=has_data,
)
LARGE = Rule(
    id="SEO-IMG-005",
    title="Image file too large",
    category="IMG",
    severity="medium",
    confidence="certain",
    scope="page",
    population="images",
    weight=8,
    effort="medium",
    writable_field=None,
    what=f"An image file has more than {LARGEST_BYTES // 1000} KB and is shown at most {WIDEST_SHOWN:,} pixels wide.",
    why="The page takes seconds longer on a phone, and visitors pay for data that they cannot see.",
    fix="Export the image in the size in which it is shown, as WebP or AVIF with a quality of about 80. Most content "
    "systems and CDNs can do it for all images at once.",
    not_when=f"Images shown wider than {WIDEST_SHOWN:,} pixels are left out. So are images that offer browsers several "
    "files (srcset), and files whose size the server does not state.",
    source=f"SEOnaut's threshold of {LARGEST_BYTES // 1000} KB. The advice follows Lighthouse's image delivery check.",
    page_check=check_large,
    asks_images=True,
    has_data=has_data,
)
RULES = (BROKEN, LARGE)
