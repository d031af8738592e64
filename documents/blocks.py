"""Replaces the generated parts of a page, and makes their tables."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

_PART: Final = re.compile(r"(<!-- generated: (?P<name>[a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: str, parts: Mapping[str, str]) -> str:
    """Replace the generated parts of a page. ``parts``: name -> Markdown.

    Raises ``ValueError`` if the page lacks the markers of one of these parts, or has markers of another part.
    """
    places = [found["name"] for found in _PART.finditer(page)]
    if sorted(places) != sorted(parts):
        raise ValueError(f"the page has markers of the parts {sorted(places)}, but needs those of {sorted(parts)}")
    return _PART.sub(lambda found: f"{found[1]}{parts[found['name']]}{found[3]}", page)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Make a Markdown table."""
    lines = [_line(head), "|" + "---|" * len(head), *(_line([_cell(cell) for cell in row]) for row in rows)]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")
