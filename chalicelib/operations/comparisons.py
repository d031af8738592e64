"""The comparison of two audits of a website, from what is kept of them."""

from typing import NamedTuple

from chalicelib.domain.audit.difference import Difference, difference
from chalicelib.domain.audit.kept import KeptAudit
from chalicelib.operations.errors import Refused
from chalicelib.store import crawls, kept_audits


class Compared(NamedTuple):
    """What changed from ``base`` to ``head``."""

    base: KeptAudit
    head: KeptAudit
    difference: Difference


def existing(site_id: str, audit_id: str) -> KeptAudit:
    """What is kept of an audit. One round trip. Refused: ``not_found``; ``not_kept`` where nothing is."""
    kept = kept_audits.load(site_id, [audit_id]).get(audit_id)
    if kept is None:
        raise _not_kept(site_id, audit_id)
    return kept


def compare(site_id: str, head: KeptAudit, against: str | None, *, with_pages: bool) -> Compared:
    """Compare an audit with another; None: with the one before it. ``with_pages``: also their pages, as far as they
    are kept. Two or three round trips, one more for each further 100 blocks of pages. Refused: as ``existing``.
    """
    against = against or kept_audits.before(site_id, head.id)
    if against is None:
        raise Refused("not_kept", "No audit before this one is kept; name another one as `against`.")
    base = existing(site_id, against)
    if not with_pages:
        return Compared(base, head, difference(base, head, None, None))
    base_pages, head_pages = kept_audits.load_pages(site_id, [base, head])
    return Compared(base, head, difference(base, head, base_pages, head_pages))


def _not_kept(site_id: str, audit_id: str) -> Refused:
    if crawls.get(site_id, audit_id) is None:
        return Refused("not_found", f"The website has no audit {audit_id}.")
    return Refused(
        "not_kept",
        f"Nothing is kept of {audit_id}: it has not ended, it judged nothing, or it ended over 400 days ago.",
    )
