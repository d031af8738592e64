"""Titles and canonical addresses of kinds of pages found on real websites (docs/real-websites.md)."""

from typing import Any

from chalicelib.domain.page import shingles
from chalicelib.domain.page.facts import PageFacts
from tests.domain.page.reading import read
from tests.rules.builders import address, links, page
from tests.rules.suggestions_of import ENDING, outdoor, suggested, titled, values

SHORT, SAME, ALIKE, COPIES = "SEO-ONP-004", "SEO-ONP-002", "SEO-CON-003", "SEO-CON-002"
SETTING_UP = "Setting up a repository for plugins"
LIBRARY = "Acme - Simple and Fast Tents"
WORDS = [f"{word}{number}" for number in range(20) for word in "tent pole hill river stove rope map boot rain".split()]
TEXT, NEARLY = " ".join(WORDS), " ".join([*WORDS[:-3], "and", "then", "home"])


def manual(*pages: PageFacts, home: str = "Acme Handbook") -> list[PageFacts]:
    """These pages, and some more whose titles share nothing, of a manual."""
    others = [titled(f"/walk-{n}", f"All there is to know about the long walk {n} to the sea") for n in range(6)]
    return [page("/", title=home, organization=None), *others, *pages]


def headed(path: str, title: str, *headings: tuple[int, str], **changes: Any) -> PageFacts:
    return page(path, title=title, headings=list(headings), **changes)


def test_a_title_in_a_box_is_used_instead_of_section_headings() -> None:
    """Doxygen writes the same title on every page, and no main heading."""
    sections = [(2, "Public Member Functions"), (2, "Detailed Description")]
    boxes = [*(f"tents::Pole{n} Class Reference" for n in range(6)), None]
    pages = [headed(f"/class{n}", LIBRARY, *sections, shown_title=box) for n, box in enumerate(boxes)]
    found = values(suggested([page("/", title=LIBRARY, organization=None), *pages]), SAME)
    assert found["/class3"] == "tents::Pole3 Class Reference | Acme"
    assert found["/class6"] is None


def test_an_h1_with_the_website_name_on_every_page_is_not_a_page_title() -> None:
    """WordPress themes and manuals put their own name into an H1 above the heading of the page."""
    pages = [headed(f"/p{n}", f"A page {n}", (1, "The Tent Library"), (2, f"Pitching tent {n}")) for n in range(6)]
    found = values(
        suggested(manual(*pages, headed("/w", "", (1, "The Tent Library"), (1, "Warm tents")))), "SEO-ONP-001"
    )
    assert found == {"/w": "Warm tents"}
    assert values(suggested(manual(*pages)), SHORT)["/p2"] is None  # "Pitching tent 2" does not say what the title says
    pages = [headed(f"/p{n}", f"Tent {n}", (1, "The Tent Library"), (2, f"Pitching tent {n}")) for n in range(6)]
    assert values(suggested(manual(*pages)), SHORT)["/p2"] == "Pitching tent 2 | Acme Handbook"


def test_a_post_list_is_not_named_after_its_first_post() -> None:
    lists = [
        headed(f"/page/{n}/", f"Acme – Page {n}", (1, "Acme"), (2, f"Post {n}"), (2, "Tents")) for n in range(2, 8)
    ]
    found = values(suggested([page("/", title="Acme"), *lists]), SHORT)
    assert set(found.values()) == {None}
    tag = headed("/tag/tents/", "", (2, "Tents for winter"), body_class="archive tag tag-7")
    assert values(suggested(outdoor(tag)), "SEO-ONP-001") == {"/tag/tents/": None}


def test_the_first_of_several_sections_is_not_the_title_of_a_page() -> None:
    sections = headed("/preface", "", (2, "Goals of tents"), (2, "Why there are tents"))
    one = headed("/derived", "", (2, "10. Derived tents"), (3, "10.1 Tents of tents"))
    found = values(suggested(outdoor(sections, one)), "SEO-ONP-001")
    assert found == {"/preface": None, "/derived": f"Derived tents{ENDING}"}


def test_numbered_main_headings_are_treated_as_sections() -> None:
    page_ = headed("/compile", "Compile-time Options", (1, "1. Recommended Compile-time Options"), (1, "2. Omitting"))
    assert values(suggested(manual(page_)), SHORT) == {"/compile": "Compile-time Options | Acme Handbook"}
    repeated = [headed(f"/r{n}", f"Tents {n}", (1, "1. Overview"), (1, f"2. All about tents {n}")) for n in range(6)]
    assert values(suggested(manual(*repeated)), SHORT)["/r2"] == "Tents 2 | Acme Handbook"


