"""Tables of SEO-ONP-024."""

from typing import Any

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import address, case
from tests.rules.builders import page as plain_page


def page(path: str, **changes: Any) -> PageFacts:
    """A page that does not show its address."""
    return plain_page(path, **{"title": "About tents", "headings": [(1, "Tents in summer")], **changes})


FAILS = {
    "capitals in many names, a few of which begin with one acronym": case(
        page("/Tent.html"),
        *(page(f"/{name}.html") for name in ("Products", "Prices", "Shops", "Newsroom", "PDFtents", "PDFpoles")),
        *(page(f"/guide/{number}") for number in range(9)),
        seen={"shared": [{"fault": "upper-case letters", "pages": 7}]},
    ),
    "names that begin with one capital": case(
        page("/Seite1.html"),
        *(page(f"/Seite{number}.html") for number in range(2, 9)),
        *(page(f"/guide/{number}") for number in range(12)),
    ),
    "pages in capitals that are no documents of software": case(
        page("/TEAM.html"),
        *(page(f"/{name}.html") for name in ("PRODUCTS", "PRICES", "ABOUT", "NEWSROOM")),
        *(page(f"/guide/{number}") for number in range(9)),
        seen={"shared": [{"fault": "upper-case letters", "pages": 5}]},
    ),
    "underscores and upper case": case(
        page("/Spring_Tents/"),
        seen={"faults": ["underscores", "upper-case letters"]},
        says="underscores and upper-case",
    ),
    "underscores beside a space": case(page("/spring_tents%20two/"), seen={"faults": ["underscores", "spaces"]}),
    "a space": case(page("/spring%20tents/"), seen={"faults": ["spaces"]}),
    "a double slash": case(page("/shop//tents/"), seen={"faults": ["a double slash"]}, says="Correct the links"),
    "a double slash and a space": case(page("/shop//red%20tents/"), says="short lower-case words"),
    "the page that another one repeats": case(page("/a%20b", text_hash="same"), page("/a%20b%20c", text_hash="same")),
    "a long path": case(page("/" + "tents-" * 20), seen={"faults": ["a path of 121 characters"]}),
    "three parameters": case(page("/tents?a=1&b=2&c="), seen={"faults": ["3 parameters"]}),
    "a folder above the name of a thing": case(
        page("/My_Manual/LinkedMap.html", title="LinkedMap"), seen={"faults": ["underscores", "upper-case letters"]}
    ),
    "a name that is only a part of a word": case(
        page("/an_api/Map.html", title="LinkedMap and HashMap"), seen={"faults": ["underscores", "upper-case letters"]}
    ),
    "a capital among those that the title has": case(
        page("/camp/SNMP_App.html", title="Camp -- SNMP"), seen={"faults": ["underscores", "upper-case letters"]}
    ),
    "an index file of a folder that the page does not name": case(page("/api/Str_map/index.html")),
    "some words of a long title": case(
        page("/guide/New_Tents.html", title="How to choose New Tents for the winter", headings=[])
    ),
    "the words of a title in another order": case(page("/guide/Tents_New.html", title="New Tents")),
    "the words of a title in other letters": case(page("/guide/New_Tents.html", title="New tents")),
    "a folder that is the title": case(page("/New_Tents/one.html", title="New Tents")),
    "a wiki of four pages": case(
        page("/Fold_Tents"), *(page(f"/Tent_Number_{number}", title=f"Tent Number {number}") for number in range(3))
    ),
    "a number that is no section of a manual": case(page("/man/Fold_tent.80.html", title="Fold_tent")),
    "a name in other letters": case(page("/api/LINKED_MAP", title="linked_map")),
    "what many addresses have, at the shortest of them": case(
        page("/Tent_1"),
        *(page(f"/Tent_{number:03}") for number in range(4)),
        page("/Boots"),
        *(page(f"/boots/{number}") for number in range(8)),
        seen={
            "faults": ["underscores", "upper-case letters"],
            "shared": [{"fault": "upper-case letters", "pages": 6}, {"fault": "underscores", "pages": 5}],
            "of": 14,
        },
        says="Of 14 addresses that search may show, 6 have upper-case letters and 5 have underscores. Give new pages",
    ),
    "many addresses, beside those that repeat a name": case(
        page("/Tent"),
        page("/api/LinkedMap", title="LinkedMap"),
        *(page(f"/Tent_{number:03}") for number in range(4)),
        *(page(f"/boots/{number}") for number in range(20)),
        says="have upper-case letters. Names that addresses repeat from their page's title do not count. Give",
    ),
    "capitals of two folders": case(
        page("/Boots/0"),
        *(page(f"/Tents/{number}") for number in range(4)),
        *(page(f"/Boots/{number}") for number in range(1, 3)),
        *(page(f"/guide/{number}") for number in range(9)),
        seen={"shared": [{"fault": "upper-case letters", "pages": 7}]},
    ),
    "capitals of a folder and of its pages": case(
        page("/Tents/A1"),
        *(page(f"/Tents/Red{number}") for number in range(5)),
        *(page(f"/guide/{number}") for number in range(9)),
        seen={"shared": [{"fault": "upper-case letters", "pages": 6}]},
    ),
    "underscores and capitals of one folder": case(
        page("/Red_Tents/1"),
        *(page(f"/Red_Tents/{number}") for number in range(2, 7)),
        *(page(f"/guide/{number}") for number in range(9)),
    ),
    "what few addresses have beside": case(
        page("/Tent_1 a"),
        *(page(f"/T_{number}") for number in range(5)),
        seen={"faults": ["spaces"]},
    ),
    "fewer than five are no habit": case(page("/T_a/1"), *(page(f"/T_a/{number}") for number in range(2, 5))),
    "a tenth of the addresses is no habit": case(
        page("/T_a/1"),
        *(page(f"/T_a/{number}") for number in range(2, 6)),
        *(page(f"/boots/{number}") for number in range(45)),
        seen={"faults": ["underscores", "upper-case letters"]},
    ),
    "a folder that the page does not name": case(page("/camp/My_Docs/struct.Entry.html", title="Entry in camp")),
    "a name behind its kind that is not in the title": case(page("/api/macro.Assert_eq.html", title="Macros in camp")),
    "a name in a heading further down": case(page("/Tent_options", headings=[(1, "Options"), (2, "Tent_options")])),
    "several at once": case(page("/Tents_and_packs"), says="underscores and upper-case letters"),
}
PASSES = {
    **{
        f"files that {tool} names": case(page("/sample%20files/tent.html", generator=tool))
        for tool in ("LDoc 1.4.6", "pdoc 14.0", "ExDoc v0.30", "Natural Docs", "odoc 2.2", "jazzy", "YARD")
    },
    "a page that repeats another one": case(page("/shop//a", text_hash="same"), page("/shop/a", text_hash="same")),
    "files that a documentation tool names": case(
        page("/structTent_Pole.html", generator="Doxygen 1.9"),
        *(page(f"/group__tent{name}.html", generator="Generated by Doxygen 1.5.6") for name in "ABCDEF"),
        *(page(f"/guide/{number}") for number in range(9)),
    ),
    "names that begin with one acronym": case(
        page("/APIfiles.html"),
        *(page(f"/APIchunk{number}.html") for number in range(8)),
        *(page(f"/guide/{number}") for number in range(12)),
    ),
    "documents of software": case(
        page("/INSTALL.html"),
        *(page(f"/{name}_README.html") for name in ("BUILD", "MAIL", "DNS", "LOCAL")),
        *(page(f"/guide/{number}") for number in range(9)),
    ),
    "a manual page that names the command": case(page("/man/Fold_tent.8.html", title="Fold_tent")),
    "a manual page whose title is in capitals": case(
        page("/man/fold_tent.1ssl", title="FOLD_TENT(1)"),
        *(page(f"/man/fold_{number}.8.html", headings=[(1, f"FOLD_{number}")]) for number in range(9)),
        *(page(f"/guide/{number}") for number in range(20)),
    ),
    "a page of a wiki that most others are written like": case(
        page("/Fold_Tents"), *(page(f"/Tent_Number_{number}", title=f"Tent Number {number}") for number in range(9))
    ),
    "a title with underscores": case(page("/guide/Simple_Values.html", title="2.1 Simple Values", headings=[])),
    "a title with its number and the name of the website": case(
        page("/guide/Building_New_Tents.html", title="7.8 Building New Tents | Camp", headings=[])
    ),
    "a main heading with underscores": case(page("/Tents___Poles", headings=[(1, "Tents & Poles")])),
    "underscores alone": case(page("/spring_tents/")),
    "upper case alone": case(page("/architecture/requestProcess.html")),
    "capitals and small letters alone": case(page("/TENTS/")),
    "underscores alone, beside those of many addresses": case(
        page("/spring_Tents"),
        *(page(f"/Tents/{number}") for number in range(5)),
        *(page(f"/boots/{number}") for number in range(20)),
    ),
    "words with hyphens": case(page("/shop/tents-for-two/")),
    "the name of a thing in the title": case(page("/api/LinkedMap.html", title="LinkedMap (Manual 3.1)")),
    "first as a part of another name": case(page("/api/Map.html", title="LinkedMap, a kind of Map")),
    "the name of a thing behind its kind": case(page("/api/macro.assert_eq.html", title="assert_eq in camp - Manual")),
    "its folders are in the title too": case(page("/camp/tree_map/struct.Entry.html", title="Entry in camp::tree_map")),
    "the name as Texinfo writes it": case(page("/Slot_002dValue-Calls.html", title="Slot-Value Calls (Internals)")),
    "the name in the only heading": case(page("/tent_options.html", headings=[(2, "A.36 library(tent_options)")])),
    "the name of a thing in the main heading": case(page("/api/str_replace/", headings=[(1, "The str_replace call")])),
    "the name of a folder whose index file it is": case(page("/api/str_map/index.html", title="api::str_map")),
    "an underscore that joins no words": case(page("/_index.html")),
    "capitals that the title has": case(page("/camp/SNMP-app.html", title="Camp -- SNMP")),
    "what many addresses have, told of at another": case(
        page("/Tents/12"), *(page(f"/Tents/{number}") for number in range(4))
    ),
    "one folder's name with a capital": case(
        page("/Tents/1"),
        page("/Tents/LinkedMap.html", title="Camp: LinkedMap"),
        *(page(f"/Tents/{number}") for number in range(2, 7)),
        *(page(f"/guide/{number}") for number in range(12)),
    ),
    "one folder's name with an underscore": case(
        page("/a/red_tents/1"),
        *(page(f"/a/red_tents/{number}") for number in range(2, 7)),
        *(page(f"/guide/{number}") for number in range(12)),
    ),
    "more than a tenth of the addresses": case(
        page("/Tents/12"),
        *(page(f"/Tents/{number}") for number in range(4)),
        *(page(f"/boots/{number}") for number in range(44)),
    ),
    "most addresses are made so": case(page("/Tents/1"), *(page(f"/Tents/{number}") for number in range(2, 10))),
    "most are, those of names counted": case(
        page("/api/tent_1", title="tent_1"),
        *(page(f"/api/tent_{number}", title=f"tent_{number}") for number in range(2, 8)),
        *(page(f"/guide_{number}") for number in range(5)),
    ),
    "a list in a frame beside the pages": case(page("/class_list.html", in_frame=True)),
    "the home page": case(page("/")),
    "two parameters": case(page("/tents?a=1&b=2")),
    "115 characters": case(page("/" + "x" * 114)),
    "letters beyond ASCII": case(page("/%C3%BCber-uns/")),
    "many letters beyond ASCII": case(page("/" + "%D1%82" * 60)),
    "another address is canonical": case(
        page("/Tents?a=1&b=2&c=3", canonicals=[("", address("/tents"), "html")]), page("/tents")
    ),
}
NOT_APPLICABLE = {"a page with noindex": case(page("/Spring_Tents", robots_meta=[("robots", "noindex")]))}
TABLES = {"SEO-ONP-024": (FAILS, PASSES, NOT_APPLICABLE)}
