"""The tool that lists the websites that the key covers, with their scores."""

from typing import Final

from chalicelib.mcp.shortening import Found, Json, pick
from chalicelib.mcp.tool import CURSOR, Asked, Tool

PER: Final = 20


def run(asked: Asked) -> Found:
    """Return one page of the portfolio. The cursor is the number of the page."""
    page = max(1, asked.offset())
    answer = asked.ask("read_portfolio", sent={"page": page, "per": PER})
    members: Json = {"total": answer["total"], "websites": [_website(one) for one in answer["websites"]]}
    if not answer["total"]:
        members["summary"] = "This key covers no website."
    if answer["hasMore"]:
        members |= {"nextCursor": str(page + 1), "truncated": True}
    return Found(members=members)


def _website(one: Json) -> Json:
    score, audit = one["score"], one["lastAudit"]
    return {
        **pick(one, "id", "name", "url", "status"),
        "score": score and pick(score, "site", "health", "aeo"),
        "issues": one["issues"],
        "lastAuditAt": audit and audit["finishedAt"],
        **pick(one, "running", "link"),
    }


TOOL: Final = Tool(
    name="list_sites",
    about="The websites of this key with score, open issues and last audit. Start here: other tools need a siteId.",
    scopes=("sites:read",),
    run=run,
    properties={"cursor": CURSOR},
    quotes=False,
)
