"""The tool that queues a recheck of an issue."""

from typing import Final

from chalicelib.mcp.shortening import Found, pick
from chalicelib.mcp.tool import ISSUE, SITE, Asked, Tool


def run(asked: Asked) -> Found:
    """Queue a recheck of one issue."""
    answer = asked.ask("recheck_issue", {**asked.site, "issueId": asked.arguments["issueId"]})
    return Found(members={"jobId": answer["crawlId"], **pick(answer, "note", "link")})


TOOL: Final = Tool(
    name="recheck_issue",
    about="Read the pages of an issue again, without caches, to check if the fix is live. Follow with get_job and "
    "jobId.",
    scopes=("issues:recheck",),
    run=run,
    properties={"siteId": SITE, "issueId": ISSUE},
    required=("siteId", "issueId"),
    quotes=False,
    writes=True,
)
