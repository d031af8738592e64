"""Faults that make an address hard to read, to type and to share."""

import re
from collections.abc import Sequence
from typing import Final, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from chalicelib.rules.index_files import without_index_file

Fault = Literal["underscores", "upper-case letters", "spaces", "a double slash", "a long path", "many parameters"]

LONGEST_PATH: Final = 115  # characters, as browsers show them
MOST_PARAMETERS: Final = 3
# Texinfo encodes characters that are no letters: "Slot-Value Calls" becomes Slot_002dValue-Calls.
_TEXINFO: Final = re.compile(r"_00([0-9a-f]{2})")
_JOINING: Final = re.compile(r"(?<=[^\W_])_+(?=[^\W_])")  # between words; generated file names may begin with one
_WORD: Final = re.compile(r"[^\W_]+")
# Documents of software that traditionally have names in capitals: INSTALL, BUILD_README.html.
_DOCUMENT: Final = re.compile(
    r"(?:[A-Z0-9]{1,40}[_-]){0,6}(?:README|INSTALL|COPYING|LICENSE|LICENCE|COPYRIGHT|CHANGES|CHANGELOG|NEWS|TODO|AUTHORS"
    r"|HISTORY|HOWTO|FAQ|CONTRIBUTING|THANKS|CREDITS|HACKING|BUGS|NOTICE|RELEASE_NOTES|SECURITY|UPGRADING|INDEX)"
)
# "cyr_df.8" of a manual: the name and its section. Titles of manual pages may be in capitals.
_MANUAL_PAGE: Final = re.compile(r"(.+)\.[1-9][a-z]{0,2}")
_LONGEST_ENDING: Final = 5  # characters after the dot of a file's name
_MOST_OF_TITLE: Final = 0.5  # share of the title's words; the others are the website's name or a number


def path_of(url: str) -> str:
    """Return the path as browsers show it: non-ASCII letters are decoded from %XX."""
    path = urlsplit(url).path
    return unquote(path) if "%" in path else path


def parameters_of(url: str) -> int:
    """Return the number of parameters of the address."""
    query = urlsplit(url).query
    return len(parse_qsl(query, keep_blank_values=True)) if query else 0


def faults_of(url: str, shown: Sequence[str] = ()) -> tuple[Fault, ...]:
    """Return the faults that make the address hard to read. ``shown``: the page's title and main headings."""
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
    """Return the path without its last part if that part is an identifier.

    It is an identifier if the page is about the thing of that name (``LinkedHashMap.html``, ``macro.assert_eq.html``)
    or has that title (``Simple_Values.html``), or if it is a document's traditional name (``INSTALL``). Folders that
    are part of the identifier are removed too (``tree_map/Entry.html``).
    """
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
    names = [name, name.rpartition(".")[2]]
    manual_page = _MANUAL_PAGE.fullmatch(name)
    if manual_page is not None:
        names += [manual_page[1], manual_page[1].upper()]
    if not (_is_title(name, shown) or any(_is_named(part, shown) for part in names)):
        return path
    return "/".join("" if _is_named(part, shown) else part for part in folder.split("/")) + slash


def _has_capitals_of_title(path: str, shown: Sequence[str]) -> bool:
    """Whether the page's title or headings also have all words in capitals: "SNMP" of "SNMP_app"."""
    words = [word for word in _WORD.findall(path) if word != word.lower()]
    return all(word.isupper() and len(word) > 1 and _is_named(word, shown) for word in words)


def _is_named(part: str, shown: Sequence[str]) -> bool:
    return part != "" and any(_stands_in(part, text) for text in shown)


def _is_title(name: str, shown: Sequence[str]) -> bool:
    """Whether a name is a title, or most of one, with underscores instead of other characters."""
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
    """Whether the text contains the name letter for letter, as a separate word."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum()):
            return True
        start = text.find(name, end)
    return False
