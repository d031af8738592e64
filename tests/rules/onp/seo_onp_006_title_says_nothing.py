"""Tables of SEO-ONP-006."""

from tests.rules.builders import case, page

NAMED = tuple(page(f"/{name}", title=f"Everything about tents, part {name} | Acme Outdoor") for name in "abcdef")
TAGLINE = " - Acme Outdoor - Zelte für Familien"
DESCRIBED = tuple(page(f"/{name}", title=f"Everything about tents, part {name}{TAGLINE}") for name in "abcdef")
GUIDES = tuple(page(f"/guides/{name}/", title=f"Part {name} | Acme Guides") for name in "abcdef")
DOCUMENTED = tuple(page(f"/docs/{name}/", title="Acme | Documentation") for name in "abcdefgh")
ACME = {"name": "Acme Ltd", "url": "https://example.com/"}

FAILS = {
    "a logo that is an h1 too": case(
        page(title="Untitled", headings=[(1, "Acme Outdoor"), (1, "Quiet campsites")], main_h1="Quiet campsites"),
        seen={"heading": "Quiet campsites"},
    ),
    "a logo, and a heading that says what the title says": case(
        page(title="Untitled", headings=[(1, "Acme Outdoor"), (1, "Untitled")], main_h1="Untitled"),
        seen={"heading": None},
    ),
    "the ending of all titles": case(
        page(title="ACME Outdoor", headings=[(1, "Quiet campsites")]),
        *NAMED,
        seen={"why": "name", "heading": "Quiet campsites"},
        says="Quiet campsites",
    ),
    "a heading that says the same, and one that says more": case(
        page(title="ACME Outdoor", headings=[(1, "Acme outdoor"), (1, "Quiet campsites")]),
        *NAMED,
        seen={"heading": "Quiet campsites"},
    ),
    "a heading that says the same alone": case(
        page(title="ACME Outdoor", headings=[(1, "Acme Outdoor")]), *NAMED, seen={"heading": None}
    ),
    "the organisation's name": case(page(title="Acme Ltd"), page("/", organization=ACME), seen={"why": "name"}),
    "the domain": case(page(title="example.com"), seen={"why": "name"}),
    "the name in the domain": case(page(title="Example"), seen={"why": "name"}),
    "a stock phrase": case(page(title="Untitled"), seen={"why": "stock"}, says="many websites"),
    "a stock phrase in another language": case(page(title="Startseite"), seen={"why": "stock"}),
    "a stock phrase on the home page": case(page("/", title="Home"), seen={"why": "stock"}),
    "a stock phrase and the website's name": case(
        page("/new", title="Home | Acme Outdoor"), *NAMED, says="followed by the name of this one"
    ),
    "a stock phrase and the website's name on the home page": case(page("/", title="Home | Acme Outdoor"), *NAMED),
    "a stock phrase, the name and a tagline on another page": case(page("/new", title=f"Home{TAGLINE}"), *DESCRIBED),
    "a page with text that is titled blank": case(
        page(title="Blank page | Acme Outdoor", headings=[(2, "BLANK PAGE")], words=80), *NAMED
    ),
    "a blank page with another title": case(page(title="Untitled", headings=[(1, "Untitled")], words=1)),
    "one more page of the page builder": case(page("/neu", title="Neue Seite | Acme Outdoor"), *NAMED),
}
PASSES = {
    "the name on the home page": case(page("/", title="Example")),
    "a stock phrase, the name and what the website is on the home page": case(
        page("/", title=f"Startseite{TAGLINE}"), *DESCRIBED
    ),
    "the name of a section": case(page("/guides/", title="Acme Guides"), page("/", title="Acme"), *GUIDES, *DOCUMENTED),
    "the name on a copy of the home page": case(
        page("/index.html", title="Example", text_hash="same"), page("/", title="Example", text_hash="same")
    ),
    "a title": case(page(title="Quiet campsites in the north")),
    "no title": case(page(title="")),
    "the index of a manual": case(page(title="Index | Acme Outdoor"), *NAMED),
    "a title that begins with the name": case(page(title="Example of a tent that lasts")),
    "a theme's starter page that is blank": case(
        page(title="Blank page | Acme Outdoor", headings=[(2, "BLANK PAGE")], words=2), *NAMED
    ),
    "home as a topic": case(page(title="Home and garden")),
}
NOT_APPLICABLE = {"a page with noindex": case(page(title="Home", robots_meta=[("robots", "noindex")]))}
TABLES = {"SEO-ONP-006": (FAILS, PASSES, NOT_APPLICABLE)}
