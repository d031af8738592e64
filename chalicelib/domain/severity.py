"""The severities of issues."""

from typing import Final, Literal, get_args

Severity = Literal["critical", "high", "medium", "low"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)  # most severe first: the order of every list
