"""What an outside system answers, made fit for use: its JSON, and its words for a message."""

from collections.abc import Iterable
from typing import Final, TypeVar

import msgspec

from chalicelib import typed

MOST_REASON: Final = 200  # characters of an outside system's own words

Wire = TypeVar("Wire")


def decoded(body: bytes | msgspec.Raw, wire: type[Wire]) -> Wire:
    """The JSON of an answer. Raises ``ValueError`` for whatever is not JSON of this shape: texts that are not UTF-8 and
    brackets without end too."""
    try:
        return typed.from_json(body, wire)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def in_one_line(text: str, hidden: Iterable[str]) -> str:
    """The words in one line, short, and without anything of what is ``hidden``."""
    for secret in hidden:
        text = text.replace(secret, "…") if secret else text
    printable = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(printable.split())[:MOST_REASON] or "no reason given"
