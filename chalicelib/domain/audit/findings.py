"""Lists the findings of a finished audit one by one, for reports and for gates."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from chalicelib.domain import ids
from chalicelib.domain.audit.difference import PageRef, pages_by_rule
from chalicelib.domain.audit.kept import KeptAudit, KeptIssue, KeptPage


class Finding(NamedTuple):
    """One finding of a rule. ``page``: None if the finding concerns the website as a whole, or if its pages are
    unknown. ``fingerprint``: a hash that stays the same from audit to audit."""

    issue: KeptIssue
    page: PageRef | None
    fingerprint: str


def fingerprint(issue_id: str, page_id: str | None) -> str:
    """Return a hash that identifies a rule's finding on a page of a website."""
    return ids.hashed("find", issue_id, page_id or "")


def findings(audit: KeptAudit, pages: Sequence[KeptPage] | None, order: Sequence[str]) -> Iterator[Finding]:
    """List the findings that were open or ignored after the audit, in the order of the rules in ``order``, then by
    address.

    Issues whose rule is not in ``order`` are left out. ``pages``: the pages of the audit. None if they are not stored;
    each issue is then listed as one finding.
    """
    listed = {} if pages is None else pages_by_rule(pages)
    issues = {issue.rule_id: issue for issue in audit.issues if issue.status != "resolved"}
    for rule_id in order:
        issue = issues.get(rule_id)
        if issue is None:
            continue
        shown = sorted((page.url, page.id) for page in listed.get(rule_id, {}).values())
        if not shown:
            yield Finding(issue, None, fingerprint(issue.id, None))
        for url, page_id in shown:
            yield Finding(issue, PageRef(page_id, url), fingerprint(issue.id, page_id))
