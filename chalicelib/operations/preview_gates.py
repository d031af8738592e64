"""Judges whether a preview passes a gate (a check with conditions that a pipeline chose). The preview is compared with
the website's own audits."""

from chalicelib.domain.audit.gate import Asked
from chalicelib.operations import gates
from chalicelib.operations.gates import Gate
from chalicelib.store import kept_audits
from chalicelib.store.previews import Stored


def judged(site_id: str, found: Stored, asked: Asked, against: str | None, *, now: float) -> Gate:
    """Judge a preview by these conditions, compared with an audit of its website. ``against``: the audit's id; None for
    the last stored one. Round trips and refusals are those of ``gates.judged``."""
    if found.kept is None:
        return gates.judged(site_id, found.header, asked, against, now=now)
    if against is None and (last := kept_audits.newest(site_id, 1)):
        against = last[0].id
    return gates.judged(site_id, found.kept, asked, against, now=now)
