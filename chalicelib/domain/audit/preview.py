"""Previews: audits of an address at which the website is not public yet, such as a staging server.

A preview is read as if the website itself answered there. It is kept by itself, and moves nothing of the website.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib.domain.audit.difference import pages_by_rule
from chalicelib.domain.audit.kept import KeptAudit, KeptPage

STARTS_PER_DAY: Final = 20  # of a website, in 24 hours
MOST_URLS: Final = 100  # that are named: one item holds them


class Left(NamedTuple):
    """What an audit left. ``pages`` None: not kept, or not wanted."""

    audit: KeptAudit
    pages: Sequence[KeptPage] | None


def own(kept: KeptAudit, pages: list[KeptPage] | None) -> tuple[KeptAudit, list[KeptPage] | None]:
    """The preview's own findings, for reports: without values taken over from the website's last audit.

    Left out are rules that it did not judge, and pages that it did not come to. ``pages`` None: they are not kept, so
    the pages that the preview read are unknown.
    """
    rules = {issue.rule_id for issue in kept.issues if issue.judged}
    if pages is None:
        return _narrowed(kept, rules, None, None), None
    seen = [page for page in pages if page.current is not False]
    return _narrowed(kept, rules, pages, seen), seen


def comparable(base: Left, head: Left, *, ignores_robots: bool) -> tuple[Left, Left]:
    """An audit of the website and a preview (``head``), without what the preview cannot tell: rules that it did not
    judge, pages that it did not come to, and what robots.txt and noindex say where it ignored them."""
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
    """The audit with the issues of these rules alone, and of ``pages`` those that were ``seen``."""
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
