"""Finds the place where one change fixes an issue, from what all affected pages have in common.

The possible places are tried in this order. The earlier a place comes, the more certain it is that one change fixes
everything:

1. a line of robots.txt
2. a header or robots tag
3. one address
4. a file
5. the template that makes the pages

If the affected pages have none of these places in common, the issue has no known cause. The time is linear in the
affected pages, and the search usually ends at the first two pages that differ.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from chalicelib.domain.audit.causes import Cause
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.rules.model import CauseSource, Rule

LEAST_PAGES: Final = 3  # affected pages of a template; with fewer, the template is not the cause
LEAST_LAYOUT_PAGES: Final = 5
MOST: Final = 0.9  # share of the affected pages that must be of the template
HALF: Final = 0.5  # share of the template's pages that must be affected
LAYOUT_SHARE: Final = 0.8  # share of all pages that the rule applies to; from here on the layout is the cause
EVERY_PAGE: Final = "every page"
CONTENT: Final = "content"
LEAST_ADDRESSES: Final = 2  # addresses whose redirect changes only the slash; a single address is itself the cause

Evidence = Mapping[str, object]

# Source of a cause -> the member of the evidence that counts such targets.
_TARGETS: Final[Mapping[CauseSource, str | None]] = {
    "broken_target": "broken",
    "redirecting_target": "redirecting",
    "linked_target": "links",
    "target": None,
}
_FILES: Final[tuple[CauseSource, ...]] = ("llms.txt", "sitemap")


class Spread(NamedTuple):
    """The spread of a rule's findings over pages.

    - ``templates``: the number of affected pages of each template.
    - ``sizes``: the number of readable pages of each template.
    - ``applicable``: the number of pages that the rule applies to.
    """

    templates: Counter[str | None]
    sizes: Counter[str | None]
    applicable: int


def cause_of(
    rule: Rule, affected: Sequence[AffectedPage], site_evidence: Evidence | None, spread: Spread
) -> Cause | None:
    """Return the place where one change fixes all findings of the rule. Returns None if it is unknown.

    ``site_evidence``: the evidence of a site rule, which lists no pages; None for a page rule.
    """
    if site_evidence is None and not affected:
        return None
    if "scripts" in rule.cause:
        return Cause.of("scripts", CONTENT)
    evidence = [page.evidence for page in affected] if site_evidence is None else [site_evidence]
    if "robots_line" in rule.cause:
        line = _agreed(map(_robots_line, evidence))
        return None if line is None else Cause("robots_line", line)
    if "slash" in rule.cause:
        change = _slash(affected)
        if change is not None:
            return Cause.of("slash", change)
    spot = _spot(spread) if "template" in rule.cause else None
    if "robots_directive" in rule.cause:
        where = _agreed(_text(seen, "where") for seen in evidence)
        if where is not None and where.startswith("X-Robots-Tag"):
            return Cause("header", where)
        # A tag may be on each page for a separate reason, unless most pages of a template have it.
        if where is not None and (rule.scope == "site" or spot is not None):
            return Cause("robots_tag", where)
    address = _address(rule.cause, affected, evidence)
    if address is not None:
        return Cause("address", address)
    file = next((source for source in rule.cause if source in _FILES), None)
    return spot if file is None else Cause("file", file)


def _agreed(values: Iterable[str | None]) -> str | None:
    """Return the value if all values are equal. Returns None if two differ, or if one is None."""
    agreed: str | None = None
    for value in values:
        if value is None or (agreed is not None and value != agreed):
            return None
        agreed = value
    return agreed


def _spot(spread: Spread) -> Cause | None:
    """Return the template that makes nearly all of the affected pages, or the layout if most pages are affected."""
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
    """Return the line of robots.txt that decides, with its number.

    If the evidence names several crawlers, all must agree.
    """
    crawlers = evidence.get("crawlers")
    if isinstance(crawlers, list):
        return _agreed(_robots_line(crawler) if isinstance(crawler, Mapping) else None for crawler in crawlers)
    line, number = _text(evidence, "line"), evidence.get("lineNumber")
    return None if line is None or number is None else f"{number}: {line}"


def _slash(affected: Sequence[AffectedPage]) -> str | None:
    """Return how the host changes the trailing slash of addresses, if nearly every finding is about that."""
    seen: Counter[str] = Counter()
    addresses: set[str] = set()
    for page in affected:
        redirects = list(_redirects(page))
        changes = {_slash_change(url, end) for url, end in redirects}
        if len(changes) == 1 and (change := changes.pop()) is not None:
            seen[change] += 1
            addresses.update(url for url, _ in redirects)
    change, pages = max(seen.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    if not pages or pages < MOST * len(affected) or len(addresses) < LEAST_ADDRESSES:
        return None
    return change


def _redirects(page: AffectedPage) -> Iterable[tuple[str, str]]:
    """Yield each redirecting address with its target: addresses that the evidence names, or else the page's own."""
    targets = page.evidence.get("targets")
    named = (
        targets if isinstance(targets, list) else [{"url": page.evidence.get("canonical", page.url), **page.evidence}]
    )
    for target in named:
        if isinstance(target, Mapping):
            yield _text(target, "url") or "", _text(target, "leadsTo") or ""


def _slash_change(url: str, end: str) -> str | None:
    (here, _, query), (there, _, following) = url.partition("?"), end.partition("?")
    if query != following:
        return None
    if there == f"{here}/":
        return "added"
    return "removed" if here == f"{there}/" else None


def _address(
    sources: Sequence[CauseSource], affected: Sequence[AffectedPage], evidence: Sequence[Evidence]
) -> str | None:
    """Return the address that all findings share. Returns None if they do not share one."""
    if "own_address" in sources:
        return affected[0].url if len(affected) == 1 else None
    if "canonical_address" in sources:
        return _agreed(_text(seen, "canonical") for seen in evidence)
    for source in sources:
        if source in _TARGETS:
            return _agreed(_sole_target(seen, _TARGETS[source]) for seen in evidence)
    return None


def _sole_target(evidence: Evidence, count: str | None) -> str | None:
    targets = evidence.get("targets")
    if not isinstance(targets, list) or len(targets) != 1 or (count is not None and evidence.get(count) != 1):
        return None
    return _text(targets[0], "url") if isinstance(targets[0], Mapping) else None
