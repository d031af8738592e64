"""The tool that lists the topics that a website is found for."""

from typing import Final

from chalicelib.api.topics import ListParameters
from chalicelib.mcp.shortening import Found, Json, pick
from chalicelib.mcp.tool import CURSOR, SITE, Asked, Tool, taken

MOST: Final = 25
EACH: Final = 3  # pages and queries of a topic
_PARAMETERS: Final = ("start", "end", "sort", "minPages")
_TOPIC: Final = ("name", "section", "pageCount", "clicks", "impressions", "position", "strength", "clicksShort")


def run(asked: Asked) -> Found:
    """Return the topics from the cursor on, each with its pages and queries that have most clicks."""
    offset = asked.offset()
    sent = {**asked.given(*_PARAMETERS), "offset": offset, "limit": MOST}
    answer = asked.ask("list_topics", asked.site, sent)
    members: Json = {
        "total": answer["totalTopics"],
        "period": answer["period"],
        "ungroupedPages": answer["ungrouped"]["pageCount"],
        "uncoveredPages": answer["uncovered"]["pageCount"],
        "uncovered": [one["url"] for one in answer["uncovered"]["pages"][:EACH]],
        "note": answer["note"],
        "link": answer["link"],
        "topics": [_topic(one) for one in answer["topics"]],
    }
    return Found(
        members=members,
        rows="topics",
        cursor=lambda count: str(offset + count),
        more=answer["nextOffset"] is not None,
    )


def _topic(one: Json) -> Json:
    return {
        **pick(one, *_TOPIC),
        "queries": [query["query"] for query in one["topQueries"][:EACH]],
        "pages": [page["url"] for page in one["pages"][:EACH]],
    }


TOOL: Final = Tool(
    name="list_topics",
    about="Topics a website is found for: pages grouped by folder and query words, with clicks, strength and the "
    "clicks that a weak topic lacks. sort opportunity: those that lack most clicks first.",
    scopes=("search:read",),
    run=run,
    properties={"siteId": SITE, **taken(ListParameters, *_PARAMETERS), "cursor": CURSOR},
    required=("siteId",),
)
