"""AI visibility: what assistants answered to the website's prompts, from stored samples."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chalicelib.api.shapes import visibility as shapes
from chalicelib.api.shapes.values import instant
from chalicelib.domain.visibility.calendar import weeks_back
from chalicelib.domain.visibility.intervals import wilson
from chalicelib.domain.visibility.models import MAKERS, model_name
from chalicelib.domain.visibility.rates import gaps, rates
from chalicelib.domain.visibility.samples import Answer, Asked, Week
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.parameters import integer
from chalicelib.store import visibility

group = Group("visibility", "AI visibility: whether assistants name the website, and on whose pages they lean.")

_WEEKS = "Weeks back from the current one, which counts as the first."


@dataclass(frozen=True, slots=True)
class WeeksParameters:
    """Which weeks, and how much of each."""

    weeks: int = integer(_WEEKS, default=4, minimum=1, maximum=12)
    limit: int = integer("Prompts shown of each week; the rates count all.", default=50, minimum=1, maximum=1_000)


@dataclass(frozen=True, slots=True)
class GapsParameters:
    """Which weeks."""

    weeks: int = integer(_WEEKS, default=4, minimum=1, maximum=12)


@group.get(
    "/sites/{siteId}/ai-visibility",
    scope="ai:read",
    parameters=WeeksParameters,
    answer=shapes.Visibility,
    summary="Read AI visibility",
)
def read_visibility(call: Call[WeeksParameters]) -> shapes.Visibility:
    """What AI assistants answered to the website's prompts, week by week, newest first. Each Monday every prompt is
    asked once of each assistant, with a search of the web; nothing is asked by this request.

    Samples are small: `mentionInterval` and `citationInterval` say what a rate of so few answers means. Where the
    intervals of two weeks overlap, the difference may be chance.
    """
    shown = visibility.load_weeks(call.website.id, weeks_back(call.now, call.parameters.weeks))
    active = {prompt.id for prompt in shown.book.active}
    return shapes.Visibility(weeks=[_week(week, active, call.parameters.limit) for week in shown.weeks])


@group.get(
    "/sites/{siteId}/ai-visibility/gaps",
    scope="ai:read",
    parameters=GapsParameters,
    answer=shapes.VisibilityGaps,
    summary="Read answer gaps",
)
def read_visibility_gaps(call: Call[GapsParameters]) -> shapes.VisibilityGaps:
    """The active prompts whose answers in these weeks never named the website, and named or linked others."""
    shown = visibility.load_weeks(call.website.id, weeks_back(call.now, call.parameters.weeks))
    active = {prompt.id for prompt in shown.book.active}
    found = gaps(shown.weeks, active, call.website.host)
    return shapes.VisibilityGaps(
        gaps=[
            shapes.VisibilityGap(
                prompt_id=gap.prompt_id,
                prompt=gap.prompt,
                answers=gap.answers,
                named_us=0,
                cited_others=list(gap.others),
            )
            for gap in found
        ]
    )


def _week(week: Week, active: Collection[str], limit: int) -> shapes.VisibilityWeek:
    counted = rates(week.answers)
    by_prompt: dict[str, list[Answer]] = {}
    for answer in week.answers:
        by_prompt.setdefault(answer.prompt_id, []).append(answer)
    return shapes.VisibilityWeek(
        week=week.week,
        answers=counted.answers,
        named=counted.named,
        cited=counted.cited,
        mention_rate=counted.mention_rate,
        mention_interval=_interval(counted.named, counted.answers),
        citation_rate=counted.citation_rate,
        citation_interval=_interval(counted.cited, counted.answers),
        asked=week.asked,
        failed=week.failed,
        refused=week.refused,
        unsearched=week.unsearched,
        not_asked=week.left_out,
        prompts_asked=len(week.prompts),
        truncated=len(week.prompts) > limit,
        prompts=[_prompt(asked, by_prompt.get(asked.id, ()), active) for asked in week.prompts[:limit]],
    )


def _interval(found: int, of: int) -> shapes.Interval | None:
    interval = wilson(found, of)
    return None if interval is None else shapes.Interval(low=interval.low, high=interval.high)


def _prompt(asked: Asked, answers: Sequence[Answer], active: Collection[str]) -> shapes.VisibilityPrompt:
    return shapes.VisibilityPrompt(
        prompt_id=asked.id,
        prompt=asked.text,
        locale=asked.locale,
        active=asked.id in active,
        answers=[_answer(answer) for answer in answers],
    )


def _answer(answer: Answer) -> shapes.VisibilityAnswer:
    return shapes.VisibilityAnswer(
        model=answer.model,
        model_name=model_name(answer.model),
        provider=MAKERS.get(answer.provider, answer.provider),
        named_us=answer.named,
        cited_us=answer.cited_us,
        cited_urls=list(answer.cited),
        sources=list(answer.sources),
        position=answer.position,
        listed=answer.listed,
        answered_at=instant(answer.at),
    )
