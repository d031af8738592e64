"""The tool that lists actions, those with the highest priority first."""

from typing import Final

from chalicelib.mcp.clean import words_for_nothing
from chalicelib.mcp.shortening import Found, Json, pick
from chalicelib.mcp.tool import CURSOR, SITE, Asked, Tool

DEFAULT: Final = 10
_MEMBERS: Final = (
    *("rank", "issueId", "title", "severity", "effort", "estimatedScoreGain", "status", "writableField", "link"),
)


def run(asked: Asked) -> Found:
    """Return the actions by priority, from the cursor on."""
    offset = asked.offset()
    sent = {"offset": offset, "limit": asked.arguments.get("limit", DEFAULT)}
    answer = asked.ask("list_actions", asked.site, sent)
    members: Json = pick(answer, "total", "waiting") | {"actions": [_action(one) for one in answer["actions"]]}
    if not answer["total"]:
        members["summary"] = words_for_nothing(asked, "open issue or task")
    return Found(
        members=members,
        rows="actions",
        cursor=lambda count: str(offset + count),
        more=answer["nextOffset"] is not None,
    )


def _action(one: Json) -> Json:
    cause = one["cause"]
    shared = cause and pick(cause, "kind", "key") | {"issues": len(cause["issueIds"])}
    return pick(one, *_MEMBERS) | {"cause": shared}


TOOL: Final = Tool(
    name="list_actions",
    about="Open issues and tasks by priority: what to do first. estimatedScoreGain is exact points. Actions with the "
    "same cause need only one change. writableField: apply_changes can write it.",
    scopes=("issues:read",),
    run=run,
    properties={
        "siteId": SITE,
        "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        "cursor": CURSOR,
    },
    required=("siteId",),
)
