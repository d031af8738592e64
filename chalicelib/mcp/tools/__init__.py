"""All tools, in the order in which they are listed. Each tool has its own file."""

from collections.abc import Mapping
from typing import Final

from chalicelib.mcp.tool import Tool
from chalicelib.mcp.tools import (
    ai_readiness,
    apply_changes,
    explain_rule,
    find_pages,
    get_issue,
    get_job,
    get_site,
    landing_pages,
    list_actions,
    list_issues,
    list_sites,
    list_topics,
    recheck_issue,
    search_performance,
    start_audit,
)

TOOLS: Final[tuple[Tool, ...]] = (
    list_sites.TOOL,
    get_site.TOOL,
    list_actions.TOOL,
    list_issues.TOOL,
    get_issue.TOOL,
    find_pages.TOOL,
    search_performance.TOOL,
    list_topics.TOOL,
    landing_pages.TOOL,
    ai_readiness.TOOL,
    explain_rule.TOOL,
    get_job.TOOL,
    start_audit.TOOL,
    recheck_issue.TOOL,
    apply_changes.TOOL,
)
BY_NAME: Final[Mapping[str, Tool]] = {tool.name: tool for tool in TOOLS}
