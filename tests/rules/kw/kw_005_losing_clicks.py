"""Tables of KW-005."""

from typing import Any

from tests.rules.kw.builders import PAGE, Case, figures, known, searches

WHOLE: dict[str, Any] = {"total": figures(1_000, 9_000), "total_before": figures(1_100, 9_000)}


def lost(now: int, earlier: int, **members: Any) -> Case:
    given: dict[str, Any] = {**WHOLE, "before": {PAGE: figures(earlier, 900)}, **members}
    return Case(searches(pages={PAGE: figures(now, 900)}, **given))


FAILS = {
    "a third less": Case(
        lost(60, 100).data,
        says="100 in the 28 days before.",
        seen={"clicksYearAgo": None},
        gain=40,
    ),
    "a year ago too": Case(
        lost(60, 100, year_ago={PAGE: figures(130, 900)}).data, says="130 in the same days a year ago"
    ),
    "none any more": Case(searches(before={PAGE: figures(30, 900)}, **WHOLE), gain=30),
}
PASSES = {
    "a little less": lost(75, 100),
    "few clicks": lost(2, 21),
    "as every year": lost(60, 100, year_ago={PAGE: figures(62, 900)}),
    "more": lost(140, 100),
}
NOT_APPLICABLE = {
    "the whole website has lost a fifth": lost(60, 100, total=figures(880, 9_000)),
    "the days before are not known": lost(60, 100, before=None),
    "nothing is known of the website before": lost(60, 100, total_before=None),
    "hardly clicked before": lost(0, 19),
    "an error": lost(0, 100, known={PAGE: known(status=404)}),
    "not to be found": lost(0, 100, known={PAGE: known(indexable=False)}),
    "a page that no audit read": lost(0, 100, known={}),
}
TABLES = {"KW-005": (FAILS, PASSES, NOT_APPLICABLE)}
