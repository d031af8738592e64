"""Examples for the OpenAPI document: an answer for each operation, a body where one is taken; one file a group.

A test checks every one of them against the shape that it illustrates.
"""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.examples import (
    actions,
    agentic,
    analytics,
    audits,
    content,
    issues,
    pages,
    public,
    readiness,
    search,
    sites,
    topics,
    visibility,
)

EXAMPLES: Final[Mapping[str, Any]] = {
    operation: example
    for group in (
        *(public, sites, issues, actions, pages, search, topics, analytics),
        *(readiness, visibility, agentic, audits, content),
    )
    for operation, example in group.EXAMPLES.items()
}
