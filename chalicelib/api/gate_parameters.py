"""The query parameters of the gates of audits and of previews. A gate is a check that a pipeline passes or fails."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from chalicelib.api.differences import ISSUES
from chalicelib.domain.severity import SEVERITIES, Severity
from chalicelib.http.authentication import check_scope, is_id
from chalicelib.http.endpoints import Call, Form
from chalicelib.http.errors import not_found
from chalicelib.http.parameters import choice, parsed, text

if TYPE_CHECKING:
    from chalicelib.domain.audit.gate import Asked

GATE_TEXT: Final = Form("text", "text/plain")
LONGEST_ID: Final = 64
_SCORE: Final = re.compile(r"(?:100(?:\.0)?|[1-9]?[0-9](?:\.[0-9])?)")
_SCORE_SCHEMA: Final[dict[str, Any]] = {"type": "string", "pattern": f"^{_SCORE.pattern}$"}


def _tenths(raw: str) -> int:
    if not _SCORE.fullmatch(raw):
        raise ValueError("a number from 0 to 100 with at most one decimal")
    return round(float(raw) * 10)


@dataclass(frozen=True, slots=True)
class GateParameters:
    min_score: int | None = parsed("Fails below this score.", _SCORE_SCHEMA, _tenths)
    no_new: Severity | None = choice(
        "Fails if there is a finding of this severity or above that `against` did not have. Needs"
        " `issues:read`. Default without any condition: `high`.",
        SEVERITIES,
    )
    max_loss: int | None = parsed("The most points that the score may lose since `against`.", _SCORE_SCHEMA, _tenths)
    against: str | None = text(
        "The audit to compare with. Default: the audit before; for a preview, the last audit.",
        maximum=LONGEST_ID,
        minimum=1,
    )
    format: str = choice("JSON, or a text whose first line is the outcome.", ("json", "text"), default="json")


def conditions(call: Call[GateParameters]) -> "Asked":
    """Read the gate's conditions from a request. Raises ``ApiError`` if the conditions need a scope that the key lacks,
    or if ``against`` is not an id."""
    # Only requests for a gate load the code that judges.
    from chalicelib.domain.audit.gate import Asked

    sent = call.parameters
    asked = Asked(sent.min_score, sent.no_new, sent.max_loss)
    if asked.no_new is not None or asked == Asked():
        check_scope(call.auth, ISSUES)
    if sent.against is not None and not is_id(sent.against):
        raise not_found("audit")
    return asked
