"""Pages put together by the words that they are searched for.

Average-link, in one fixed order: each page in turn joins the group that it is most like on average, where that is like
enough, and otherwise begins one. Never by one neighbour alone, which would chain a whole blog together.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

MOST_WORDS: Final = 8  # of a page: those that say most
LIKE: Final = 0.3  # average cosine from which on a page belongs to a group
COVERED: Final = 0.5  # of a group's words that a page without queries must have in its title and address
COMMON_SHARE: Final = 0.4  # a word of more pages than that is no topic of any
FEW_PAGES: Final = 10  # below so many, nothing is said of what is common
COMMON_PAGES: Final = 400  # nor is one of more pages than that, however many the website has
DIGITS: Final = 9  # to which likenesses are compared: beyond them is the order of adding

Words = Mapping[str, int]  # folded word -> weight
Vector = dict[str, float]


def strength(weights: Iterable[int]) -> float:
    """How strongly pages together are searched for with a word, of its weight on each: many pages count for more than
    one with as much."""
    return math.fsum(math.log1p(weight) for weight in weights)


class Weights:
    """What words say on one website: the rarer, the more. ``pages``: the words of every page that has any."""

    def __init__(self, pages: Sequence[Words]) -> None:
        self._pages = len(pages)
        self._of: Counter[str] = Counter()
        for words in pages:
            self._of.update(words.keys())
        most = COMMON_PAGES
        if self._pages >= FEW_PAGES:
            most = min(most, int(self._pages * COMMON_SHARE))
        self._most = most

    def tells(self, word: str) -> bool:
        """Whether a word can bring pages together: more than one has it, and not most of them."""
        return 2 <= self._of[word] <= self._most

    def rarity(self, word: str) -> float:
        """How much a word says; 0 where no page has it."""
        count = self._of[word]
        return math.log(1 + self._pages / count) if count else 0.0

    def vector(self, words: Words) -> Vector:
        """A page's words that tell, as a vector of length 1; empty where none does."""
        told = [(word, strength([weight]) * self.rarity(word)) for word, weight in words.items() if self.tells(word)]
        told.sort(key=lambda one: (-round(one[1], DIGITS), one[0]))
        kept = told[:MOST_WORDS]
        length = math.sqrt(math.fsum(value * value for _, value in kept))
        return {word: value / length for word, value in kept} if length else {}


def grouped(vectors: Sequence[Vector]) -> list[list[int]]:
    """The numbers of the vectors, grouped, in the order in which they are given. Those without words are left out."""
    groups: list[list[int]] = []
    sums: list[Vector] = []
    having: dict[str, list[int]] = {}  # word -> groups that have it
    for number, vector in enumerate(vectors):
        if not vector:
            continue
        likeness: dict[int, float] = {}
        for word, value in vector.items():
            for group in having.get(word, ()):
                likeness[group] = likeness.get(group, 0.0) + value * sums[group][word]
        best, most = -1, LIKE
        for group in sorted(likeness):
            average = round(likeness[group] / len(groups[group]), DIGITS)
            if average > most or (best < 0 and average == most):
                best, most = group, average
        if best < 0:
            best = len(groups)
            groups.append([])
            sums.append({})
        groups[best].append(number)
        for word, value in vector.items():
            if word not in sums[best]:
                sums[best][word] = 0.0
                having.setdefault(word, []).append(best)
            sums[best][word] += value
    return groups


class Joining:
    """Where pages go that nobody searched for, by the words of their titles and addresses: to a group of whose words
    they have ``COVERED``. ``groups``: their vectors."""

    def __init__(self, groups: Sequence[Sequence[Vector]]) -> None:
        self._shares: dict[str, list[tuple[int, float]]] = {}
        for number, vectors in enumerate(groups):
            totals: Vector = {}
            for vector in vectors:
                for word, value in vector.items():
                    totals[word] = totals.get(word, 0.0) + value
            whole = math.fsum(totals.values())
            for word, value in totals.items():
                self._shares.setdefault(word, []).append((number, value / whole))

    def group_of(self, words: Sequence[str]) -> int | None:
        """The number of the group that a page of these words belongs to; None: to none."""
        covered: dict[int, float] = {}
        for word in words:
            for group, share in self._shares.get(word, ()):
                covered[group] = covered.get(group, 0.0) + share
        enough = [(-round(share, DIGITS), group) for group, share in covered.items() if share >= COVERED - 0.1**DIGITS]
        return min(enough)[1] if enough else None
