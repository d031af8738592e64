"""Maps the id of each keyword task to the function that checks it."""

from collections.abc import Callable, Mapping
from typing import Final

from chalicelib.rules.kw import (
    kw_001_low_click_rate,
    kw_002_striking_distance,
    kw_003_pages_compete,
    kw_004_query_not_in_title,
    kw_005_losing_clicks,
    kw_006_lost_impressions,
    kw_007_ranking_page_defect,
    kw_008_no_clicks,
    kw_009_question_without_answer,
    kw_010_weak_topic,
    kw_011_answer_gap,
    kw_012_poor_conversion,
)
from chalicelib.rules.kw.model import SearchData, Verdicts

Check = Callable[[SearchData], Verdicts]

# Tasks that each import of search data judges again.
OF_SEARCH: Final[Mapping[str, Check]] = {
    "KW-001": kw_001_low_click_rate.check,
    "KW-002": kw_002_striking_distance.check,
    "KW-003": kw_003_pages_compete.check,
    "KW-004": kw_004_query_not_in_title.check,
    "KW-005": kw_005_losing_clicks.check,
    "KW-006": kw_006_lost_impressions.check,
    "KW-007": kw_007_ranking_page_defect.check,
    "KW-008": kw_008_no_clicks.check,
    "KW-009": kw_009_question_without_answer.check,
    "KW-010": kw_010_weak_topic.check,
}
# Based on sampled answers of assistants, not on search data.
OF_ANSWERS: Final[Mapping[str, Check]] = {"KW-011": kw_011_answer_gap.check}
OF_ANALYTICS: Final[Mapping[str, Check]] = {"KW-012": kw_012_poor_conversion.check}
