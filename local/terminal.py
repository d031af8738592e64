"""The terminal of ``make run``. It shows printable text only, whatever websites and content management systems say."""

import re
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from chalicelib.domain.printable import printable

MOST_CHARACTERS: Final = 10_000  # between two spaces
_WORD: Final = re.compile(r"[^\n ]+")


class Terminal(Console):
    """A console through which no control character reaches the terminal but its own."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Make text of a string, as every printed string and every cell of a table goes through here."""
        return super().render_str(printable_lines(text), **options)


def printable_lines(text: str) -> str:
    """The text with its lines and spaces, and without characters that a terminal obeys."""
    return _WORD.sub(lambda word: printable(word[0], MOST_CHARACTERS), text)
