"""Limits on stored evidence. Its texts and addresses come from the website and can have any length, but a stored item
has a size limit.

Evidence of ordinary length is stored unchanged.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from chalicelib.domain.audit.records import PageFinding

Evidence = dict[str, object]

MOST_BYTES: Final = 4_000  # of one finding's packed evidence
MOST_BYTES_OF_PAGE: Final = 20_000  # of all findings of a page: 250 pages share an item
# Limits of long evidence, applied in turn until it fits: characters of a text, entries of a list.
_CUTS: Final = ((1_000, 20), (300, 10), (120, 5))
_MESSAGE: Final = 500  # characters of the message, if the evidence does not fit otherwise
_SHORT_MESSAGE: Final = 120  # characters of the message, if all findings of a page together are too long
_DEEPEST: Final = 4
CUT: Final = "…"  # the end of a text that was cut

_encoder = msgspec.msgpack.Encoder()


def bounded(evidence: Mapping[str, object]) -> Evidence:
    """Cut texts and lists until the packed evidence fits into 4,000 bytes. If that is not enough, only the message is
    kept.

    Raises ``TypeError`` or ``ValueError`` for values that cannot be stored.
    """
    kept = dict(evidence)
    for text, entries in _CUTS:
        if _size(kept) <= MOST_BYTES:
            return kept
        kept = {cut(name, text): _cut(value, text, entries, 0) for name, value in list(evidence.items())[:entries]}
    return kept if _size(kept) <= MOST_BYTES else message_only(evidence, _MESSAGE)


def message_only(evidence: Mapping[str, object], characters: int) -> Evidence:
    """Return only the message of the evidence, cut to ``characters``. The result is empty if there is no message."""
    message = evidence.get("message")
    return {"message": cut(message, characters)} if isinstance(message, str) else {}


def bounded_findings(findings: list[PageFinding]) -> list[PageFinding]:
    """Limit the size of the findings of one page. If they are larger than ``MOST_BYTES_OF_PAGE``, only their messages
    are kept."""
    if _size([finding.evidence for finding in findings]) <= MOST_BYTES_OF_PAGE:
        return findings
    return [
        PageFinding(finding.rule_id, message_only(finding.evidence, _SHORT_MESSAGE), finding.first_seen)
        for finding in findings
    ]


def cut(text: str, characters: int) -> str:
    """Return the first ``characters`` of a text. A text that was cut ends with an ellipsis."""
    return text if len(text) <= characters else f"{text[: characters - 1]}{CUT}"


def _size(value: object) -> int:
    return len(_encoder.encode(value))


def _cut(value: object, text: int, entries: int, depth: int) -> object:
    if isinstance(value, str):
        return cut(value, text)
    if isinstance(value, Mapping):
        if depth == _DEEPEST:
            return None
        members = list(value.items())[:entries]
        return {cut(str(name), text): _cut(member, text, entries, depth + 1) for name, member in members}
    if isinstance(value, Sequence):
        return None if depth == _DEEPEST else [_cut(item, text, entries, depth + 1) for item in value[:entries]]
    return value
