"""The terminal of ``make run``. It shows printable text only: websites and content management systems may send more."""

import re
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from chalicelib.domain.printable import printable

MOST_CHARACTERS: Final = 10_000  # between two spaces
_WORD: Final = re.compile(r"[^\n ]+")


class Terminal(Console):
    """A console that sends no control characters to the terminal except its own."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Make printable text of a string. Every printed string and table cell goes through here."""
        return super().render_str(printable_lines(text), **options)


def printable_lines(text: str) -> str:
    """The text with its line breaks and spaces, and without control characters."""
    return _WORD.sub(lambda word: printable(word[0], MOST_CHARACTERS), text)
