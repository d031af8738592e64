"""Tables of KW-009."""

from tests.rules.kw.builders import PAGE, Case, known, pair, searches

FAILS = {
    "no heading asks it": Case(
        searches(pair("how to waterproof a canvas roof", 2, 90)), says="none of its headings", seen={"impressions": 90}
    ),
    "in German": Case(
        searches(pair("wie imprägniert man ein Zelt", 2, 90), known={PAGE: known(language="de")}), says="imprägniert"
    ),
    "two fifths of its words are too few": Case(
        searches(pair("why is canvas wet cold heavy dark", 2, 90), known={PAGE: known(headings=[(2, "Wet canvas")])})
    ),
}
PASSES = {
    "a heading asks it": Case(
        searches(pair("how to pitch tents", 2, 90), known={PAGE: known(headings=[(2, "Pitching: how to pitch tents")])})
    ),
    "three of five words": Case(
        searches(
            pair("why is canvas wet cold heavy dark", 2, 90),
            known={PAGE: known(headings=[(3, "Cold and wet, dark too")])},
        )
    ),
}
NOT_APPLICABLE = {
    "no question": Case(searches(pair("waterproof canvas", 2, 90))),
    "asked by few": Case(searches(pair("how to waterproof canvas", 2, 9))),
    "on the second page": Case(searches(pair("how to waterproof canvas", 2, 90, 11.0))),
    "a question about nothing": Case(searches(pair("what is it", 2, 90))),
    "about the website itself": Case(searches(pair("what is acme", 2, 90))),
    "nobody knows its headings": Case(
        searches(pair("how to waterproof canvas", 2, 90), known={PAGE: known(headings=None)})
    ),
}
TABLES = {"KW-009": (FAILS, PASSES, NOT_APPLICABLE)}
