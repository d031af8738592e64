"""The tool that lists pages of the last audit, or reads one page in full."""

from typing import Final

from chalicelib.api.pages import ListParameters
from chalicelib.mcp.shortening import Found, Json, pick
from chalicelib.mcp.tool import CURSOR, SITE, Asked, Refusal, Tool, taken

PER: Final = 25
_FILTERS: Final = ("q", "status", "template", "indexable")
_FACTS: Final = (
    *("finalUrl", "redirects", "status", "contentType", "bytes", "ttfbMs", "title", "description", "canonical"),
    *("indexable", "notIndexableReason", "wordCount", "language", "structuredDataTypes", "images", "links"),
)


def run(asked: Asked) -> Found:
    """Return a list of pages. If ``url`` is sent, return only that page, with its facts and findings."""
    url = asked.arguments.get("url")
    if url is not None:
        others = asked.given(*_FILTERS, "cursor")
        if others:
            raise Refusal("bad_arguments", f"`url` names one page: send it without {', '.join(others)}.", param="url")
        return _one(asked, url)
    offset = asked.offset()
    answer = asked.ask("list_pages", asked.site, {**asked.given(*_FILTERS), "per": PER, "offset": offset})
    shown = [pick(one, "url", "status", "title", "template", "pageScore", "openIssues") for one in answer["pages"]]
    members: Json = {"total": answer["total"], "pages": shown}
    if not answer["total"]:
        members["summary"] = "No page of the last audit matches. Before the first audit, no page is known."
    return Found(
        members=members,
        rows="pages",
        cursor=lambda count: str(offset + count),
        more=answer["nextOffset"] is not None,
    )


def _one(asked: Asked, url: str) -> Found:
    answer = asked.ask("read_page_by_address", asked.site, {"url": url})
    members = pick(answer, "id", "url", "status", "title", "template", "scores", "inlinks", "lastCrawled")
    members["facts"] = answer["facts"] and pick(answer["facts"], *_FACTS)
    members["findings"] = [
        pick(one, "issueId", "ruleId", "title", "severity") | {"seen": one["evidence"].get("message")}
        for one in answer["findings"]
    ]
    return Found(members=members, rows="findings")


TOOL: Final = Tool(
    name="find_pages",
    about="Pages of the last audit by part of address or title (q), HTTP status (404, 4xx), template, indexable. With "
    "url: that page's facts and findings.",
    scopes=("pages:read",),
    run=run,
    properties={
        "siteId": SITE,
        "url": {"type": "string", "maxLength": 2_048},
        **taken(ListParameters, *_FILTERS),
        "cursor": CURSOR,
    },
    required=("siteId",),
)
