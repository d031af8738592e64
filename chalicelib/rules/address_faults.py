"""What makes an address hard to read, to type and to share."""

from collections.abc import Sequence
from typing import Final, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

Fault = Literal["underscores", "upper-case letters", "spaces", "a double slash", "a long path", "many parameters"]

LONGEST_PATH: Final = 115  # characters, as one reads them
MOST_PARAMETERS: Final = 3
_LONGEST_ENDING: Final = 5  # of a file's name


def path_of(url: str) -> str:
    """The path as one reads it: letters beyond ASCII are sent as %XX, and browsers show them as letters again."""
    path = urlsplit(url).path
    return unquote(path) if "%" in path else path


def parameters_of(url: str) -> int:
    """How many parameters the address has."""
    query = urlsplit(url).query
    return len(parse_qsl(query, keep_blank_values=True)) if query else 0


def faults_of(url: str, shown: Sequence[str] = ()) -> tuple[Fault, ...]:
    """What makes the address hard to read; empty when nothing does. ``shown``: title and main headings of the page."""
    path = path_of(url)
    written = _without_identifier(path, shown)
    found: list[Fault] = []
    if "_" in written:
        found.append("underscores")
    if written != written.lower():
        found.append("upper-case letters")
    if " " in path:
        found.append("spaces")
    if "//" in path:
        found.append("a double slash")
    if len(path) > LONGEST_PATH:
        found.append("a long path")
    if parameters_of(url) >= MOST_PARAMETERS:
        found.append("many parameters")
    return tuple(found)


def _without_identifier(path: str, shown: Sequence[str]) -> str:
    """The path without its last part, where the page is about the very thing of that name: ``LinkedHashMap.html``."""
    folder, slash, last = path.rstrip("/").rpartition("/")
    name, dot, ending = last.rpartition(".")
    if not (dot and ending.isalnum() and len(ending) <= _LONGEST_ENDING):
        name = last
    return folder + slash if name and any(_stands_in(name, text) for text in shown) else path


def _stands_in(name: str, text: str) -> bool:
    """Whether the name stands in the text letter for letter, as a word of its own."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum()):
            return True
        start = text.find(name, end)
    return False
