"""Computes how often answers name and cite a website, and finds gaps: prompts whose answers name or cite other
websites, but never name this website."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from chalicelib.domain.visibility.citations import is_ours, our_domain
from chalicelib.domain.visibility.samples import Answer, Asked, Week


class Rates(NamedTuple):
    """Counts of the answers of a week, and the rates computed from them. A rate is None if there are no answers."""

    answers: int
    named: int
    cited: int

    @property
    def mention_rate(self) -> float | None:
        return self.named / self.answers if self.answers else None

    @property
    def citation_rate(self) -> float | None:
        return self.cited / self.answers if self.answers else None


class Gap(NamedTuple):
    """A prompt whose answers never named the website.

    ``others``: the hosts that the answers cite instead, the most frequent first.
    """

    prompt_id: str
    prompt: str
    answers: int
    others: tuple[str, ...]


def rates(answers: Collection[Answer]) -> Rates:
    named = sum(answer.named for answer in answers)
    return Rates(len(answers), named, sum(answer.cited_us for answer in answers))


def gaps(weeks: Sequence[Week], active: Collection[str], host: str) -> list[Gap]:
    """Return the gaps among the active prompts in these weeks. Prompts with the most answers come first. ``weeks``:
    newest first.

    A prompt is a gap if it was answered, no answer named the website, and at least one answer named or cited other
    websites.
    """
    found = []
    for asked in last_asked(weeks, active):
        answers = [answer for week in weeks for answer in week.answers if answer.prompt_id == asked.id]
        others = others_cited(answers, host)
        if answers and not any(answer.named for answer in answers) and (others or any(one.listed for one in answers)):
            found.append(Gap(asked.id, asked.text, len(answers), others))
    return sorted(found, key=lambda gap: (-gap.answers, gap.prompt_id))


def others_cited(answers: Iterable[Answer], host: str) -> tuple[str, ...]:
    """Return the hosts of other websites that answers cite, the most frequent first."""
    counted: Counter[str] = Counter()
    for answer in answers:
        # Only this function needs the list of public suffixes, which is slow to load.
        ours = our_domain(host) if answer.cited_us else None
        counted.update(source for source in answer.sources if ours is None or not is_ours(source, ours))
    return tuple(sorted(counted, key=lambda source: (-counted[source], source)))


def last_asked(weeks: Sequence[Week], active: Collection[str]) -> list[Asked]:
    """Return the active prompts of these weeks, each in the wording in which it was asked last."""
    found: dict[str, Asked] = {}
    for week in weeks:
        for asked in week.prompts:
            if asked.id in active:
                found.setdefault(asked.id, asked)
    return list(found.values())
