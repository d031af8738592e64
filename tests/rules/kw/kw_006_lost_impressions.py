"""Tables of KW-006."""

from typing import Any

from tests.rules.kw.builders import PAGE, Case, figures, known, searches


def shown(now: int | None, earlier: int, **members: Any) -> Case:
    pages = {} if now is None else {PAGE: figures(0, now)}
    return Case(searches(pages=pages, **{"before": {PAGE: figures(12, earlier)}, **members}))


FAILS = {
    "a twentieth": Case(shown(10, 200).data, says="10 times in 28 days, 200 times", gain=12),
    "not at all": shown(None, 200),
}
PASSES = {"a tenth": shown(20, 200), "as often": shown(200, 200)}
NOT_APPLICABLE = {
    "seldom shown before": shown(0, 199),
    "the days before are not known": shown(0, 200, before=None),
    "an error": shown(0, 200, known={PAGE: known(status=500)}),
    "not to be found": shown(0, 200, known={PAGE: known(indexable=False)}),
    "a page that no audit read": shown(0, 200, known={}),
}
TABLES = {"KW-006": (FAILS, PASSES, NOT_APPLICABLE)}