def test_the_first_of_three_main_headings_of_sections_is_no_title() -> None:
    mains = [(1, "Menders of tents at night"), (1, "People who translate"), (1, "Others who helped")]
    plain, first = "Acme Credits | Acme Handbook", "Menders of tents at night"
    assert values(suggested(manual(headed("/credits", "Acme Credits", *mains))), SHORT) == {"/credits": plain}
    assert values(suggested(manual(headed("/credits", "Menders", *mains))), SHORT) == {"/credits": first}
    assert values(suggested(manual(headed("/credits", "Acme Credits", *mains[:2]))), SHORT)["/credits"] != plain


def test_main_headings_that_differ_only_in_a_number_are_treated_as_sections() -> None:
    versions = [
        headed(f"/changes{n}", "Changes to tents", (1, f"Changes in 2.{n}"), (1, "Changes in 1.9")) for n in "12"
    ]
    assert set(values(suggested(manual(*versions)), "SEO-ONP-002").values()) == {None}
    two = [headed(f"/two{n}", "Changes to tents", (1, f"Known bugs of tent {n}"), (1, "Things to sew")) for n in "12"]
    assert values(suggested(manual(*two)), "SEO-ONP-002")["/two1"] == "Known bugs of tent 1 | Acme Handbook"


def test_a_leading_number_is_a_chapter_only_if_the_website_is_numbered() -> None:
    sections = [
        headed(f"/s{n}", f"Section 2.{n} of this very long manual of tents", (1, f"2.{n} Poles {n}")) for n in range(6)
    ]
    chapters = [
        headed("/six", "", (1, "6 Pitching tents")),
        headed("/b", "", (1, "B Hackers corner")),
        headed("/a", "", (1, "A Tour of tents")),
        headed("/ten", "", (1, "10 Ways to pitch"), (2, "10.1 By hand")),
    ]
    found = values(suggested(manual(*sections, *chapters)), "SEO-ONP-001")
    named = {"/six": "Pitching tents", "/b": "Hackers corner", "/ten": "Ways to pitch"}
    assert found == {path: f"{text} | Acme Handbook" for path, text in named.items()} | {"/a": None}
    assert values(suggested(manual(chapters[0])), "SEO-ONP-001") == {"/six": "6 Pitching tents"}


def test_a_suggested_title_keeps_the_website_name_in_brackets() -> None:
    """Javadoc and Texinfo write titles such as "Rule (Acme API)"."""
    pages = [titled(f"/c{n}", f"Chain of Rules {n} (Acme API)") for n in range(6)]
    pages.append(headed("/rule", "Rule (Acme API)", (2, "Class Rule"), (3, "Method Summary")))
    home = page("/", title="Overview (Acme API)", organization=None)
    assert values(suggested([home, *pages]), SHORT)["/rule"] == "Class Rule (Acme API)"


def test_a_section_heading_below_the_text_of_a_page_gives_no_title() -> None:
    text = "Plugins are programs that do one thing each, in a language that you choose, beside the main program."
    for first, others, wanted in (
        ("How plugins talk to the main program", ["Reading data", "Notes on arguments"], "plugins | Acme Handbook"),
        (SETTING_UP, ["A repository for many", "The public repository"], SETTING_UP),
    ):
        known = {"paragraphs": [text], "sections": [0]}
        shown = [(2, first), *((2, other) for other in others)]
        below = headed("/plugins.html", "plugins", *shown, text=f"{text} {first} and more", **known)
        above = headed("/plugins.html", "plugins", *shown, text=f"{first} {text}", **known)
        assert values(suggested(manual(below)), SHORT)["/plugins.html"] == wanted
        assert values(suggested(manual(above)), SHORT)["/plugins.html"] == first


def test_an_archive_title_omits_the_prefix_of_the_theme() -> None:
    posts = [titled(f"/p{n}", f"A quiet walk to the sea {n} – Acme") for n in range(6)]
    guides = headed("/category/guides/", "Guides – Acme", (1, "Category: Guides"), body_class="archive category")
    assert values(suggested([page("/"), *posts, guides]), SHORT) == {"/category/guides/": None}
    posts = [titled(f"/p{n}", f"A quiet walk {n} – Acme Mountain School") for n in range(6)]
    guides.title = ""
    found = values(suggested([page("/"), *posts, guides]), "SEO-ONP-001")
    assert found == {"/category/guides/": "Guides – Acme Mountain School"}


