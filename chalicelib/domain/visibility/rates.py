"""How often answers name and cite a website, and the questions in which only others are named."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from chalicelib.domain.visibility.citations import is_ours, our_domain
from chalicelib.domain.visibility.samples import Answer, Asked, Week


class Rates(NamedTuple):
    """Counts of the answers of a week, and the rates that follow; None where there is no answer to count."""

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
    """A question whose answers never named the website. ``others``: hosts that they cite instead, those of most
    answers first."""

    prompt_id: str
    prompt: str
    answers: int
    others: tuple[str, ...]


def rates(answers: Collection[Answer]) -> Rates:
    named = sum(answer.named for answer in answers)
    return Rates(len(answers), named, sum(answer.cited_us for answer in answers))


def gaps(weeks: Sequence[Week], active: Collection[str], host: str) -> list[Gap]:
    """The gaps of these weeks (newest first) among the prompts that are active, those with most answers first.

    A question is a gap when it was answered, no answer named the website, and one of them named or cited others.
    """
    found = []
    for asked in last_asked(weeks, active):
        answers = [answer for week in weeks for answer in week.answers if answer.prompt_id == asked.id]
        others = others_cited(answers, host)
        if answers and not any(answer.named for answer in answers) and (others or any(one.listed for one in answers)):
            found.append(Gap(asked.id, asked.text, len(answers), others))
    return sorted(found, key=lambda gap: (-gap.answers, gap.prompt_id))


def others_cited(answers: Iterable[Answer], host: str) -> tuple[str, ...]:
    """The hosts of others that answers cite, those of most answers first."""
    counted: Counter[str] = Counter()
    for answer in answers:
        # Only here the list of public suffixes is needed, which takes a while to load.
        ours = our_domain(host) if answer.cited_us else None
        counted.update(source for source in answer.sources if ours is None or not is_ours(source, ours))
    return tuple(sorted(counted, key=lambda source: (-counted[source], source)))


def last_asked(weeks: Sequence[Week], active: Collection[str]) -> list[Asked]:
    """The active prompts of these weeks, each as it was asked last."""
    found: dict[str, Asked] = {}
    for week in weeks:
        for asked in week.prompts:
            if asked.id in active:
                found.setdefault(asked.id, asked)
    return list(found.values())
