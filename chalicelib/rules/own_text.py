"""Separates each page's own text from text that many pages repeat: menus in plain boxes, member lists, notices.

A block of text does not count as a page's own text if many pages of the same template have it: at least five pages, and
at least 12% of the template's pages. Pages with exactly the same text count as one page here. Otherwise the whole text
of such pages would look like a menu. The pages of templates with too few pages form one group. In this group, text that
the pages of any template repeat does not count as own either.

Some pages are copies of a few others with small changes. They would have hardly any own text. On such a page, a block
counts as own if fewer than half of the template's pages have it, and if it does not consist of links.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.text import REPEATED_PAGES, REPEATED_SHARE

if TYPE_CHECKING:  # numpy is loaded when there is text to compare
    from chalicelib.domain.page.blocks import Own, OwnSamples, Repeated
    from chalicelib.rules.address import Address

LEAST_OWN: Final = 30  # words: a page with fewer has hardly any text
LEAST_KEPT: Final = 50  # words, without links, that fewer than half of the pages share
OWN_PARAGRAPHS: Final = 5
_REST: Final = ""  # the group of templates with few pages


class OwnText:
    """Determines the own text of a website's pages. Sets ``own_words`` and the related attributes of each page's
    ``Address``."""

    def __init__(self, pages: Iterable["Address"]) -> None:
        self._pages = list(pages)
        self._groups = _groups(self._pages)
        self._paragraphs = {name: _often(pages) for name, pages in self._groups.items()}
        self._everywhere = frozenset[int]().union(*self._paragraphs.values())
        self._settle()

    def paragraphs(self, facts: PageFacts, template: str | None) -> list[str]:
        """Return the first paragraphs of the page's own text, at most five."""
        often = self._paragraphs[template] if template in self._groups and template else self._everywhere
        return [text for text in facts.paragraphs if hash(text) not in often][:OWN_PARAGRAPHS]

    def samples(self, pages: Sequence["Address"]) -> "OwnSamples":
        """Return a sample of each page's own text, for comparing pages: runs of three words."""
        from chalicelib.domain.page import blocks

        repeated = self._of_groups(
            {
                name: blocks.repeated_runs([page.sketch for page in group])
                for name, group in self._groups.items()
                # If no block is repeated, no word sequence is left out.
                if any(page.own_words < page.words for page in group)
            }
        )
        texts = []
        for page in pages:
            shared = repeated.get(self._group_of(page))
            texts.append((page.sketch, shared and (shared.most if page.is_copied else shared.some)))
        return blocks.OwnSamples(texts)

    def _settle(self) -> None:
        if not any(page.blocks for page in self._pages):
            return
        from chalicelib.domain.page import blocks

        repeated = self._of_groups(
            {
                name: blocks.repeated_blocks([page.blocks for page in group if page.blocks])
                for name, group in self._groups.items()
            }
        )
        of_group: dict[str, list[Address]] = {}
        for page in self._pages:
            if page.blocks:
                of_group.setdefault(self._group_of(page), []).append(page)
        for name, group in of_group.items():
            shared = repeated[name]
            pages = iter(group)
            for table in blocks.tables([page.blocks for page in group]):
                own = blocks.own(table, shared.some)
                # The word counts show whether a page needs the second look; hardly any page does.
                milder = blocks.own(table, shared.most, links=shared.some) if _short(own) else own
                counts = zip(*(part.tolist() for part in (*own, *milder)), strict=True)
                for of_page, page in zip(counts, pages, strict=False):
                    _settle_page(page, of_page[:4], of_page[4:])

    def _group_of(self, page: "Address") -> str:
        return page.template if page.template in self._groups and page.template else _REST

    def _of_groups(self, repeated: Mapping[str, "Repeated"]) -> dict[str, "Repeated"]:
        """Return the repeated text of each group.

        For the group of small templates, text that any group repeats counts.
        """
        import numpy as np

        from chalicelib.domain.page.blocks import Repeated

        found = dict(repeated)
        if found:
            found[_REST] = Repeated(
                np.unique(np.concatenate([each.some for each in found.values()])),
                np.unique(np.concatenate([each.most for each in found.values()])),
            )
        return found


def _short(own: "Own") -> bool:
    """Whether one of the pages has hardly any text left."""
    return bool(((own.words - own.repeated < LEAST_OWN) & (own.repeated > 0)).any())


def _settle_page(page: "Address", own: Sequence[int], milder: Sequence[int]) -> None:
    """Set the page's counts of own text from ``own``, or from ``milder`` if ``own`` leaves hardly any text.

    Both are counts of words, repeated words, own links and their words (see ``blocks.Own``). ``milder`` counts text
    that fewer than half of the pages have as own, unless it consists of links.
    """
    page.blocks = b""
    if own[1] and own[0] - own[1] < LEAST_OWN and own[1] - milder[1] >= LEAST_KEPT:
        own, page.is_copied = milder, True
    words, repeated, page.own_links, page.own_linked = own
    # If words are counted in another way than in blocks (scripts without spaces), the share is applied.
    page.own_words = max(0, round(page.words * (1 - repeated / max(words, page.words, 1))))


def _groups(pages: Iterable["Address"]) -> dict[str, list["Address"]]:
    """Group pages by template, pages with the same text once. Small templates are grouped together under ``_REST``."""
    distinct: dict[str, dict[Hashable, Address]] = {}
    for page in sorted(pages, key=lambda page: page.url):
        distinct.setdefault(page.template or _REST, {}).setdefault(page.text_hash or page.url, page)
    groups: dict[str, list[Address]] = {_REST: []}
    for template, of_template in distinct.items():
        if len(of_template) < REPEATED_PAGES:
            groups[_REST] += of_template.values()
        else:
            groups.setdefault(template, []).extend(of_template.values())
    return groups


def _often(pages: Sequence["Address"]) -> frozenset[int]:
    """Return the hashes of the paragraphs that many of the pages have."""
    times: dict[int, int] = {}
    for page in pages:
        for paragraph in set(page.paragraphs):
            times[paragraph] = times.get(paragraph, 0) + 1
    least = max(REPEATED_PAGES, REPEATED_SHARE * len(pages))
    return frozenset(paragraph for paragraph, count in times.items() if count >= least)
