"""Computes the summary of an issue's pages from the published pages and their search figures."""

from collections.abc import Mapping, Sequence

from chalicelib.domain.audit.ignoring import Appearance
from chalicelib.domain.audit.issues import RuleCount, summary_of_pages
from chalicelib.domain.audit.records import AffectedPage, PageRow
from chalicelib.domain.audit.searched import Weights


def appearance_of(
    pages: Sequence[AffectedPage], applicable: int, rows: Mapping[str, PageRow], weights: Weights, impressions: int
) -> Appearance:
    """Summarise the affected pages of an issue.

    ``rows``: all published pages by address. ``impressions``: the issue's previous number of impressions, which is kept
    if the website has no search data.
    """
    templates = {rows[page.url].template if page.url in rows else None for page in pages}
    weight = weights.of(pages)
    return Appearance(
        summary_of_pages(RuleCount(applicable, len(pages)), pages),
        next(iter(templates)) if len(templates) == 1 else None,
        weight.importance,
        impressions if weight.impressions is None else weight.impressions,
    )
