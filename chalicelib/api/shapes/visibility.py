"""AI visibility: what assistants answered to the website's prompts."""

from typing import Annotated

from msgspec import Meta

from chalicelib.api.shapes.values import Address, Count, NextOffset, Offset, PromptId, Timestamp, Truncated
from chalicelib.http.answers import Shape

_Share = Annotated[float, Meta(ge=0, le=1)]
_Rate = Annotated[_Share | None, Meta(description="Share of `answers`, 0 to 1. Null: there is no answer to count.")]
_Position = Annotated[int, Meta(ge=1)]


class Interval(Shape):
    """The 95% confidence interval of a rate (Wilson's interval). Both ends are from 0 to 1."""

    low: Annotated[_Share, Meta(description="Lower end.")]
    high: Annotated[_Share, Meta(description="Upper end.")]


class VisibilityAnswer(Shape):
    """The mentions and citations of the website in one answer."""

    model: Annotated[str, Meta(description="The model that answered, as its maker names it.")]
    model_name: Annotated[str, Meta(description="The model's name, for people.")]
    provider: Annotated[str, Meta(description="Short name of the model's maker, such as `openai` or `google`.")]
    named_us: Annotated[bool, Meta(description="Whether the answer names the website, as a whole word.")]
    cited_us: Annotated[bool, Meta(description="Whether the answer cites a page of the website's domain.")]
    cited_urls: Annotated[list[Address], Meta(description="The pages that the answer cites, at most 20.")]
    sources: Annotated[
        list[str],
        Meta(description="The hosts of the cited pages, without `www.` and without search engines."),
    ]
    position: Annotated[
        _Position | None,
        Meta(description="The website's place in the answer's list of brands; null: it is not in a list."),
    ]
    listed: Annotated[Count, Meta(description="How many brands the list has; 0: there is no list.")]
    answered_at: Annotated[Timestamp, Meta(description="When the assistant answered.")]


class VisibilityPrompt(Shape):
    """A prompt, and the answers to it in the week."""

    prompt_id: PromptId
    prompt: Annotated[str, Meta(description="Its text.")]
    locale: Annotated[str | None, Meta(description="Language tag, such as `de-AT`; null: none.")]
    active: Annotated[bool, Meta(description="Whether the prompt is asked now.")]
    answers: Annotated[list[VisibilityAnswer], Meta(description="The answers of the week.")]


class VisibilityWeek(Shape):
    """A week of samples. Rates leave out failed and refused answers, and answers without a web search."""

    week: Annotated[str, Meta(pattern="^[0-9]{4}-W[0-9]{2}$", description="The week in ISO 8601 form.")]
    answers: Annotated[Count, Meta(description="Answers from which the rates are computed.")]
    named: Annotated[Count, Meta(description="How many of `answers` name the website.")]
    cited: Annotated[Count, Meta(description="How many of `answers` cite the website.")]
    mention_rate: _Rate
    mention_interval: Interval | None
    citation_rate: _Rate
    citation_interval: Interval | None
    asked: Annotated[
        Count, Meta(description="Questions asked: the sum of `answers`, `failed`, `refused` and `unsearched`.")
    ]
    failed: Annotated[Count, Meta(description="Questions that got no answer.")]
    refused: Annotated[Count, Meta(description="Questions that the assistant declined.")]
    unsearched: Annotated[Count, Meta(description="Answers that were given without a search of the web.")]
    not_asked: Annotated[Count, Meta(description="Questions not asked, because the quota was used up.")]
    prompts_asked: Annotated[Count, Meta(description="The number of all asked prompts, listed or not.")]
    truncated: Annotated[bool, Meta(description="Whether more prompts of the week follow.")]
    prompts: Annotated[list[VisibilityPrompt], Meta(description="The prompts of the week.")]


class Visibility(Shape):
    """AI visibility by week, newest first; weeks without a sample are left out."""

    offset: Annotated[Count, Meta(description="The number of prompts of each week before the first listed one.")]
    next_offset: NextOffset
    truncated: Truncated
    weeks: Annotated[list[VisibilityWeek], Meta(description="The weeks.")]


class VisibilityGap(Shape):
    """A prompt whose answers name or cite others, never the website."""

    prompt_id: PromptId
    prompt: Annotated[str, Meta(description="Its text.")]
    answers: Annotated[Count, Meta(description="The number of answers.")]
    named_us: Annotated[Count, Meta(description="How many of `answers` name the website: always 0.")]
    cited_others: Annotated[list[str], Meta(description="The hosts that the answers cite, most often cited first.")]


class VisibilityGaps(Shape):
    """The gaps, most answers first."""

    total: Annotated[Count, Meta(description="The number of all gaps, listed or not.")]
    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    gaps: Annotated[list[VisibilityGap], Meta(description="The gaps of this part.")]
