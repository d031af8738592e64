"""Remarks on a live robots.txt, in addition to the verdict for each crawler."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.domain.crawl.robots import Robots
from chalicelib.domain.crawlers import crawler_list
from chalicelib.domain.readiness.records import CrawlerAccess

_LINE_ENDS: Final = re.compile(r"\r\n|\r|\n")
_READ: Final = 200  # characters of a line
# Begin and end of the block that a CDN puts before the website's own lines.
_MANAGED: Final = (("Cloudflare", "begin cloudflare managed content", "end cloudflare managed content"),)
_NAMED: Final = 5
NOT_WRITABLE: Final = {
    "readonly": "robots.txt is a file on the web server that the CMS may not write.",
    "elsewhere": "The CMS does not answer for robots.txt: the CMS is installed in a folder of its host, or the web "
    "server does not pass requests for robots.txt to the CMS.",
}


class ManagedBlock(NamedTuple):
    """Lines of robots.txt that are not the website's own. Lines are counted from 1, and both ends are included."""

    owner: str
    first: int
    last: int


def managed_block(text: str) -> ManagedBlock | None:
    """Return the block that a CDN has added to the file; None without one. A block without an end marker extends to the
    end of the file."""
    lines = [_comment(line) for line in _LINE_ENDS.split(text)]
    for owner, begin, end in _MANAGED:
        first = next((number for number, line in enumerate(lines, start=1) if line == begin), None)
        if first is not None:
            ends = (number for number, line in enumerate(lines[first:], start=first + 1) if line == end)
            return ManagedBlock(owner, first, next(ends, len(lines)))
    return None


def _comment(line: str) -> str:
    """Return the case-folded text of a comment line; "" for other lines."""
    said = line[:_READ].strip()
    return " ".join(said.strip("#").split()).casefold() if said.startswith("#") else ""


def note_of(
    text: str, robots: Robots, accesses: Sequence[CrawlerAccess], *, is_page: bool, robots_file: str | None
) -> str | None:
    """Return the remarks as sentences; None if there are no remarks. ``robots_file``: the CMS's report on whether it
    can write robots.txt."""
    said = []
    if is_page:
        said.append("The address of robots.txt answers a web page: crawlers find no rules in it.")
    block = managed_block(text)
    if block is not None:
        said.append(_of_block(block, accesses))
    if robots_file in NOT_WRITABLE:
        said.append(NOT_WRITABLE[robots_file])
    retired = [token for token in crawler_list().retired_tokens.tokens if robots.names(token)]
    if retired:
        said.append(f"It names crawlers that are no longer in use: {', '.join(retired)}.")
    return " ".join(said) or None


def _of_block(block: ManagedBlock, accesses: Sequence[CrawlerAccess]) -> str:
    said = (
        f"Lines {block.first} to {block.last} of robots.txt are put there by {block.owner} (managed robots.txt), not "
        f"by the website; only {block.owner}'s settings change them."
    )
    decided = [one.bot for one in accesses if one.line_number and block.first <= one.line_number <= block.last]
    if not decided:
        return said
    named = ", ".join(decided[:_NAMED]) + (f" and {len(decided) - _NAMED} more" if decided[_NAMED:] else "")
    return f"{said} They decide for {named}."
