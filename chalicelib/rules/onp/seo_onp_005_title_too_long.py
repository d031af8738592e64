"""SEO-ONP-005: a title that search results cut off."""

from collections.abc import Mapping
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.domain.page.widths import TITLE_SIZE, title_px
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.titles import without_ending
from chalicelib.rules.website_titles import shared_title
from chalicelib.rules.wording import counted, quoted
from chalicelib.rules.written import title_size

WIDEST_PX: Final = 561  # Arial at 20 px, as desktop results show titles
TEMPLATE_SHARE: Final = 0.5  # share of the too-long titles that must fit without the shared ending
LEAST_FITTING: Final = 0.1  # share of the titles with the shared part that must fit without it


def check(page: Page, site: Site) -> PageVerdict:
    title = page.facts.title
    if not title:
        return None
    characters, width = title_size(page.facts)
    if width <= WIDEST_PX:
        return None
    evidence: dict[str, object] = {
        "title": title,
        "pixels": width,
        "limit": WIDEST_PX,
        "characters": characters,
    }
    advice = "Shorten the title, and keep the subject of the page at the front."
    shared = site.once(shared_title)
    for part, place, members in (
        (shared.ending, "end", ("sharedEnding", "pixelsWithoutEnding")),
        (shared.beginning, "begin", ("sharedBeginning", "pixelsWithoutBeginning")),
    ):
        shorter = without_part(title, part, place) if part is not None else None
        if part is None or shorter is None:
            continue
        if title_px(shorter) <= WIDEST_PX and site.once(_templates_at_fault)[place]:
            advice = (
                f"Without {quoted(part)}, with which most titles {place}, the title would fit. Shorten this part once "
                "in the title template."
            )
        evidence |= {members[0]: part, members[1]: title_px(shorter)}
    return Finding(
        f"The title is {width:,} pixels wide ({characters:,} characters), but results show {WIDEST_PX}: "
        f"{quoted(title)}. {advice}",
        evidence,
    )


def without_part(title: str, part: str, place: str) -> str | None:
    """Return the title without the part with which most titles begin or end. Returns None if this title does not have
    the part."""
    if place == "end":
        return without_ending(title, part)
    return title[len(part) :].lstrip() if fold(title[: len(part)]) == fold(part) and len(title) > len(part) else None


def _templates_at_fault(site: Site) -> Mapping[str, bool]:
    """Return whether the part at the end, and the part at the beginning, makes many titles too long."""
    shared = site.once(shared_title)
    return {"end": _is_at_fault(site, shared.ending, "end"), "begin": _is_at_fault(site, shared.beginning, "begin")}


def _is_at_fault(site: Site, part: str | None, place: str) -> bool:
    if part is None:
        return False
    having = fitting = 0
    for address in site.indexable():
        shorter = without_part(address.title, part, place)
        if shorter is not None:
            having += 1
            fitting += title_px(address.title) > WIDEST_PX >= title_px(shorter)
    return fitting >= LEAST_FITTING * having


def title_template(site: Site) -> Mapping[str, object] | None:
    """Return the part that titles share at their end, if it makes many titles too long and at least half of the titles
    that are too long would fit without this part.

    Returns None otherwise.
    """
    ending = site.once(shared_title).ending
    if ending is None or not site.once(_templates_at_fault)["end"]:
        return None
    too_long = [address.title for address in site.indexable() if title_px(address.title) > WIDEST_PX]
    fitting = 0
    for title in too_long:
        shorter = without_ending(title, ending)
        fitting += shorter is not None and title_px(shorter) <= WIDEST_PX
    if not fitting or fitting < TEMPLATE_SHARE * len(too_long):
        return None
    return {
        "titleTemplate": {
            "suffix": ending,
            "count": fitting,
            "note": f"{counted(fitting, 'too-long title')} would fit without the ending {quoted(ending)}, which the "
            "title template adds to every page. Shorten or remove it once in the template instead of changing each "
            "title.",
        }
    }


RULE = Rule(
    id="SEO-ONP-005",
    title="Title too long",
    category="ONP",
    severity="medium",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=8,
    effort="low",
    writable_field="title",
    what=f"The title is wider than {WIDEST_PX} pixels when set in Arial at {TITLE_SIZE} pixels, as desktop search "
    "results set it. Chinese, Japanese and Korean characters count as wide as they are high.",
    why="Search results cut off a longer title, often in the middle of an important name.",
    fix="Shorten the title, and put the subject of the page first. If a beginning or ending that all titles share "
    "makes most of them too long, shorten it in the title template.",
    not_when="The number of characters does not matter: sixty narrow letters fit, fifty wide ones may not. Search "
    "engines still read the rest of a long title. The title template is named only if at least "
    f"{LEAST_FITTING:.0%} of the titles with the shared part are too long and would fit without it.",
    source=f"Search engines state no length. {WIDEST_PX} pixels is the width other audit tools measure for desktop "
    "results.",
    page_check=check,
    shortens_title=True,
    whole_evidence=title_template,
)
