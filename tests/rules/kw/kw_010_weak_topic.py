"""Tables of KW-010."""

from tests.rules.kw.builders import HOST, PAGE, Case, searches, topic


def pages(count: int, first: str = PAGE) -> list[str]:
    return [first, *(f"{HOST}/more/{number}" for number in range(count - 1))]


WORSE = [topic(f"worse {number}", pages(40, f"{HOST}/{number}"), 9) for number in range(4)]

FAILS = {
    "five pages with a click": Case(
        searches(topics=[topic("tents", pages(5), 1)]), says="24 more would make five per page", gain=4.8
    ),
    "among the quarter that lacks most": Case(searches(topics=[topic("tents", pages(50), 5), *WORSE[:3]])),
}
PASSES = {"others lack more": Case(searches(topics=[topic("tents", pages(5), 20), *WORSE]))}
NOT_APPLICABLE = {
    "strong": Case(searches(topics=[topic("tents", pages(5), 25)])),
    "without a click": Case(searches(topics=[topic("tents", pages(5), 0)])),
    "four pages": Case(searches(topics=[topic("tents", pages(4), 1)])),
    "in no topic": Case(searches(topics=WORSE)),
}
TABLES = {"KW-010": (FAILS, PASSES, NOT_APPLICABLE)}
