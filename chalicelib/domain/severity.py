"""How much an issue of a rule matters."""

from typing import Final, Literal, get_args

Severity = Literal["critical", "high", "medium", "low"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)  # the most severe first: the order of every list
