"""Compares a preview with the website's own audits."""

from chalicelib.domain.audit import preview
from chalicelib.domain.audit.difference import difference
from chalicelib.domain.audit.preview import Left
from chalicelib.operations import comparisons, previews
from chalicelib.operations.comparisons import Compared
from chalicelib.operations.errors import Refused
from chalicelib.store import kept_audits
from chalicelib.store.previews import Stored


def compare(site_id: str, found: Stored, against: str | None, *, with_pages: bool) -> Compared:
    """Compare a preview with an audit of its website: what would change if the preview went live. ``against``: the id
    of the audit; None for the last stored one. ``with_pages``: also compare the pages of the preview and the audit, if
    these are still stored. Two or three round trips, plus one for each 100 blocks of pages after the first.

    Refused: ``not_kept`` if the preview is not stored any more. If ``against`` is given, also the codes of
    ``comparisons.existing``.
    """
    head = previews.existing_kept(found)
    if against is None:
        newest = kept_audits.newest(site_id, 1)
        if not newest:
            raise Refused("not_kept", "No audit of the website is stored to compare the preview with.")
        against = newest[0].id
    base = comparisons.existing(site_id, against)
    base_pages, head_pages = kept_audits.load_pages(site_id, [base, head]) if with_pages else (None, None)
    before, after = preview.comparable(
        Left(base, base_pages), Left(head, head_pages), ignores_robots=found.header.ignores_robots
    )
    return Compared(before.audit, after.audit, difference(before.audit, after.audit, before.pages, after.pages))
