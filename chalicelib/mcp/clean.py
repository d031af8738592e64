"""Texts for empty results. If an empty result has no explanation, agents search again or start another audit."""

from chalicelib.http.errors import ApiError
from chalicelib.mcp.tool import Asked


def words_for_nothing(asked: Asked, what: str) -> str:
    """Return a sentence for an empty result. It says that the last audit found nothing of this kind, or that there was
    no audit yet. ``what``: the kind, as a noun in the singular."""
    audit = None
    if asked.may("sites:read"):
        try:
            audit = asked.ask("read_site", asked.site)["lastAudit"]
        except ApiError:
            return f"There is no {what}."
        if audit is None:
            return "No audit has finished yet, so nothing is known. start_audit starts one."
    if audit is None:
        return f"There is no {what}. Nothing needs to be done."
    pages = audit["pagesCrawled"]
    return f"Clean: the audit of {audit['finishedAt']} read {pages} pages, and there is no {what}. Nothing to do."
