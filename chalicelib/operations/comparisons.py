"""Compares two stored audits of a website.

When an audit ends, its comparison with the previous audit is computed and stored. All other comparisons are computed on
request.
"""

from typing import NamedTuple

from chalicelib.domain.audit.difference import Difference, KeptDifference, difference
from chalicelib.domain.audit.kept import KeptAudit
from chalicelib.operations.errors import Refused
from chalicelib.store import crawls, kept_audits


class Compared(NamedTuple):
    """Two audits, and the changes from ``base`` to ``head``."""

    base: KeptAudit
    head: KeptAudit
    difference: Difference


class Head(NamedTuple):
    """The audit to compare. ``since``: its changes since the previous audit; None if they were not stored."""

    audit: KeptAudit
    since: KeptDifference | None


def existing(site_id: str, audit_id: str) -> KeptAudit:
    """Load the stored header of an audit. One round trip. Refused: ``not_found``; ``not_kept`` if nothing of the audit
    is stored any more."""
    kept = kept_audits.load(site_id, [audit_id]).get(audit_id)
    if kept is None:
        raise _not_kept(site_id, audit_id)
    return kept


def head(site_id: str, audit_id: str) -> Head:
    """Load the stored header of an audit, and its stored changes since the previous audit. Refused: the codes of
    ``existing``."""
    kept = kept_audits.load_with_difference(site_id, audit_id)
    if kept is None:
        raise _not_kept(site_id, audit_id)
    return Head(*kept)


def compare(site_id: str, compared: Head, against: str | None, *, with_pages: bool) -> Compared:
    """Compare an audit with another one. ``against``: the other audit's id; None for the previous audit.
    ``with_pages``: also compare the audits' pages, if these are still stored. A comparison with the previous audit
    needs one round trip. Any other comparison needs two or three, plus one per further 100 blocks of pages. Refused:
    the codes of ``existing``."""
    audit, since = compared
    base = _before(site_id, compared) if against is None else existing(site_id, against)
    if since is not None and since.base_id == base.id:
        return Compared(base, audit, since.difference)
    if not with_pages:
        return Compared(base, audit, difference(base, audit, None, None))
    base_pages, head_pages = kept_audits.load_pages(site_id, [base, audit])
    return Compared(base, audit, difference(base, audit, base_pages, head_pages))


def _before(site_id: str, compared: Head) -> KeptAudit:
    audit, since = compared
    base_id = kept_audits.before(site_id, audit.id) if since is None else since.base_id
    base = None if base_id is None else kept_audits.load(site_id, [base_id]).get(base_id)
    if base is None:
        raise Refused("not_kept", "No audit before this one is stored; name another audit as `against`.")
    return base


def _not_kept(site_id: str, audit_id: str) -> Refused:
    if crawls.get(site_id, audit_id) is None:
        return Refused("not_found", f"The website has no audit {audit_id}.")
    return Refused(
        "not_kept",
        f"No results of {audit_id} are stored: it has not ended, it judged nothing, or it ended over 400 days ago.",
    )
