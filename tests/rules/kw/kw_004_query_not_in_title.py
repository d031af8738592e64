"""Tables of KW-004."""

from tests.rules.kw.builders import PAGE, Case, figures, known, pair, searches

FAILS = {
    "a word is missing": Case(
        searches(pair("waterproof tents", 9, 90)),
        says='"waterproof" is missing',
        seen={"query": "waterproof tents", "missing": ["waterproof"]},
    ),
    "a heading further down does not count": Case(searches(pair("tents sizes", 9, 90)), says='"sizes"'),
    "both words": Case(searches(pair("hiking boots", 9, 90)), says='"hiking" and "boots" are missing'),
}
PASSES = {
    "every word in the title": Case(searches(pair("best tents 2026", 9, 90))),
    "another form of the word": Case(searches(pair("tent", 9, 90))),
    "one in the title, one in the heading": Case(
        searches(pair("tents guide sale camping", 9, 90), known={PAGE: known(headings=[(1, "Camping")])})
    ),
}
NOT_APPLICABLE = {
    "a few clicks": Case(searches(pair("waterproof tents", 4, 90))),
    "less than a fifth of the page's clicks": Case(
        searches(pair("waterproof tents", 9, 90), pages={PAGE: figures(50, 900)})
    ),
    "the website's own name": Case(searches(pair("acme boots", 9, 90))),
    "words that say nothing": Case(searches(pair("how to buy the best", 9, 90))),
    "nobody knows its headings": Case(searches(pair("boots", 9, 90), known={PAGE: known(headings=None)})),
    "neither title nor heading": Case(searches(pair("boots", 9, 90), known={PAGE: known(title=None, headings=[])})),
}
TABLES = {"KW-004": (FAILS, PASSES, NOT_APPLICABLE)}
