"""Converts the difference between two stored audits to shapes of answers."""

from collections.abc import Callable, Container, Sequence
from typing import Any, Final, cast

from msgspec import UNSET

from chalicelib.api.refusals import refusal
from chalicelib.api.shaped import shaped, shaped_or_none
from chalicelib.api.shapes.differences import (
    AuditDifference,
    AuditSpeed,
    ChangedCrawler,
    ChangedField,
    ChangedIssue,
    ChangedIssues,
    ChangedPage,
    ChangedPages,
    ChangesByField,
    ComparedAudit,
    ComparedCategory,
    ComparedIssue,
    ComparedPages,
    ComparedRobots,
    ComparedScore,
    ComparedScores,
    ComparedSpeed,
    CountedPages,
    PageReference,
)
from chalicelib.api.shapes.previews import JudgedPreview, PreviewDifference
from chalicelib.api.shapes.values import from_tenths, from_tenths_or_none, site_link
from chalicelib.api.summaries import past
from chalicelib.domain.audit.difference import ISSUE_CHANGES, IssueDifference, PagesDifference, Some
from chalicelib.domain.audit.kept import KeptAudit
from chalicelib.http.authentication import is_id
from chalicelib.http.endpoints import Call
from chalicelib.http.errors import ApiError, not_found
from chalicelib.operations.comparisons import Compared
from chalicelib.operations.errors import Refused
from chalicelib.rules.model import Category

ISSUES: Final = "issues:read"
PAGES: Final = "pages:read"
# The most characters of addresses in all issues together, so that an answer with very long addresses still fits. Pages
# that are left out are counted.
_ADDRESSES: Final = 1_000_000


def compared(call: Call[Any], against: str | None, compare: Callable[..., Compared]) -> Compared:
    """Run ``compare`` for the audit or preview that the path names. Pages are compared too if the key may read pages or
    issues. Raises ``ApiError`` ``not_found`` or ``not_kept``."""
    if against is not None and not is_id(against):
        raise not_found("audit")
    with_pages = not {ISSUES, PAGES}.isdisjoint(call.auth.scopes)
    try:
        return compare(call.website.id, call.found, against, with_pages=with_pages)
    except Refused as refused:
        raise not_compared(refused) from refused


def not_compared(refused: Refused) -> ApiError:
    """Convert an operation's refusal to compare stored audits into an API error."""
    return not_found("audit") if refused.code == "not_found" else refusal(refused)


def difference_of(site_id: str, compared: Compared, scopes: Container[str]) -> AuditDifference:
    """Make the answer from the difference of two audits. It has only the parts that a key with these scopes may
    read."""
    base, head, found = compared
    issues = _issues(found.issues, with_pages=PAGES in scopes) if ISSUES in scopes else None
    return AuditDifference(
        audit=compared_audit(head),
        speed=ComparedSpeed(
            before=shaped_or_none(AuditSpeed, base.speed), after=shaped_or_none(AuditSpeed, head.speed)
        ),
        link=site_link(site_id, "audits", head.id),
        issues=UNSET
        if issues is None
        else ChangedIssues(
            **{change: sum(one.change == change for one, _ in issues) for change in ISSUE_CHANGES},
            issues=[
                shaped(ChangedIssue, shown, issue_id=one.issue_id, link=site_link(site_id, "issues", one.issue_id))
                for one, shown in issues
            ],
        ),
        **_parts(compared, scopes),
    )


def preview_difference_of(compared: Compared, scopes: Container[str]) -> PreviewDifference:
    """Make the answer from the difference between a preview and an audit. It has only the parts that a key with these
    scopes may read. The issues have no id, since they may not exist on the website."""
    return PreviewDifference(
        preview=judged_preview(compared.head),
        issues=[shown for _, shown in _issues(compared.difference.issues, with_pages=PAGES in scopes)]
        if ISSUES in scopes
        else UNSET,
        **_parts(compared, scopes),
    )


