"""The prompts of one week, and the stored parts of their answers."""

from collections.abc import Iterable
from typing import Literal

import msgspec

from chalicelib.domain.visibility.citations import Citation, cited
from chalicelib.domain.visibility.names import Names
from chalicelib.domain.visibility.rankings import ranking

# ``asked``: no answer is stored yet; ``unsearched``: the answer came without a web search; ``refused``: the assistant
# declined; ``failed``: there was no answer.
Outcome = Literal["asked", "answered", "unsearched", "refused", "failed"]


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt that was sent to one provider in one week, and the raw answer. Times are epoch seconds.

    - ``attempts``: how often it was sent.
    - ``model``: the model that answered, as its provider names it.
    - ``error``: why there is no answer, in words.
    """

    prompt_id: str
    prompt: str
    locale: str | None
    provider: str
    attempts: int
    outcome: Outcome
    at: float
    model: str = ""
    text: str = ""
    citations: tuple[Citation, ...] = ()
    error: str | None = None


class Asked(msgspec.Struct, frozen=True, array_like=True):
    """A prompt as it was sent to assistants in a week. People may have changed it since."""

    id: str
    text: str
    locale: str | None


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """The evaluation of one answer.

    - ``cited``: the addresses that it cites.
    - ``sources``: the hosts of all cited pages, including pages whose address is unknown.
    - ``position``: the website's position among the ``listed`` brands; None if no list of the answer contains it.
    """

    prompt_id: str
    provider: str
    model: str
    at: float
    named: bool
    cited_us: bool
    cited: tuple[str, ...]
    sources: tuple[str, ...]
    position: int | None
    listed: int


class Week(msgspec.Struct, frozen=True, kw_only=True):
    """A week of a website's samples.

    - ``week``: the week's name by ISO 8601.
    - ``answers``: the answers that count for rates.
    - ``failed``, ``refused`` and ``unsearched``: how many pairs of a prompt and a provider failed, were refused, or
      were answered without a web search. These pairs do not count in rates.
    - ``asked``: the number of all pairs of a prompt and a provider.
    - ``left_out``: the number of pairs that the workspace's weekly limit excluded.
    """

    week: str
    prompts: tuple[Asked, ...]
    answers: tuple[Answer, ...]
    failed: int
    refused: int
    unsearched: int
    left_out: int = 0

    @property
    def asked(self) -> int:
        return len(self.answers) + self.failed + self.refused + self.unsearched


def answer(sample: Sample, names: Names, host: str) -> Answer:
    """Evaluate a sample's answer: whether it names the website with these names, and cites the website on this host."""
    found = cited(sample.citations, host)
    where = ranking(sample.text, names)
    return Answer(
        prompt_id=sample.prompt_id,
        provider=sample.provider,
        model=sample.model,
        at=sample.at,
        named=names.in_text(sample.text),
        cited_us=found.us,
        cited=found.urls,
        sources=found.hosts,
        position=where.position,
        listed=where.listed,
    )


def week_of_samples(week: str, samples: Iterable[Sample], names: Names, host: str, *, left_out: int = 0) -> Week:
    """Make the week from its samples. A sample without an answer counts as failed."""
    ordered = sorted(samples, key=lambda sample: (sample.prompt_id, sample.provider))
    counts = {outcome: sum(sample.outcome == outcome for sample in ordered) for outcome in ("refused", "unsearched")}
    answers = [answer(sample, names, host) for sample in ordered if sample.outcome == "answered"]
    prompts = {sample.prompt_id: Asked(sample.prompt_id, sample.prompt, sample.locale) for sample in ordered}
    return Week(
        week=week,
        prompts=tuple(prompts.values()),
        answers=tuple(answers),
        failed=len(ordered) - len(answers) - sum(counts.values()),
        refused=counts["refused"],
        unsearched=counts["unsearched"],
        left_out=left_out,
    )
