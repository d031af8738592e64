"""Groups pages by the words of the queries that find them.

This is average-link clustering in one fixed order. Each page in turn joins the group with the highest average
similarity if this similarity is high enough. Otherwise it starts a new group. Similarity to a single page of a group is
never enough. Otherwise all pages of a blog would end up in one group, each similar only to the next.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

MOST_WORDS: Final = 8  # of a page: the most significant ones
LIKE: Final = 0.3  # average cosine from which on a page belongs to a group
COVERED: Final = 0.5  # share of a group's words that a page without queries must have in its title and address
COMMON_SHARE: Final = 0.4  # a word on a larger share of pages is not a topic
FEW_PAGES: Final = 10  # with fewer pages, no word counts as common
COMMON_PAGES: Final = 400  # a word on more pages than this is common too, whatever the size of the website
DIGITS: Final = 9  # to which similarities are compared: further digits depend on the order of adding

Words = Mapping[str, int]  # folded word -> weight
Vector = dict[str, float]


def strength(weights: Iterable[int]) -> float:
    """Return how strongly a word connects several pages. ``weights``: the word's weight on each page.

    A word whose weight is spread over many pages gets a higher result than a word with the same total weight on one
    page.
    """
    return math.fsum(math.log1p(weight) for weight in weights)


class Weights:
    """The significance of words on one website. Rare words are significant.

    ``pages``: the words of each page; pages without words are left out.
    """

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
        """Whether a word can group pages: at least two pages have it, and it is not too common."""
        return 2 <= self._of[word] <= self._most

    def rarity(self, word: str) -> float:
        """Return how rare and therefore how significant a word is; 0 if no page has it."""
        count = self._of[word]
        return math.log(1 + self._pages / count) if count else 0.0

    def vector(self, words: Words) -> Vector:
        """Return a page's most significant words as a vector of length 1. It is empty if the page has no significant
        words."""
        told = [(word, strength([weight]) * self.rarity(word)) for word, weight in words.items() if self.tells(word)]
        told.sort(key=lambda one: (-round(one[1], DIGITS), one[0]))
        kept = told[:MOST_WORDS]
        length = math.sqrt(math.fsum(value * value for _, value in kept))
        return {word: value / length for word, value in kept} if length else {}


def grouped(vectors: Sequence[Vector]) -> list[list[int]]:
    """Group the vectors. Returns the indexes of each group's vectors.

    Vectors are processed in the given order. Empty vectors are left out.
    """
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
    """Assigns pages without searches to groups, by the words of their titles and addresses. ``groups``: the vectors of
    each group.

    A page joins a group if its words make up the share ``COVERED`` of the group's total weight.
    """

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
        """Return the number of the group for a page with these words; None if no group fits."""
        covered: dict[int, float] = {}
        for word in words:
            for group, share in self._shares.get(word, ()):
                covered[group] = covered.get(group, 0.0) + share
        enough = [(-round(share, DIGITS), group) for group, share in covered.items() if share >= COVERED - 0.1**DIGITS]
        return min(enough)[1] if enough else None
