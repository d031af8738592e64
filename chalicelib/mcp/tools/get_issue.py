"""The tool that reads one issue with its suggested values."""

from typing import Final

from chalicelib.mcp.shortening import Found, Json, pick
from chalicelib.mcp.tool import CURSOR, ISSUE, SITE, Asked, Tool

SUGGESTIONS: Final = 10
EXAMPLES: Final = 3
_ISSUE: Final = (
    *("id", "ruleId", "title", "severity", "confidence", "status", "affectedPages", "template", "summary"),
    *("firstSeen", "lastRecheck", "explanation", "fix", "evidence", "writableField", "titleTemplate"),
)
_SUGGESTION: Final = (
    *("url", "current", "suggested", "suggestedNote", "writable", "notWritableReason", "advice", "description"),
)


def run(asked: Asked) -> Found:
    """Return the issue with ten suggestions, from the cursor on. An issue without suggestions comes with example
    pages.
    """
    offset = asked.offset()
    sent = {"suggestions_offset": offset, "suggestions_limit": SUGGESTIONS, "pages_limit": EXAMPLES}
    answer = asked.ask("read_issue", {**asked.site, "issueId": asked.arguments["issueId"]}, sent)
    members: Json = pick(answer, *_ISSUE)
    if answer["lastChange"] is not None:
        members["lastChange"] = outline(answer["lastChange"])
    members["link"] = answer["link"]
    if "suggestions" not in answer:
        members["examples"] = [{"url": page["url"], **page["evidence"]} for page in answer["pages"]]
        return Found(members=members)
    members |= {
        "total": answer["suggestionsTotal"],
        "note": answer["suggestionsNote"],
        "suggestions": [pick(one, *_SUGGESTION) for one in answer["suggestions"]],
    }
    return Found(
        members=members,
        rows="suggestions",
        cursor=lambda count: str(offset + count),
        more=answer["suggestionsTruncated"],
    )


def outline(batch: Json) -> Json:
    """Summarize a batch of changes: the number of changes in each state, and the first errors."""
    states: dict[str, int] = {}
    for change in batch["changes"]:
        states[change["status"]] = states.get(change["status"], 0) + 1
    wrong = [one for one in batch["changes"] if one["error"] or one["notLiveReason"]]
    return {
        **pick(batch, "batchId", "approvedAt", "gain"),
        "changes": batch["changesTotal"],
        "states": states,
        "trouble": [pick(one, "url", "status", "error", "notLiveReason") for one in wrong[:EXAMPLES]] or None,
    }


TOOL: Final = Tool(
    name="get_issue",
    about="One issue: what was found, how to fix it, ten suggested values with the current ones, and the result of "
    "the last changes. It does not list all pages; the link does.",
    scopes=("issues:read",),
    run=run,
    properties={"siteId": SITE, "issueId": ISSUE, "cursor": CURSOR},
    required=("siteId", "issueId"),
)
