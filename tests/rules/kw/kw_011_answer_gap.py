"""Tables of KW-011."""

from chalicelib.rules.kw.model import AskedQuestion
from tests.rules.kw.builders import OTHER, PAGE, Case, known, searches

TITLED = {PAGE: known(title="Waterproof tents", headings=[(2, "Canvas or nylon")]), OTHER: known(OTHER, title="Maps")}


def asked(
    text: str, *, gap: bool = True, cited: frozenset[str] | None = frozenset(), answers: int = 4
) -> AskedQuestion:
    return AskedQuestion(text, answers, gap, cited, ("beta.example", "gamma.example"))


FAILS = {
    "a page is about it and nobody cites it": Case(
        searches(known=TITLED, questions=[asked("Which waterproof tents?")]),
        says="Which waterproof tents?",
        seen={"answers": 4, "citedOthers": ["beta.example", "gamma.example"]},
    ),
    "half of its words, in title and headings": Case(
        searches(known=TITLED, questions=[asked("nylon tents sale cheap")]), says="nylon"
    ),
    "another page is cited": Case(
        searches(known=TITLED, questions=[asked("Which waterproof tents?", cited=frozenset({OTHER}))]), says="tents"
    ),
    "of two questions the one with more answers": Case(
        searches(known=TITLED, questions=[asked("Which waterproof tents?"), asked("Which canvas tents?", answers=9)]),
        says="Which canvas tents?",
    ),
}
PASSES = {
    "the page is cited": Case(
        searches(known=TITLED, questions=[asked("Which waterproof tents?", cited=frozenset({PAGE}))])
    ),
    "a page of the website is cited, and nobody knows which": Case(
        searches(known=TITLED, questions=[asked("Which waterproof tents?", cited=None)])
    ),
    "the website is named": Case(searches(known=TITLED, questions=[asked("Which waterproof tents?", gap=False)])),
}
NOT_APPLICABLE = {
    "no page is about it": Case(searches(known=TITLED, questions=[asked("Which boots for winter walks?")])),
    "less than half of its words": Case(searches(known=TITLED, questions=[asked("tents sale cheap")])),
    "another page is about it": Case(searches(known=TITLED, questions=[asked("Which maps?")])),
    "nobody knows its headings": Case(
        searches(known={PAGE: known(title="Tents", headings=None)}, questions=[asked("Which tents?")])
    ),
    "it is not indexed": Case(
        searches(known={PAGE: known(title="Tents", indexable=False)}, questions=[asked("Which tents?")])
    ),
    "a question without words": Case(searches(known=TITLED, questions=[asked("which?")])),
}
TABLES = {"KW-011": (FAILS, PASSES, NOT_APPLICABLE)}
