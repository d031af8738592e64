"""The tool that reads the progress of an audit, a recheck, a speed test or approved changes."""

from typing import Final

from chalicelib.mcp.shortening import Found, pick
from chalicelib.mcp.tool import SITE, Asked, Refusal, Tool
from chalicelib.mcp.tools.get_issue import outline

AUDIT, RUN, ISSUE = "crawl_", "job_", "iss_"
_AUDIT: Final = (
    *("id", "kind", "status", "stage", "partialReason", "error", "pagesCrawled", "pagesDiscovered", "pageBudget"),
    *("queuedAt", "startedAt", "finishedAt", "link"),
)
_SCOPES: Final = {AUDIT: "sites:read", RUN: "ai:read", ISSUE: "issues:read"}


def run(asked: Asked) -> Found:
    """Return the progress of an audit, a recheck, a speed test, or an issue's approved changes. The id tells which of
    them it is."""
    given = asked.arguments["jobId"]
    kind = next((prefix for prefix in _SCOPES if given.startswith(prefix)), None)
    if kind is None:
        raise Refusal("bad_arguments", "`jobId` must begin with crawl_, job_ or iss_.", param="jobId")
    if kind == AUDIT:
        return Found(members=pick(asked.ask("read_audit", {**asked.site, "auditId": given}), *_AUDIT))
    if kind == RUN:
        answer = asked.ask("read_run", {**asked.site, "jobId": given})
        result = answer["result"]
        short = result and pick(result, "passed", "applicable", "testedAt")
        return Found(members={name: value for name, value in answer.items() if name != "result"} | {"result": short})
    answer = asked.ask("read_issue", {**asked.site, "issueId": given}, {"suggestions_limit": 1, "pages_limit": 1})
    change = answer["lastChange"]
    return Found(
        members=pick(answer, "id", "title", "status", "affectedPages", "lastRecheck", "link")
        | {"lastChange": change and outline(change)}
    )


TOOL: Final = Tool(
    name="get_job",
    about="Progress by id: an audit or recheck (crawl_…), an agentic test (job_…), or the changes approved for an "
    "issue (iss_…: written, live, resolved?). Ask about once a minute.",
    scopes=("sites:read",),
    run=run,
    properties={"siteId": SITE, "jobId": {"type": "string", "maxLength": 64}},
    required=("siteId", "jobId"),
)
