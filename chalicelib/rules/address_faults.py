"""Faults that make an address hard to read, to type and to share."""

import re
from collections.abc import Sequence
from typing import Final, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from chalicelib.rules.index_files import without_index_file

Fault = Literal["underscores", "upper-case letters", "spaces", "a double slash", "a long path", "many parameters"]

LONGEST_PATH: Final = 115  # characters, as one reads them
MOST_PARAMETERS: Final = 3
# How Texinfo writes what is no letter: "Slot-Value Calls" is Slot_002dValue-Calls.
_TEXINFO: Final = re.compile(r"_00([0-9a-f]{2})")
_JOINING: Final = re.compile(r"(?<=[^\W_])_+(?=[^\W_])")  # words; a file of a generator may begin with one
_WORD: Final = re.compile(r"[^\W_]+")
# Documents that come with software are called so, in capitals, since its earliest days: INSTALL, BUILD_README.html.
_DOCUMENT: Final = re.compile(
    r"(?:[A-Z0-9]{1,40}[_-]){0,6}(?:README|INSTALL|COPYING|LICENSE|LICENCE|COPYRIGHT|CHANGES|CHANGELOG|NEWS|TODO|AUTHORS"
    r"|HISTORY|HOWTO|FAQ|CONTRIBUTING|THANKS|CREDITS|HACKING|BUGS|NOTICE|RELEASE_NOTES|SECURITY|UPGRADING|INDEX)"
)
_LONGEST_ENDING: Final = 5  # of a file's name
_MOST_OF_TITLE: Final = 0.5  # of its words: the others are the website's name or a number


def path_of(url: str) -> str:
    """The path as one reads it: letters beyond ASCII are sent as %XX, and browsers show them as letters again."""
    path = urlsplit(url).path
    return unquote(path) if "%" in path else path


def parameters_of(url: str) -> int:
    """How many parameters the address has."""
    query = urlsplit(url).query
    return len(parse_qsl(query, keep_blank_values=True)) if query else 0


def faults_of(url: str, shown: Sequence[str] = ()) -> tuple[Fault, ...]:
    """The faults that make the address hard to read. ``shown``: title and main headings of the page."""
    path = path_of(url)
    written = _without_identifier(path, shown)
    found: list[Fault] = []
    if _JOINING.search(written) is not None:
        found.append("underscores")
    if written != written.lower() and not _has_capitals_of_title(written, shown):
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
    """The path without its last part, if the page is about the thing of that name (``LinkedHashMap.html``,
    ``macro.assert_eq.html``) or has that title (``Simple_Values.html``) or is a document with a traditional name
    (``INSTALL``), and without the folders that stand in that
    name (``tree_map/Entry.html``)."""
    folder, slash, last = without_index_file(path).rstrip("/").rpartition("/")
    name, dot, ending = last.rpartition(".")
    if not (dot and ending.isalnum() and len(ending) <= _LONGEST_ENDING):
        name = last
    if _DOCUMENT.fullmatch(name) is not None:
        return folder + slash
    if not shown:
        return path
    if "_00" in name:
        name = _TEXINFO.sub(lambda code: chr(int(code[1], 16)), name.replace("-", " "))
    if not (_is_title(name, shown) or any(_is_named(part, shown) for part in (name, name.rpartition(".")[2]))):
        return path
    return "/".join("" if _is_named(part, shown) else part for part in folder.split("/")) + slash


def _has_capitals_of_title(path: str, shown: Sequence[str]) -> bool:
    """Whether all that is written in capitals are words that the page writes so too: "SNMP_app" of "SNMP"."""
    words = [word for word in _WORD.findall(path) if word != word.lower()]
    return all(word.isupper() and len(word) > 1 and _is_named(word, shown) for word in words)


def _is_named(part: str, shown: Sequence[str]) -> bool:
    return part != "" and any(_stands_in(part, text) for text in shown)


def _is_title(name: str, shown: Sequence[str]) -> bool:
    """Whether a name is a title, or most of one, with underscores for what is no letter."""
    if "_" not in name:
        return False
    words = _WORD.findall(name)
    for text in shown:
        said = _WORD.findall(text)
        if len(words) >= _MOST_OF_TITLE * sum(not word.isdigit() for word in said) and any(
            said[at : at + len(words)] == words for at in range(len(said))
        ):
            return True
    return False


def _stands_in(name: str, text: str) -> bool:
    """Whether the name is in the text letter for letter, as a word of its own."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum()):
            return True
        start = text.find(name, end)
    return False
