"""Drafts llms.txt: the pages of a website by section, in the proposed format.

The file has a heading, a summary as a quotation, then lists of links below second-level headings. Readers that can use
only a short text skip the section ``Optional``. The draft depends only on the pages, not on their order.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple
from urllib.parse import unquote

from chalicelib.domain.readiness.records import Draft, DraftPage
from chalicelib.domain.readiness.written import MOST_CHARACTERS

PAGES: Final = "Pages"
OPTIONAL: Final = "Optional"
LONGEST_TITLE: Final = 120
LONGEST_SUMMARY: Final = 300
_NAMELESS: Final = "Website"
_LONGEST_SECTION: Final = 60
_FEWEST_OF_SECTION: Final = 2  # a folder with fewer pages has no separate section
_DEEPEST: Final = 1 << 30  # the depth of pages that no link leads to
_LOCALE: Final = re.compile(r"[a-z]{2}(?:[-_][a-z]{2})?")
_MARKS: Final = re.compile(r"[\\`*_<~]")
_ENTITY: Final = re.compile(r"&(?=#?\w{1,40};)")
_IN_LINKS: Final = str.maketrans(
    {"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "[": "%5B", "]": "%5D", " ": "%20"},
)


class Candidate(NamedTuple):
    """A page that the draft may list.

    - ``depth``: clicks from the home page; None if no link leads to the page.
    - ``optional``: whether readers that can use only a short text may skip the page.
    """

    url: str
    title: str
    depth: int | None
    inlinks: int
    optional: bool


def draft_of(name: str, summary: str | None, candidates: Iterable[Candidate]) -> Draft:
    """Draft the llms.txt of a website called ``name``.

    The pages nearest to the home page come first, as many as fit into 60,000 characters.
    """
    filed = [(page, _folder(page)) for page in sorted(candidates, key=_order)]
    sizes = Counter(folder for _, folder in filed)
    head = f"# {_escaped(_line(name, LONGEST_TITLE)) or _NAMELESS}\n"
    said = _escaped(_line(summary or "", LONGEST_SUMMARY))
    if said:
        head += f"\n> {said}\n"
    room = MOST_CHARACTERS - len(head)
    listed: dict[str, list[DraftPage]] = {}
    for page, folder in filed:
        section = folder if sizes[folder] >= _FEWEST_OF_SECTION or folder == OPTIONAL else PAGES
        entry = DraftPage(section, _line(page.title, LONGEST_TITLE) or _path(page.url), page.url)
        cost = len(_link(entry)) + (0 if section in listed else len(_heading(section)))
        if cost <= room:
            room -= cost
            listed.setdefault(section, []).append(entry)
    sections = sorted(listed, key=lambda section: (section == OPTIONAL, section != PAGES))
    text = head + "".join(_heading(section) + "".join(map(_link, listed[section])) for section in sections)
    return Draft(text=text, pages=tuple(page for section in sections for page in listed[section]))


def _order(page: Candidate) -> tuple[bool, int, int, str]:
    return page.optional, _DEEPEST if page.depth is None else page.depth, -page.inlinks, page.url


def _heading(section: str) -> str:
    return f"\n## {_escaped(section)}\n\n"


def _link(page: DraftPage) -> str:
    return f"- [{_escaped(page.title)}]({_address(page.url)})\n"


def _folder(page: Candidate) -> str:
    """Return the section of a page: its first folder in words, ignoring language folders."""
    if page.optional:
        return OPTIONAL
    folders = _path(page.url).split("/")[1:-1]
    if folders and _LOCALE.fullmatch(folders[0].lower()):
        folders = folders[1:]
    if not folders or not folders[0]:
        return PAGES
    words = _line(unquote(folders[0]).replace("-", " ").replace("_", " "), _LONGEST_SECTION)
    section = words[:1].upper() + words[1:]
    # A folder of that name is no reason to skip its pages.
    return f"{section} pages" if section.casefold() == OPTIONAL.casefold() else section or PAGES


def _path(url: str) -> str:
    """Return the path of an address, without its query."""
    rest = url.partition("://")[2]
    return "/" + rest.partition("?")[0].partition("/")[2]


def _line(text: str, longest: int) -> str:
    """Return a text as one line of visible characters, cut between words if it is too long."""
    shown = text[: 20 * longest]
    if not shown.isprintable():
        shown = "".join(one if one.isprintable() else " " for one in shown)
    shown = " ".join(shown.split())
    if len(shown) <= longest:
        return shown
    cut = shown[: longest - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip() + "…"


def _escaped(text: str) -> str:
    """Escape a text so that Markdown shows it unchanged. Square brackets become character references, which every
    parser of links accepts."""
    marked = _MARKS.sub(r"\\\g<0>", _ENTITY.sub("&amp;", text))
    return marked.replace("[", "&#91;").replace("]", "&#93;")


def _address(url: str) -> str:
    """Return an address whose path has no character that would end a Markdown link."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return scheme + mark + host + slash + path.translate(_IN_LINKS)
