"""Makes answers, as JSON or as text, from the result of a gate (a check that a pipeline passes or fails)."""

from collections.abc import Container, Iterator
from typing import Final

from msgspec import UNSET

from chalicelib.api.differences import ISSUES, PAGES, compared_audit, counted, judged_preview
from chalicelib.api.reports.findings import address
from chalicelib.api.rule_texts import rule_of
from chalicelib.api.shaped import shaped
from chalicelib.api.shapes.previews import PreviewGate
from chalicelib.api.shapes.reports import ChangedLoss, Gate, GateCondition, NewIssue
from chalicelib.api.shapes.values import from_tenths, site_link
from chalicelib.domain.audit.gate import Judgement
from chalicelib.operations import gates

SHOWN: Final = 10  # the text lists this many pages of a rule, and rules that cost points
_ADDRESSES: Final = 1_000_000  # characters of addresses in all issues together


def gate_of(site_id: str, judged: gates.Gate, scopes: Container[str]) -> Gate:
    """Make the answer from the result of an audit's gate. It has only the parts that a key with these scopes may
    read."""
    judgement = judged.judgement
    with_issues = ISSUES in scopes
    return Gate(
        outcome=judgement.outcome,
        conditions=[shaped(GateCondition, verdict) for verdict in judgement.verdicts],
        audit_id=judged.audit_id,
        status=judged.status,
        audit=None if judged.head is None else compared_audit(judged.head),
        against=None if judged.base is None else compared_audit(judged.base),
        pages_compared=judgement.compared,
        pages_not_compared=judgement.not_compared,
        link=site_link(site_id, "audits", judged.audit_id),
        new=_new(judgement, with_pages=PAGES in scopes) if with_issues else UNSET,
        losses=_losses(judgement) if with_issues else UNSET,
        rules_left_out=list(judgement.rules_left_out) if with_issues else UNSET,
        ignored=judgement.ignored if with_issues else UNSET,
    )


def _new(judgement: Judgement, *, with_pages: bool) -> list[NewIssue] | None:
    if judgement.new is None:
        return None
    room = _ADDRESSES // max(1, len(judgement.new))
    return [
        NewIssue(
            rule_id=rule.id,
            title=rule.title,
            severity=rule.severity,
            pages=None if one.pages is None else counted(one.pages, room, with_pages),
        )
        for one in judgement.new
        if (rule := rule_of(one.rule_id)) is not None
    ]


def _losses(judgement: Judgement) -> list[ChangedLoss] | None:
    if judgement.losses is None:
        return None
    return [
        ChangedLoss(rule_id=rule.id, title=rule.title, difference=from_tenths(one.loss))
        for one in judgement.losses
        if (rule := rule_of(one.rule_id)) is not None
    ]


def preview_gate_of(gate: Gate, judged: gates.Gate) -> PreviewGate:
    """Make the answer from the result of a preview's gate. ``gate``: the answer of ``gate_of``. The result has no link,
    because the app has no screen for it."""
    head = None if judged.head is None else judged_preview(judged.head)
    return shaped(PreviewGate, gate, preview_id=judged.audit_id, preview=head)


def text(gate: Gate) -> str:
    """Return the gate's result as lines of text. The first line has only ``pass``, ``fail`` or ``unclear``. The second
    line has the audit's status. No line begins with text from the website."""
    return "".join(f"{line}\n" for line in _lines(gate))


def _lines(gate: Gate) -> Iterator[str]:
    yield gate.outcome
    yield f"status: {gate.status}"
    for one in gate.conditions:
        yield f"{one.condition}: {one.outcome}. {one.reason}"
    for new in gate.new or ():
        yield f"new: {new.rule_id} {new.title} ({new.severity})"
        if new.pages is not None:
            shown = [] if new.pages.pages is UNSET else new.pages.pages[:SHOWN]
            yield from (f"  {address(page.url)}" for page in shown)
            if new.pages.count > len(shown):
                rest = new.pages.count - len(shown)
                yield f"  {rest:,} {'page' if rest == 1 else 'pages'}{' more' if shown else ''}"
    lost = [one for one in gate.losses or () if one.difference > 0]
    yield from (f"lost: {one.difference:.1f} by {one.rule_id} {one.title}" for one in lost[:SHOWN])
    if gate.pages_compared is not None:
        pages = "page" if gate.pages_compared == 1 else "pages"
        yield f"compared: {gate.pages_compared:,} {pages}; not compared: {gate.pages_not_compared or 0:,}"
    if gate.rules_left_out:
        yield f"left out: {', '.join(gate.rules_left_out)}"
    if gate.ignored:
        yield f"ignored: {gate.ignored:,}"
