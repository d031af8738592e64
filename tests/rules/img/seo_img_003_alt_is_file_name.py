"""Tables of SEO-IMG-003."""

from chalicelib.domain.page.facts import Image
from tests.rules.builders import Case, address, case, links, page

SRC = "https://example.com/a.jpg"


def showing(*alts: str | None) -> Case:
    return case(page(images=[Image(SRC, alt) for alt in alts]))


def linking(alt: str, title: str, *headings: tuple[int, str], alone: bool = True, says: str = "") -> Case:
    """An image in a link, on a page that links a page with this title."""
    linked = page("/chapter", title=title, headings=list(headings))
    image = Image(SRC, alt, carries_content=alone, target=address("/chapter") if alone else "")
    return case(page(images=[image], links=links("/chapter")), linked, says=says)


FAILS = {
    "a file name": case(
        page(images=[Image(SRC, "cover-final.JPG"), Image(SRC, "A tent")]),
        seen={"images": [{"src": SRC, "alt": "cover-final.JPG", "occurrence": 1}], "count": 1},
        says='"cover-final.JPG"',
    ),
    "a file name with spaces": showing("view of the valley 2.webp"),
    "what a camera wrote": showing("IMG_2041"),
    "another camera": showing("DSC00042"),
    "a word for pictures": case(page(images=[Image(SRC, "Image")]), says='"Image" says nothing'),
    "a word and a number": showing("Picture 3"),
    "a word in another language": showing("Zdjęcie"),
    "a word in another script": showing("画像1"),
    "dots": showing("..."),
    "a dash": showing(" – "),
    "a bracket that a template left": showing("}"),
    "a cross-reference sign": showing("[*]"),
    "a row of colons": showing(":::"),
    "a dash and a bullet": showing("- •"),
    "what a system fills in": showing("image placeholder"),
    "the name of a linked page, outside a link": linking(
        "Images", "Images", alone=False, says="if the image is decora"
    ),
    "a file name, also as a linked title": linking("IMG_2041", "IMG_2041"),
    "all that a link shows": linking("...", "Tents", says="A link shows nothing but this image, so say where the link"),
    "a part of the linked title": linking("Image", "Image of a tent"),
    "all that two links show": case(
        page(images=[Image(SRC, "...", carries_content=True), Image(SRC, "Image", carries_content=True)]),
        says="Links show nothing but these images, so say where each link leads.",
    ),
    "one that is all that a link shows": case(
        page(images=[Image(SRC, "...", carries_content=True), Image(SRC, "Image")]),
        says="only if the image is decorative and in no such link",
    ),
    "several": case(page(images=[Image(SRC, "a.png"), Image(SRC, "b.gif")]), says="1 other image"),
}
PASSES = {
    "a description": showing("A tent at dawn"),
    "an empty text": showing(""),
    "no text at all": showing(None),
    "a sentence about a file": showing("Save it as cover.jpg and upload it"),
    "decoration": case(page(images=[Image(SRC, "line.png", decorative=True)])),
    "a model number": showing("DSC camera"),
    "a name beside such a word": showing("Image of a tent"),
    "a number alone": showing("2"),
    "a question mark": showing("?"),
    "a sign": showing("❤️"),
    **{
        f"the smiley {smiley}": showing(smiley)
        for smiley in (":-)", ":)", ";-)", ";)", ":-(", ":(", ":'(", ":-/", ":*", ":-))", ":]", "(-:", "(:", "-_-")
    },
    **{f"the face {face}": showing(face) for face in (":D", "^_^", "=)", "8-)", ":|", ":?", "(*_*)", ";_;", "(・_・)")},
    "two smileys": showing(":-) ;-)"),
    **{f"the sign {sign}": showing(sign) for sign in "&@#%§!"},
    "the title of the linked page": linking("Images", "Images"),
    "the title in another case": linking("bilder", "Bilder"),
    "the title after the website's name": linking("*...", "Manual of tents: *..."),
    "the title before the website's name": linking("Photos", "Photos | Tents"),
    "the main heading of the linked page": linking('("")', "Manual", (1, '("")')),
    "a word that begins like one": showing("Imagination"),
}
NOT_APPLICABLE = {
    "a page without images": case(page()),
    "a page with noindex": case(page(images=[Image(SRC, "a.jpg")], robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-IMG-003": (FAILS, PASSES, NOT_APPLICABLE)}
