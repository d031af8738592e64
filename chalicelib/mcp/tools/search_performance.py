"""The tool that reads the search performance of a website."""

from typing import Final

from chalicelib.api.search import RowsParameters
from chalicelib.mcp import shortening
from chalicelib.mcp.shortening import Found, Json, pick
from chalicelib.mcp.tool import CURSOR, SITE, Asked, Refusal, Tool, bad_cursor, taken

MOST: Final = 50
DEFAULT: Final = 25
_ROWS: Final = ("from", "to", "dimension", "country", "device", "search_type", "page")


def run(asked: Asked) -> Found:
    """Return the summary of 28 days or, if ``dimension`` is sent, the rows of a period."""
    sent = asked.given(*_ROWS)
    if "dimension" in sent:
        return _rows(asked, sent)
    others = asked.given(*_ROWS, "limit", "cursor")
    if others:
        needing = ", ".join(f"`{name}`" for name in others)
        raise Refusal("bad_arguments", f"{needing} need `dimension`; without it, leave them out.", param="dimension")
    answer = asked.ask("read_search_summary", asked.site)
    return Found(members={name: value for name, value in answer.items() if name != "days"})


def _rows(asked: Asked, sent: Json) -> Found:
    limit, cursor = _place(asked)
    while True:
        answer = asked.ask("read_search_rows", asked.site, {**sent, "limit": limit, "cursor": cursor})
        members = pick(answer, "period", "window", "rows", "note")
        found = Found(members=members)
        if answer["nextCursor"] is not None:
            members |= {"nextCursor": f"{limit}.{answer['nextCursor']}", "truncated": True, "hint": shortening.HINT}
        # A cursor is bound to its limit. If the rows are too long to fit, they are requested again with a lower limit.
        size = len(shortening.text(found, quotes=True))
        if cursor is not None or limit == 1 or size <= shortening.USUAL_BYTES:
            return found
        limit = max(1, limit * shortening.USUAL_BYTES // (2 * size))


def _place(asked: Asked) -> tuple[int, str | None]:
    """Return how many rows to request, and the API's cursor to start at. A cursor contains the limit that it was made
    with."""
    cursor = asked.arguments.get("cursor")
    if cursor is None:
        return asked.arguments.get("limit", DEFAULT), None
    limit, _, rest = cursor.partition(".")
    if not (
        limit.isascii() and limit.isdigit() and rest and 1 <= int(limit[:3]) <= MOST and len(limit) <= len(str(MOST))
    ):
        raise bad_cursor()
    return int(limit), rest


TOOL: Final = Tool(
    name="search_performance",
    about="Clicks, impressions, position in search. Without dimension: the last 28 days compared with the 28 before, "
    "top pages and queries. With dimension, from and to: rows, most clicks first.",
    scopes=("search:read",),
    run=run,
    properties={
        "siteId": SITE,
        **taken(RowsParameters, *_ROWS),
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST},
        "cursor": CURSOR,
    },
    required=("siteId",),
)
