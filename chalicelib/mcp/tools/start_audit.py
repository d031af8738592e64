"""The tool that starts an audit."""

from typing import Final

from chalicelib.mcp.shortening import Found, pick
from chalicelib.mcp.tool import SITE, Asked, Tool


def run(asked: Asked) -> Found:
    """Queue a full audit. It counts as one of the three audits per day that may be started through the API."""
    body = {"pageBudget": asked.arguments["pageBudget"]} if "pageBudget" in asked.arguments else None
    answer = asked.ask("start_audit", asked.site, body=body)
    return Found(members=pick(answer, "auditId", "status", "pageBudget", "startsLeftToday", "link"))


TOOL: Final = Tool(
    name="start_audit",
    about="Start a full audit (at most 3 a day for a website; a weekly audit runs automatically). Follow with get_job "
    "and auditId.",
    scopes=("audits:run",),
    run=run,
    properties={"siteId": SITE, "pageBudget": {"type": "integer", "minimum": 1}},
    required=("siteId",),
    quotes=False,
    writes=True,
)
