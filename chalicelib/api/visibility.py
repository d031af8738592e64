"""AI visibility: what assistants answered to the website's prompts (stored samples)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.api.paging import following
from chalicelib.api.shaped import shaped, shaped_or_none
from chalicelib.api.shapes import visibility as shapes
from chalicelib.api.shapes.values import instant
from chalicelib.domain.visibility.calendar import weeks_back
from chalicelib.domain.visibility.intervals import wilson
from chalicelib.domain.visibility.models import MAKERS, model_name
from chalicelib.domain.visibility.rates import gaps, rates
from chalicelib.domain.visibility.samples import Answer, Asked, Week
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.parameters import integer
from chalicelib.http.parts import Part, listed
from chalicelib.store import visibility

group = Group("visibility", "AI visibility: whether assistants name the website, and which pages they cite.")

_WEEKS = "Number of weeks to list, including the current one."


@dataclass(frozen=True, slots=True)
class WeeksParameters:
    """Parameters: how many weeks to show, and which part of each week's prompts."""

    weeks: int = integer(_WEEKS, default=4, minimum=1, maximum=12)
    limit: int = integer(
        "Prompts to list for each week. Rates count all prompts.", default=50, minimum=1, maximum=1_000
    )
    offset: int = integer("First prompt of each week to list.", default=0, minimum=0)


@dataclass(frozen=True, slots=True)
class GapsParameters:
    """Parameters: how many weeks to show, and at which gap the list begins."""

    weeks: int = integer(_WEEKS, default=4, minimum=1, maximum=12)
    offset: int = integer("First item to list.", default=0, minimum=0)


def _side_by_side(answer: shapes.Visibility) -> list[list[shapes.VisibilityPrompt]]:
    """Return the first prompt of each week, then the second of each, and so on."""
    longest = max((len(week.prompts) for week in answer.weeks), default=0)
    return [[week.prompts[place] for week in answer.weeks if place < len(week.prompts)] for place in range(longest)]


def _cut(answer: shapes.Visibility, count: int, call: Any) -> None:
    """Leave the same number of prompts in each week, so that one offset continues all of them."""
    for week in answer.weeks:
        week.truncated = week.truncated or len(week.prompts) > count
        week.prompts = week.prompts[:count]
    answer.next_offset = answer.offset + count
    answer.truncated = True


@group.get(
    "/sites/{siteId}/ai-visibility",
    scope="ai:read",
    parameters=WeeksParameters,
    answer=shapes.Visibility,
    summary="Read AI visibility",
    parts=(Part(_side_by_side, _cut),),
)
def read_visibility(call: Call[WeeksParameters]) -> shapes.Visibility:
    """AI assistants' answers to the website's prompts, week by week, newest first. Each Monday every prompt is sent
    once to each assistant, with a web search. This request sends no prompts.

    Samples are small, so each rate has a confidence interval: `mentionInterval` and `citationInterval`. If the
    intervals of two weeks overlap, the difference may be chance.

    `offset` and `limit` apply to the prompts of each week. An answer that would pass 5 MB ends early: read on at
    `nextOffset`.
    """
    sent = call.parameters
    shown = visibility.load_weeks(call.website.id, weeks_back(call.now, sent.weeks))
    active = {prompt.id for prompt in shown.book.active}
    longest = max((len(week.prompts) for week in shown.weeks), default=0)
    return shapes.Visibility(
        offset=sent.offset,
        next_offset=following(sent.offset, sent.limit, longest),
        truncated=False,
        weeks=[_week(week, active, sent.offset, sent.limit) for week in shown.weeks],
    )


@group.get(
    "/sites/{siteId}/ai-visibility/gaps",
    scope="ai:read",
    parameters=GapsParameters,
    answer=shapes.VisibilityGaps,
    summary="Read answer gaps",
    parts=(listed("gaps"),),
)
def read_visibility_gaps(call: Call[GapsParameters]) -> shapes.VisibilityGaps:
    """The active prompts whose answers in these weeks named or cited others, but never the website."""
    shown = visibility.load_weeks(call.website.id, weeks_back(call.now, call.parameters.weeks))
    active = {prompt.id for prompt in shown.book.active}
    found = gaps(shown.weeks, active, call.website.host)
    offset = call.parameters.offset
    return shapes.VisibilityGaps(
        total=len(found),
        offset=offset,
        next_offset=None,
        truncated=False,
        gaps=[shaped(shapes.VisibilityGap, gap, named_us=0, cited_others=gap.others) for gap in found[offset:]],
    )


def _week(week: Week, active: Collection[str], offset: int, limit: int) -> shapes.VisibilityWeek:
    counted = rates(week.answers)
    by_prompt: dict[str, list[Answer]] = {}
    for answer in week.answers:
        by_prompt.setdefault(answer.prompt_id, []).append(answer)
    return shaped(
        shapes.VisibilityWeek,
        week,
        answers=counted.answers,
        named=counted.named,
        cited=counted.cited,
        mention_rate=counted.mention_rate,
        mention_interval=shaped_or_none(shapes.Interval, wilson(counted.named, counted.answers)),
        citation_rate=counted.citation_rate,
        citation_interval=shaped_or_none(shapes.Interval, wilson(counted.cited, counted.answers)),
        not_asked=week.left_out,
        prompts_asked=len(week.prompts),
        truncated=len(week.prompts) > offset + limit,
        prompts=[_prompt(asked, by_prompt.get(asked.id, ()), active) for asked in week.prompts[offset:][:limit]],
    )


def _prompt(asked: Asked, answers: Sequence[Answer], active: Collection[str]) -> shapes.VisibilityPrompt:
    return shaped(
        shapes.VisibilityPrompt,
        asked,
        prompt_id=asked.id,
        prompt=asked.text,
        active=asked.id in active,
        answers=[_answer(answer) for answer in answers],
    )


def _answer(answer: Answer) -> shapes.VisibilityAnswer:
    return shaped(
        shapes.VisibilityAnswer,
        answer,
        model_name=model_name(answer.model),
        provider=MAKERS.get(answer.provider, answer.provider),
        named_us=answer.named,
        cited_urls=answer.cited,
        answered_at=instant(answer.at),
    )
