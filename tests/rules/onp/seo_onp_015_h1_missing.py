"""Tables of SEO-ONP-015."""

from chalicelib.domain.page.facts import Image
from tests.rules.builders import case, page

FRAMESET = page("/frames.html", frames=["https://example.com/menu.html"])
FAILS = {
    "no heading": case(
        page(h1_count=0, headings=[]), seen={"firstHeading": None}, says="no heading at all. Give it one"
    ),
    "the headline is an h2": case(
        page(h1_count=0, headings=[(2, "Tents")]),
        seen={"firstHeading": {"level": 2, "text": "Tents"}},
        says='"Tents". Mark the main heading',
    ),
}
FAILS["a home page that is one image"] = case(page("/", h1_count=0, headings=[], words=0, images=[Image("/a.gif")]))
FAILS["a heading alone"] = case(page(h1_count=0, headings=[(2, "Tents")], words=0))
FAILS["a contact page whose form is in the header"] = case(page("/contact-us", h1_count=0, headings=[], words=0))
FAILS["links that open in another frame, on a website without frames"] = case(
    page(h1_count=0, headings=[(2, "Tents")], in_frame=True), page("/", in_frame=True)
)
FAILS["a page with ordinary links, beside a frameset"] = case(page(h1_count=0, headings=[(2, "Tents")]), FRAMESET)
FAILS["a page with such links, outside the folder of the frameset"] = case(
    page(h1_count=0, headings=[(2, "Tents")], in_frame=True),
    page("/old/", frames=["https://example.com/old/menu.html"]),
)
FAILS["a home page with such links, beside a frameset"] = case(
    page("/", h1_count=0, headings=[(2, "Tents")], in_frame=True), FRAMESET
)
FAILS["a single word"] = case(page(h1_count=0, headings=[], words=1))
PASSES = {"one h1": case(page()), "two of them": case(page(h1_count=2))}
NOT_APPLICABLE = {
    "a page with noindex": case(page(h1_count=0, robots_meta=[("robots", "noindex")])),
    "an image map in a frame": case(page(h1_count=0, headings=[], words=0, images=[Image("/a.gif")])),
    "an empty page": case(page(h1_count=0, headings=[], words=0, title=None)),
    "a frameset": case(page(h1_count=0, headings=[], frames=["https://example.com/menu.html"])),
    "a menu that a frameset shows": case(page("/menu.html", h1_count=0, headings=[(2, "A")], in_frame=True), FRAMESET),
    "a list that a menu opens in a frame": case(page("/list.html", h1_count=0, headings=[], in_frame=True), FRAMESET),
    "a page that forwards at once": case(page(h1_count=0, meta_refresh="https://example.com/start", forwards=True)),
}
TABLES = {"SEO-ONP-015": (FAILS, PASSES, NOT_APPLICABLE)}
