"""Tables of SEO-IMG-003."""

from chalicelib.domain.page.facts import Image
from tests.rules.builders import Case, case, page

SRC = "https://example.com/a.jpg"


def showing(*alts: str | None) -> Case:
    return case(page(images=[Image(SRC, alt) for alt in alts]))


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
    "a word that begins like one": showing("Imagination"),
}
NOT_APPLICABLE = {
    "a page without images": case(page()),
    "a page with noindex": case(page(images=[Image(SRC, "a.jpg")], robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-IMG-003": (FAILS, PASSES, NOT_APPLICABLE)}
