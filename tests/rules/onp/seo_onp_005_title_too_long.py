"""Tables of SEO-ONP-005."""

from chalicelib.domain.page.widths import title_px
from tests.rules.builders import case, page

WIDE = "Waterproof hiking jackets, lightweight and packable, for long days out"  # over 561 px
NARROW = "illicit little lilies: filling still tills, it will fit till all is full"  # 72 characters that fit
ENDING = " | Example Outdoor Shop"

FAILS = {
    "wider than a result": case(
        page(title=WIDE), seen={"pixels": title_px(WIDE), "limit": 561, "characters": len(WIDE)}, says="561"
    ),
    "thirty Chinese characters": case(page(title="徒步" * 15), seen={"pixels": 600, "characters": 30}),
    "over a thousand characters": case(page(title="徒步" * 600), says="24,000 pixels wide (1,200 characters)"),
    "too long because of the shared ending": case(
        page("/a", title="Waterproof jackets for long days" + " out" * 2 + ENDING),
        *(page(f"/{name}", title=f"Tents {name}{ENDING}") for name in "bcdef"),
        seen={
            "sharedEnding": ENDING,
            "pixelsWithoutEnding": title_px("Waterproof jackets for long days out out"),
        },
        says="Shorten this part once in the title template.",
    ),
    "too long because of an ending after a colon": case(
        page("/a", title="Waterproof hiking jackets for long days out: Tents & Boots: A Guide"),
        *(page(f"/{name}", title=f"About {name}: Tents & Boots: A Guide") for name in "bcdef"),
        seen={"sharedEnding": ": Tents & Boots: A Guide"},
        says='Without ": Tents & Boots: A Guide", with which most titles end, the title would fit',
    ),
    "too long because of the shared beginning": case(
        page("/a", title="Handleiding van de zomertenten -- Tenten opzetten in de regen"),
        *(page(f"/{name}", title=f"Handleiding van de zomertenten -- {name}aken") for name in "bhkmtw"),
        seen={
            "sharedBeginning": "Handleiding van de zomertenten -- ",
            "pixelsWithoutBeginning": title_px("Tenten opzetten in de regen"),
        },
        says="with which most titles begin, the title would fit. Shorten this part once",
    ),
    "one of many titles with the shared ending": case(
        page("/a", title="Waterproof jackets for long days" + " out" * 2 + ENDING),
        *(page(f"/{number}", title=f"Tents {number}{ENDING}") for number in range(19)),
        seen={"sharedEnding": ENDING},
        says="Shorten the title, and keep the subject of the page at the front.",
    ),
    "one of many titles with the shared beginning": case(
        page("/a", title="Handleiding van de zomertenten -- Tenten opzetten in de regen"),
        *(page(f"/{number}", title=f"Handleiding van de zomertenten -- {number} maken") for number in range(19)),
        seen={"sharedBeginning": "Handleiding van de zomertenten -- "},
        says="Shorten the title, and keep the subject of the page at the front.",
    ),
    "several of many titles with the shared ending": case(
        page("/a", title="Waterproof jackets for long days" + " out" * 2 + ENDING),
        *(page(f"/{name}", title=f"Waterproof jackets for the longest {name}ays out{ENDING}") for name in "bcd"),
        *(page(f"/{number}", title=f"Tents {number}{ENDING}") for number in range(19)),
        says="Shorten this part once in the title template.",
    ),
    "too long without the shared beginning too": case(
        page("/a", title=f"Example Outdoor Shop: {WIDE}"),
        *(page(f"/{name}", title=f"Example Outdoor Shop: {name}aking") for name in "bhkmtw"),
        seen={"sharedBeginning": "Example Outdoor Shop: "},
        says="Shorten the title, and keep the subject of the page at the front.",
    ),
    "too long without the shared ending too": case(
        page("/a", title=WIDE + ENDING),
        *(page(f"/{name}", title=f"Tents {name}{ENDING}") for name in "bcdef"),
        seen={"sharedEnding": ENDING, "pixelsWithoutEnding": title_px(WIDE)},
        says="Shorten the title, and keep the subject of the page at the front.",
    ),
}
PASSES = {
    "a title that fits": case(page(title="Waterproof hiking jackets")),
    "more than 60 narrow characters": case(page(title=NARROW)),
    "no title": case(page(title=None)),
    "28 Chinese characters": case(page(title="徒步" * 14)),
}
NOT_APPLICABLE = {"a page with noindex": case(page(title=WIDE, robots_meta=[("robots", "noindex")]))}
TABLES = {"SEO-ONP-005": (FAILS, PASSES, NOT_APPLICABLE)}
