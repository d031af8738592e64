"""The weight of pages with faulty links in the score, in hundredths of a page.

Faulty links in a page's content have a weight that grows slowly with their number: 1 link counts as one page, 10 as
two, 100 or more as three. A faulty target in the navigation, header or footer counts as one page in all, however many
pages show it, because one change in the template fixes it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

PAGE: Final = 100  # hundredths
# round(100 * (1 + log10 n)) for n faulty targets in the content of one page. The last entry is for all larger n.
IN_CONTENT: Final[tuple[int, ...]] = (
    *(0, 100, 130, 148, 160, 170, 178, 185, 190, 195),
    *(200, 204, 208, 211, 215, 218, 220, 223, 226, 228),
    *(230, 232, 234, 236, 238, 240, 241, 243, 245, 246),
    *(248, 249, 251, 252, 253, 254, 256, 257, 258, 259),
    *(260, 261, 262, 263, 264, 265, 266, 267, 268, 269),
    *(270, 271, 272, 272, 273, 274, 275, 276, 276, 277),
    *(278, 279, 279, 280, 281, 281, 282, 283, 283, 284),
    *(285, 285, 286, 286, 287, 288, 288, 289, 289, 290),
    *(290, 291, 291, 292, 292, 293, 293, 294, 294, 295),
    *(295, 296, 296, 297, 297, 298, 298, 299, 299, 300),
    300,
)


class FaultyLinks(NamedTuple):
    """The faulty link targets of one page: how many are in its content, and the addresses in navigation, header or
    footer."""

    content: int
    layout: tuple[str, ...] = ()


class LinkUnits:
    """Adds up the faulty links of pages, in any order."""

    __slots__ = ("_content", "_layout", "_unlisted")

    def __init__(self) -> None:
        self._content = self._unlisted = 0
        self._layout: set[str] = set()

    def add(self, links: FaultyLinks) -> None:
        """Count the faulty links of one page."""
        self._content += IN_CONTENT[min(links.content, len(IN_CONTENT) - 1)]
        self._layout.update(links.layout)

    def add_evidence(self, evidence: Mapping[str, object]) -> None:
        """Count a page by the stored evidence of its finding.

        Some evidence has only the number of faulty targets in navigation, header and footer, without their addresses.
        Each of these targets then counts once. If the evidence has no numbers at all, the page counts as one page.
        """
        content, layout, targets = (evidence.get(name) for name in ("inContent", "inLayout", "targets"))
        if not isinstance(content, int) or not isinstance(layout, int):
            self._content += PAGE
            return
        listed = _in_layout(targets) if isinstance(targets, Sequence) else []
        self.add(FaultyLinks(content, tuple(listed)))
        self._unlisted += max(0, layout - len(listed))

    @property
    def total(self) -> int:
        """Return the total weight, in hundredths of a page."""
        return self._content + PAGE * (len(self._layout) + self._unlisted)


def units_of(evidence: Iterable[Mapping[str, object]]) -> int:
    """Return the total weight of pages in hundredths of a page, from the stored evidence of their findings."""
    units = LinkUnits()
    for seen in evidence:
        units.add_evidence(seen)
    return units.total


def _in_layout(targets: Iterable[object]) -> list[str]:
    return [
        target["url"]
        for target in targets
        if isinstance(target, Mapping) and target.get("inLayout") is True and isinstance(target.get("url"), str)
    ]
