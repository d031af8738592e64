"""Puts sentences together from patterns and words: the same seed always gives the same text."""

import random
import re
from collections.abc import Mapping, Sequence

_SLOT = re.compile(r"\{(\w+)\}")


class Writer:
    """Writes one page's text. ``seed``: the page's path. Every pattern is used once before a pattern is used a second
    time."""

    def __init__(
        self,
        seed: str,
        words: Mapping[str, Sequence[str]],
        patterns: Sequence[str],
        **fixed: str,
    ) -> None:
        self.random = random.Random(seed)
        self._words = words
        self._patterns = patterns
        self._fixed = fixed
        self._pile: list[str] = []

    def sentence(self) -> str:
        if not self._pile:
            self._pile = list(self._patterns)
            self.random.shuffle(self._pile)
        used: set[str] = set()

        def fill(match: re.Match[str]) -> str:
            slot = match.group(1)
            if slot in self._fixed:
                return self._fixed[slot]
            choices = [word for word in self._words[slot] if word not in used]
            word = self.random.choice(choices)
            used.add(word)
            return word

        text = _SLOT.sub(fill, self._pile.pop())
        return text[0].upper() + text[1:]

    def paragraph(self, least: int = 3, most: int = 5) -> str:
        return " ".join(self.sentence() for _ in range(self.random.randint(least, most)))

    def paragraphs(self, words: int) -> list[str]:
        """Write paragraphs with at least ``words`` words in total."""
        written: list[str] = []
        count = 0
        while count < words:
            paragraph = self.paragraph()
            written.append(paragraph)
            count += len(paragraph.split())
        return written
