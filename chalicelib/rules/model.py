"""The parts of a rule, and its results.

A rule file holds one ``RULE`` and the pure function it names. That file has every sentence about the rule that users
read; thresholds are named constants there.
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
    "no_place",  # nobody should find it, such as an empty list or a basket
]
Population = Literal[
    "indexable",  # HTML pages that answer 200 and may be indexed (the default)
    "readable",  # all HTML pages that answer 200
    "crawled",  # every address asked for that may be a page
    "asked",  # these, and linked documents that were asked for
    "known",  # every address known, read or not
    "sitemap",  # addresses in sitemaps
    "links",  # indexable pages that have internal links
    "images",  # indexable pages that have images
    "hreflang",  # indexable pages that have hreflang
    "structured",  # indexable pages that have structured data
    "site",  # site rules: the website itself, 0 or 1
]

# Where one change may mend all that a rule finds (``rules/causes.py`` says when it does).
CauseSource = Literal[
    "robots_line",  # the line of robots.txt that its evidence names
    "robots_directive",  # the header or robots tag that its evidence names ("where")
    "own_address",  # the address that it lists, which is mended or taken out of links
    "canonical_address",  # the canonical address that its evidence names
    "broken_target",  # the one target of links; its evidence counts such targets in "broken",
    "redirecting_target",  # in "redirecting",
    "linked_target",  # in "links",
    "target",  # or does not count them
    "llms.txt",  # the file: it speaks of the file as a whole
    "sitemap",
    "slash",  # at the end of addresses, which the host adds or removes by a redirect
    "scripts",  # that bring the content, in place of the server
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
    """The rule fires. ``message`` says what was seen and what it should be, in one sentence a person can act on.

    ``details`` are JSON values that back the message (what was seen, where, what it should be). ``faulty``: of rules
    that count faulty links.
    """

    message: str
    details: Mapping[str, object] = field(default_factory=dict)
    faulty: FaultyLinks | None = None

    def evidence(self) -> dict[str, object]:
        return {"message": self.message, **self.details}


class NotApplicable:
    """The rule has nothing to say about this page: it does not count in the denominator."""

    __slots__ = ()


NOT_APPLICABLE: Final = NotApplicable()
# The same where only something is missing that the rule would judge by (a target that nobody asked for, a second
# try): what was known of the page before still stands.
UNDECIDED: Final = NotApplicable()
PageVerdict = Finding | NotApplicable | None  # None: the page passes


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule's registry entry. ``check(page, site)`` for page rules, ``check(site)`` for site rules."""

    id: str
    title: str
    category: Category  # the code in the id
    severity: Severity
    confidence: Confidence
    scope: Literal["page", "site"]
    population: Population
    weight: float  # most per cent the rule can take from its category; 0: shown, never scored
    effort: Effort
    writable_field: WritableField | None
    what: str  # what the rule looks for
    why: str  # why it matters
    fix: str  # how to fix it, in words
    not_when: str  # when it does not apply
    source: str  # where the threshold comes from
    page_check: "Callable[[Page, Site], PageVerdict] | None" = None
    site_check: "Callable[[Site], PageVerdict] | None" = None
    gate: float | None = None  # most of all health that the rule can take, 0 to 1; ``weight`` counts nowhere then
    advice: Mapping[str, str] = field(default_factory=dict)  # way to fail -> its own advice
    needs: tuple[Input, ...] = ()  # what it judges by beyond the crawl, where that is there
    link_rule: bool = False  # the page to mend is the linking one: rechecks report linkingPages
    counts_links: bool = False  # counts the faulty links of its pages (``link_units``), which its findings carry
    has_data: "Callable[[Site], bool] | None" = None  # whether the website can be judged at all; None: always
    # What an audit notes where the rule has no data to judge by; None: that is nothing to speak of.
    without_data: "Callable[[Site], str | None] | None" = None
    by_content: bool = False  # of those that judge answers: judges by what a page says, not by its answer alone
    asks_images: bool = False  # judges by what the addresses of images answer: a recheck asks them again
    asks_resources: bool = False  # likewise by what scripts and style sheets answer
    whole_website: bool = False  # a site rule that looks at every page: a recheck of the home page cannot judge it
    title_need: "Need | None" = None  # what is wrong with the title, where the suggestion is another one
    shortens_title: bool = False  # what is suggested is a shorter form of the present title, or nothing
    cause: tuple[CauseSource, ...] = ()  # where one change may mend all that it finds; none: each page on its own
    noindex_need: NoindexNeed | None = None  # what is wrong with the page, where its noindex is suggested
    # What the rule says of the website as a whole beside its affected pages, such as a shared title ending.
    whole_evidence: "Callable[[Site], Mapping[str, object] | None] | None" = None

    @property
    def judges_answers(self) -> bool:
        """Whether it speaks of addresses that nobody read as pages, by what they answer."""
        return self.population in ("crawled", "asked")

    @property
    def kappa(self) -> float:
        """How far the rule is trusted: 1, 0.8 or 0.5."""
        return KAPPA[self.confidence]

    @property
    def effort_divisor(self) -> float:
        """The divisor of the priority for the work to fix it: 1, 1.5 or 2."""
        return EFFORT_DIVISOR[self.effort]
