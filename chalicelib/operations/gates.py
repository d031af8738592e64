"""Answers what pipelines ask about a stored audit: what are its findings, and does it pass a gate (a check with
conditions that the pipeline chose)?"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.domain.audit.gate import Asked, GateRule, Judgement, judge, without_audit
from chalicelib.domain.audit.inputs import Input
from chalicelib.domain.audit.kept import HEADER_SECONDS, KeptAudit, KeptPage
from chalicelib.domain.audit.records import CrawlReport, CrawlStatus
from chalicelib.domain.severity import SEVERITIES
from chalicelib.operations import comparisons
from chalicelib.operations.errors import Refused
from chalicelib.store import crawls, kept_audits

DEFAULT: Final = Asked(no_new="high")  # if no condition is given
_MEASURED: Final[frozenset[Input]] = frozenset({"speed", "agentic"})


class Gate(NamedTuple):
    """The result of a gate, and the two audits. ``head``: the judged audit; None if nothing of it is stored. ``base``:
    the audit that ``head`` was compared with. None if no comparison was requested or possible."""

    audit_id: str
    status: CrawlStatus
    head: KeptAudit | None
    base: KeptAudit | None
    judgement: Judgement


def order() -> list[str]:
    """Return the ids of all rules, the most severe rule first."""
    from chalicelib.rules import registry

    ranked = sorted(registry.RULES, key=lambda rule: (SEVERITIES.index(rule.severity), rule.id))
    return [rule.id for rule in ranked]


def existing(site_id: str, audit_id: str) -> KeptAudit | CrawlReport:
    """Return the stored header of an audit. If nothing is stored for comparisons, return the audit's report of its
    progress instead. One or two round trips. Refused: ``not_found``."""
    kept = kept_audits.load(site_id, [audit_id]).get(audit_id)
    if kept is not None:
        return kept
    header = crawls.get(site_id, audit_id)
    if header is None or header.kind != "audit":
        raise Refused("not_found", f"The website has no audit {audit_id}.")
    return header


def newest(site_id: str) -> str:
    """Return the id of the newest stored audit. Refused: ``not_kept``."""
    found = kept_audits.newest(site_id, 1)
    if not found:
        raise Refused("not_kept", "No audit results of this website are stored.")
    return found[0].id


def kept_with_pages(site_id: str, audit_id: str) -> tuple[KeptAudit, list[KeptPage] | None]:
    """Load the stored header and pages of an audit. Two round trips, plus one per further 100 blocks of pages. Refused:
    the codes of ``comparisons.existing``."""
    kept = comparisons.existing(site_id, audit_id)
    (pages,) = kept_audits.load_pages(site_id, [kept])
    return kept, pages


def judged(site_id: str, audit: KeptAudit | CrawlReport, asked: Asked, against: str | None, *, now: float) -> Gate:
    """Judge an audit by these conditions. ``against``: the id of the audit to compare with; None for the previous one.
    At most three round trips, plus one per further 100 blocks of pages.

    Refused: ``not_kept`` if the audit has ended and nothing of it is stored any more; for ``against``, the codes of
    ``comparisons.existing``.
    """
    if asked == Asked():
        asked = DEFAULT
    if isinstance(audit, CrawlReport):
        return Gate(audit.id, audit.status, None, None, without_audit(_why_nothing(audit, now)))
    if asked.no_new is None and asked.max_loss is None:
        return Gate(audit.id, audit.status, audit, None, judge(asked, audit, None, (None, None), {}))
    if against is None:
        against = kept_audits.before(site_id, audit.id)
    base = None if against is None else comparisons.existing(site_id, against)
    pages: Sequence[list[KeptPage] | None] = (None, None)
    if base is not None and asked.no_new is not None:
        pages = kept_audits.load_pages(site_id, [audit, base])
    return Gate(audit.id, audit.status, audit, base, judge(asked, audit, base, (pages[0], pages[1]), _rules()))


def _why_nothing(header: CrawlReport, now: float) -> str:
    """Return why nothing of an audit is stored. Refused: the codes of ``judged``."""
    what = header.kind
    if not header.ended:
        return f"The {what} is {header.status}. Send the request again when it has ended."
    if header.status == "cancelled":
        return f"The {what} was cancelled before it could judge the website."
    if header.status == "failed":
        return f"The {what} failed. {header.error or ''}".strip()
    if header.finished_at is not None and now < header.finished_at + HEADER_SECONDS:
        return f"The {what} read nothing that it could judge."
    raise Refused("not_kept", f"The results of {header.id} are no longer stored: it ended over 400 days ago.")


def _rules() -> dict[str, GateRule]:
    from chalicelib.rules import registry

    return {
        rule.id: GateRule(rule.severity, rule.scope == "site", not _MEASURED.isdisjoint(rule.needs))
        for rule in registry.RULES
    }
