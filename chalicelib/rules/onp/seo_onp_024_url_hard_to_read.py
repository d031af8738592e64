"""SEO-ONP-024: an address that is hard to read, to type and to share."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed, spelled

LONGEST_PATH: Final = 115  # characters, as one reads them
MOST_PARAMETERS: Final = 3
_LONGEST_ENDING: Final = 5  # of a file's name


def faults_of(url: str, shown: Sequence[str] = ()) -> list[str]:
    """What makes the address hard to read, in words; empty when nothing does. ``shown``: title and main headings."""
    parts = urlsplit(url)
    # Letters beyond ASCII are sent as %XX, and browsers show them as letters again.
    path = unquote(parts.path) if "%" in parts.path else parts.path
    written = _without_identifier(path, shown)
    found = []
    if "_" in written:
        found.append("underscores")
    if written != written.lower():
        found.append("upper-case letters")
    if " " in path:
        found.append("spaces")
    if "//" in path:
        found.append("a double slash")
    if len(path) > LONGEST_PATH:
        found.append(f"a path of {len(path)} characters")
    if parts.query:
        count = len(parse_qsl(parts.query, keep_blank_values=True))
        if count >= MOST_PARAMETERS:
            found.append(f"{count} parameters")
    return found


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


def check(page: Page, site: Site) -> PageVerdict:
    if not page.canonical_is_self:
        return None  # another address is the one that is shown
    facts = page.facts
    faults = faults_of(page.url, [facts.title or "", *(text for level, text in facts.headings if level == 1)])
    if not faults:
        return None
    return Finding(
        f"The address has {listed(faults)}; short lower-case words joined by hyphens are easier to read and to share. "
        "Change it only together with a redirect from the old one.",
        {"faults": faults, "characters": len(page.url)},
    )


RULE = Rule(
    id="SEO-ONP-024",
    title="URL hard to read",
    category="ONP",
    severity="low",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=2,
    effort="high",
    writable_field=None,
    what=f"The path has underscores, upper-case letters, spaces, a double slash or more than {LONGEST_PATH} "
    f"characters, or the address has {spelled(MOST_PARAMETERS)} or more parameters.",
    why="People read addresses before they click or share them, and mistype what is irregular: upper and lower case "
    "are two addresses on most servers.",
    fix="Give new pages short lower-case addresses with hyphens. Change an existing one only with a permanent "
    "redirect, and only where it is worth the effort: an address that works is worth more than a pretty one.",
    not_when="Addresses whose page names another one as canonical are left out. Letters beyond ASCII are fine, and "
    "count as letters, not as the %XX they are sent as. A name that stands letter for letter in the title or the main "
    "heading (LinkedHashMap, str_replace) may be written so at the end of the address too.",
    source=f"Search engines' documentation on URL structure: readable words, hyphens; the {LONGEST_PATH} characters "
    "are ours.",
    page_check=check,
)
