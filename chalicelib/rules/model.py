"""The parts of a rule, and its results.

A rule file defines one ``RULE`` and the pure function that the rule names. The file contains all texts about the rule
that users read. Its thresholds are named constants.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from chalicelib.domain.audit.inputs import Input
from chalicelib.domain.audit.link_units import FaultyLinks
from chalicelib.domain.severity import Severity
from chalicelib.domain.suggestion import WritableField

if TYPE_CHECKING:
    from chalicelib.rules.context import Page, Site
    from chalicelib.suggestions.titles import Need

Category = Literal["ONP", "TEC", "SMP", "LNK", "IMG", "SCH", "HRE", "SEC", "PRF", "CON", "AEO", "AGT"]
Confidence = Literal["certain", "likely", "possible"]
Effort = Literal["low", "medium", "high"]
NoindexNeed = Literal[
    "conflicting",  # its directives contradict each other
    "no_place",  # nobody should find the page in search, such as an empty list or a basket
]
Population = Literal[
    "indexable",  # HTML pages that answer 200 and may be indexed (the default)
    "readable",  # all HTML pages that answer 200
    "crawled",  # every requested address that may be a page
    "asked",  # those, and linked documents that were requested
    "known",  # every known address, read or not
    "sitemap",  # addresses in sitemaps
    "links",  # indexable pages that have internal links
    "images",  # indexable pages that have images
    "hreflang",  # indexable pages that have hreflang
    "structured",  # indexable pages that have structured data
    "site",  # site rules: the website itself, 0 or 1
]

# The place where one change may fix all findings of a rule (``rules/causes.py`` decides whether it does).
CauseSource = Literal[
    "robots_line",  # the line of robots.txt that its evidence names
    "robots_directive",  # the header or robots tag that its evidence names ("where")
    "own_address",  # the address that it lists: fix the address or remove its links
    "canonical_address",  # the canonical address that its evidence names
    "broken_target",  # the only target of links, if its evidence counts such targets in "broken"
    "redirecting_target",  # the same, counted in "redirecting"
    "linked_target",  # the same, counted in "links"
    "target",  # the same, not counted
    "llms.txt",  # the file, if the rule judges the file as a whole
    "sitemap",
    "slash",  # the slash at the end of addresses, if the host adds or removes it by a redirect
    "scripts",  # scripts that load the content, if the server does not send it
    "template",  # markup that templates write, not words that somebody writes for each page
]

KAPPA: Final[Mapping[Confidence, float]] = {"certain": 1.0, "likely": 0.8, "possible": 0.5}
EFFORT_DIVISOR: Final[Mapping[Effort, float]] = {"low": 1.0, "medium": 1.5, "high": 2.0}
CATEGORY_NAMES: Final[Mapping[Category, str]] = {
    "ONP": "On page",
    "TEC": "Indexability and crawl",
    "SMP": "Sitemap and robots",
    "LNK": "Links",
    "IMG": "Images",
    "SCH": "Structured data",
    "HRE": "International",
    "SEC": "Security",
    "PRF": "Performance",
    "CON": "Content",
    "AEO": "AI readiness",
    "AGT": "Agentic browsing",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Returned if the rule fires. ``message``: one sentence that tells a person what was found and what to do.

    - ``details``: JSON values that support the message (what was found, where, what it should be).
    - ``faulty``: the page's faulty links, for rules that count links.
    """

    message: str
    details: Mapping[str, object] = field(default_factory=dict)
    faulty: FaultyLinks | None = None

    def evidence(self) -> dict[str, object]:
        return {"message": self.message, **self.details}


class NotApplicable:
    """Returned if the rule does not apply to this page. The score then does not count the page among those to which
    the rule applies."""

    __slots__ = ()


NOT_APPLICABLE: Final = NotApplicable()
# Like ``NOT_APPLICABLE``, but because an input is missing (a target that was not requested, a second try). Earlier
# findings of the page are kept.
UNDECIDED: Final = NotApplicable()
PageVerdict = Finding | NotApplicable | None  # None: the page passes


@dataclass(frozen=True, slots=True)
class Rule:
    """The registry entry of a rule. Page rules have ``page_check(page, site)``, site rules ``site_check(site)``."""

    id: str
    title: str
    category: Category  # the code in the id
    severity: Severity
    confidence: Confidence
    scope: Literal["page", "site"]
    population: Population
    weight: float  # most per cent that the rule can take from its category; 0: shown, never scored
    effort: Effort
    writable_field: WritableField | None
    what: str  # what the rule looks for
    why: str  # why it matters
    fix: str  # how to fix it, in words
    not_when: str  # when it does not apply; may have lists, whose items begin with "\n- "
    source: str  # where the threshold comes from
    page_check: "Callable[[Page, Site], PageVerdict] | None" = None
    site_check: "Callable[[Site], PageVerdict] | None" = None
    gate: float | None = None  # largest share of the whole score that the rule can take (0 to 1), instead of ``weight``
    advice: Mapping[str, str] = field(default_factory=dict)  # advice for each way to fail
    needs: tuple[Input, ...] = ()  # inputs beyond the crawl that it judges by, if available
    link_rule: bool = False  # the linking page must be fixed, so rechecks report linkingPages
    counts_links: bool = False  # counts the faulty links of its pages (``link_units``), which its findings carry
    has_data: "Callable[[Site], bool] | None" = None  # whether the website can be judged at all; None: always
    # Returns the note of an audit in which the rule lacks its data. Returns None if no note is needed.
    without_data: "Callable[[Site], str | None] | None" = None
    by_content: bool = False  # of rules that judge answers: judges by the page's content, not only by its answer
    asks_images: bool = False  # judges by the answers of images, which a recheck requests again
    asks_resources: bool = False  # judges by the answers of scripts and style sheets, which a recheck requests again
    whole_website: bool = False  # a site rule that looks at every page: a recheck of the home page cannot judge it
    title_need: "Need | None" = None  # what is wrong with the title, if another one is to be suggested
    shortens_title: bool = False  # only a shorter form of the current title is suggested
    cause: tuple[CauseSource, ...] = ()  # where one change may fix all findings; empty: fix each page
    noindex_need: NoindexNeed | None = None  # what is wrong with the page, if noindex is to be suggested
    # Returns evidence about the website as a whole, in addition to the affected pages, such as a shared title ending.
    whole_evidence: "Callable[[Site], Mapping[str, object] | None] | None" = None

    @property
    def judges_answers(self) -> bool:
        """Whether the rule also judges addresses that were only requested, not read as pages."""
        return self.population in ("crawled", "asked")

    @property
    def kappa(self) -> float:
        """The confidence in findings of the rule: 1, 0.8 or 0.5."""
        return KAPPA[self.confidence]

    @property
    def effort_divisor(self) -> float:
        """The number by which the priority is divided because of the effort of a fix: 1, 1.5 or 2."""
        return EFFORT_DIVISOR[self.effort]
