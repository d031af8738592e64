"""Previews: audits of an address at which the website is not public yet, such as a staging server.

A preview is read as if the website itself answered at that address. The results of a preview are stored separately, and
do not change the website's data.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib.domain.audit.difference import pages_by_rule
from chalicelib.domain.audit.kept import KeptAudit, KeptPage

STARTS_PER_DAY: Final = 20  # of a website, in 24 hours
MOST_URLS: Final = 100  # that a preview may name: one item stores them


class Left(NamedTuple):
    """An audit or a preview, and those of its pages that are compared. ``pages``: None if they are not stored or not
    needed."""

    audit: KeptAudit
    pages: Sequence[KeptPage] | None


def own(kept: KeptAudit, pages: list[KeptPage] | None) -> tuple[KeptAudit, list[KeptPage] | None]:
    """Reduce a preview to its own findings, for reports. Findings that were copied from the website's last audit are
    left out.

    Rules that the preview did not judge are left out, and so are pages that it did not reach. ``pages``: None if they
    are not stored; it is then unknown which pages the preview read.
    """
    rules = {issue.rule_id for issue in kept.issues if issue.judged}
    if pages is None:
        return _narrowed(kept, rules, None, None), None
    seen = [page for page in pages if page.current is not False]
    return _narrowed(kept, rules, pages, seen), seen


def comparable(base: Left, head: Left, *, ignores_robots: bool) -> tuple[Left, Left]:
    """Reduce an audit of the website (``base``) and a preview (``head``) to the rules and pages that both judged.

    Rules that the preview did not judge are left out, and so are pages that it did not reach. If the preview ignored
    robots.txt and noindex, its findings about robots.txt and noindex are left out too.
    """
    unjudged = {issue.rule_id for issue in head.audit.issues if not issue.judged}
    rules = head.audit.counts.keys() - unjudged
    unseen = {page.id for page in head.pages or () if page.current is False}
    base, head = (_without(one, rules, unseen) for one in (base, head))
    if not ignores_robots:
        return base, head
    audit = msgspec.structs.replace(head.audit, robots=None, crawlers=None)
    pages = head.pages and [msgspec.structs.replace(page, indexable=None) for page in head.pages]
    return base, Left(audit, pages)


def _without(left: Left, rules: Collection[str], unseen: Collection[str]) -> Left:
    if left.pages is None:
        return Left(_narrowed(left.audit, rules, None, None), None)
    seen = [page for page in left.pages if page.id not in unseen]
    return Left(_narrowed(left.audit, rules, left.pages, seen), seen)


def _narrowed(
    kept: KeptAudit, rules: Collection[str], pages: Sequence[KeptPage] | None, seen: Sequence[KeptPage] | None
) -> KeptAudit:
    """Return the audit with only the issues of these rules, counted on the ``seen`` part of ``pages``."""
    issues = [issue for issue in kept.issues if issue.rule_id in rules]
    if pages is None or seen is None:
        return msgspec.structs.replace(kept, issues=issues)
    before, after = _counts(pages), _counts(seen)
    issues = [
        msgspec.structs.replace(issue, affected_pages=after.get(issue.rule_id, issue.affected_pages))
        for issue in issues
        if issue.rule_id in after or issue.rule_id not in before
    ]
    return msgspec.structs.replace(kept, issues=issues)


def _counts(pages: Sequence[KeptPage]) -> Mapping[str, int]:
    return {rule_id: len(listed) for rule_id, listed in pages_by_rule(pages).items()}
