"""Examples for the OpenAPI document: an answer for each operation, a body where one is taken; one file a group.

A test checks every one of them against the shape that it illustrates.
"""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.examples import actions, audits, content, issues, pages, public, readiness, sites

EXAMPLES: Final[Mapping[str, Any]] = {
    operation: example
    for group in (public, sites, issues, actions, pages, readiness, audits, content)
    for operation, example in group.EXAMPLES.items()
}
