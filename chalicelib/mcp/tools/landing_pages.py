"""The tool that lists landing pages with their conversions and revenue."""

from typing import Final

from chalicelib.api.analytics import PagesParameters
from chalicelib.mcp.shortening import Found, Json, pick
from chalicelib.mcp.tool import CURSOR, SITE, Asked, Tool, taken

MOST: Final = 50
DEFAULT: Final = 20
_PARAMETERS: Final = ("start", "end", "channel", "sort")
_FIGURES: Final = (
    *("sessions", "engagementRate", "keyEvents", "conversionRate", "purchases", "revenue", "clicks", "impressions"),
    *("ctr", "position"),
)


def run(asked: Asked) -> Found:
    """Return the landing pages from the cursor on."""
    offset = asked.offset()
    sent = {**asked.given(*_PARAMETERS), "offset": offset, "limit": asked.arguments.get("limit", DEFAULT)}
    answer = asked.ask("read_landing_pages", asked.site, sent)
    members: Json = {
        **pick(answer, "total", "period", "channel", "currency"),
        "totals": pick(answer["totals"], *_FIGURES),
        **pick(answer, "searchData", "note", "link"),
        "rows": [pick(one, "page", *_FIGURES) for one in answer["rows"]],
    }
    return Found(
        members=members,
        rows="rows",
        cursor=lambda count: str(offset + count),
        more=answer["nextOffset"] is not None,
    )


TOOL: Final = Tool(
    name="landing_pages",
    about="Sessions, conversions and revenue by landing page from web analytics, joined with search clicks.",
    scopes=("analytics:read",),
    run=run,
    properties={
        "siteId": SITE,
        **taken(PagesParameters, *_PARAMETERS),
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST},
        "cursor": CURSOR,
    },
    required=("siteId",),
)
