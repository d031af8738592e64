"""The tool that says whether AI assistants may read a website, and what they answer about it."""

from collections.abc import Callable, Mapping
from typing import Final

from chalicelib.mcp.shortening import Found, Json, pick
from chalicelib.mcp.tool import SITE, Asked, Tool

PROMPTS: Final = 10
WEEKS: Final = 4
TEXT: Final = 4_000  # characters of a file


def _summary(asked: Asked) -> Json:
    answer = asked.ask("read_readiness", asked.site)
    crawlers = answer["crawlers"]
    return {
        **pick(answer, "checkedAt", "robotsTxt", "llmsTxt", "entity"),
        "crawlers": len(crawlers),
        "disallowed": [pick(one, "bot", "owner", "purpose", "rule") for one in crawlers if one["allowed"] is False],
        "unknown": [one["bot"] for one in crawlers if one["allowed"] is None],
    }


def _crawlers(asked: Asked) -> Json:
    answer = asked.ask("read_ai_crawlers", asked.site)
    shown = [pick(one, "bot", "purpose", "allowed", "line", "rule", "matches") for one in answer["crawlers"]]
    return pick(answer, "robotsTxt", "canPublish", "note") | {"crawlers": shown}


def _llms_txt(asked: Asked) -> Json:
    answer = asked.ask("read_llms_txt", asked.site)
    draft, last = answer["draft"], answer["lastChange"]
    live = pick(answer["live"], "found", "kind", "message", "status", "bytes", "matchesLastWrite", "notVisibleYet")
    return {
        **pick(answer, "url", "canPublish", "maxChars"),
        "live": live | {"lines": _lines(answer["live"]["text"])},
        "draft": draft and {"chars": draft["chars"], "lines": _lines(draft["text"])},
        "lastChange": last and pick(last, "batchId", "status", "approvedAt", "appliedAt", "error"),
    }


def _lines(text: str | None) -> list[str] | None:
    """Return the beginning of a file as lines."""
    return None if text is None else text[:TEXT].split("\n")


def _agentic(asked: Asked) -> Json:
    answer = asked.ask("list_agentic", asked.site, {"per": PROMPTS})
    results = [pick(one, "url", "strategy", "testedAt", "passed", "applicable") for one in answer["results"]]
    devices = {name: found and _device(found) for name, found in answer["summary"].items()}
    running = [pick(one, "jobId", "url", "status") for one in answer["running"]]
    return {"total": answer["total"], **devices, "results": results, "running": running, "budget": answer["budget"]}


def _device(found: Json) -> Json:
    """Return the tests on one kind of device, with the failed checks."""
    failing = [pick(one, "id", "title", "fail", "detail") for one in found["checks"] if one["state"] == "fail"]
    return pick(found, "pages", "passed", "applicable") | {"failing": failing}


def _visibility(asked: Asked) -> Json:
    weeks = asked.ask("read_visibility", asked.site, {"weeks": WEEKS, "limit": 1})["weeks"]
    gaps = asked.ask("read_visibility_gaps", asked.site, {"weeks": WEEKS})
    rates = ("week", "answers", "named", "cited", "mentionRate", "mentionInterval", "citationRate", "promptsAsked")
    shown = [pick(one, "prompt", "answers", "citedOthers") for one in gaps["gaps"][:PROMPTS]]
    return {"weeks": [pick(one, *rates) for one in weeks], "gapsTotal": gaps["total"], "gaps": shown}


_PARTS: Final[Mapping[str, Callable[[Asked], Json]]] = {
    "summary": _summary,
    "crawlers": _crawlers,
    "llms_txt": _llms_txt,
    "agentic": _agentic,
    "visibility": _visibility,
}


def run(asked: Asked) -> Found:
    """Return the requested part of the data about AI readiness and visibility."""
    return Found(members=_PARTS[asked.arguments.get("part", "summary")](asked))


TOOL: Final = Tool(
    name="ai_readiness",
    about="AI readiness. summary (default): which AI crawlers robots.txt blocks, llms.txt, organization data. "
    "crawlers, llms_txt: read live now. agentic: can an agent use the pages. visibility: what assistants say about "
    "the website.",
    scopes=("ai:read",),
    run=run,
    properties={"siteId": SITE, "part": {"type": "string", "enum": list(_PARTS)}},
    required=("siteId",),
)
