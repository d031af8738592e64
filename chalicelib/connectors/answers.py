"""Reading what outside systems answer: their JSON, and their words for a message."""

from collections.abc import Iterable
from typing import Final, TypeVar

import msgspec

from chalicelib import typed
from chalicelib.domain.printable import printable

MOST_REASON: Final = 200  # characters of an outside system's own words
_READ: Final = 16 * 1024  # characters of its words that are read

Wire = TypeVar("Wire")


def decoded(body: bytes | msgspec.Raw, wire: type[Wire]) -> Wire:
    """The JSON of an answer. Raises ``ValueError`` for whatever is not JSON of this shape: texts that are not UTF-8 and
    brackets without end too."""
    try:
        return typed.from_json(body, wire)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def in_one_line(text: str, hidden: Iterable[str]) -> str:
    """The words as one short printable line, without any ``hidden`` secret."""
    secrets = [secret for secret in hidden if secret]
    line = _without(printable(_without(text[:_READ], secrets), _READ), secrets)
    return printable(line, MOST_REASON) or "no reason given"


def _without(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "…")
    return text