# -- canonical addresses -------------------------------------------------------------------------------


def saying(path: str, text: str, title: str, heading: str = "Tents", **changes: Any) -> PageFacts:
    facts = {"sketch": shingles.sketch(text), "words": len(text.split()), "text_hash": f"hash {text[-40:]}"}
    return page(path, title=title, headings=[(1, heading)], canonicals=[], **{**facts, **changes})


def canonical(*pages: PageFacts, rule: str = ALIKE) -> dict[str, str | None]:
    return values(suggested(outdoor(*pages)), rule)


def test_the_outer_page_is_kept_if_copies_are_in_nested_folders() -> None:
    inner = saying("/c/list/Map.html", NEARLY, "Map in c::list and its many uses")
    outer = saying("/c/Map.html", TEXT, "Map in c and its many uses")
    assert canonical(inner, outer) == {"/c/list/Map.html": address("/c/Map.html"), "/c/Map.html": None}
    for path in ("/d/Map.html", "/c/list/Set.html", "/c/list/index.html", "/c/de/Map.html"):
        other = saying(path, NEARLY, "Map in c::list and its many uses")
        assert set(canonical(other, outer).values()) == {None}, path
    told_apart = saying("/c/list/Map.html", NEARLY, "Map of the list in another package")
    assert set(canonical(told_apart, outer).values()) == {None}


def test_pages_that_only_share_a_common_title_are_not_copies() -> None:
    others = [page(f"/class-{n}", title=LIBRARY, headings=[(1, "The Tent Library")]) for n in range(6)]
    for first, second, wanted in (
        ("Class List", "Namespace List", {None}),
        ("The Tent Library", "The Tent Library", {None}),
        ("Class List", "Class List", {None, address("/classes")}),
    ):
        pages = [saying("/classes", TEXT, LIBRARY, first), saying("/namespaces", NEARLY, LIBRARY, second)]
        found = values(suggested([page("/", title=LIBRARY), *others, *pages]), ALIKE)
        assert set(found.values()) == wanted, (first, second)


def test_pages_with_other_headings_and_words_are_not_copies_though_titles_agree() -> None:
    first = saying("/docs.html", TEXT, "Documentation of it all", "The tent library")
    second = saying("/poles/docs.html", NEARLY, "Documentation of it all", "The pole library")
    assert set(canonical(second, first).values()) == {None}
    same = saying("/poles/docs.html", NEARLY, "Documentation of it all", "The tent library")
    assert canonical(same, first)["/poles/docs.html"] == address("/docs.html")


def test_the_home_page_at_its_index_file_should_name_its_folder() -> None:
    pages = [page("/", canonicals=[]), page("/index.html", canonicals=[])]
    same = {name: getattr(pages[0], name) for name in ("title", "text_hash", "description")}
    pages[1] = page("/index.html", canonicals=[], **same)
    found = suggested(pages, home_url=address("/index.html"))
    assert values(found, "SEO-TEC-013") == {"/index.html": address("/")}


def test_post_lists_with_equal_posts_get_no_canonical_suggestion() -> None:
    home = saying("/", TEXT, "Example Outdoor", links=links("/walk-1"))
    author = saying("/author/jo/", TEXT, f"Jo{ENDING}", body_class="archive author author-jo")
    found = suggested([home, *outdoor(author)[1:]])[COPIES].suggestions
    assert [(one.url, one.suggested) for one in found] == [(address("/"), None), (address("/author/jo/"), None)]
    assert "new entries" in (found[1].note or "")
    copy = saying("/copy", TEXT, f"Jo{ENDING}")
    assert canonical(home, copy, rule=COPIES)["/copy"] == address("/")


def test_a_shopping_cart_is_suggested_noindex_and_no_description() -> None:
    table = "<table><tr><th>Product<th>Price<tr><td>A tent for two that is light to carry<td>€ 249.00</table>"
    body = f"<main><h1>Your cart</h1>{table}<p>Delivery takes two days.</p><a href=/pay>Proceed to checkout</a></main>"
    basket = read(f"<html lang=en><title>Your cart</title><body>{body}", url=address("/cart"), bytes=2_000)
    found = suggested(outdoor(basket))["SEO-ONP-010"].suggestions
    (suggestion,) = (one for one in found if one.url == basket.url)
    assert suggestion.suggested is None
    assert suggestion.advice is not None and suggestion.advice.recommended == "noindex"