def _parts(compared: Compared, scopes: Container[str]) -> dict[str, Any]:
    """Return the members of ``Difference``."""
    base, head, found = compared
    old, new = base.score, head.score
    comparable = old is not None and new is not None and old.version == new.version
    return {
        "against": compared_audit(base),
        "scores": ComparedScores(
            comparable=comparable,
            site=_score(None if old is None else old.site, None if new is None else new.site, comparable),
            health=_score(None if old is None else old.health, None if new is None else new.health, comparable),
            aeo=_score(None if old is None else old.aeo, None if new is None else new.aeo, comparable),
        ),
        "categories": _categories(base, head, comparable),
        "robots_txt": ComparedRobots(
            status_before=None if base.robots is None else base.robots.status,
            status_after=None if head.robots is None else head.robots.status,
            changed=found.robots_changed,
        ),
        "crawlers": None if found.crawlers is None else [shaped(ChangedCrawler, one) for one in found.crawlers],
        "pages": _pages(found.pages) if PAGES in scopes else UNSET,
    }


def compared_audit(audit: KeptAudit) -> ComparedAudit:
    return shaped(ComparedAudit, audit, audit_id=audit.id, score=past(audit.score))


def judged_preview(kept: KeptAudit) -> JudgedPreview:
    return shaped(JudgedPreview, kept, preview_id=kept.id, score=site_score(kept))


def site_score(kept: KeptAudit) -> float | None:
    """Return the score in the form of answers. Returns None if too little could be judged."""
    return None if kept.score is None else from_tenths(kept.score.site)


def _score(before: int | None, after: int | None, comparable: bool) -> ComparedScore:
    known = comparable and before is not None and after is not None
    return ComparedScore(
        before=from_tenths_or_none(before),
        after=from_tenths_or_none(after),
        difference=from_tenths((after or 0) - (before or 0)) if known else None,
    )


def _categories(base: KeptAudit, head: KeptAudit, comparable: bool) -> list[ComparedCategory]:
    before, after = ({part.category: part.score for part in audit.categories} for audit in (base, head))
    return [
        shaped(
            ComparedCategory,
            _score(before.get(category), after.get(category), comparable),
            category=cast(Category, category),
        )
        for category in dict.fromkeys([*after, *before])
    ]


def _issues(found: Sequence[IssueDifference], *, with_pages: bool) -> list[tuple[IssueDifference, ComparedIssue]]:
    # Only callers with access to issues need the rules' texts.
    from chalicelib.api.rule_texts import rule_of

    known = [(one, rule) for one in found if (rule := rule_of(one.rule_id)) is not None]
    room = _ADDRESSES // max(1, 2 * len(known))
    return [
        (
            one,
            shaped(
                ComparedIssue,
                one,
                title=rule.title,
                category=rule.category,
                severity=rule.severity,
                came=None if one.came is None else counted(one.came, room, with_pages),
                went=None if one.went is None else counted(one.went, room, with_pages),
            ),
        )
        for one, rule in known
    ]


def counted(some: Some, room: int = _ADDRESSES, with_pages: bool = True) -> CountedPages:
    if not with_pages:
        return CountedPages(count=some.count)
    shown = []
    for page in some.pages:
        room -= len(page.url)
        if room < 0:
            break
        shown.append(PageReference(page_id=page.page_id, url=page.url))
    return CountedPages(count=some.count, pages=shown)


def _pages(found: PagesDifference | None) -> ComparedPages | None:
    if found is None:
        return None
    return ComparedPages(
        appeared=counted(found.appeared),
        left=counted(found.left),
        changed=ChangedPages(
            count=found.changed_count,
            by_field=ChangesByField(**{str(field): count for field, count in found.by_field.items()}),
            pages=[
                ChangedPage(
                    page_id=one.page.page_id,
                    url=one.page.url,
                    fields=[shaped(ChangedField, part) for part in one.fields],
                )
                for one in found.changed
            ],
        ),
    )
