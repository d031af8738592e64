"""The tool that lists the issues of a website."""

from typing import Final

from chalicelib.api.issues import ListParameters
from chalicelib.mcp.clean import words_for_nothing
from chalicelib.mcp.shortening import Found, Json, pick
from chalicelib.mcp.tool import CURSOR, SITE, Asked, Tool, taken

ROWS: Final = 50


def run(asked: Asked) -> Found:
    """Return the issues from the cursor on, the most severe first."""
    offset = asked.offset()
    issues = asked.ask("list_issues", asked.site, asked.given("status"))["issues"]
    shown = [pick(one, "id", "ruleId", "title", "severity", "status", "affectedPages", "link") for one in issues]
    members: Json = {"total": len(issues), "issues": shown[offset : offset + ROWS]}
    if not issues:
        members["summary"] = words_for_nothing(asked, "open issue" if not asked.given("status") else "such issue")
    return Found(
        members=members,
        rows="issues",
        cursor=lambda count: str(offset + count),
        more=offset + ROWS < len(issues),
    )


TOOL: Final = Tool(
    name="list_issues",
    about="Issues that the audit found, severe ones first. Without status: open ones. For order by gain: list_actions.",
    scopes=("issues:read",),
    run=run,
    properties={"siteId": SITE, **taken(ListParameters, "status"), "cursor": CURSOR},
    required=("siteId",),
    quotes=False,
)
