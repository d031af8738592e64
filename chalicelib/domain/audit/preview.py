"""Previews: audits of an address at which the website is not public yet, such as a staging server.

A preview is read as if the website itself answered there. It is kept by itself, and moves nothing of the website.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from chalicelib.domain.audit.difference import pages_by_rule
from chalicelib.domain.audit.kept import KeptAudit, KeptPage

STARTS_PER_DAY: Final = 20  # of a website, in 24 hours


def own(kept: KeptAudit, pages: list[KeptPage] | None) -> tuple[KeptAudit, list[KeptPage] | None]:
    """The preview's own findings, for reports: without values taken over from the website's last audit.

    Left out are rules that it did not judge, and pages that it did not come to. ``pages`` None: they are not kept, so
    the pages that the preview read are unknown.
    """
    judged = [issue for issue in kept.issues if issue.judged]
    if pages is None:
        return msgspec.structs.replace(kept, issues=judged), None
    seen = [page for page in pages if page.current is not False]
    before, after = _counts(pages), _counts(seen)
    issues = [
        msgspec.structs.replace(issue, affected_pages=after.get(issue.rule_id, issue.affected_pages))
        for issue in judged
        if issue.rule_id in after or issue.rule_id not in before
    ]
    return msgspec.structs.replace(kept, issues=issues), seen


def _counts(pages: list[KeptPage]) -> Mapping[str, int]:
    return {rule_id: len(listed) for rule_id, listed in pages_by_rule(pages).items()}
