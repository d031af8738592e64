"""The tool that reads one website: scores, last audit, connections."""

from typing import Final

from chalicelib.mcp.shortening import Found, Json, pick
from chalicelib.mcp.tool import SITE, Asked, Tool


def run(asked: Asked) -> Found:
    """Return the summary of a website, without the weights of categories and without weekly scores."""
    answer = asked.ask("read_site", asked.site)
    members: Json = {name: value for name, value in answer.items() if name != "weeklyScores"}
    score = answer["score"]
    if score is not None:
        categories = {one["category"]: one["score"] for one in score["categories"]}
        members["score"] = pick(score, "site", "health", "aeo", "coverage", "confidence") | {"categories": categories}
    members["connections"] = [one for one in answer["connections"] if one["connected"]]
    if answer["lastAudit"] is None:
        members["summary"] = "No audit has finished yet: start_audit starts one."
    return Found(members=members)


TOOL: Final = Tool(
    name="get_site",
    about="One website: score by category, change since the last audit and week, open issues, last and next audit, "
    "connections, and whether its CMS can be written.",
    scopes=("sites:read",),
    run=run,
    properties={"siteId": SITE},
    required=("siteId",),
    quotes=False,
)
