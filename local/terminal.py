"""The terminal of ``make run``.

It shows only printable text: data from websites and content management systems may contain control characters.
"""

import re
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from chalicelib.domain.printable import printable

MOST_CHARACTERS: Final = 10_000  # the most that are printed without a space
_WORD: Final = re.compile(r"[^\n ]+")


class Terminal(Console):
    """A console that sends only its own control characters to the terminal."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Make a text printable. Every printed string and table cell is passed through this method."""
        return super().render_str(printable_lines(text), **options)


def printable_lines(text: str) -> str:
    """Return the text without control characters. Its line breaks and spaces stay."""
    return _WORD.sub(lambda word: printable(word[0], MOST_CHARACTERS), text)
