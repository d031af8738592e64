"""Where one change would mend an issue: told from what all of its affected pages have in common.

The places are tried in the order of how surely one change mends everything: a line of robots.txt, a header or robots
tag, one address, a file, and last the template that makes the pages. An issue whose pages do not agree has no cause.
Linear in the affected pages, and mostly over at the first two that differ.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from chalicelib.domain.audit.causes import Cause
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.rules.model import Rule

LEAST_PAGES: Final = 3  # of a template
LEAST_LAYOUT_PAGES: Final = 5
MOST: Final = 0.9  # of the affected pages are of the template
HALF: Final = 0.5  # of the template's pages are affected
LAYOUT_SHARE: Final = 0.8  # of all pages that the rule applies to
EVERY_PAGE: Final = "every page"

Evidence = Mapping[str, object]

# Rules whose evidence names the line of robots.txt that decides.
_LINES: Final = frozenset(
    {"SEO-TEC-001", "SEO-TEC-010", "SEO-TEC-012", "SEO-SMP-005", "SEO-AEO-001", "SEO-AEO-002", "SEO-AEO-003"}
)
# Rules whose evidence names the robots directive that decides ("where").
_DIRECTIVES: Final = frozenset({"SEO-TEC-002", "SEO-TEC-008", "SEO-TEC-009", "SEO-ONP-023", "SEO-AEO-015"})
# Rules that list the address which is to be mended, or taken out of links.
_OWN_ADDRESS: Final = frozenset({"SEO-TEC-003", "SEO-TEC-004", "SEO-TEC-005", "SEO-TEC-006", "SEO-TEC-023"})
# Rules that list pages which lead to addresses, with the member that counts these.
_TARGETS: Final[Mapping[str, str | None]] = {
    "SEO-LNK-001": "broken",
    "SEO-LNK-002": "redirecting",
    "SEO-LNK-012": "links",
    "SEO-HRE-002": None,
}
_CANONICAL: Final = frozenset(
    {"SEO-TEC-014", "SEO-TEC-015", "SEO-TEC-016", "SEO-TEC-017", "SEO-TEC-020", "SEO-SMP-004"}
)
# Rules about what a file says as a whole: whoever writes it anew mends them together.
_FILES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("SEO-AEO-006", "SEO-AEO-007", "SEO-AGT-003"), "llms.txt"),
    **dict.fromkeys(("SEO-SMP-003", "SEO-SMP-004", "SEO-SMP-006", "SEO-SMP-008"), "sitemap"),
}
# Rules about markup that templates write, not about words that somebody has to write for each page.
_MARKUP: Final = frozenset(
    f"SEO-{name}"
    for name in (
        "ONP-001 ONP-002 ONP-003 ONP-006 ONP-008 ONP-011 ONP-014 ONP-015 ONP-016 ONP-018 ONP-019 ONP-020"
        " ONP-021 TEC-008 TEC-009 TEC-011 TEC-013 TEC-018 TEC-019 TEC-025 TEC-026 TEC-034 TEC-035 LNK-007 LNK-009"
        " LNK-010 LNK-012 IMG-006 IMG-007 SCH-001 SCH-002 SCH-003 SCH-004 SCH-005 HRE-001 HRE-003 HRE-004"
        " HRE-006 SEC-002 SEC-005 PRF-001 PRF-002 PRF-003 PRF-007 AGT-001 AGT-002 AGT-004 AGT-005"
    ).split()
)


class Spread(NamedTuple):
    """Over which pages the findings of a rule are spread. ``templates``: how many of its pages each made; ``sizes``:
    how many of all readable pages each made; ``applicable``: how many pages the rule speaks of."""

    templates: Counter[str | None]
    sizes: Counter[str | None]
    applicable: int


def cause_of(
    rule: Rule, affected: Sequence[AffectedPage], site_evidence: Evidence | None, spread: Spread
) -> Cause | None:
    """Where one change would mend everything that the rule found; None where no such place is known.

    ``site_evidence``: of a site rule, which lists no pages.
    """
    if site_evidence is None and not affected:
        return None
    evidence = [page.evidence for page in affected] if site_evidence is None else [site_evidence]
    if rule.id in _LINES:
        line = _agreed(map(_robots_line, evidence))
        return None if line is None else Cause("robots_line", line)
    spot = _spot(spread) if rule.id in _MARKUP else None
    if rule.id in _DIRECTIVES:
        where = _agreed(_text(seen, "where") for seen in evidence)
        if where is not None and where.startswith("X-Robots-Tag"):
            return Cause("header", where)
        # A tag may stand on each page for a reason of its own, unless it stands on most pages.
        if where is not None and (rule.scope == "site" or spot is not None):
            return Cause("robots_tag", where)
    address = _address(rule.id, affected, evidence)
    if address is not None:
        return Cause("address", address)
    return Cause("file", _FILES[rule.id]) if rule.id in _FILES else spot


def _agreed(values: Iterable[str | None]) -> str | None:
    """The one value that all have; None where two differ, or one has none."""
    agreed: str | None = None
    for value in values:
        if value is None or (agreed is not None and value != agreed):
            return None
        agreed = value
    return agreed


def _spot(spread: Spread) -> Cause | None:
    """The template that makes nearly all of the affected pages, or what all templates share."""
    affected = spread.templates.total()
    template, pages = max(spread.templates.items(), key=lambda item: (item[1], item[0] or ""), default=(None, 0))
    if template is not None and pages >= LEAST_PAGES and pages >= MOST * affected:
        return Cause("template", template) if pages >= HALF * spread.sizes[template] else None
    if affected >= LEAST_LAYOUT_PAGES and affected >= LAYOUT_SHARE * spread.applicable:
        return Cause("layout", EVERY_PAGE)
    return None


def _text(evidence: Evidence, member: str) -> str | None:
    value = evidence.get(member)
    return value if isinstance(value, str) and value else None


def _robots_line(evidence: Evidence) -> str | None:
    """The line of robots.txt that decides, with its number; that of all crawlers where several are named."""
    crawlers = evidence.get("crawlers")
    if isinstance(crawlers, list):
        return _agreed(_robots_line(crawler) if isinstance(crawler, Mapping) else None for crawler in crawlers)
    line, number = _text(evidence, "line"), evidence.get("lineNumber")
    return None if line is None or number is None else f"{number}: {line}"


def _address(rule_id: str, affected: Sequence[AffectedPage], evidence: Sequence[Evidence]) -> str | None:
    """The one address behind all findings."""
    if rule_id in _OWN_ADDRESS:
        return affected[0].url if len(affected) == 1 else None
    if rule_id in _CANONICAL:
        return _agreed(_text(seen, "canonical") for seen in evidence)
    if rule_id in _TARGETS:
        return _agreed(_sole_target(seen, _TARGETS[rule_id]) for seen in evidence)
    return None


def _sole_target(evidence: Evidence, count: str | None) -> str | None:
    targets = evidence.get("targets")
    if not isinstance(targets, list) or len(targets) != 1 or (count is not None and evidence.get(count) != 1):
        return None
    return _text(targets[0], "url") if isinstance(targets[0], Mapping) else None
